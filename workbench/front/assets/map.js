"use strict";

// A map of a criterion over two keys, drawn as it fills, row by row. A click on the map says the value there.
function mapView(root, textNow, call) {
  const field = (label, value, size, more) => {
    const input = make("input", { value, size, ...more });
    return [make("label", {}, label + " ", input), input];
  };
  const known = make("datalist", { id: "map-keys" }), values = { inputMode: "decimal" };
  const [xLabel, xKey] = field("across", "", 22), [yLabel, yKey] = field("up", "", 22);
  const [x0Label, x0] = field("from", "", 8, values), [x1Label, x1] = field("to", "", 8, values);
  const [y0Label, y0] = field("from", "", 8, values), [y1Label, y1] = field("to", "", 8, values);
  const [ofLabel, of] = field("value", "J2_pct", 12), [nLabel, n] = field("points each way", "15", 4, values);
  const go = make("button", { type: "button", textContent: "Draw" });
  const halt = make("button", { type: "button", textContent: "Stop", disabled: true });
  const canvas = make("canvas", { hidden: true }), doc = make("p", { className: "doc" });
  canvas.setAttribute("role", "img");
  doc.setAttribute("role", "status");
  const row = (...parts) => make("div", { className: "fields" }, ...parts);
  root.append(known, row(xLabel, x0Label, x1Label), row(yLabel, y0Label, y1Label), row(ofLabel, nLabel, go, halt),
    doc, canvas);
  for (const input of [xKey, yKey]) input.setAttribute("list", known.id);
  let running = null, rows = [], axes = null, numbers = [], width = 720, height = 520;

  // A key brings a range around its value: half to double.
  function ranged(key, from, to) {
    const found = numbers.find(v => v.key === key.value);
    if (!found) return;
    const v = found.value, ends = v ? [v / 2, 2 * v].sort((a, b) => a - b) : [0, 1];
    [from.value, to.value] = ends.map(e => Number(e.toPrecision(6)));
  }
  xKey.addEventListener("change", () => ranged(xKey, x0, x1));
  yKey.addEventListener("change", () => ranged(yKey, y0, y1));

  // The numbers of the text; the first ones of specimen and actuator are the map to begin with.
  function show(list) {
    numbers = list;
    known.replaceChildren(...list.map(v => make("option", { value: v.key, label: shortest(v.value, 4) })));
    if (xKey.value || yKey.value) return;
    const first = begin => (list.find(v => v.key.startsWith(begin)) || { key: "" }).key;
    xKey.value = first("specimen") || first("structure") || first("");
    yKey.value = first("transfer") || first("ground");
    ranged(xKey, x0, x1);
    ranged(yKey, y0, y1);
    doc.textContent = "Draw runs the test at every point. Leave “up” empty for one key only.";
  }

  const spread = (from, to, count) => Array.from({ length: count }, (_, i) => from + (to - from) * i / (count - 1));

  function draw() {
    const c = canvas.getContext("2d"), left = 78, bottom = 46, right = 90, r = devicePixelRatio;
    canvas.hidden = false;
    width = Math.max(300, Math.min(720, root.clientWidth));
    height = Math.round(0.72 * width);
    const w = width, h = height;
    [canvas.width, canvas.height, canvas.style.width] = [w * r, h * r, w + "px"];
    c.scale(r, r);
    canvas.setAttribute("aria-label", axes.of + " over " + axes.xKey + (axes.yKey ? " and " + axes.yKey : ""));
    const { ink, page } = theme.ground();
    c.fillStyle = page;
    c.fillRect(0, 0, w, h);
    const there = rows.flat().filter(v => v != null);
    const low = Math.min(...there), high = Math.max(...there);
    const dx = (w - left - right) / axes.x.length, dy = (h - bottom - 10) / axes.y.length;
    const shade = v => {
      const t = high > low ? Math.log((v - low) / (high - low) * 9 + 1) / Math.log(10) : 0;
      return `hsl(${(215 + 150 * t) % 360} 70% ${62 - 22 * t}%)`;
    };
    rows.forEach((row, j) => row.forEach((v, i) => {
      c.fillStyle = v == null ? ground("grid") : shade(v);
      c.fillRect(left + i * dx, h - bottom - (j + 1) * dy, dx + 0.5, dy + 0.5);
    }));
    c.fillStyle = ink;
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "center";
    const ends = list => list[0] === list.at(-1) ? [list[0] - 0.5, list[0] + 0.5] : [list[0], list.at(-1)];
    const place = (list, v, from, length) => {
      const [a, b] = ends(list), step = length / list.length;
      return from + step / 2 + (v - a) / (b - a) * (length - step);
    };
    for (const t of roundTicks(...ends(axes.x), w < 500 ? 3 : 6)) {
      c.fillText(t.text, place(axes.x, t.at, left, w - left - right), h - bottom + 16);
    }
    c.fillText(axes.xKey, (w - right + left) / 2, h - 8);
    c.textAlign = "right";
    for (const t of axes.yKey ? roundTicks(...ends(axes.y), w < 500 ? 3 : 6) : []) {
      c.fillText(t.text, left - 6, h - place(axes.y, t.at, bottom, h - bottom - 10) + 4);
    }
    c.save();
    c.translate(14, (h - bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.fillText(axes.yKey, 0, 0);
    c.restore();
    c.textAlign = "left";
    if (!there.length) return;
    const step = (h - bottom - 50) / 40;
    for (let k = 0; k < 40; k++) {
      c.fillStyle = shade(low + (high - low) * k / 39);
      c.fillRect(w - 74, h - bottom - (k + 1) * step, 14, step + 0.5);
    }
    c.fillStyle = ink;
    c.fillText(shortest(low, 3), w - 56, h - bottom);
    c.fillText(shortest(high, 3), w - 56, h - bottom - 40 * step + 8);
    c.fillText(axes.of, w - 74, h - bottom - 40 * step - 10);
  }
  const ground = name => theme.ground()[name];

  // The axes that the fields want, or what is wrong with them.
  function wanted() {
    const number = (input, of) => {
      const v = input.value.trim() === "" ? NaN : Number(input.value.replace(",", "."));
      if (Number.isFinite(v)) return v;
      throw new Error(of + ": found " + (input.value || "nothing") + ": want numbers from and to");
    };
    const count = Number(n.value);
    if (!(Number.isInteger(count) && count >= 2 && count <= 60)) {
      throw new Error("points each way: found " + (n.value || "nothing") + ": want 2 to 60");
    }
    if (!xKey.value) throw new Error("across: want a key, as in specimen.stiffness");
    const range = (of, from, to) => spread(number(from, of), number(to, of), count);
    return { x: range(xKey.value, x0, x1), y: yKey.value ? range(yKey.value, y0, y1) : [0], xKey: xKey.value,
      yKey: yKey.value, of: of.value };
  }

  // fill asks for row after row. Where a whole row says the same, the others would too.
  async function fill(signal) {
    const { x, xKey, yKey, of } = axes, at = textNow();
    let why = "";
    for (const y of axes.y) {
      const row = await call("map", { ...at, x: { key: xKey, values: x }, y: yKey, at: y, of }, { signal });
      if (row.wrong && !rows.length) return void (doc.textContent = row.why);
      rows.push(row.values);
      why = why || row.why || "";
      doc.textContent = rows.length * axes.x.length + " of " + axes.x.length * axes.y.length + " runs. " +
        (why ? "Grey: " + why : "");
      draw();
    }
  }

  go.addEventListener("click", async () => {
    if (running) running.abort();
    const mine = running = new AbortController();
    rows = [];
    canvas.hidden = true;
    try {
      axes = wanted();
      halt.disabled = false;
      doc.textContent = "The first row runs …";
      await fill(mine.signal);
    } catch (e) {
      if (running === mine) doc.textContent = e.name === "AbortError" ? "Stopped. " + doc.textContent : e.message;
    }
    if (running === mine) halt.disabled = true;
  });
  halt.addEventListener("click", () => running && running.abort());
  canvas.addEventListener("click", e => {
    const i = Math.floor((e.offsetX - 78) / ((width - 168) / axes.x.length));
    const j = Math.floor((height - 46 - e.offsetY) / ((height - 56) / axes.y.length));
    if (!rows[j] || !(i in rows[j])) return;
    doc.textContent = axes.xKey + " = " + shortest(axes.x[i], 4) + (axes.yKey ? ", " + axes.yKey + " = " +
      shortest(axes.y[j], 4) : "") + ": " + axes.of + " = " + (rows[j][i] == null ? "none" : shortest(rows[j][i], 4));
  });

  function clear() {
    if (running) running.abort();
    [running, axes, rows, canvas.hidden] = [null, null, [], true];
    for (const input of [xKey, yKey, x0, x1, y0, y1]) input.value = "";
    doc.textContent = "";
  }
  const wrong = text => { doc.textContent = text; };
  return { show, clear, wrong, share() {}, fit() { if (axes && rows.length) draw(); } };
}
