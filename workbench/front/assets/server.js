"use strict";

// Calls of the page to the program. An answer is lines of JSON: shares that are done, and the end.
const server = (() => {
  const silent = "The program does not answer: start rths ui again, and open the address that it prints. " +
    "Your text is kept in this browser.";
  const unknown = "The program wants its token: open the address that rths ui has printed. " +
    "Your text is kept in this browser.";
  let lost = ""; // why the page is not connected
  const listeners = [];

  // What is said to the reader, and is no fault of the page.
  const said = text => Object.assign(new Error(text), { name: "Said" });

  function connected(why) {
    if (lost === why) return;
    lost = why;
    for (const f of listeners) f(why);
  }

  function missing(why) {
    connected(why);
    return said(why);
  }

  async function ask(path, input, signal) {
    try {
      return await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input), signal,
      });
    } catch (e) {
      throw e.name === "AbortError" ? e : missing(silent);
    }
  }

  // linesOf hands each line of an answer on.
  async function linesOf(answer, act) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let ended = false; !ended;) {
      const { value, done } = await reader.read().catch(e => { throw e.name === "AbortError" ? e : missing(silent); });
      rest += value || "";
      if (!done && !value.includes("\n")) continue; // a long line comes in many pieces
      const lines = rest.split("\n");
      rest = done ? "" : lines.pop();
      lines.filter(l => l).forEach(l => act(JSON.parse(l)));
      ended = done;
    }
  }

  // signal ends a call that nobody wants any more; share is told how much is done.
  async function call(name, input, { signal, share } = {}) {
    const answer = await ask("call/" + name, input, signal);
    if (answer.status === 401) throw missing(unknown);
    connected("");
    if (!answer.ok) throw said((await answer.text()).trim());
    let end = null;
    await linesOf(answer, part => {
      if (part.share == null) end = part; else if (share) share(part.share);
    });
    if (!end) throw missing(silent);
    if (end.gone) throw new DOMException("gone", "AbortError");
    if (end.error) throw said(end.error);
    return end.ok;
  }

  // The token of the address becomes a cookie, and leaves the address.
  async function enter() {
    const token = location.hash.slice(1);
    if (!token) return;
    history.replaceState(null, "", location.pathname + location.search);
    await ask("login", { Token: token });
  }
  return { call, enter, lost: () => lost, onConnection: f => listeners.push(f) };
})();
