"use strict";

const make = (tag, properties, ...children) => {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
};

// The run of the text: its verdict, its criteria with their change since the last look, its curves. The curves keep
// their zoom while the text changes.
function tryView(root, pins) {
  const sentence = make("p", { className: "verdict" });
  sentence.setAttribute("aria-live", "polite");
  const bar = make("progress", { max: 1, value: 0, hidden: true });
  const cells = make("table", { className: "values cells" });
  const tools = make("div", { className: "pins" }), plots = make("div", { className: "plots" });
  const doc = make("p", { className: "doc" });
  root.append(sentence, bar, cells, tools, plots, doc);
  let last = {}, drawing = null, shape = "";

  function criteria(list) {
    const main = list.filter(c => c.main), shown = main.length ? main : list.slice(0, 10);
    const head = make("tr"), values = make("tr"), changes = make("tr");
    head.append(make("th", { textContent: "Criterion" }));
    values.append(make("td", { textContent: "now" }));
    changes.append(make("td", { textContent: "change" }));
    for (const c of shown) {
      head.append(make("th", { textContent: c.label, title: c.doc || "", className: "number" }));
      values.append(make("td", { textContent: c.text, className: "number" }));
      const before = last[c.label], by = before == null || c.value == null ? null : c.value - before;
      const change = make("td", { className: "number", textContent: by == null || by === 0 ? "" : signed(by, c.text) });
      if (by) change.classList.add(Math.abs(c.value) < Math.abs(before) ? "better" : "worse");
      changes.append(change);
    }
    cells.replaceChildren(make("thead", {}, head), make("tbody", {}, values, changes));
  }

  // In as many decimals as the value.
  function signed(by, like) {
    const decimals = (like.split(".")[1] || "").replace(/[^0-9].*/, "").length;
    const text = Math.abs(by).toFixed(decimals);
    return (by > 0 ? "▲ " : "▼ ") + (Number(text) === 0 ? "<" + (10 ** -decimals).toFixed(decimals) : text);
  }

  async function show(result) {
    const page = typeof result.page === "string" ? JSON.parse(result.page) : result.page;
    const traces = await unpackPage(page);
    sentence.textContent = result.sentence;
    criteria(result.criteria);
    for (const c of result.criteria) last[c.label] = c.value;
    doc.replaceChildren("The same in a terminal: ", make("code", { textContent: result.command }),
      ". The run took " + result.run_ms.toFixed(0) + " ms, all " + result.took_ms.toFixed(0) + " ms. ",
      ...result.remarks.map(r => make("span", { textContent: r + ". " })));
    const now = JSON.stringify(page.sections.map(s => [s.title, s.figures.map(f => [f.title, f.curves.map(c => c.name)])]));
    if (drawing && now === shape) drawing.renew(page, traces);
    else {
      if (drawing) drawing.end();
      plots.replaceChildren();
      drawing = drawPlots(plots, page, traces, page.sections.some(s => s.title === "Hysteresis"));
      shape = now;
    }
    window.rthsPlots = drawing.drawn; // for tests
  }

  tools.append(...pins);
  return {
    show,
    share(part) { bar.hidden = part == null; bar.value = part || 0; },
    wrong(text) { sentence.textContent = text; },
    fit() { if (drawing) drawing.fit(); },
  };
}

// An analysis: what a terminal prints, and its pictures.
function explainView(root, about) {
  const text = make("pre"), pictures = make("div", { className: "pictures" }), doc = make("p", { className: "doc" });
  const loads = make("div", { className: "loads" });
  root.append(loads, pictures, text, doc);
  let urls = [], drawing = null;
  return {
    async show(result) {
      urls.forEach(u => URL.revokeObjectURL(u));
      urls = (result.pictures || []).map(p => URL.createObjectURL(new Blob([p], { type: "image/svg+xml" })));
      pictures.replaceChildren(...urls.map((u, i) => make("img", { src: u, alt: about + ", picture " + (i + 1) })));
      text.textContent = result.text;
      doc.replaceChildren("The same in a terminal: ", make("code", { textContent: result.command }));
      loads.replaceChildren(...(result.loads || []).filter(l => l.rating != null).map(l => {
        const m = make("meter", { min: 0, max: 1, high: 0.8, value: Math.min(1, l.value / l.rating) });
        return make("label", {}, l.name + " ", m, " " + (100 * l.value / l.rating).toFixed(0) + " %");
      }));
      if (drawing) drawing.end();
      if (!result.page) return;
      pictures.replaceChildren();
      drawing = drawPlots(pictures, result.page, await unpackPage(result.page), false);
    },
    wrong(message) { text.textContent = message; pictures.replaceChildren(); loads.replaceChildren(); },
    fit() { if (drawing) drawing.fit(); },
  };
}
