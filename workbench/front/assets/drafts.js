"use strict";

// Texts that are not saved, in this browser: each window keeps its own, so that two windows lose none. A window that is
// loaded again finds its own first, a new one the newest.
const drafts = (() => {
  const begin = "rths draft ", how = performance.getEntriesByType("navigation")[0];
  const again = !how || how.type !== "navigate";
  let folder = "", own = "";
  const me = () => {
    if (own) return own;
    own = again && sessionStorage.getItem("rths window") || Date.now() + "-" + Math.random();
    sessionStorage.setItem("rths window", own);
    return own;
  };
  const keyOf = path => begin + JSON.stringify([folder, path, me()]);

  function all() {
    const out = [];
    for (let i = 0; i < localStorage.length; i++) {
      const key = localStorage.key(i);
      if (!key.startsWith(begin + "[")) continue;
      const [of, path] = JSON.parse(key.slice(begin.length));
      if (of === folder) out.push({ ...JSON.parse(localStorage.getItem(key)), key, path });
    }
    const first = d => d.key === keyOf(d.path) ? Infinity : d.at;
    return out.sort((a, b) => first(b) - first(a));
  }

  return {
    of: path => all().filter(d => d.path === path),
    paths: () => [...new Set(all().map(d => d.path))],
    keep(path, text, revision) {
      localStorage.setItem(keyOf(path), JSON.stringify({ text, revision, at: Date.now() }));
    },
    drop: path => localStorage.removeItem(keyOf(path)),
    forget: list => list.forEach(d => localStorage.removeItem(d.key)),
    within(name) { folder = name; },
    // Another window has forgotten the draft of this one.
    onForgotten(act) {
      const mine = key => key && key.endsWith(JSON.stringify(me()) + "]");
      addEventListener("storage", e => e.newValue === null && mine(e.key) && act());
    },
  };
})();
