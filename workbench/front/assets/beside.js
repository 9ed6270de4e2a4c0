"use strict";

// Runs beside each other: what differs, their results, and chosen curves laid over each other. A zoom brings the
// samples of what is in sight.
function comparison(call) {
  const title = make("h2"), runsList = make("ul", { className: "runs-shown" });
  const tables = make("div"), settings = make("div");
  const wrong = make("p", { className: "runs-wrong", hidden: true }), plots = make("div", { className: "plots" });
  wrong.setAttribute("role", "alert");
  const together = make("input", { type: "checkbox" }), find = make("input", { type: "search", size: 14 });
  const boxes = make("div", { className: "runs-columns" }), doc = make("p", { className: "doc" });
  const columns = make("fieldset", { className: "runs-curves" }, make("legend", { textContent: "Curves" }),
    make("div", { className: "fields" }, make("label", {}, "Find ", find),
      make("label", {}, together, " one plot for each unit")), boxes);
  const root = make("section", { className: "runs-beside", hidden: true, ariaLabel: "Runs beside each other" }, title,
    runsList, wrong, settings, columns, plots, tables, doc);
  title.tabIndex = -1;
  let runs = [], found = null, picked = null, drawing = null, shape = "", range = [0, 0], zooming = 0, coming = false;

  const complain = text => { [wrong.textContent, wrong.hidden] = [text, !text]; };
  const path = run => run.split("/").map(encodeURIComponent).join("/");
  const link = (href, textContent, more) => make("a", { href, textContent, ...more });

  const asking = newest(async (wanted, signal) => {
    try {
      const got = await call("runs-compare", { runs: wanted }, { signal });
      found = got;
      complain("");
      describe();
      if (coming) {
        title.focus({ preventScroll: true });
        root.scrollIntoView({ block: "start", behavior: "instant" });
      }
      coming = false;
      choices();
      curves();
    } catch (e) {
      if (e.name === "AbortError") throw e;
      complain(e.message);
    }
  });

  // One line for each run: how it ended, its report and its files.
  function describe() {
    title.textContent = found.runs.length > 1 ? found.runs.length + " runs beside each other" : found.runs[0].name;
    runsList.replaceChildren(...found.runs.map(r => {
      const files = [["CSV", "csv"], ["MATLAB", "mat"], ["Parquet", "parquet"]].map(([name, ending]) =>
        link("export/frames." + ending + "/" + path(r.run), name, { download: "", ariaLabel: name + " of " + r.run }));
      const report = link("report/" + path(r.run), "Report",
        { target: "_blank", rel: "noopener", ariaLabel: "report of " + r.run });
      return make("li", {}, make("strong", { textContent: r.name }), " " + r.ended + " ",
        make("code", { textContent: r.run }), ...(r.record ? [report, ...files] : []).flatMap(e => [" ", e]),
        ...(r.wrong ? [make("span", { className: "runs-wrong", textContent: " " + r.wrong })] : []));
    }));
    const parts = found.tables.map(t => [make("h3", { textContent: t.title }),
      t.rows.length ? make("div", { className: "wide", tabIndex: 0, ariaLabel: t.title }, tableOf(t)) :
        make("p", { textContent: "None: the scenarios are the same." })]);
    settings.replaceChildren(...found.runs.length > 1 ? parts.shift() : []);
    tables.replaceChildren(...parts.flat());
    doc.replaceChildren("The same in a terminal: ", make("code", { textContent: found.command }));
  }

  function tableOf(t) {
    const cells = (tag, name, list) => [make(tag, { textContent: name }),
      ...list.map(textContent => make(tag, { textContent, className: "number" }))];
    const lines = t.rows.map(r => {
      const tr = make("tr", { title: r.doc || "" }, ...cells("td", r.name, r.cells));
      if (new Set(r.cells).size > 1) tr.className = "differs";
      return tr;
    });
    const head = make("tr", {}, ...cells("th", t.first, t.heads));
    return make("table", { className: "values cells" }, make("thead", {}, head), make("tbody", {}, ...lines));
  }

  // The columns to be drawn; those that were drawn last stay chosen.
  function choices() {
    const names = found.columns.map(c => c.name), first = of => names.find(n => n.startsWith(of));
    picked = (picked || []).filter(n => names.includes(n));
    if (!picked.length) picked = [first("measured"), first("force")].filter(n => n);
    columns.hidden = !names.length;
    boxes.replaceChildren(...found.columns.map(c => {
      const box = make("input", { type: "checkbox", checked: picked.includes(c.name) });
      box.addEventListener("change", () => {
        picked = box.checked ? [...picked, c.name] : picked.filter(n => n !== c.name);
        curves();
      });
      const unit = c.unit && c.unit !== "-" && !c.name.endsWith("_" + c.unit) ? ", " + c.unit : "";
      return make("label", { title: c.doc || "" }, box, " " + c.name + unit);
    }));
    filterColumns();
  }
  function filterColumns() {
    for (const l of boxes.children) l.hidden = !l.textContent.toLowerCase().includes(find.value.toLowerCase());
  }
  find.addEventListener("input", filterColumns);
  together.addEventListener("change", () => curves());

  const fetching = newest(async (part, signal) => {
    if (!picked.length) return void end();
    const points = Math.round(2 * Math.max(300, root.clientWidth)), [from, to] = part;
    const drawn = found.runs.filter(r => r.record).map(r => r.run);
    try {
      const wanted = { runs: drawn, columns: picked, together: together.checked, points, from, to };
      const got = await call("runs-draw", wanted, { signal });
      const why = Object.values(got.wrong);
      complain(why.join(" "));
      if (!got.page) return void end();
      range = part;
      await lay(got.page, await unpackPage(got.page));
    } catch (e) {
      if (e.name === "AbortError") throw e;
      complain(e.message);
    }
    window.rthsLaid = (window.rthsLaid || 0) + 1; // for tests
  });

  function curves() {
    if (found && found.runs.some(r => r.record)) fetching(range); else end();
  }

  function lay(page, traces) {
    const now = JSON.stringify(page.sections.map(s => s.figures.map(f => [f.title, f.curves.map(c => c.name)])));
    if (drawing && now === shape) return void drawing.renew(page, traces);
    end();
    drawing = drawPlots(plots, page, traces, true);
    shape = now;
    for (const d of drawing.drawn) {
      if (range[1] > range[0]) d.plot.setScale("x", { min: range[0], max: range[1] });
      d.plot.hooks.setScale = [...d.plot.hooks.setScale || [], (u, key) => { if (key === "x") zoomed(d); }];
    }
    window.rthsPlots = drawing.drawn; // for tests
  }

  // A part in sight is asked for with half as much on both sides, when the zoom rests.
  function zoomed(d) {
    const { min, max } = d.plot.scales.x, whole = d.f.x;
    if (min == null) return;
    const half = (max - min) / 2;
    const part = min <= whole[0] && max >= whole[1] ? [0, 0] : [Math.max(whole[0], min - half), max + half];
    const inside = range[1] > range[0] && part[1] > part[0] && min >= range[0] && max <= range[1] &&
      max - min > (range[1] - range[0]) / 4;
    clearTimeout(zooming);
    if (inside || part[0] === range[0] && part[1] === range[1]) return;
    zooming = setTimeout(() => fetching(part), 120);
  }

  function end() {
    clearTimeout(zooming);
    if (drawing) drawing.end();
    [drawing, shape] = [null, ""];
    plots.replaceChildren();
  }

  return {
    root,
    show(list) {
      if (list.join("\n") !== runs.join("\n")) range = [0, 0];
      runs = list;
      coming = true;
      root.hidden = false;
      asking(list);
    },
    fit() { if (drawing) drawing.fit(); },
  };
}
