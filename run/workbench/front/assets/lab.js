"use strict";

// The way to the laboratory: a rehearsal with its record, and the command of the test. Arming and starting stay in the
// control room, which has a token of its own.
function labView(root, textNow, call) {
  const go = make("button", { type: "button", textContent: "Rehearse and record" });
  const bar = make("progress", { max: 1, value: 0, hidden: true }), said = make("p", { className: "verdict" });
  said.setAttribute("aria-live", "polite");
  const list = make("div");
  root.append(make("p", { textContent: "A test on a rig wants a rehearsal: a virtual run of the saved file, with a record. " +
    "Then the command below checks the rig, and its control room asks before anything moves. " +
    "This page never arms a rig." }), make("div", { className: "fields" }, go, bar), said, list);

  go.addEventListener("click", async () => {
    go.disabled = true;
    bar.hidden = false;
    list.replaceChildren();
    try {
      const done = await call("rehearse", textNow(), { share: part => { bar.value = part; } });
      said.textContent = done.sentence;
      const report = make("a", { href: "report/" + done.folder, target: "_blank", rel: "noopener", textContent: "Report" });
      const room = make("a", { href: "http://127.0.0.1:7480/", target: "_blank", rel: "noopener", textContent: "Control room" });
      list.append(make("p", {}, report, " of ", make("code", { textContent: done.folder })),
        ...(done.remarks || []).map(r => make("p", { textContent: r })),
        ...(done.rig ? [] : [make("p", { textContent: "The scenario has no block rig: the command wants --rig, or rths doc rig." })]),
        make("p", { textContent: "In a terminal of the computer that loads the rig:" }),
        make("pre", { textContent: done.commands.join("\n") }),
        make("p", {}, room, ", while that command runs."));
    } catch (e) {
      said.textContent = e.message;
    }
    go.disabled = false;
    bar.hidden = true;
  });
  return { show() {}, wrong(text) { said.textContent = text; }, fit() {} };
}
