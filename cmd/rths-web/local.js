"use strict";

// Calls of the page to the program, which runs as a worker in this browser. Files are kept in the browser.
const server = (() => {
  const begin = "rths file ";
  let worker = null, number = 0;
  const waiting = new Map();

  const said = text => Object.assign(new Error(text), { name: "Said" });

  // The program of this page, unpacked.
  async function program() {
    const letters = atob(document.getElementById("program").textContent), packed = new Uint8Array(letters.length);
    for (let k = 0; k < packed.length; k++) packed[k] = letters.charCodeAt(k);
    const unpacking = new DecompressionStream("gzip"), parts = [];
    const writer = unpacking.writable.getWriter();
    writer.write(packed);
    writer.close();
    for (const reader = unpacking.readable.getReader(); ;) {
      const { value, done } = await reader.read();
      if (done) return new Blob(parts).arrayBuffer();
      parts.push(value);
    }
  }

  // start starts the worker. It answers once it is ready.
  async function start() {
    const code = document.getElementById("glue").textContent + `
globalThis.process.cwd = () => "/"; // there is no other folder
onmessage = async e => {
  onmessage = null;
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(e.data, go.importObject);
  await go.run(instance);
  postMessage({ ended: true });
};`;
    worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    const bytes = await program();
    await new Promise((ready, failed) => {
      worker.onerror = e => failed(said("The program does not start in this browser: " + e.message));
      worker.onmessage = () => ready();
      worker.postMessage(bytes, [bytes]);
    });
    worker.onmessage = ({ data }) => take(data);
  }

  function take(part) {
    if (part.ended) {
      for (const w of waiting.values()) w.failed(said("The program has ended: load this page again. Your text is kept."));
      waiting.clear();
      return;
    }
    const w = waiting.get(part.id);
    if (!w) return;
    if (part.share != null) return void (w.share && w.share(part.share));
    waiting.delete(part.id);
    if (part.gone) w.failed(new DOMException("gone", "AbortError"));
    else if (part.error != null) w.failed(said(part.error));
    else w.done(JSON.parse(part.ok));
  }

  function ask(name, input, { signal, share } = {}) {
    const id = ++number;
    return new Promise((done, failed) => {
      waiting.set(id, { done, failed, share });
      if (signal) signal.addEventListener("abort", () => worker.postMessage({ id }));
      worker.postMessage({ id, name, input: JSON.stringify(input) });
    });
  }

  async function call(name, input, how) {
    const out = await ask(name, input, how);
    if (name === "save" && out.revision) localStorage.setItem(begin + input.path, input.text);
    if (name === "new") localStorage.setItem(begin + out.path, out.text);
    return out;
  }

  // enter starts the program with the files that this browser keeps.
  async function enter() {
    if (worker) return;
    document.body.dataset.local = "";
    const note = document.getElementById("notice");
    [note.hidden, note.textContent] = [false, "The program is starting …"];
    await start();
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i);
      if (!key.startsWith(begin)) continue;
      await ask("save", { path: key.slice(begin.length), text: localStorage.getItem(key), revision: "", anyway: true });
    }
    note.hidden = true;
  }
  return { call, enter, lost: () => "", onConnection() {}, local: true };
})();
