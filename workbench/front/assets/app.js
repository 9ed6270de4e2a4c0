"use strict";
(async function () {
  const $ = id => document.getElementById(id);
  let place = { path: "", text: "", revision: "" }; // the file as it was read or saved last
  let editor = null, tab = "try", pinned = [], shown = "", views = {};

  const notice = (text, ...more) => {
    $("notice").hidden = !text;
    $("notice").replaceChildren(text, ...more);
  };
  const action = (text, act) => {
    const b = make("button", { type: "button", textContent: text });
    b.addEventListener("click", act);
    return b;
  };
  // A call that was missed says so already.
  const tell = e => { if (e.name !== "AbortError" && !server.lost()) notice(e.message); };
  const again = () => editor && place.path ? changed(editor.text()) : location.reload();
  server.onConnection(why => {
    notice(why, ...(why ? [" ", action("Try again", again)] : []));
    if (!why && editor) changed(editor.text());
    marked();
  });
  addEventListener("focus", () => server.lost() && again());
  addEventListener("hashchange", () => server.enter().then(again, tell));

  // Views.
  const tabs = [
    ["try", "Try"], ["draw", "Test"], ["bode", "Bode and delay"], ["stability", "Stability"],
    ["ground", "Ground motion"], ["limits", "Limits"], ["actuator", "Actuator"], ["map", "Map"], ["lab", "Laboratory"],
    ["runs", "Runs"], ["study", "Studies"],
  ];
  const files = new Set(["lab", "runs", "study"]); // views of files, not of the text
  const here = tabs.filter(([name]) => !server.local || !files.has(name));
  const pin = make("button", { type: "button", textContent: "Pin this state" });
  pin.title = "lay its run over the next ones";
  const energies = make("input", { type: "checkbox" });
  energies.addEventListener("change", () => refresh());
  const unpin = make("button", { type: "button", textContent: "Forget pins", hidden: true });
  const textNow = () => ({ path: place.path, text: editor.text() });
  const savedNow = () => ({ path: place.path, text: ended(editor.text()), revision: place.revision });
  function open(name) {
    tab = name;
    $("view").setAttribute("aria-labelledby", "tab-" + name);
    for (const b of $("tabs").children) {
      b.setAttribute("aria-selected", String(b.dataset.tab === name));
      b.tabIndex = b.dataset.tab === name ? 0 : -1;
    }
    for (const [k, v] of Object.entries(views)) v.root.hidden = k !== name;
    if (!views[name]) {
      const root = make("div");
      $("view").append(root);
      const make1 = {
        try: () => tryView(root, [pin, unpin, make("label", {}, energies, " energies")]),
        draw: () => schemeView(root, goTo),
        map: () => mapView(root, textNow, server.call),
        lab: () => labView(root, savedNow, server.call),
        runs: () => runsView(root, server.call),
        study: () => decideView(root, server.call, adopt),
      }[name] || (() => explainView(root));
      views[name] = Object.assign(make1(), { root });
    }
    views[name].fit();
    if (views[name].opened) views[name].opened();
    refresh();
  }
  for (const [name, title] of here) {
    const b = action(title, () => open(name));
    b.id = "tab-" + name;
    b.dataset.tab = name;
    b.setAttribute("role", "tab");
    b.setAttribute("aria-controls", "view");
    $("tabs").append(b);
  }
  $("tabs").addEventListener("keydown", e => {
    const now = here.findIndex(t => t[0] === tab), n = here.length;
    const i = { ArrowRight: (now + 1) % n, ArrowLeft: (now + n - 1) % n, Home: 0, End: n - 1 }[e.key];
    if (i == null) return;
    e.preventDefault();
    open(here[i][0]);
    $("tabs").children[i].focus();
  });

  // What stands beside the text, after each change: the newest change counts.
  const sees = (name, ask) => newest(async ({ at, about }, signal) => {
    const view = views[about], slow = setTimeout(() => view.share(0), 400);
    try {
      const result = await ask(about, at, { signal, share: view.share });
      if (!signal.aborted && at.path === place.path) await view.show(result);
      if (about === "try") shown = at.text;
      window["rths" + name] = (window["rths" + name] || 0) + 1; // for tests
    } catch (e) {
      if (e.name !== "AbortError" && at.path === place.path) view.wrong(e.message);
      throw e;
    } finally {
      clearTimeout(slow);
      view.share(null);
    }
  });
  const trying = sees("Tried", (_, at, how) => {
    const points = Math.round(2 * Math.max(300, $("view").clientWidth));
    return server.call("try", { ...at, pinned, points, energies: energies.checked }, how);
  });
  const explaining = sees("Explained", (about, at, how) => {
    const own = { draw: "draw", map: "numbers" }[about];
    return own ? server.call(own, at, how) : server.call("explain", { ...at, about }, how);
  });
  const checking = newest(async (at, signal) => {
    const found = await server.call("check", at, { signal });
    editor.diagnostics(found.remarks.filter(r => r.line));
    $("remarks").replaceChildren(...found.remarks.map(r => {
      const words = (r.line ? r.line + ":" + r.column + " " : "") + r.severity + ": " + r.text;
      const b = action(words, () => goTo(r.line || 1, r.column || 1));
      b.className = r.severity;
      return make("li", {}, b);
    }));
    form.remarks(found.remarks);
    window.rthsChecked = found; // for tests
  });

  function refresh() {
    if (!editor || !place.path || files.has(tab)) return;
    if (studies.has(place.path)) {
      return void views[tab].wrong(place.path + " is a study: the tab Studies makes its runs.");
    }
    (tab === "try" ? trying : explaining)({ about: tab, at: textNow() });
  }

  // Whether the text is saved.
  function marked() {
    const fresh = !editor || editor.text() === place.text;
    $("state").textContent = (server.lost() ? "not connected, " : "") + (fresh ? "saved" : "not saved");
    $("save").disabled = fresh;
    return fresh;
  }

  function keep(text) {
    try {
      if (marked()) drafts.drop(place.path);
      else drafts.keep(place.path, text, place.revision);
    } catch (e) {
      notice("This browser keeps no drafts: save often. (" + e.message + ")");
    }
  }
  drafts.onForgotten(() => editor && keep(editor.text()));

  let later = 0;
  function changed(text) {
    if (!place.path) return;
    keep(text);
    refresh();
    form.refresh();
    clearTimeout(later);
    later = setTimeout(() => checking(textNow()), 250);
  }

  // The change of a criterion is told from what stood there before a drag, or before changes that follow quickly.
  let held = false, changedAt = -Infinity;
  function typed(text, { dragging }) {
    const now = performance.now();
    if (!held && now - changedAt > 1000) views.try.look();
    [held, changedAt] = [dragging, now];
    changed(text);
  }

  // The form stands in place of the text, and changes it.
  const form = formView($("form"), {
    call: server.call, textNow, undo: () => editor.undo(), redo: () => editor.redo(),
    show(line, column) { editAs("text"); editor.show(line, column); },
    write(text, joins, dragging) {
      editor.setText(text, { keepHistory: true, joins });
      typed(text, { dragging });
    },
  });
  const goTo = (line, column) => form.shown() ? form.goTo(line, column) : editor.show(line, column);
  const hints = {
    text: $("hint").textContent,
    form: "Drag the name of a number, or press Alt and an arrow key in its field: the test runs anew.",
  };
  function editAs(mode) {
    $("editor").hidden = mode === "form";
    for (const m of ["text", "form"]) $("as-" + m).setAttribute("aria-pressed", String(m === mode));
    $("hint").textContent = hints[mode];
    form.open(mode === "form");
    localStorage.setItem("rths edit as", mode);
  }
  for (const m of ["text", "form"]) $("as-" + m).addEventListener("click", () => editor && editAs(m));

  // Files.
  const option = (path, text) => make("option", { value: path, textContent: text || path });
  let studies = new Set(); // files that are no scenario
  let orphans = []; // files that are gone, with a text here that was not saved
  async function list() {
    const found = await server.call("files", {});
    document.title = found.folder.split(/[\\/]/).at(-1) + " – rths workbench";
    drafts.within(found.folder);
    const scenarios = found.files.filter(f => !f.study);
    studies = new Set(found.files.filter(f => f.study).map(f => f.path));
    orphans = drafts.paths().filter(p => !found.files.some(f => f.path === p));
    $("file").replaceChildren(...scenarios.map(f => option(f.path)),
      ...orphans.map(p => option(p, p + " (gone from the folder, not saved)")));
    const group = make("optgroup", { label: "studies" }, ...[...studies].map(path => option(path)));
    if (studies.size) $("file").append(group);
    $("new").replaceChildren(option("", "from a template …"),
      ...found.templates.map(t => option(t.case, t.case + ": " + t.doc)));
    $("templates").replaceChildren(...found.templates.map(t =>
      make("li", {}, action(t.case, () => begin(t.case)), " " + t.doc)));
    if (place.path) $("file").value = place.path;
    if (found.more) notice(found.more + " more files are not listed.");
    return [...scenarios.map(f => f.path), ...orphans, ...studies];
  }

  // The editor ends lines as Linux does; a file keeps the ends that it has.
  const plain = text => text.replace(/\r\n/g, "\n");
  const ended = text => place.crlf ? text.replace(/\n/g, "\r\n") : text;

  // A text becomes that of the file, as it was read; Undo brings the one before it back.
  function take(file) {
    place = { ...file, text: plain(file.text), crlf: file.text.includes("\r\n") };
    editor.setText(place.text, { keepHistory: true });
    changed(place.text);
  }

  function edit(file) {
    $("sight").dataset.file = file.path;
    place = { ...file, text: plain(file.text), crlf: file.text.includes("\r\n") };
    $("begin").hidden = true;
    $("bench").hidden = false;
    $("file").value = file.path;
    history.replaceState(null, "", "?file=" + encodeURIComponent(file.path));
    [pinned, shown, unpin.hidden] = [[], "", true];
    for (const v of Object.values(views)) v.clear();
    editor.setText(recalled(file));
    changed(editor.text());
  }

  // The text of a file that was not saved, in this window or another one; all are offered.
  function recalled(file) {
    const all = drafts.of(file.path), list = all.filter(d => d.text !== place.text);
    drafts.forget(all.filter(d => d.text === place.text));
    if (!list.length) {
      if (!server.lost()) notice("");
      return place.text;
    }
    const saved = { ...place };
    const show = d => {
      place = { ...saved, revision: d.revision };
      editor.setText(d.text, { keepHistory: true });
      changed(d.text);
    };
    const more = list.filter((d, i) => list.findIndex(e => e.text === d.text) === i).slice(1).map(d =>
      action("show another, of " + new Date(d.at).toLocaleTimeString(), () => show(d)));
    const forget = () => {
      notice("");
      drafts.forget(list);
      if (file.revision) take(file); else location.assign(location.pathname);
    };
    notice("This is the text that you had not saved. ",
      action(file.revision ? "take the saved one" : "forget it", forget), ...more);
    place.revision = list[0].revision;
    return list[0].text;
  }

  const load = async path => edit(orphans.includes(path) ? { path, text: "", revision: "" } :
    await server.call("open", { path }));
  $("file").addEventListener("change", () => load($("file").value).catch(e => {
    tell(e);
    $("file").value = place.path;
  }));

  async function begin(template) {
    try {
      const file = await server.call("new", { path: "", template });
      await list();
      edit(file);
      editor.focus();
    } catch (e) {
      tell(e);
    }
  }
  $("new").addEventListener("change", () => {
    const template = $("new").value;
    $("new").value = "";
    if (template) begin(template);
  });

  // example is a text of a link, as a file that is not saved.
  function example(name, text, paths) {
    const stem = name.replace(/[^\w-]+/g, "-") || "example";
    let path = stem + ".yaml";
    for (let i = 2; paths.includes(path); i++) path = stem + "-" + i + ".yaml";
    orphans.push(path);
    $("file").prepend(option(path, path + " (not saved)"));
    edit({ path, text: "", revision: "" });
    editor.setText(text);
    changed(text);
  }

  // Two have changed the file: both texts are shown, none is lost.
  function ask(theirs, mine) {
    const gone = !theirs.revision;
    const what = place.path + (gone ? " is no longer in the folder." : " has changed on the disk meanwhile.");
    askBoth(what, plain(theirs.text), mine, [
      [gone ? "Write it again" : "Keep mine, replace the file", () => save(true)],
      ...gone ? [] : [["Save mine beside it", () => beside(mine).catch(tell)],
        ["Take theirs (mine stays in Undo)", () => take(theirs)]],
      ["Neither yet", () => editor.focus()],
    ]);
  }

  // fresh saves a text under the first name that is free, and edits it.
  async function fresh(wanted, text, gone) {
    for (let i = 1; ; i++) {
      const path = i > 1 ? wanted.replace(/(\.ya?ml)$/i, "-" + i + "$1") : wanted;
      const saved = await server.call("save", { path, text, revision: "", anyway: false });
      if (saved.theirs) continue;
      if (gone) drafts.drop(gone);
      await list();
      return edit({ path, text, revision: saved.revision });
    }
  }
  const beside = mine => fresh(place.path.replace(/(\.ya?ml)$/i, "-mine$1"), ended(mine), place.path);

  // adopt takes the text of another view, and tries it.
  async function adopt({ path, text }) {
    await fresh(path, text);
    open("try");
    $("tab-try").focus();
  }

  // One save after the other: each knows what the one before has written.
  let saving = Promise.resolve();
  const save = anyway => (saving = saving.then(() => write(anyway)));
  async function write(anyway) {
    const text = editor.text(), { path, revision } = place;
    if (!path) return;
    try {
      const saved = await server.call("save", { path, text: ended(text), revision, anyway: !!anyway });
      if (place.path !== path) return; // another file is open by now
      if (saved.theirs) return ask(saved.theirs, text);
      drafts.forget(drafts.of(path).filter(d => d.text === text));
      place = { ...place, text, revision: saved.revision };
      if (!server.lost()) notice("");
      keep(editor.text());
      if (orphans.includes(path)) await list();
    } catch (e) {
      tell(e);
    }
  }
  $("only-runs").addEventListener("click", () => {
    [$("begin").hidden, $("bench").hidden] = [true, false];
    open("runs");
  });
  $("save").addEventListener("click", () => editor && save(false));
  const download = (name, text, type) => {
    const url = URL.createObjectURL(new Blob([text], { type }));
    make("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  $("download").hidden = !server.local; // where Save writes no file
  $("download").addEventListener("click", () => editor && download(place.path, ended(editor.text()), "text/yaml"));
  $("undo").addEventListener("click", () => editor && editor.undo());
  $("redo").addEventListener("click", () => editor && editor.redo());
  addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "s") {
      e.preventDefault();
      if (editor) save(false);
    }
  });
  pin.addEventListener("click", () => { // the run that is shown
    pinned = [...pinned, { name: "", text: shown }].slice(-2);
    pinned.forEach((p, i) => { p.name = "pinned " + (i + 1); });
    unpin.hidden = false;
    refresh();
  });
  unpin.addEventListener("click", () => {
    pinned = [];
    unpin.hidden = true;
    refresh();
  });

  // Begin.
  try {
    await server.enter();
    const paths = await list();
    editor = rthsEditor.create($("editor"), {
      text: "", nonce: document.querySelector("meta[name=style-nonce]").content,
      onChange: typed,
      complete: (text, line, column) => server.call("complete", { text, line, column }),
      hover: (text, line, column) => server.call("hover", { text, line, column }),
      onCursor() {},
    });
    window.rthsBench = { editor, open, save, place: () => place, shown: () => shown }; // for tests
    editAs(localStorage.getItem("rths edit as") === "form" ? "form" : "text");
    open("try");
    const asked = new URLSearchParams(location.search), wanted = asked.get("file");
    if (asked.has("text")) example(asked.get("name") || "", asked.get("text"), paths);
    else if (paths.includes(wanted)) await load(wanted);
    else if (paths.length) await load(paths[0]);
    else [$("begin").hidden, $("bench").hidden] = [false, true];
  } catch (e) {
    notice(e.message);
  }
  let fitting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(fitting);
    fitting = requestAnimationFrame(() => views[tab] && views[tab].fit());
  });
  theme.dark.addEventListener("change", () => views[tab] && views[tab].fit());
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", on);
      if (views[tab]) views[tab].fit();
    });
  }
})();
