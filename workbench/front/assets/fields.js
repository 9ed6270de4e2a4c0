"use strict";

// A row of the form: a key with its field, or an entry of a list, and what is said of it.
const formRow = (() => {
  let count = 0;
  // say puts a text under a field, and takes it away.
  const say = (p, text, className) => {
    p.textContent = text || "";
    p.className = className || "doc";
    p.hidden = !text;
  };
  const describe = s => [s.doc, s.range && "Searches go from " + s.range,
    s.default && s.default.length < 30 && "Default " + s.default]
    .filter(t => t).map(t => t.replace(/[.]?$/, ".")).join(" ");
  const nameOf = s => s.path.at(-1);
  // textOf is a remark without the key that it stands at.
  const textOf = (r, s) => r.text.startsWith(pathOf(s) + ": ") ? r.text.slice(pathOf(s).length + 2) : r.text;
  const pathOf = s => s.path.reduce((all, step) => all && /^[1-9]\d*$/.test(step) ? all + "[" + step + "]" :
    (all && all + ".") + step, "");
  // remarked says what is refused, and the remarks, under a field.
  const remarked = (p, refused, list, s) => say(p, [refused, ...list.map(r => textOf(r, s))].filter(t => t).join(" "),
    refused ? "error" : list.length ? list[0].severity : "");

  // fieldOf is the field of a value.
  function fieldOf(s) {
    if (s.holds === "truth") return make("select");
    const numeric = ["number", "whole"].includes(s.holds);
    const inputMode = numeric ? "decimal" : "text";
    return make("input", { type: "text", inputMode, spellcheck: false, autocomplete: "off" });
  }

  // A row of a value. change is told what the reader wants of it.
  function value(s, change) {
    const id = "slot-" + ++count, field = fieldOf(s);
    const label = make("label", { textContent: nameOf(s), htmlFor: id });
    const unit = make("span", { className: "unit", textContent: s.unit || "" });
    const drop = make("button", { type: "button", className: "drop", textContent: "×" });
    const doc = make("p", { id: id + "-doc" }), wrong = make("p", { id: id + "-wrong" });
    drop.setAttribute("aria-label", "leave " + s.path.join(" ") + " at its default");
    drop.title = "leave it at its default";
    field.id = id;
    field.setAttribute("aria-describedby", id + "-unit " + doc.id + " " + wrong.id);
    unit.id = id + "-unit";
    say(doc, describe(s));
    const root = make("div", { className: "slot " + s.holds }, label,
      make("span", { className: "control" }, field, unit, drop), doc, wrong);
    const row = { root, field, label, slot: s, dirty: false, own: false, told: null, focus: () => field.focus() };
    row.refuse = text => { row.refused = text; row.remark(row.remarks || []); };
    row.remark = list => {
      row.remarks = list;
      remarked(wrong, row.refused, list, s);
      field.setAttribute("aria-invalid", String(!!row.refused || list.some(r => r.severity === "error")));
    };
    row.update = next => {
      row.slot = s = next;
      root.classList.toggle("given", !!s.given);
      drop.hidden = !s.given;
      if (s.holds === "truth") {
        const none = "default" + (s.default ? " (" + s.default + ")" : "");
        const words = ["", "true", "false", ...["", "true", "false"].includes(s.value || "") ? [] : [s.value]];
        field.replaceChildren(...words.map(w => make("option", { value: w, textContent: w || none })));
        field.value = s.value || "";
      } else {
        field.placeholder = s.default || "";
        const now = s.value || "", focused = document.activeElement === field;
        const other = now !== row.told && !row.own; // changed elsewhere
        if (other) row.refused = "";
        if (!row.dirty && !row.refused && (!focused || other)) field.value = now;
        row.told = now;
      }
      row.own = false;
    };
    const typed = now => { row.refused = ""; change(row, "set", field.value, { now }); };
    const empty = () => s.holds !== "truth" && field.value.trim() === "";
    // A field that is emptied takes its key out of the text when it is left, or with Enter: what is typed next keeps
    // the comment beside the key.
    field.addEventListener(s.holds === "truth" ? "change" : "input", () => {
      if (empty()) row.dirty = true; else typed(s.holds === "truth");
    });
    field.addEventListener("keydown", e => { if (e.key === "Enter" && e.target === field) typed(true); });
    field.addEventListener("blur", () => {
      if (empty() && row.slot.given) return change(row, "remove", "", { now: true });
      if (empty()) row.dirty = false;
      if (!row.dirty && !row.refused) field.value = row.slot.value || "";
    });
    drop.addEventListener("click", () => {
      field.value = "";
      change(row, "remove", "", { now: true });
      field.focus();
    });
    if (s.holds === "number" || s.holds === "whole") turned(row, change);
    row.update(s);
    return row;
  }

  // turned lets a number change by a drag on its label, and by Alt and an arrow.
  function turned(row, change) {
    const { field, label } = row;
    let held = null;
    const set = (text, more) => {
      field.value = text;
      row.refused = "";
      change(row, "set", text, { now: true, ...more });
    };
    field.addEventListener("keydown", e => {
      const ticks = { ArrowUp: 1, ArrowDown: -1 }[e.key];
      if (!ticks || !e.altKey) return;
      e.preventDefault();
      set(rthsEditor.step(field.value || field.placeholder, ticks, e.shiftKey));
    });
    label.title = "Drag sideways, or Alt+↑ and Alt+↓; with Shift ten times finer.";
    label.addEventListener("pointerdown", e => {
      if (e.button || !e.isPrimary) return;
      held = { x: e.clientX, text: field.value || field.placeholder, now: "", moved: false };
      label.setPointerCapture(e.pointerId);
    });
    label.addEventListener("pointermove", e => {
      if (!held) return;
      held.moved = held.moved || Math.abs(e.clientX - held.x) > 3;
      const text = rthsEditor.step(held.text, Math.trunc((e.clientX - held.x) / 4), e.shiftKey);
      if (!held.moved || text === held.now) return;
      held.now = text;
      set(text, { dragging: true });
    });
    const end = e => {
      if (held && held.moved) {
        set(field.value);
        label.addEventListener("click", c => c.preventDefault(), { once: true });
      }
      held = null;
      if (label.hasPointerCapture(e.pointerId)) label.releasePointerCapture(e.pointerId);
    };
    label.addEventListener("pointerup", end);
    label.addEventListener("pointercancel", end);
  }

  // A row of something that only the text changes: a long list, a key that is not known.
  function shown(s, change, show) {
    const go = make("button", { type: "button", className: "link", textContent: "edit in text" });
    const drop = make("button", { type: "button", className: "drop", textContent: "×" });
    const what = make("span"), wrong = make("p"), doc = make("p");
    drop.setAttribute("aria-label", "remove " + s.path.join(" "));
    say(doc, describe(s));
    const root = make("div", { className: "slot given" }, make("span", { className: "label", textContent: nameOf(s) }),
      make("span", { className: "control" }, what, go, drop), doc, wrong);
    const row = { root, slot: s, focus: () => go.focus() };
    row.refuse = text => remarked(wrong, text, [], s);
    row.remark = list => remarked(wrong, "", list, s);
    row.update = next => {
      row.slot = next;
      what.textContent = next.long ? next.count + " numbers" : next.value || "a block";
    };
    go.addEventListener("click", () => show(row.slot.line, row.slot.column));
    drop.addEventListener("click", () => change(row, "remove", "", { now: true }));
    row.update(s);
    return row;
  }
  return { value, shown, say, nameOf, remarked };
})();

// formBlock is a row with rows in it: a block, with or without kinds, a list of blocks, or names with blocks.
function formBlock(s, tables, change) {
  const { say, nameOf, remarked } = formRow;
  const brief = make("span", { className: "brief" }), flag = make("span", { className: "flag" });
  const entry = /^\d+$/.test(nameOf(s)), title = entry ? "entry " + nameOf(s) : nameOf(s);
  const summary = make("summary", {}, make("strong", { textContent: title }), " ", brief, flag);
  const doc = make("p"), wrong = make("p"), kindDoc = make("p"), given = make("div"), others = make("div");
  const more = make("details", { className: "more" }, make("summary"), others);
  const add = make("div", { className: "add" });
  const drop = make("button", { type: "button", textContent: "Remove " + title });
  const kind = make("select", { ariaLabel: "kind of " + s.path.join(" ") });
  const root = make("details", { className: "slot block" }, summary, doc, wrong, kind, kindDoc, given, more, add, drop);
  const row = { root, slot: s, given, more, others, dirty: false, focus: () => summary.focus() };
  say(doc, s.doc);

  row.refuse = text => { row.refused = text; row.remark(row.remarks || []); };
  row.remark = list => {
    row.remarks = list;
    remarked(wrong, row.refused, list, s);
  };
  // The head of a closed block says how much is wrong in it.
  row.count = n => { flag.textContent = n ? n + (n > 1 ? " remarks" : " remark") : ""; };
  const button = (text, act) => {
    const b = make("button", { type: "button", textContent: text });
    b.addEventListener("click", act);
    return b;
  };
  const options = (list, none, chosen) => {
    const first = list.some(k => k.name === chosen) ? [] : [make("option", { value: chosen || "", textContent: none })];
    return [...first, ...list.map(k => make("option", { value: k.name, textContent: k.name + ": " + k.doc }))];
  };

  // What adds an entry, a name or the block.
  function adding() {
    const list = tables()[s.table] || [];
    const of = " of the new entry of " + nameOf(s);
    const choose = make("select", { ariaLabel: "kind" + of }, ...options(list, "", list[0]?.name));
    const name = make("input", { type: "text", ariaLabel: "name" + of, size: 18 });
    const act = value => { row.refused = ""; change(row, "add", value, { now: true }); };
    if (s.holds === "blocks" && list.length) return [choose, button("Add to " + nameOf(s), () => act(choose.value))];
    if (s.holds === "blocks") return [button("Add to " + nameOf(s), () => act(""))];
    if (s.holds === "named") return [name, button("Add to " + nameOf(s), () => { act(name.value); name.value = ""; })];
    if (s.holds === "block" && !s.given && !(s.slots || []).length) {
      return [button("Add " + nameOf(s), () => change(row, "set", "", { now: true }))];
    }
    return [];
  }

  let shape = "";
  row.update = next => {
    row.slot = s = next;
    const list = s.holds === "choice" ? tables()[s.table] || [] : [], slots = s.slots || [];
    const given = slots.filter(x => x.given), many = ["blocks", "named"].includes(s.holds) && given.length;
    const counted = many > 1 ? many + " entries" : many ? "1 entry" : "";
    brief.textContent = s.kind || counted || s.value && s.value.slice(0, 60) ||
      given.map(x => nameOf(x) + (x.value ? " " + x.value.slice(0, 20) : "")).slice(0, 4).join(", ") ||
      (s.given ? "" : (s.doc || "").split(/[:;,.(]/)[0]);
    root.classList.toggle("given", !!s.given);
    kind.hidden = s.holds !== "choice";
    const now = [s.table, s.kind, s.holds, s.given, slots.length > 0].join();
    if (shape !== now) {
      kind.replaceChildren(...options(list, s.kind || "choose a kind …", s.kind));
      say(kindDoc, (list.find(k => k.name === s.kind) || {}).doc);
      add.replaceChildren(...adding());
    }
    shape = now;
    drop.hidden = !s.given;
    kind.value = s.kind || "";
  };
  kind.addEventListener("change", () => {
    row.refused = "";
    change(row, "set", kind.value, { now: true, kind: true });
  });
  drop.addEventListener("click", () => { row.focus(); change(row, "remove", "", { now: true }); });
  row.update(s);
  return row;
}
