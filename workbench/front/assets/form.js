"use strict";

// The form of a text. It shows the text's keys, and changes the text, which stays the one document. of has call,
// textNow, write (the changed text, how it joins the history, and whether a drag goes on), show (a place in the text),
// undo and redo.
function formView(root, of) {
  const said = make("p"), general = make("div"), top = make("div", { className: "top" }, said, general);
  const slots = make("div", { className: "slots" });
  const more = make("details", { className: "more" }, make("summary"), make("div"));
  said.setAttribute("role", "status");
  slots.append(make("div"), more);
  root.append(top, slots);
  let rows = new Map(), remarks = [], form = null, path = "", on = false, last = { row: null, text: "" };
  let grown = 0; // steps to the list that an entry was added to
  const keyOf = s => JSON.stringify(s.path);
  const values = ["number", "whole", "truth", "text", "list"];

  function tell(text, line, column) {
    formRow.say(said, text, line == null ? "doc" : "error");
    if (line != null) {
      const go = make("button", { type: "button", textContent: "Show it in the text" });
      go.addEventListener("click", () => of.show(line || 1, column || 1));
      said.append(" ", go);
    }
  }

  // Changes go out one after the other, each on the text that the one before has made; of one field the newest counts.
  const waiting = new Map();
  let sending = null, later = 0;
  function change(row, action, value, how) {
    const key = how.kind ? [...row.slot.path, "kind"] : row.slot.path;
    row.dirty = true;
    waiting.set(row, { key, action, value, how });
    clearTimeout(later);
    if (how.now) send(); else later = setTimeout(send, 250);
  }
  const send = () => sending = sending || sendAll().finally(() => { sending = null; });
  async function sendAll() {
    while (waiting.size) {
      const [row, what] = waiting.entries().next().value, at = of.textNow();
      waiting.delete(row);
      try {
        const { key, action, value } = what, done = await of.call("edit", { ...at, key, action, value });
        const now = of.textNow();
        if (now.path !== at.path) return waiting.clear();
        if (now.text !== at.text && !waiting.has(row)) waiting.set(row, what);
        if (now.text === at.text) took(row, what, done, at);
      } catch (e) {
        row.refuse(e.message);
      }
      if (!waiting.has(row)) row.dirty = false;
    }
  }
  function took(row, { how, action }, done, at) {
    tell(done.gone ? "Gone with the old kind: " + done.gone.join(", ") + ". Undo brings them back." : "");
    row.refuse("");
    row.own = true;
    if (action === "add") grown = row.slot.path.length;
    if (done.text === at.text) return refresh();
    const joins = last.row === row && last.text === at.text;
    of.write(done.text, joins, !!how.dragging);
    last = { row, text: of.textNow().text };
  }

  // rowOf is the row of a slot: the one that there is, or a new one. Another kind of slot has another row.
  function rowOf(s, seen) {
    const key = keyOf(s), sort = [s.long ? "long" : s.holds, s.doc, s.unit].join();
    let row = rows.get(key);
    if (!row || row.sort !== sort) {
      row = s.long || s.holds === "unknown" ? formRow.shown(s, change, of.show) :
        values.includes(s.holds) ? formRow.value(s, change) : formBlock(s, () => form.tables, change);
      Object.assign(row, { sort, given0: !!s.given });
      rows.set(key, row);
      if (row.others && grown && s.path.length === grown + 1) row.root.open = true; // the entry that was added
    } else row.update(s);
    seen.add(key);
    return row;
  }

  // arrange puts rows into their order and moves no row that is in its place, so that the focus stays.
  function arrange(parent, list) {
    list.forEach((e, i) => { if (parent.children[i] !== e) parent.insertBefore(e, parent.children[i] || null); });
    while (parent.children.length > list.length) parent.lastElementChild.remove();
  }

  // fill shows the slots of a block: first what was given when the form was opened, the rest behind "more".
  function fill(list, given, more, seen) {
    const all = list.map(s => rowOf(s, seen));
    const rest = all.filter(r => !r.given0);
    arrange(given, all.filter(r => r.given0).map(r => r.root));
    arrange(more.lastElementChild, rest.map(r => r.root));
    more.hidden = !rest.length;
    more.firstElementChild.textContent = rest.length + " more";
    if (rest.length === all.length && !more.dataset.begun) more.open = true; // all is left at its default
    if (rest.length) more.dataset.begun = "yes";
    for (const r of all) if (r.others) fill(r.slot.slots || [], r.given, r.more, seen);
  }

  // keepFocus brings a focus that went with its row to the block around it.
  function keepFocus(draw) {
    const was = [...rows.values()].filter(r => r.root.contains(document.activeElement));
    draw();
    if (document.activeElement !== document.body) return;
    const left = was.filter(r => r.root.isConnected && r.root.checkVisibility());
    if (left.length) left.reduce((a, b) => a.slot.path.length > b.slot.path.length ? a : b).focus();
  }

  function draw(next) {
    form = next;
    slots.hidden = !!form.wrong;
    if (form.wrong) return tell(form.wrong.text, form.wrong.line || 1, form.wrong.column);
    if (said.className === "error") tell("");
    const seen = new Set();
    fill(form.slots, slots.firstElementChild, more, seen);
    for (const key of rows.keys()) if (!seen.has(key)) rows.delete(key);
    grown = 0;
    note();
  }

  // note puts remarks at their fields, those without one at the top.
  function note() {
    const at = new Map();
    for (const r of remarks) {
      let key = r.key || [];
      while (key.length && !rows.has(JSON.stringify(key))) key = key.slice(0, -1);
      const k = JSON.stringify(key);
      at.set(k, [...at.get(k) || [], r]);
    }
    for (const [key, row] of rows) {
      row.remark(at.get(key) || []);
      if (row.count) row.count(remarks.filter(r => r.key && row.slot.path.every((p, i) => r.key[i] === p)).length);
    }
    const placeless = at.get("[]") || [];
    general.replaceChildren(...placeless.map(r => make("p", { className: r.severity, textContent: r.text })));
  }

  const asking = newest(async (at, signal) => {
    const next = await of.call("form", at, { signal });
    const now = of.textNow();
    if (signal.aborted || !on || at.path !== now.path || at.text !== now.text) return;
    if (path !== at.path) clear();
    path = at.path;
    keepFocus(() => draw(next));
    window.rthsFormed = at.text; // for tests
  });
  const refresh = () => { if (on && of.textNow().path) asking(of.textNow()); };

  function clear() {
    rows = new Map();
    last = { row: null, text: "" };
    for (const e of [slots.firstElementChild, more.lastElementChild]) e.replaceChildren();
    tell("");
  }

  // goTo opens the block of a place in the text, and goes to its field.
  function goTo(line, column) {
    const before = s => s.line && (s.line < line || s.line === line && s.column <= column);
    const all = [...rows.values()].filter(r => before(r.slot));
    all.sort((a, b) => b.slot.line - a.slot.line || b.slot.column - a.slot.column ||
      a.slot.path.length - b.slot.path.length);
    if (!all.length) return;
    for (let e = all[0].root; e && e !== root; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    all[0].root.scrollIntoView({ block: all[0].others ? "start" : "center" });
    all[0].focus();
  }

  root.addEventListener("keydown", e => {
    const key = e.key.toLowerCase(), undo = key === "z" && !e.shiftKey, redo = key === "y" || key === "z" && e.shiftKey;
    if (!(e.ctrlKey || e.metaKey) || !undo && !redo) return;
    e.preventDefault();
    Promise.resolve(send()).then(undo ? of.undo : of.redo);
  });
  return {
    refresh, goTo,
    shown: () => on,
    // open shows the form, with what is given now first.
    open(yes) {
      on = yes;
      root.hidden = !yes;
      clear();
      path = "";
      refresh();
    },
    remarks(list) {
      remarks = list;
      if (on) note();
    },
  };
}
