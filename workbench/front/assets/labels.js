"use strict";

// Tags and note of a run are edited where they stand. Enter hands the change to keep, Escape ends. latest is the run as
// it is by now: a note that has been read is changed, and tags that others have added meanwhile stay.
function labelFields(tr, r, latest, keep, end) {
  const field = (of, value, label) => {
    const input = make("input", { value, ariaLabel: label + " of " + r.run });
    tr.querySelector(`[data-of=${of}]`).replaceChildren(input);
    return input;
  };
  const was = r.tags || [], plain = (r.note || "").replace(/\s+/g, " ");
  const tags = field("tags", was.join(", "), "tags, with commas between them"), note = field("note", plain, "note");
  const less = (a, b) => a.filter(t => !b.includes(t));
  const change = () => {
    const next = tags.value.split(",").map(t => t.trim()).filter(t => t);
    const out = { run: r.run, add: less(next, was), remove: less(was, next) };
    return note.value === plain ? out : { ...out, note: note.value, was: latest().note || "" };
  };
  for (const input of [tags, note]) {
    input.addEventListener("keydown", e => {
      e.stopPropagation();
      if (e.key === "Enter") keep(change()); else if (e.key === "Escape") end();
    });
    input.addEventListener("dblclick", e => e.stopPropagation());
  }
  tags.focus();
}
