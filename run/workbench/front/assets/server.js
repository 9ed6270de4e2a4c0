"use strict";

// Calls of the page to the program. An answer is lines of JSON: shares that are done, and the end.
const server = (() => {
  let lost = false;
  const listeners = [];

  // signal ends a call that nobody wants any more; share is told how much is done.
  async function call(name, input, { signal, share } = {}) {
    let answer;
    try {
      answer = await fetch("call/" + name, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input), signal,
      });
    } catch (e) {
      if (e.name === "AbortError") throw e;
      connected(false);
      throw new Error("The program does not answer: start rths ui again. Your text is kept in this browser.");
    }
    connected(true);
    if (answer.status === 401) throw new Error("Open the address that rths ui has printed: it has the token.");
    if (!answer.ok) throw new Error((await answer.text()).trim());
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "", end = null;
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest += value || "").split("\n");
      rest = done ? "" : lines.pop();
      for (const l of lines.filter(l => l)) {
        const part = JSON.parse(l);
        if (part.share != null && share) share(part.share);
        if (part.share == null) end = part;
      }
      if (done) break;
    }
    if (!end || end.gone) throw new DOMException("gone", "AbortError");
    if (end.error) throw new Error(end.error);
    return end.ok;
  }

  function connected(now) {
    if (lost === !now) return;
    lost = !now;
    for (const f of listeners) f(now);
  }

  // The token of the address becomes a cookie, and leaves the address.
  async function enter() {
    const token = location.hash.slice(1);
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    await fetch("login", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ Token: token }),
    });
  }
  return { call, enter, onConnection: f => listeners.push(f) };
})();

// Of calls of one kind only the newest counts: those before it are ended, and at most one runs.
function newest(act) {
  let running = null, next = null;
  async function go() {
    while (next) {
      const input = next;
      next = null;
      running = new AbortController();
      try {
        await act(input, running.signal);
      } catch (e) {
        if (e.name !== "AbortError") console.warn(String(e.stack || e));
      }
    }
    running = null;
  }
  return input => {
    next = input;
    if (running) running.abort(); else go();
  };
}
