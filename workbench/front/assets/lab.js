"use strict";

// The way to the laboratory: a rehearsal with its record, and the command of the test. Arming and starting stay in the
// control room, which has a token of its own.
function labView(root, textNow, call) {
  const go = make("button", { type: "button", textContent: "Rehearse and record" });
  const bar = make("progress", { max: 1, value: 0, hidden: true }), said = make("p", { className: "verdict" });
  said.setAttribute("aria-live", "polite");
  const list = make("div");
  const why = "A test on a rig wants a rehearsal: a virtual run of the saved file, with a record. Then the command below " +
    "checks the rig, and its control room asks before anything moves. This page never arms a rig.";
  root.append(make("p", { textContent: why }), make("div", { className: "fields" }, go, bar), said, list);
  const link = (href, textContent) => make("a", { href, textContent, target: "_blank", rel: "noopener" });

  go.addEventListener("click", async () => {
    go.disabled = true;
    bar.hidden = false;
    list.replaceChildren();
    try {
      const done = await call("rehearse", textNow(), { share: part => { bar.value = part; } });
      said.textContent = done.sentence;
      const report = link("report/" + done.folder, "Report"), room = link("http://127.0.0.1:7480/", "Control room");
      const remarks = done.remarks || [];
      if (!done.rig) remarks.push("The scenario has no block rig: the command wants --rig (rths doc rig).");
      list.append(make("p", {}, report, " of ", make("code", { textContent: done.folder })),
        ...remarks.map(r => make("p", { textContent: r })),
        make("p", { textContent: "In a terminal of the computer that loads the rig:" }),
        make("pre", { textContent: done.commands.join("\n") }),
        make("p", {}, room, ", while that command runs."));
    } catch (e) {
      said.textContent = e.message;
    }
    go.disabled = false;
    bar.hidden = true;
  });
  return { show() {}, wrong(text) { said.textContent = text; }, clear() {}, share() {}, fit() {} };
}
