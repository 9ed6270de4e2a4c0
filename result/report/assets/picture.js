"use strict";

// The numbers of the curves, a column each. Empty: no number.
function numbersOf(d) {
  const columns = d.table(), rows = Math.max(...columns.map(c => c[1].length));
  const quoted = t => /[",\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t;
  const number = v => v == null ? "" : Number(v.toPrecision(9));
  const lines = [columns.map(c => quoted(c[0])).join(",")];
  for (let i = 0; i < rows; i++) lines.push(columns.map(c => number(c[1][i])).join(","));
  return lines.join("\n") + "\n";
}

const seenCurves = d => d.plot.series.map((s, i) => ({ s, i })).filter(e => e.i > 0 && e.s.show && e.s.class !== "edge");

// The plot with its title and the names of its curves on one canvas.
function pictureOf(d) {
  const from = d.plot.ctx.canvas, r = devicePixelRatio, head = 48 * r;
  const to = document.createElement("canvas");
  [to.width, to.height] = [from.width, from.height + head];
  const c = to.getContext("2d");
  c.fillStyle = theme.ground().page;
  c.fillRect(0, 0, to.width, to.height);
  c.drawImage(from, 0, head);
  c.textBaseline = "middle";
  c.font = "600 " + 14 * r + "px system-ui, sans-serif";
  c.fillStyle = theme.ground().ink;
  c.fillText(d.f.title, 8 * r, 14 * r);
  c.font = 12 * r + "px system-ui, sans-serif";
  let x = 8 * r;
  for (const { s } of seenCurves(d)) {
    c.strokeStyle = s.stroke();
    c.lineWidth = 2 * r;
    c.setLineDash(s.dash ? [5 * r, 3 * r] : []);
    c.beginPath();
    c.moveTo(x, 36 * r);
    c.lineTo(x + 20 * r, 36 * r);
    c.stroke();
    c.fillText(s.label, x + 26 * r, 36 * r);
    x += 44 * r + c.measureText(s.label).width;
  }
  return to;
}

// The same as SVG, of the data of the page.
function drawingOf(d) {
  const u = d.plot, r = devicePixelRatio, head = 48, w = u.ctx.canvas.width / r, h = u.ctx.canvas.height / r + head;
  const box = { x: u.bbox.left / r, y: u.bbox.top / r + head, w: u.bbox.width / r, h: u.bbox.height / r };
  const text = t => String(t).replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");
  const px = v => (u.valToPos(v, "x", true) / r).toFixed(2), py = v => (u.valToPos(v, "y", true) / r + head).toFixed(2);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"`,
    ` font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="8" y="18" font-size="14" font-weight="600">${text(d.f.title)}</text>`,
  ];
  const label = (at, anchor, t) => `<text ${at} text-anchor="${anchor}">${text(t)}</text>`;
  for (const t of u.axes[0].marks || []) {
    out.push(`<path d="M${px(t.at)} ${box.y}v${box.h}" stroke="#e4e4e4"/>`,
      label(`x="${px(t.at)}" y="${box.y + box.h + 16}"`, "middle", t.text));
  }
  for (const t of u.axes[1].marks || []) {
    out.push(`<path d="M${box.x} ${py(t.at)}h${box.w}" stroke="#e4e4e4"/>`,
      label(`x="${box.x - 6}" y="${py(t.at)}" dy="4"`, "end", t.text));
  }
  out.push(label(`x="${box.x + box.w / 2}" y="${h - 6}"`, "middle", d.f.x_label),
    label(`transform="translate(12 ${box.y + box.h / 2}) rotate(-90)"`, "middle", d.f.y_label));
  let x = 8;
  const inner = []; // cut at the box
  for (const { series: [above, below] } of u.bands || []) {
    const end = i => u.data[0].map((t, k) => [t, u.data[i][k]]).filter(at => at[1] != null);
    const ring = end(below).concat(end(above).reverse()).map(([t, v]) => px(t) + " " + py(v)).join("L");
    inner.push(`<path d="M${ring}Z" fill="${d.f.curves[0].colour}" fill-opacity="0.22"/>`);
  }
  for (const { s, i } of seenCurves(d)) {
    const [xs, ys] = u.mode === 2 ? u.data[i] : [u.data[0], u.data[i]];
    let path = "", pen = false;
    for (let k = 0; k < xs.length; k++) {
      const there = xs[k] != null && ys[k] != null;
      if (there) path += (pen ? "L" : "M") + px(xs[k]) + " " + py(ys[k]);
      pen = there;
    }
    const colour = d.f.curves[i - 1] ? d.f.curves[i - 1].colour : "#303030";
    const line = `stroke="${colour}"` + (s.dash ? ' stroke-dasharray="6 4"' : "");
    inner.push(`<path d="${path}" fill="none" ${line} stroke-width="${s.width / r > 1 ? 1.5 : 1}"/>`);
    out.push(`<path d="M${x} 36h20" ${line} stroke-width="2"/>`, label(`x="${x + 26}" y="40"`, "start", s.label));
    x += 44 + 7 * s.label.length;
  }
  const size = `x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}"`;
  out.push(`<svg ${size} viewBox="${box.x} ${box.y} ${box.w} ${box.h}">`, ...inner, "</svg></svg>");
  return out.join("\n") + "\n";
}
