"use strict";

const runsHeight = 30; // of a row, pixels

// A cell of the table of runs.
function runsCell(of, ...content) {
  const td = make("td", {}, ...content);
  td.setAttribute("role", "gridcell");
  td.dataset.of = of;
  td.title = td.textContent;
  return td;
}

// Room for rows that are not in sight.
function runsRoom(count) {
  const tr = make("tr", { ariaHidden: "true" });
  tr.style.height = count * runsHeight + "px";
  return tr;
}

// The runs of the folder: a table of those that a filter chooses, and below it some of them beside each other. The
// program has the list; the page has the rows in sight and some around them.
function runsView(root, call) {
  const around = 60; // rows that are asked for beyond those in sight
  const texts = ["kind", "rig", "status", "verdict", "compensator", "tags"]; // a click on a value filters
  const query = { filter: "", sort: "date", down: true, numbers: [] };
  const above = runsRoom(0), below = runsRoom(0);
  let made = new Map(); // lines of the table by their places: one that stays is not made again, or a click would be lost
  let rows = new Map(), list = null, at = 0, editing = false, version = "";
  const chosen = new Set();

  const filter = make("input", { type: "search", size: 40, spellcheck: false, autocomplete: "off",
    placeholder: "J2_pct<3 status=completed tag=… since=2026-11-02 a part of the name" });
  const wrong = make("p", { id: "runs-wrong", className: "runs-wrong", hidden: true });
  wrong.setAttribute("role", "alert");
  filter.setAttribute("aria-describedby", "runs-wrong");
  const more = make("select"), said = make("p", { className: "doc" }), empty = make("p", { hidden: true });
  said.setAttribute("role", "status");
  const rebuild = button("Rebuild the catalogue", remake);
  const none = button("Select none", () => { chosen.clear(); draw(); });
  const beside = button("Compare", () => open([...chosen]));
  const head = make("tr"), body = make("tbody"), cols = make("colgroup"), table = make("table", {}, cols,
    make("thead", {}, head), body);
  const grid = make("div", { className: "runs-grid", tabIndex: 0, hidden: true }, table);
  for (const [k, v] of [["role", "grid"], ["aria-label", "Runs"], ["aria-multiselectable", "true"]]) {
    grid.setAttribute(k, v);
  }
  table.setAttribute("role", "presentation");
  const panel = comparison(call), doc = make("p", { className: "doc" });
  doc.textContent = "Arrow keys move, Space selects, Enter opens, Escape comes back. F2 or a double click edits tags " +
    "and note. A click on a head sorts, a click on a status, tag or compensator filters.";
  root.className = "runs-tab";
  const fields = make("div", { className: "fields" }, make("label", {}, "Filter ", filter),
    make("label", {}, "Column ", more), beside, none, rebuild);
  root.append(fields, wrong, said, empty, grid, doc, panel.root);

  function button(textContent, act) {
    const b = make("button", { type: "button", textContent });
    b.addEventListener("click", act);
    return b;
  }

  // What is in sight: rows from the first one on.
  const sight = () => ({ first: Math.floor(grid.scrollTop / runsHeight),
    count: Math.ceil((grid.clientHeight || 500) / runsHeight) + 1 });

  // The newest question counts. A reply of another state of the folder makes all rows known before old.
  const loading = newest(async (_, signal) => {
    const { first, count } = sight();
    try {
      const part = { from: Math.max(0, first - around), rows: count + 2 * around };
      const got = await call("runs", { ...query, ...part }, { signal });
      const other = got.version !== version;
      if (other) [rows, made] = [new Map(), new Map()];
      [version, list] = [got.version, got];
      got.rows.forEach((r, i) => rows.has(got.from + i) || rows.set(got.from + i, r));
      if (!editing) complain(""); // what is wrong with a label stays until it is mended
      show(other);
    } catch (e) {
      if (e.name === "AbortError") throw e;
      complain(e.message);
    }
    window.rthsRuns = (window.rthsRuns || 0) + 1; // for tests
  });

  const load = () => loading(query);

  function complain(text) {
    [wrong.textContent, wrong.hidden] = [text, !text];
    filter.setAttribute("aria-invalid", String(!!text));
  }

  // The list has come: heads, widths and words around the table.
  function show(other) {
    const all = list.of && list.of !== list.total ? " of " + list.of : "";
    const counted = list.empty ? "" : list.total + all + (list.total === 1 ? " run. " : " runs. ");
    said.replaceChildren(counted, ...list.notes.map(n => n + ". "));
    if (list.command && !list.empty) said.append("In a terminal: ", make("code", { textContent: list.command }));
    [empty.textContent, empty.hidden] = [list.empty || "No run is as the filter wants it.", !!list.total];
    [grid.hidden, rebuild.hidden, doc.hidden] = [!list.total, !list.rebuild, !list.total];
    more.replaceChildren(make("option", { value: "", textContent: "add …" }),
      ...list.names.filter(n => !list.heads.includes(n)).map(n => make("option", { value: n, textContent: n })));
    const key = list.heads.join() + query.sort + query.down;
    if (head.dataset.key !== key) {
      const held = [...head.children].findIndex(th => th.contains(document.activeElement));
      head.dataset.key = key;
      head.replaceChildren(headCell(""), ...list.heads.map(headCell));
      if (held > 0 && head.children[held]) head.children[held].firstChild.focus();
    }
    if (other && !editing) widths();
    at = Math.max(0, Math.min(at, list.total - 1));
    grid.setAttribute("aria-rowcount", list.total + 1);
    grid.style.height = "min(44vh, " + ((list.total + 1) * runsHeight + 20) + "px)";
    draw();
  }

  function headCell(name) {
    const th = make("th", { scope: "col" });
    th.setAttribute("role", "columnheader");
    if (!name) return th;
    const sorts = query.sort === name;
    th.setAttribute("aria-sort", !sorts ? "none" : query.down ? "descending" : "ascending");
    const b = button(name + (sorts ? query.down ? " ▼" : " ▲" : ""), () => {
      [query.down, query.sort] = [sorts ? !query.down : name === "date", name];
      grid.scrollTop = at = 0;
      load();
    });
    th.append(b);
    return th;
  }

  // Columns are as wide as what stands in the first rows.
  function widths() {
    const least = { tags: 16, note: 24 };
    const longest = i => Math.max(list.heads[i].length + 2, least[list.heads[i]] || 0,
      ...[...rows.values()].map(r => r.cells[i].length));
    const wide = [3, ...list.heads.map((_, i) => Math.min(34, longest(i)) + 2)];
    cols.replaceChildren(...wide.map(n => {
      const col = make("col");
      col.style.width = n + "ch";
      return col;
    }));
    table.style.width = wide.reduce((a, b) => a + b) + "ch";
  }

  // draw makes the rows in sight, with room above and below for the others.
  function draw() {
    const n = chosen.size;
    [beside.disabled, beside.textContent, none.hidden] = [!n, n ? "Compare " + n : "Compare", !n];
    if (!list || editing) return;
    const { first, count } = sight(), last = Math.min(list.total, first + count), lines = [above];
    for (let i = first; i < last; i++) lines.push(rows.has(i) ? marked(i, rows.get(i)) : runsRoom(1));
    lines.push(below);
    if (made.size > 400) for (const i of made.keys()) if (i < first || i >= last) made.delete(i);
    above.style.height = first * runsHeight + "px";
    below.style.height = (list.total - last) * runsHeight + "px";
    if (lines.length !== body.children.length || lines.some((tr, i) => tr !== body.children[i])) {
      body.replaceChildren(...lines);
    }
    const here = document.getElementById("run-" + at);
    if (here) grid.setAttribute("aria-activedescendant", here.id); else grid.removeAttribute("aria-activedescendant");
  }

  // marked is the line of a run, with what the reader has chosen.
  function marked(i, r) {
    if (!made.has(i)) made.set(i, line(i, r));
    const tr = made.get(i);
    tr.className = i === at ? "here" : "";
    tr.setAttribute("aria-selected", tr.querySelector("input").checked = chosen.has(r.run));
    return tr;
  }

  function line(i, r) {
    const tr = make("tr", { id: "run-" + i });
    for (const [k, v] of [["role", "row"], ["aria-rowindex", i + 2]]) tr.setAttribute(k, v);
    const box = make("input", { type: "checkbox", tabIndex: -1, ariaLabel: "select " + r.run });
    box.addEventListener("change", () => choose(i));
    tr.dataset.state = r.state;
    const content = (text, k) => parts(list.heads[k], text, r);
    tr.append(runsCell("", box), ...r.cells.map((text, k) => runsCell(list.heads[k], ...content(text, k))));
    for (const td of tr.children) td.classList.toggle("number", /^[-–]?[0-9.e+/-]+$/.test(td.textContent));
    tr.addEventListener("click", () => { at = i; draw(); });
    tr.addEventListener("dblclick", e => {
      if (e.target.closest("[data-of=tags], [data-of=note]")) edit(i);
      else if (!e.target.closest("input")) open([r.run]);
    });
    return tr;
  }

  // A cell opens its run, or chooses what has the same in it.
  function parts(name, text, r) {
    const link = (textContent, act) => Object.assign(button(textContent, act), { className: "link", tabIndex: -1 });
    if (name === "run") return [link(text, () => open([r.run]))];
    if (!texts.includes(name) || !text) return [text || "–"];
    const values = name === "tags" ? r.tags : [name === "status" ? r.state : text];
    const key = name === "tags" ? "tag" : name;
    return values.flatMap((v, i) => [i ? ", " : "", link(name === "status" ? text : v, () => narrow(key, v))]);
  }

  function narrow(key, value) {
    const word = key + "=" + (/\s/.test(value) ? '"' + value + '"' : value);
    if ((" " + filter.value + " ").includes(" " + word + " ")) return;
    filter.value = (filter.value.trim() + " " + word).trim();
    filtered();
  }

  function filtered() {
    query.filter = filter.value;
    grid.scrollTop = at = 0;
    load();
  }
  let later = 0;
  filter.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(filtered, 200);
  });
  more.addEventListener("change", () => {
    query.numbers = [...query.numbers, more.value];
    load();
  });

  function choose(i) {
    const r = rows.get(i);
    if (!r) return;
    if (!chosen.delete(r.run)) chosen.add(r.run);
    draw();
  }

  grid.addEventListener("scroll", () => {
    const { first, count } = sight();
    draw();
    for (let i = first; list && i < Math.min(list.total, first + count); i++) if (!rows.has(i)) return load();
  });

  // go moves to a row and brings it into sight.
  function go(i) {
    at = Math.max(0, Math.min(list.total - 1, i));
    const top = at * runsHeight, seen = grid.clientHeight - 2 * runsHeight;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top > grid.scrollTop + seen) grid.scrollTop = top - seen;
    draw();
  }

  grid.addEventListener("keydown", e => {
    if (e.target !== grid || !list) return;
    const page = Math.max(1, sight().count - 3), r = rows.get(at);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -at, End: list.total }[e.key];
    if (by != null) go(at + by);
    else if (e.key === " ") choose(at);
    else if (e.key === "Enter" && r) open(chosen.size ? [...chosen] : [r.run]);
    else if (e.key === "F2") edit(at);
    else return;
    e.preventDefault();
  });

  function edit(i) {
    const r = rows.get(i), tr = document.getElementById("run-" + i);
    if (!r || !tr || editing) return;
    const end = () => {
      editing = false;
      made.delete(i);
      draw();
      grid.focus({ preventScroll: true });
    };
    const keep = async change => {
      try {
        Object.assign(r, await call("runs-label", change));
        complain("");
        end();
      } catch (e) {
        complain(e.message); // the fields stay; the next try knows what is there by now
      }
      load();
    };
    editing = true;
    labelFields(tr, r, () => [...rows.values()].find(n => n.run === r.run) || r, keep, end);
  }

  async function remake() {
    rebuild.disabled = true;
    try {
      await call("runs-rebuild", {});
      load(); // its notes say what was left out
    } catch (e) {
      complain(e.message);
    }
    rebuild.disabled = false;
  }

  const open = runs => panel.show(runs);
  panel.root.addEventListener("keydown", e => {
    if (e.key === "Escape") grid.focus();
  });

  // Somebody may have changed the folder while another window was in front.
  const look = () => { if (!root.hidden && document.visibilityState === "visible") load(); };
  addEventListener("focus", look);
  return {
    show() {}, share() {}, clear() {}, wrong: complain,
    fit() {
      load();
      panel.fit();
    },
  };
}
