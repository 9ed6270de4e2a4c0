"use strict";

const make = (tag, properties, ...children) => {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
};

// gauge says how much of something slow is done.
function gauge(root) {
  const bar = make("progress", { max: 1, value: 0, hidden: true, ariaLabel: "done" });
  root.append(bar);
  return part => { bar.hidden = part == null; bar.value = part || 0; };
}

// The run of the text: its verdict, its criteria with their change since the last look, its curves. The curves keep
// their zoom while the text changes.
function tryView(root, pins) {
  const sentence = make("p", { className: "verdict" });
  sentence.setAttribute("aria-live", "polite");
  const cells = make("table", { className: "values cells" });
  const tools = make("div", { className: "pins" }), plots = make("div", { className: "plots" });
  const doc = make("p", { className: "doc" });
  root.append(sentence);
  const share = gauge(root);
  root.append(make("div", { className: "wide" }, cells), tools, plots, doc);
  let last = {}, base = {}, drawing = null, shape = "";

  function criteria(list) {
    const main = list.filter(c => c.main), shown = main.length ? main : list.slice(0, 10);
    const head = make("tr"), values = make("tr"), changes = make("tr");
    head.append(make("th", { textContent: "Criterion" }));
    values.append(make("td", { textContent: "now" }));
    changes.append(make("td", { textContent: "change" }));
    for (const c of shown) {
      head.append(make("th", { textContent: c.label, title: c.doc || "", className: "number" }));
      values.append(make("td", { textContent: c.text, className: "number" }));
      const before = base[c.label], by = before == null || c.value == null ? null : c.value - before;
      const text = by == null || by === 0 ? "–" : signed(by, c.text);
      const change = make("td", { className: "number", textContent: text });
      if (by && !text.includes("<")) change.classList.add(Math.abs(c.value) < Math.abs(before) ? "better" : "worse");
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
    for (const f of page.sections.flatMap(s => s.figures)) {
      if (f.curves.some(c => c.name === "now")) f.curves.reverse(); // what is now lies above what is pinned
    }
    const traces = await unpackPage(page);
    sentence.textContent = result.sentence;
    criteria(result.criteria);
    last = Object.fromEntries(result.criteria.map(c => [c.label, c.value]));
    tools.hidden = false;
    doc.replaceChildren("The same in a terminal: ", make("code", { textContent: result.command }),
      ". The run took " + result.run_ms.toFixed(0) + " ms, all " + result.took_ms.toFixed(0) + " ms. ",
      ...result.remarks.map(r => make("span", { textContent: r + ". " })));
    const figures = list => list.map(f => [f.title, f.curves.map(c => c.name)]);
    const now = JSON.stringify(page.sections.map(s => [s.title, figures(s.figures)]));
    if (drawing && now === shape) drawing.renew(page, traces);
    else {
      if (drawing) drawing.end();
      plots.replaceChildren();
      drawing = drawPlots(plots, page, traces, page.sections.some(s => s.title === "Hysteresis"));
      shape = now;
    }
    window.rthsPlots = drawing.drawn; // for tests
  }

  function clear() {
    if (drawing) drawing.end();
    drawing = null;
    last = base = {};
    sentence.textContent = shape = "";
    tools.hidden = true;
    for (const e of [cells, plots, doc]) e.replaceChildren();
  }

  tools.append(...pins);
  tools.hidden = true;
  return {
    show, share, clear,
    look() { base = last; }, // changes are told from here on
    wrong(text) { sentence.textContent = text + (drawing ? "\nBelow is the last run that worked." : ""); },
    fit() { if (drawing) drawing.fit(); },
  };
}

// printed is the text of a terminal: sentences wrap, tables scroll.
function printed(text) {
  const blocks = [];
  for (const line of text.split("\n")) {
    const className = /\S {2,}\S/.test(line) ? "table" : "";
    if (!blocks.length || blocks.at(-1).className !== className) blocks.push({ className, lines: [] });
    blocks.at(-1).lines.push(line);
  }
  const textOf = lines => lines.join("\n") + (lines.at(-1) ? "" : "\n"); // an empty line at the end is seen
  return blocks.map(b => make("div", { className: b.className, textContent: textOf(b.lines) }));
}

// An analysis: what a terminal prints, and its pictures.
function explainView(root) {
  const text = make("pre"), pictures = make("div", { className: "pictures" }), doc = make("p", { className: "doc" });
  const sentence = make("p", { className: "verdict" }), loads = make("div", { className: "loads" });
  sentence.setAttribute("aria-live", "polite");
  root.append(sentence);
  const share = gauge(root);
  root.append(loads, pictures, text, doc);
  let drawing = null;

  function clear() {
    if (drawing) drawing.end();
    drawing = null;
    text.textContent = "Computing …";
    for (const e of [sentence, loads, pictures, doc]) e.replaceChildren();
  }

  const load = l => [make("span", { textContent: l.name }),
    make("meter", { min: 0, max: 1, high: 0.8, value: Math.min(1, l.value / l.rating), ariaLabel: l.name }),
    make("span", { textContent: (100 * l.value / l.rating).toFixed(0) + " % of the rating" })];

  async function show(result) {
    const traces = result.page && await unpackPage(result.page);
    clear();
    sentence.textContent = result.sentence || "";
    text.replaceChildren(...printed(result.text));
    doc.replaceChildren("The same in a terminal: ", make("code", { textContent: result.command }));
    loads.append(...(result.loads || []).filter(l => l.rating != null).flatMap(load));
    if (traces) drawing = drawPlots(pictures, result.page, traces, false);
  }
  clear();
  return {
    show, clear, share,
    wrong(message) { clear(); text.textContent = message; },
    fit() { if (drawing) drawing.fit(); },
  };
}
