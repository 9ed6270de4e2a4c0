"use strict";
const box = document.getElementById("search");
const found = document.getElementById("found");
const root = document.body.dataset.root;

// score says how well a page fits the words: all of them must stand in it.
function score(page, words) {
  let sum = 0;
  for (const w of words) {
    const title = page.title.toLowerCase().includes(w);
    const heading = page.headings.some((h) => h.toLowerCase().includes(w));
    const times = page.text.toLowerCase().split(w).length - 1;
    if (!title && !heading && times === 0) return 0;
    sum += (title ? 50 : 0) + (heading ? 10 : 0) + Math.min(times, 9);
  }
  return sum;
}

// around is the text near the first of the words.
function around(page, word) {
  const at = Math.max(0, page.text.toLowerCase().indexOf(word));
  return "… " + page.text.slice(Math.max(0, at - 40), at + 80) + " …";
}

box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const best = words.length === 0 ? [] : pages.map((p) => [score(p, words), p]).filter(([s]) => s > 0)
    .sort((a, b) => b[0] - a[0]).slice(0, 12);
  found.replaceChildren(...best.map(([, p]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + p.url;
    link.textContent = p.title;
    const near = document.createElement("small");
    near.textContent = around(p, words[0]);
    item.append(link, near);
    return item;
  }));
  found.hidden = words.length === 0;
});
