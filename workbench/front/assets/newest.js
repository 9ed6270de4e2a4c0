"use strict";

// Of calls of one kind only the newest counts, and at most one runs. One that runs is let finish for so many ms, so
// that something is seen while changes come; then the newest takes its place.
const patience = 250;
function newest(act) {
  let running = null, next = null, begun = 0, ending = 0;
  async function go() {
    while (next) {
      const input = next;
      next = null;
      running = new AbortController();
      begun = performance.now();
      try {
        await act(input, running.signal);
      } catch (e) {
        if (e.name !== "AbortError" && e.name !== "Said") console.error(String(e.stack || e));
      }
      clearTimeout(ending);
    }
    running = null;
  }
  return input => {
    next = input;
    if (!running) return void go();
    const mine = running;
    clearTimeout(ending);
    ending = setTimeout(() => mine.abort(), Math.max(0, begun + patience - performance.now()));
  };
}
