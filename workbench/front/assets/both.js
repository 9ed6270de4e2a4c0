"use strict";

// A text that is changed here and on the disk: both are shown, with the lines that differ marked. choices are pairs of
// a title and what it does; Escape chooses nothing.
function askBoth(question, theirs, mine, choices) {
  const dialog = document.getElementById("ask");
  const lines = [theirs, mine].map(t => t.split("\n"));
  const [a, b] = lines;
  let head = 0, tail = 0;
  const shorter = Math.min(a.length, b.length);
  while (head < shorter && a[head] === b[head]) head++;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const pane = (title, list) => {
    const part = (from, to) => list.slice(from, to).map(l => l + "\n").join("");
    const pre = make("pre", { tabIndex: 0, ariaLabel: title }, part(0, head),
      make("mark", { textContent: part(head, list.length - tail) }), part(list.length - tail));
    return make("section", {}, make("h2", { textContent: title }), pre);
  };
  dialog.querySelector("p").textContent = question;
  dialog.querySelector(".both").replaceChildren(pane("On the disk", a), pane("Here", b));
  dialog.querySelector(".choices").replaceChildren(...choices.map(([title, act]) => {
    const button = make("button", { type: "button", textContent: title });
    button.addEventListener("click", () => { dialog.close(); act(); });
    return button;
  }));
  dialog.showModal();
  for (const mark of dialog.querySelectorAll("mark")) mark.parentElement.scrollTop = mark.offsetTop - 40;
  dialog.querySelector(".choices button").focus();
}
