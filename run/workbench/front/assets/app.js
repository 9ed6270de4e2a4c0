"use strict";
(async function () {
  const $ = id => document.getElementById(id);
  const key = path => "rths draft " + path; // of a text that is not saved, in this browser
  let place = { path: "", text: "", revision: "" }; // the file as it was read or saved last
  let editor = null, tab = "try", pinned = [], views = {};

  const notice = (text, ...more) => {
    $("notice").hidden = !text;
    $("notice").replaceChildren(text, ...more);
  };
  server.onConnection(on => {
    $("state").textContent = on ? "connected again" : "not connected";
    if (on) notice("");
    if (on && editor) changed(editor.text());
  });

  // Views.
  const tabs = [
    ["try", "Try"], ["draw", "Test"], ["bode", "Bode and delay"], ["stability", "Stability"], ["ground", "Ground motion"],
    ["limits", "Limits"], ["actuator", "Actuator"], ["map", "Map"], ["lab", "Laboratory"],
  ];
  const pin = make("button", { type: "button", textContent: "Pin this state", title: "lay its run over the next ones" });
  const unpin = make("button", { type: "button", textContent: "Forget pins", hidden: true });
  const textNow = () => ({ path: place.path, text: editor.text() });
  function open(name) {
    tab = name;
    for (const b of $("tabs").children) {
      b.setAttribute("aria-selected", String(b.dataset.tab === name));
      b.tabIndex = b.dataset.tab === name ? 0 : -1;
    }
    for (const [k, v] of Object.entries(views)) v.root.hidden = k !== name;
    if (!views[name]) {
      const root = make("div");
      $("view").append(root);
      const make1 = {
        try: () => tryView(root, [pin, unpin]), draw: () => schemeView(root, (l, c) => editor.show(l, c)),
        map: () => mapView(root, textNow, server.call),
        lab: () => labView(root, () => ({ ...textNow(), text: ended(editor.text()), revision: place.revision }), server.call),
      }[name] || (() => explainView(root, name));
      views[name] = Object.assign(make1(), { root });
    }
    views[name].fit();
    refresh();
  }
  for (const [name, title] of tabs) {
    const b = make("button", { type: "button", textContent: title });
    b.dataset.tab = name;
    b.setAttribute("role", "tab");
    b.addEventListener("click", () => open(name));
    $("tabs").append(b);
  }
  $("tabs").addEventListener("keydown", e => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!way) return;
    const i = (tabs.findIndex(t => t[0] === tab) + way + tabs.length) % tabs.length;
    open(tabs[i][0]);
    $("tabs").children[i].focus();
  });

  // What stands beside the text, after each change: the newest change counts.
  const trying = newest(async (at, signal) => {
    const view = views.try, slow = setTimeout(() => view.share(0), 400);
    try {
      const points = Math.round(2 * Math.max(300, $("view").clientWidth));
      const result = await server.call("try", { ...at, pinned, points }, { signal, share: view.share });
      if (!signal.aborted) await view.show(result);
      window.rthsTried = (window.rthsTried || 0) + 1; // for tests
    } catch (e) {
      if (e.name !== "AbortError") view.wrong(e.message);
      throw e;
    } finally {
      clearTimeout(slow);
      view.share(null);
    }
  });
  const explaining = newest(async ({ name, at }, signal) => {
    try {
      const call = name === "draw" ? ["draw", at] : ["explain", { ...at, about: name }];
      const result = await server.call(...call, { signal });
      if (!signal.aborted) await views[name].show(result);
    } catch (e) {
      if (e.name !== "AbortError") views[name].wrong(e.message);
      throw e;
    }
  });
  const checking = newest(async (at, signal) => {
    const found = await server.call("check", at, { signal });
    editor.diagnostics(found.remarks.filter(r => r.line));
    $("remarks").replaceChildren(...found.remarks.map(r => {
      const b = make("button", { type: "button", className: r.severity,
        textContent: (r.line ? r.line + ":" + r.column + " " : "") + r.severity + ": " + r.text });
      b.addEventListener("click", () => editor.show(r.line || 1, r.column || 1));
      return make("li", {}, b);
    }));
    window.rthsChecked = found; // for tests
  });

  function refresh() {
    if (!editor || !place.path) return;
    if (tab === "try") trying(textNow());
    else if (!["map", "lab"].includes(tab)) explaining({ name: tab, at: textNow() });
  }

  let later = 0;
  function changed(text) {
    const fresh = text === place.text;
    try {
      if (fresh) localStorage.removeItem(key(place.path));
      else localStorage.setItem(key(place.path), JSON.stringify({ text, revision: place.revision }));
    } catch (e) {
      notice("This browser keeps no drafts: save often. (" + e.message + ")");
    }
    $("state").textContent = fresh ? "saved" : "not saved";
    $("save").disabled = fresh;
    refresh();
    clearTimeout(later);
    later = setTimeout(() => checking(textNow()), 250);
  }

  // Files.
  async function list() {
    const found = await server.call("files", {});
    document.title = found.folder.split(/[\\/]/).at(-1) + " – rths workbench";
    const scenarios = found.files.filter(f => !f.study);
    $("file").replaceChildren(...scenarios.map(f => make("option", { value: f.path, textContent: f.path })));
    $("new").replaceChildren(make("option", { value: "", textContent: "from a template …" }),
      ...found.templates.map(t => make("option", { value: t.case, textContent: t.case + ": " + t.doc })));
    if (place.path) $("file").value = place.path;
    if (found.more) notice(found.more + " more files are not listed.");
    return scenarios;
  }

  // The editor ends lines as Linux does; a file keeps the ends that it has.
  const plain = text => text.replace(/\r\n/g, "\n");
  const ended = text => place.crlf ? text.replace(/\n/g, "\r\n") : text;

  function edit(file) {
    file = { ...file, text: plain(file.text), crlf: file.text.includes("\r\n") };
    place = file;
    $("file").value = file.path;
    history.replaceState(null, "", "?file=" + encodeURIComponent(file.path));
    pinned = [];
    unpin.hidden = true;
    let text = file.text;
    const draft = JSON.parse(localStorage.getItem(key(file.path)) || "null");
    if (draft && draft.text !== file.text) {
      text = draft.text;
      const back = make("button", { type: "button", textContent: "take the saved one" });
      back.addEventListener("click", () => {
        notice("");
        place = file;
        editor.setText(file.text, { keepHistory: true });
        changed(file.text);
      });
      notice("This is the text that you had not saved. ", back);
      if (draft.revision !== file.revision) place = { ...file, revision: draft.revision };
    } else notice("");
    editor.setText(text);
    changed(text);
    checking(textNow());
  }
  const load = async path => edit(await server.call("open", { path }));
  $("file").addEventListener("change", () => load($("file").value).catch(e => notice(e.message)));
  $("new").addEventListener("change", async () => {
    const template = $("new").value;
    $("new").value = "";
    if (!template) return;
    try {
      const file = await server.call("new", { path: "", template });
      await list();
      edit(file);
    } catch (e) {
      notice(e.message);
    }
  });

  // Two have changed the file: both texts are shown, none is lost.
  function ask(theirs, mine) {
    const [text, both, choices] = [$("ask").querySelector("p"), $("ask").querySelector("pre"), $("ask").querySelector(".choices")];
    text.textContent = place.path + " has changed on the disk meanwhile. There it is:";
    both.textContent = theirs.text;
    const choice = (title, act) => {
      const b = make("button", { type: "button", textContent: title });
      b.addEventListener("click", () => { $("ask").close(); act(); });
      return b;
    };
    choices.replaceChildren(
      choice("Keep mine, replace the file", () => save(true)),
      choice("Save mine beside it", async () => {
        const path = place.path.replace(/(\.ya?ml)$/i, "-mine$1");
        const saved = await server.call("save", { path, text: ended(mine), revision: "", anyway: false });
        if (saved.theirs) return notice(path + " exists too: rename it first.");
        localStorage.removeItem(key(place.path));
        await list();
        edit({ path, text: mine, revision: saved.revision });
      }),
      choice("Take theirs (mine stays in Undo)", () => {
        place = { ...theirs, text: plain(theirs.text), crlf: place.crlf };
        editor.setText(place.text, { keepHistory: true });
        changed(place.text);
      }),
      choice("Neither yet", () => {}));
    $("ask").showModal();
  }

  async function save(anyway) {
    const text = editor.text();
    try {
      const saved = await server.call("save",
        { path: place.path, text: ended(text), revision: place.revision, anyway: !!anyway });
      if (saved.theirs) return ask(saved.theirs, text);
      place = { ...place, text, revision: saved.revision };
      changed(editor.text());
    } catch (e) {
      notice(e.message);
    }
  }
  $("save").addEventListener("click", () => save(false));
  $("undo").addEventListener("click", () => editor.undo());
  $("redo").addEventListener("click", () => editor.redo());
  addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "s") {
      e.preventDefault();
      save(false);
    }
  });
  pin.addEventListener("click", () => {
    pinned = [...pinned, { name: "pinned " + (pinned.length + 1), text: editor.text() }].slice(-2);
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
    const scenarios = await list();
    editor = rthsEditor.create($("editor"), {
      text: "", nonce: document.querySelector("meta[name=style-nonce]").content,
      onChange: changed,
      complete: (text, line, column) => server.call("complete", { text, line, column }),
      hover: (text, line, column) => server.call("hover", { text, line, column }),
      onCursor() {},
    });
    window.rthsBench = { editor, open, save, place: () => place }; // for tests
    open("try");
    const wanted = new URLSearchParams(location.search).get("file");
    const first = scenarios.find(f => f.path === wanted) || scenarios[0];
    if (first) await load(first.path);
    else notice("This folder has no scenario yet. Take a new one from a template, above.");
  } catch (e) {
    notice(e.message);
  }
  let fitting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(fitting);
    fitting = requestAnimationFrame(() => views[tab] && views[tab].fit());
  });
  theme.dark.addEventListener("change", () => views[tab] && views[tab].fit());
})();
