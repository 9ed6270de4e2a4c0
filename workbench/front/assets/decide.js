"use strict";

// Studies, calibrations and advices: begin one, follow it, stop it, go on, look at what it has found, open its runs.
// The program makes them, so that they go on without the page. adopt takes the scenario of a run into the editor.
function decideView(root, call, adopt) {
  const kinds = [
    ["study", "Study", "many runs of a scenario, as a study file says"],
    ["calibration", "Calibration", "tunes the keys of the block calibrate of a study file"],
    ["advice", "Advice", "says which compensator the test of a scenario should take"],
  ];
  const button = (text, act, more) => {
    const b = make("button", { type: "button", textContent: text, ...more });
    b.addEventListener("click", act);
    return b;
  };
  const kind = make("select", {}, ...kinds.map(([value, text]) => make("option", { value, textContent: text })));
  const file = make("select"), workers = make("input", { size: 3, inputMode: "numeric" });
  const runs = make("input", { size: 6, inputMode: "numeric" });
  const runsLabel = make("label", { hidden: true }, "runs in all ", runs), go = button("Start", start);
  const doc = make("p", { className: "doc" }), said = make("p", { className: "said" });
  said.setAttribute("role", "status");
  const fields = make("div", { className: "fields" }, make("label", {}, "Make ", kind), make("label", {}, "of ", file),
    make("label", {}, "runs at a time ", workers), runsLabel, go);
  const list = make("ul", { className: "works", ariaLabel: "Studies, calibrations and advices" });
  const title = make("h2"), state = make("p", { className: "verdict" }), command = make("p", { className: "doc" });
  const waiting = make("p", { className: "doc", hidden: true }), found = make("div", { className: "found" });
  const open = button("Open the scenario that was found", () => take(selected, "best", 0), { hidden: true });
  root.append(fields, doc, said, list, make("section", { hidden: true }, title, state, command,
    make("div", { className: "fields" }, open), waiting, found));
  const detail = root.lastChild;

  let files = [], seen = -1, asking = null, entries = [], items = new Map();
  let selected = "", coming = "", met = ""; // the folder that is shown; it is not in the list yet; it was
  let parts = [], urls = [], drawn = "", drawnAt = 0, took = 0, looking = null;

  // What may be started.
  function offer() {
    const [, , text] = kinds.find(k => k[0] === kind.value), was = file.value;
    const fit = files.filter(f => f.study !== (kind.value === "advice")).map(f => f.path);
    file.replaceChildren(...fit.map(value => make("option", { value, textContent: value })));
    if (fit.includes(was)) file.value = was;
    runsLabel.hidden = kind.value !== "advice";
    go.disabled = fit.length === 0;
    const none = kind.value === "advice" ? "The folder has no scenario." :
      "The folder has no study file: one has the key scenario, and says what varies.";
    const verb = { study: "study", calibration: "calibrate", advice: "advise" }[kind.value];
    const how = ["What is saved counts. In a terminal: ", make("code", { textContent: "rths " + verb + " " + file.value })];
    doc.replaceChildren(text[0].toUpperCase() + text.slice(1) + ". ", ...(fit.length ? how : [none]));
  }
  for (const select of [kind, file]) select.addEventListener("change", offer);

  const whole = (input, of, most) => {
    const v = Number(input.value);
    if (Number.isInteger(v) && v >= 1 && v <= most) return v;
    throw new Error(of + ": found " + (input.value || "nothing") + ": want a whole number from 1 to " + most);
  };

  // act does what a button asks for, and says what is wrong with it.
  async function act(of, text) {
    said.textContent = text;
    try {
      await of();
      said.textContent = "";
    } catch (e) {
      if (e.name !== "AbortError") said.textContent = e.message;
    }
  }

  async function start() {
    go.disabled = true;
    await act(async () => {
      const wanted = { kind: kind.value, path: file.value, workers: whole(workers, "runs at a time", 1000) };
      if (kind.value === "advice") wanted.runs = whole(runs, "runs in all", 1000000);
      choose((await call("study-start", wanted)).folder);
    }, "It is planned …");
    go.disabled = false;
  }
  const stop = folder => act(() => call("study-stop", { folder }), "It stops …");
  const resume = folder => act(async () => {
    choose((await call("study-resume", { folder, workers: whole(workers, "runs at a time", 1000) })).folder);
  }, "It goes on …");

  // take opens a run, a candidate, or the scenario that was found.
  const take = (folder, thing, number) => act(async () => {
    await adopt(await call("study-run", { folder, thing, number }));
  }, "Its scenario is opened …");

  // How an entry stands, in words.
  function stands(e) {
    const count = e.runs ? e.done + " of " + (e.kind === "advice" ? "at most " : "") + e.runs + " runs" : "";
    const search = e.kind === "calibration" && e.status !== "completed";
    const words = [e.holder ? "running elsewhere" : e.status, search ? "" : count];
    if (e.here && e.stage && search) words.push(e.stage + ": " + Math.round(100 * e.share) + " %");
    if (e.here && e.kind === "advice") words.push(e.stage);
    if (e.left_s != null) words.push((search ? "this takes " : "") + span(e.left_s) + " more");
    return words.filter(w => w).join(", ");
  }
  const span = s => s < 90 ? Math.ceil(s) + " s" : s < 5400 ? Math.ceil(s / 60) + " min" : (s / 3600).toFixed(1) + " h";

  // Each entry keeps its elements: the one that has the focus keeps it.
  function item(e) {
    const name = make("strong"), text = make("span"), bar = make("progress", { max: 1 });
    const show = make("button", { type: "button", className: "work" }, name, text);
    show.addEventListener("click", () => choose(e.folder));
    const end = button("Stop", () => stop(e.folder)), more = button("Resume", () => resume(e.folder));
    const row = make("li", {}, show, bar, end, more);
    return { row, update(e) {
      name.textContent = e.name || e.folder;
      const begun = e.started ? new Date(e.started).toLocaleString([], { dateStyle: "short", timeStyle: "short" }) : "";
      text.textContent = [e.kind, stands(e), begun].filter(t => t).join(" · ");
      show.setAttribute("aria-pressed", String(e.folder === selected));
      bar.ariaLabel = "done of " + e.folder;
      end.ariaLabel = "Stop " + e.folder;
      const again = e.kind === "advice" ? "Begin again" : "Resume";
      more.textContent = again;
      more.ariaLabel = again + " " + e.folder;
      [bar.hidden, end.hidden, more.hidden, bar.value] = [!e.here, !e.here, !e.resume, e.share];
    } };
  }

  function update() {
    const now = new Map(entries.map(e => [e.folder, items.get(e.folder) || item(e)]));
    for (const [folder, i] of items) if (!now.has(folder)) i.row.remove();
    entries.forEach((e, k) => {
      const i = now.get(e.folder);
      i.update(e);
      if (list.children[k] !== i.row) list.insertBefore(i.row, list.children[k] || null);
    });
    items = now;
    const e = entries.find(e => e.folder === selected);
    detail.hidden = !e;
    if (e) {
      [coming, met] = ["", selected];
      return describe(e);
    }
    if (coming) return; // the list does not have it yet
    const gone = met;
    if (entries.length) choose(entries[0].folder); else clear();
    if (gone) said.textContent = gone + " is no longer in the folder.";
  }

  function choose(folder) {
    if (folder !== selected) {
      clear();
      [selected, coming] = [folder, folder];
      said.textContent = "";
    }
    update();
  }

  function describe(e) {
    title.textContent = e.name || e.folder;
    const other = e.holder && "Another program makes it (" + e.holder + "): stop that one to go on here";
    const why = [e.reason, e.wrong, other];
    const lost = e.status === "interrupted" && "The program that made it has ended before it; what it had is kept";
    state.setAttribute("aria-live", e.here ? "off" : "polite"); // not every row is said
    const short = (e.reason || "").startsWith(e.status) ? "" : stands(e);
    state.textContent = [short, ...why, lost].filter(t => t).map(t => t[0].toUpperCase() + t.slice(1) + ".").join(" ");
    command.replaceChildren("In ", make("code", { textContent: e.folder }), ". The same in a terminal: ",
      make("code", { textContent: e.command }));
    open.hidden = !e.best;
    look(e);
  }

  // Pictures and table are made anew as rows come, unless the reader is at them; and not more often than they are
  // quickly made.
  const stateOf = e => [
    e.folder, e.status, e.here, e.done, e.here && e.kind === "calibration" ? e.stage : "",
  ].join("\n");
  async function look(e, anyway) {
    const key = stateOf(e);
    if (key === drawn || looking === e.folder) return;
    const used = parts.some(p => p.used()), early = performance.now() - drawnAt < Math.max(1500, 8 * took);
    if (!anyway && drawn && used) {
      if (!waiting.hidden) return; // it is said, and the button may have the focus
      waiting.hidden = false;
      waiting.replaceChildren("The pictures stand still while something in them is marked. ",
        button("Show the new rows", () => look(entries.find(n => n.folder === selected) || e, true)));
      return;
    }
    if (!anyway && drawn && e.here && early) return;
    looking = e.folder;
    const begun = performance.now();
    try {
      const got = await call("study-show", { folder: e.folder });
      if (e.folder !== selected) return;
      waiting.hidden = true;
      mount(got, e.folder);
      [drawn, drawnAt] = [key, performance.now()];
      took = drawnAt - begun;
    } catch (err) {
      if (e.folder === selected && err.name !== "AbortError") {
        empty();
        waiting.hidden = false;
        waiting.textContent = err.message;
        drawn = key;
      }
    } finally {
      looking = null;
    }
    const now = entries.find(n => n.folder === selected);
    if (now && stateOf(now) !== key) look(now); // what has come meanwhile
  }

  function empty() {
    urls.forEach(u => URL.revokeObjectURL(u));
    [parts, urls] = [[], []];
    found.replaceChildren();
    rthsExplore(found, {});
  }

  // The page of a study becomes a part of this one: its drawings as pictures, its styles by properties, its code by the
  // script of studies, which this page has too.
  function mount(got, folder) {
    const drawings = [], main = got.html.slice(got.html.indexOf("<main"), got.html.lastIndexOf("</main>"));
    const text = main.replace(/<svg ([\s\S]*?)<\/svg>/g, (svg, rest) => {
      const names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
      drawings.push("<svg " + names + " " + rest + "</svg>");
      return `<img alt="${(svg.match(/aria-label="([^"]*)"/) || ["", "picture"])[1]}">`;
    }).replace(/ style="/g, ' data-style="');
    const page = new DOMParser().parseFromString(text, "text/html").querySelector("main") || make("main");
    const not = "h1, script:not([type='application/json']), style, link, meta, iframe, object, form";
    for (const e of page.querySelectorAll(not)) e.remove();
    const top = found.getBoundingClientRect().top;
    empty();
    urls = drawings.map(d => URL.createObjectURL(new Blob([d], { type: "image/svg+xml" })));
    page.querySelectorAll("img").forEach((e, i) => { e.src = urls[i]; });
    for (const e of page.querySelectorAll("[data-style]")) e.style.cssText = e.dataset.style;
    found.append(...page.childNodes);
    parts = rthsExplore(found, {
      link: file => "report/" + folder + "/" + file.replace(/\/[^/]*$/, ""),
      run: (thing, number) => take(folder, thing, number),
    });
    if (got.why) found.append(make("p", { className: "doc", textContent: got.why }));
    if (top < 0) root.parentElement.scrollTop += found.getBoundingClientRect().top - top;
  }

  function clear() {
    empty();
    [selected, met, drawn, drawnAt, waiting.hidden] = ["", "", "", 0, true];
    for (const e of [title, state, command]) e.textContent = "";
  }

  // follow asks what is new for as long as the view is seen. The program answers when there is something.
  async function follow() {
    if (asking) asking.abort();
    const mine = asking = new AbortController();
    seen = -1;
    try {
      while (!root.hidden && !document.hidden) {
        const got = await call("studies", { seen }, { signal: mine.signal });
        if (!workers.value) [workers.value, runs.value] = [got.workers, got.runs];
        [seen, entries] = [got.seen, got.entries];
        update();
      }
    } catch (e) {
      if (e.name !== "AbortError") said.textContent = e.message;
    }
    if (asking === mine) asking = null;
  }

  // begin looks at the folder again: when the view is opened, and when the program is back.
  async function begin() {
    follow();
    try {
      files = (await call("files", {})).files.map(f => ({ path: f.path, study: !!f.study }));
      offer();
    } catch (e) {
      said.textContent = e.message;
    }
  }
  document.addEventListener("visibilitychange", () => !document.hidden && follow());
  server.onConnection(why => why || begin());
  let width = 0;
  return {
    show() {}, share() {}, clear() {}, look() {},
    wrong(text) { said.textContent = text; },
    opened: begin,
    fit() {
      if (root.clientWidth !== width) parts.forEach(p => p.redraw());
      width = root.clientWidth;
    },
  };
}
