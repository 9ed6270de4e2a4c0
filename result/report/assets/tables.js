"use strict";

// Among runs the best value of a criterion stands out, and a table of runs sorts by a click on a head.
function rankTables() {
  const digit = c => c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c);
  const number = cell => parseFloat(cell.textContent.replace("·10", "e").replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, digit));
  const size = cell => Math.abs(number(cell));
  for (const t of document.querySelectorAll("table.ranked")) {
    const rows = [...t.tBodies[0].rows], across = t.classList.contains("across");
    const columns = rows[0] ? [...rows[0].cells].slice(1).map((c, k) => rows.map(r => r.cells[k + 1])) : [];
    for (const cells of across ? columns : rows.map(r => [...r.cells].slice(1))) {
      const known = cells.map(size).filter(Number.isFinite), least = Math.min(...known), most = Math.max(...known);
      if (known.length < 2 || least === most) continue;
      const place = v => Math.log((v + 1e-9 * most) / (most + 1e-9 * most));
      for (const c of cells) {
        const share = place(size(c)) / place(least);
        if (Number.isFinite(share)) c.style.backgroundColor = `rgba(0, 114, 178, ${(0.22 * share).toFixed(3)})`;
        if (size(c) === least) c.classList.add("best");
      }
    }
    if (across) sortable(t, rows, size);
  }
}

function sortable(t, rows, size) {
  [...t.tHead.rows[0].cells].forEach((head, k) => {
    head.tabIndex = 0;
    head.title = "sort";
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const h of t.tHead.rows[0].cells) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = r => k ? size(r.cells[k]) : r.cells[0].textContent;
      rows.sort((a, b) => (key(a) > key(b) ? 1 : key(a) < key(b) ? -1 : 0) * (down ? -1 : 1));
      t.tBodies[0].append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
  });
}

// Links to all that has a heading.
function linkContents() {
  const list = document.getElementById("contents");
  [...document.querySelectorAll("main h2")].forEach((h, i) => {
    h.id = h.id || "part-" + (i + 1);
    const link = document.createElement("a");
    link.href = "#" + h.id;
    link.textContent = h.textContent;
    list.append(link);
  });
}
