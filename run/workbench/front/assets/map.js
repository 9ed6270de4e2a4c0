"use strict";

// A map of a criterion over two keys, drawn as it fills, row by row. A click on the map says the value there.
function mapView(root, textNow, call) {
  const field = (label, value, size) => {
    const input = make("input", { value, size });
    return [make("label", {}, label + " ", input), input];
  };
  const [xLabel, xKey] = field("across", "compensator.order", 22), [yLabel, yKey] = field("up", "", 22);
  const [x0Label, x0] = field("from", "", 8), [x1Label, x1] = field("to", "", 8);
  const [y0Label, y0] = field("from", "", 8), [y1Label, y1] = field("to", "", 8);
  const [ofLabel, of] = field("value", "J2_pct", 12), [nLabel, n] = field("points each way", "15", 4);
  const go = make("button", { type: "button", textContent: "Draw" }), halt = make("button", { type: "button", textContent: "Stop" });
  const canvas = make("canvas", { width: 720, height: 520 }), doc = make("p", { className: "doc" });
  canvas.setAttribute("role", "img");
  root.append(make("div", { className: "fields" }, xLabel, x0Label, x1Label), make("div", { className: "fields" }, yLabel,
    y0Label, y1Label), make("div", { className: "fields" }, ofLabel, nLabel, go, halt), canvas, doc);
  let running = null, rows = [], axes = null;

  const spread = (from, to, count) => Array.from({ length: count }, (_, i) => from + (to - from) * (count > 1 ? i / (count - 1) : 0));

  function draw() {
    const c = canvas.getContext("2d"), w = canvas.width, h = canvas.height, left = 78, bottom = 46, right = 90;
    const { ink, page } = theme.ground();
    c.fillStyle = page;
    c.fillRect(0, 0, w, h);
    const known = rows.flat().filter(v => v != null);
    const low = Math.min(...known), high = Math.max(...known);
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
    for (const t of roundTicks(...ends(axes.x), 6)) c.fillText(t.text, place(axes.x, t.at, left, w - left - right), h - bottom + 16);
    c.fillText(axes.xKey, (w - right + left) / 2, h - 8);
    c.textAlign = "right";
    for (const t of roundTicks(...ends(axes.y), 6)) c.fillText(t.text, left - 6, h - place(axes.y, t.at, bottom, h - bottom - 10) + 4);
    c.save();
    c.translate(14, (h - bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.fillText(axes.yKey, 0, 0);
    c.restore();
    c.textAlign = "left";
    if (!known.length) return;
    for (let k = 0; k <= 40; k++) {
      c.fillStyle = shade(low + (high - low) * k / 40);
      c.fillRect(w - 74, h - bottom - (k + 1) * 8, 14, 8.5);
    }
    c.fillStyle = ink;
    c.fillText(shortest(low, 3), w - 56, h - bottom);
    c.fillText(shortest(high, 3), w - 56, h - bottom - 316);
    c.fillText(axes.of, w - 74, h - bottom - 336);
  }
  const ground = name => theme.ground()[name];

  go.addEventListener("click", async () => {
    if (running) running.abort();
    const mine = running = new AbortController(), count = Math.max(2, Math.min(60, Number(n.value) || 15));
    const number = i => Number(i.value.replace(",", "."));
    axes = { x: spread(number(x0), number(x1), count), y: yKey.value ? spread(number(y0), number(y1), count) : [0],
      xKey: xKey.value, yKey: yKey.value, of: of.value };
    rows = [];
    let why = "";
    try {
      for (const y of axes.y) {
        const row = await call("map", { ...textNow(), x: { key: axes.xKey, values: axes.x }, y: axes.yKey, at: y, of: axes.of },
          { signal: mine.signal });
        rows.push(row.values);
        why = why || row.why || "";
        doc.textContent = rows.length * axes.x.length + " of " + axes.x.length * axes.y.length + " runs. " +
          (why ? "Grey: " + why : "");
        draw();
      }
    } catch (e) {
      if (e.name !== "AbortError") doc.textContent = e.message;
    }
  });
  halt.addEventListener("click", () => running && running.abort());
  canvas.addEventListener("click", e => {
    if (!axes || !rows.length) return;
    const box = canvas.getBoundingClientRect(), w = canvas.width, h = canvas.height;
    const px = (e.clientX - box.left) * w / box.width, py = (e.clientY - box.top) * h / box.height;
    const i = Math.floor((px - 78) / ((w - 168) / axes.x.length)), j = Math.floor((h - 46 - py) / ((h - 56) / axes.y.length));
    if (rows[j] && i >= 0 && i < axes.x.length) {
      doc.textContent = axes.xKey + " = " + shortest(axes.x[i], 4) + (axes.yKey ? ", " + axes.yKey + " = " +
        shortest(axes.y[j], 4) : "") + ": " + axes.of + " = " + (rows[j][i] == null ? "none" : shortest(rows[j][i], 4));
    }
  });
  return { show() {}, wrong(text) { doc.textContent = text; }, fit() { if (axes) draw(); } };
}
