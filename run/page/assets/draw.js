"use strict";
// Bins and plots. A bin is [from, to, lowest, largest of each quantity, then x, y, x, y of each pair] as package page makes it.

// merge adds a later bin to a bin; so no extreme is lost.
function merge(b, later, quantities) {
  b[1] = later[1];
  const end = 2 + 2 * quantities;
  for (let i = 2; i < end; i += 2) {
    if (later[i] != null && !(b[i] != null && b[i] <= later[i])) b[i] = later[i];
    if (later[i + 1] != null && !(b[i + 1] != null && b[i + 1] >= later[i + 1])) b[i + 1] = later[i + 1];
  }
  for (let i = end; i < b.length; i += 4) {
    keep(b, i, later[i], later[i + 1]);
    keep(b, i, later[i + 2], later[i + 3]);
  }
}

// keep keeps of the points at i and a later one those with the lowest and the largest y, in the order of time.
function keep(p, i, x, y) {
  if (x == null || y == null) return;
  if (p[i + 1] == null) {
    p[i] = p[i + 2] = x;
    p[i + 1] = p[i + 3] = y;
    return;
  }
  const rises = p[i + 1] <= p[i + 3];
  if (rises ? y < p[i + 1] : y > p[i + 1]) {
    p[i] = p[i + 2];
    p[i + 1] = p[i + 3];
    p[i + 2] = x;
    p[i + 3] = y;
  } else if (rises ? y > p[i + 3] : y < p[i + 3]) {
    p[i + 2] = x;
    p[i + 3] = y;
  }
}

// Past has the newest bins, and the whole test in bins that grow longer: its memory is bounded.
class Past {
  constructor(quantities, most) {
    this.quantities = quantities;
    this.most = most;
    this.newest = [];
    this.whole = [];
    this.each = 1;
    this.last = 0;
  }
  fill(newest, whole, each, last) {
    [this.newest, this.whole, this.each, this.last] = [newest, whole, each, last];
  }
  add(b) {
    this.newest.push(b);
    if (this.newest.length > this.most) this.newest.shift();
    if (this.whole.length > 0 && this.last < this.each) {
      merge(this.whole[this.whole.length - 1], b, this.quantities);
      this.last++;
      return;
    }
    if (this.whole.length >= this.most) {
      this.halve();
      if (this.last < this.each) {
        merge(this.whole[this.whole.length - 1], b, this.quantities);
        this.last++;
        return;
      }
    }
    this.whole.push(b.slice());
    this.last = 1;
  }
  halve() {
    if (this.whole.length % 2 === 0) this.last += this.each;
    const out = [];
    for (let i = 0; i < this.whole.length; i += 2) {
      const b = this.whole[i];
      if (i + 1 < this.whole.length) merge(b, this.whole[i + 1], this.quantities);
      out.push(b);
    }
    this.whole = out;
    this.each *= 2;
  }
  bins(span) { return span === "whole" ? this.whole : this.newest; }
}

// curves are the points of some quantities over the time behind zero: the lowest and the largest of each bin, in the order in which the curve goes.
function curves(bins, places, zero) {
  const x = [], ys = places.map(() => []);
  for (const b of bins) {
    const one = b[0] === b[1];
    x.push(b[0] - zero);
    if (!one) x.push(b[1] - zero);
    places.forEach((q, k) => {
      const low = b[2 + 2 * q], high = b[3 + 2 * q], y = ys[k], before = y[y.length - 1];
      if (one) y.push(high);
      else if (before != null && low != null && before > (low + high) / 2) y.push(high, low);
      else y.push(low, high);
    });
  }
  return [x, ...ys];
}

// path is a curve of one quantity over another.
function path(bins, at) {
  const xs = [], ys = [];
  for (const b of bins) {
    xs.push(b[at], b[at + 2]);
    ys.push(b[at + 1], b[at + 3]);
  }
  return [xs, ys];
}

const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const shown = v => v == null || !Number.isFinite(v) ? "–" : v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(2) : String(Number(v.toPrecision(4)));

function font() { return (innerWidth >= 1700 ? 16 : 14) + "px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"; }

function axis(label, vertical) {
  const a = { label, font: font(), labelFont: font(), labelSize: 22, labelGap: 0, gap: 3, values: tickTexts, stroke: colour("ink"), grid: { stroke: colour("grid"), width: 1 }, ticks: { size: 5, stroke: colour("grid") } };
  if (vertical) a.size = (u, values) => 16 + 9 * Math.max(3, ...(values || []).map(v => v.length));
  else a.size = 26;
  return a;
}

function wider(low, high) {
  if (low == null || !(low <= high)) return [-1, 1];
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - margin, high + margin];
}

// drawLevels draws limits and bounds, and names them.
function drawLevels(u, levels) {
  const c = u.ctx, box = u.bbox, r = devicePixelRatio;
  c.save();
  c.beginPath();
  c.rect(box.left, box.top, box.width, box.height);
  c.clip();
  c.strokeStyle = c.fillStyle = colour("limit");
  c.font = font().replace(/^\d+/, n => Number(n) * r);
  for (const l of levels) {
    c.lineWidth = (l.warning ? 1 : 2) * r;
    c.setLineDash(l.warning ? [2 * r, 4 * r] : [8 * r, 4 * r]);
    for (const v of l.values) {
      const y = u.valToPos(v, "y", true);
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
    }
    const y = u.valToPos(l.values[0], "y", true), below = y < box.top + box.height / 2;
    c.textBaseline = below ? "top" : "bottom";
    c.textAlign = l.warning ? "right" : "left"; // not one over the other
    c.fillText(l.text, l.warning ? box.left + box.width - 6 * r : box.left + 6 * r, y + (below ? 3 : -3) * r);
  }
  c.restore();
}

// legend shows the stroke of each curve as it is drawn.
function legend(f) {
  const box = document.createElement("p");
  box.className = "legend";
  f.names.forEach((name, i) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS("http://www.w3.org/2000/svg", "line"), entry = document.createElement("span");
    for (const [k, v] of [["width", 44], ["height", 12], ["aria-hidden", "true"]]) svg.setAttribute(k, v);
    for (const [k, v] of [["x1", 0], ["y1", 6], ["x2", 44], ["y2", 6], ["stroke", colour("abcd"[i % 4])], ["stroke-width", 2.5], ["stroke-dasharray", (f.dashes[i] || []).join(" ")]]) line.setAttribute(k, v);
    svg.append(line);
    entry.append(svg, " " + name.replaceAll("_", " "));
    box.append(entry);
  });
  return box;
}

// overTime makes a plot of quantities over time.
function overTime(figure, f) {
  const plot = new uPlot({
    width: width(figure), height: f.height, cursor: { show: false }, legend: { show: false },
    scales: { x: { time: false, range: () => f.range() }, y: { range: (u, low, high) => {
      const shown = [low, high].filter(v => v != null).concat(f.zoomed() ? [] : f.levels.flatMap(l => l.values));
      return shown.length ? wider(Math.min(...shown), Math.max(...shown)) : wider(null, null);
    } } },
    axes: [axis("time of the run, s", false), axis(f.unit === "-" ? "" : f.unit, true)],
    series: [{}].concat(f.names.map((n, i) => ({ label: n, stroke: colour("abcd"[i % 4]), width: i === 0 ? 2 : 1.5, dash: f.dashes[i], points: { show: false }, spanGaps: false }))),
    hooks: { draw: [u => drawLevels(u, f.levels)] },
  }, [[0], ...f.names.map(() => [null])], figure);
  if (f.names.length > 1) figure.append(legend(f));
  return { plot, draw: bins => plot.setData(curves(bins, f.places, f.zero())), size: () => plot.setSize({ width: width(figure), height: f.height }) };
}

// overQuantity makes a plot of a quantity over another one.
function overQuantity(figure, f) {
  let ends = [[-1, 1], [-1, 1]];
  const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
  const series = [{}, { stroke: colour("c"), width: 1.5, paths: pathOver, points: { show: false }, facets }];
  if (f.diagonal) series.push({ stroke: colour("a"), width: 1, dash: [6, 4], paths: pathOver, points: { show: false }, facets });
  const plot = new uPlot({
    mode: 2, width: width(figure), height: f.height, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false, range: () => ends[0] }, y: { range: () => ends[1] } },
    axes: [axis(f.x, false), axis(f.y, true)], series,
  }, [null].concat(series.slice(1).map(() => [[0, 0], [0, 0]])), figure);
  return {
    plot, size: () => plot.setSize({ width: width(figure), height: f.height }),
    draw: bins => {
      const [xs, ys] = path(bins, f.at);
      ends = [extent(xs), extent(ys)];
      if (f.diagonal) ends[0] = ends[1] = [Math.min(ends[0][0], ends[1][0]), Math.max(ends[0][1], ends[1][1])];
      plot.setData([null, [xs, ys]].concat(f.diagonal ? [[ends[0], ends[0]]] : []));
    },
  };
}

function extent(list) {
  let low = Infinity, high = -Infinity;
  for (const v of list) {
    if (v == null) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low > high ? [-1, 1] : wider(low, high);
}

const width = figure => Math.max(120, figure.clientWidth - 18);
