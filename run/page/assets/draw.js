"use strict";
// Bins, numbers and plots.
// A bin is [from, to, lowest, largest of each quantity, then x, y, x, y of each pair] as package page makes it.

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

// curves are the points of some quantities over the time after zero: the lowest and the largest of each bin, in the
// order in which the curve goes.
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

// band has the lower and the upper end of a quantity less and plus two standard deviations, at the points of curves.
function band(bins, place, sd) {
  const out = [[], []];
  for (const b of bins) {
    const two = b[3 + 2 * sd] == null ? null : 2 * b[3 + 2 * sd];
    for (const end of [0, 1]) {
      const v = b[2 + end + 2 * place], edge = two == null || v == null ? null : v + (end ? two : -two);
      out[end].push(...(b[0] === b[1] ? [edge] : [edge, edge]));
    }
  }
  return out;
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

// Numbers.

// bases are units that take prefixes: what they are made of, and how much of it.
const bases = {
  m: ["m", 1], mm: ["m", 1e-3], "m/s": ["m/s", 1], "mm/s": ["m/s", 1e-3],
  s: ["s", 1], ms: ["s", 1e-3], "µs": ["s", 1e-6], N: ["N", 1], kN: ["N", 1e3], J: ["J", 1],
};
const prefixes = [["n", 1e-9], ["µ", 1e-6], ["m", 1e-3], ["", 1], ["k", 1e3], ["M", 1e6]];

// unitFor is the unit in which people write values up to a magnitude, and the factor to it. A number is then at least
// 0.1, as in 0.75 µm; metres begin at 1 m, and neither they nor seconds have prefixes above.
function unitFor(most, unit) {
  const [base, size] = bases[unit] || [];
  if (!base || !(most > 0)) return { unit: unit === "-" ? "" : unit, times: 1 };
  const least = p => p === 1 && base.startsWith("m") ? 1 : 0.1 * p;
  const fits = prefixes.filter(([, p]) => (p <= 1 || base === "N" || base === "J") && most * size >= 0.9999 * least(p));
  const [prefix, p] = fits.pop() || prefixes[0];
  return { unit: prefix + base, times: size / p };
}

function powerOfTen(e) { return "10" + [...String(e)].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻").join(""); }

// written is a value as people write it: 12.3 mm. Values that change are written as the largest of them, most: their
// unit and their decimals then stay.
function written(v, unit, most, digits = 3) {
  if (v == null || !Number.isFinite(v)) return "–";
  const of = unitFor(Math.abs(most || v), unit), end = of.unit ? " " + of.unit : "";
  const x = v * of.times, size = Math.abs(x);
  if (size > 0 && (size < 1e-3 && !bases[unit] || size >= 1e6)) {
    const [mantissa, e] = x.toExponential(digits - 1).split("e");
    return Number(mantissa) + " × " + powerOfTen(Number(e)) + end;
  }
  if (!most) return (size >= Math.pow(10, digits) ? Math.round(x) : Number(x.toPrecision(digits))) + end;
  const before = Math.floor(Math.log10(most * of.times)) + 1;
  const text = x.toFixed(Math.min(9, Math.max(0, digits - before)));
  return (Number(text) === 0 ? "0" : text) + end;
}

const exactly = (v, unit) => written(v, unit, 0, 5);

// roundDown is the largest 1, 2 or 5 times a power of ten that is not above a number.
function roundDown(v) {
  const power = Math.pow(10, Math.floor(Math.log10(v)));
  return [5, 2, 1].find(d => d * power <= v * (1 + 1e-9)) * power;
}

// Plots.

function font() {
  return (innerWidth >= 1700 ? 16 : 14) + "px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
}

// axis writes its numbers in the unit that fits its range.
function axis(name, unit, vertical) {
  let of = unitFor(0, unit);
  const values = (u, splits, i, space, step) => {
    const most = Math.max(...splits.map(v => Math.abs(v || 0)));
    of = unitFor(most, unit);
    if (!bases[unit] && most > 0 && (most < 1e-3 || most >= 1e6)) { // no prefix
      const e = 3 * Math.floor(Math.log10(most) / 3);
      of = { unit: `${powerOfTen(e)} ${of.unit}`.trim(), times: Math.pow(10, -e) };
    }
    return tickTexts(u, splits.map(v => v == null ? v : v * of.times), i, space, step * of.times);
  };
  return {
    label: () => [name, of.unit].filter(text => text).join(", "), values, labelSize: 22, labelGap: 0, gap: 3,
    font: font(), labelFont: font(), stroke: colour("ink"), grid: { stroke: colour("grid"), width: 1 },
    ticks: { size: 5, stroke: colour("grid") },
    size: vertical ? (u, values) => 16 + 9 * Math.max(3, ...(values || []).map(v => v.length)) : 26,
  };
}

function wider(low, high) {
  if (low == null || !(low <= high)) return [-1, 1];
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - margin, high + margin];
}

// inSight is the range of a curve with the levels that leave it a third of the plot. The other ones are far. Without a
// curve none is.
function inSight(low, high, levels) {
  const near = v => low == null || Math.max(high, v) - Math.min(low, v) <= 3 * (high - low);
  for (const l of levels) l.far = !l.values.some(near);
  const all = levels.flatMap(l => l.values.filter(near)).concat([low, high].filter(v => v != null));
  return wider(Math.min(...all), Math.max(...all));
}

// farText says of limits out of sight how far they are.
function farText(levels, low, high) {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return levels.filter(l => l.far && !l.quiet).map(l => {
    const times = Number((Math.abs(l.values[0]) / most).toPrecision(2));
    return l.name + (times < 1e6 ? ` is ${times} times higher` : " is out of sight");
  }).join(" · ");
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
  for (const l of levels.filter(l => !l.far)) {
    c.lineWidth = (l.warning ? 1 : 2) * r;
    c.setLineDash(l.warning ? [2 * r, 4 * r] : [8 * r, 4 * r]);
    for (const v of l.values) {
      const y = u.valToPos(v, "y", true);
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
    }
    const y = u.valToPos(l.values.find(v => v <= u.scales.y.max && v >= u.scales.y.min), "y", true);
    const below = y < box.top + box.height / 2;
    c.textBaseline = below ? "top" : "bottom";
    c.textAlign = l.warning ? "right" : "left"; // not one over the other
    c.fillText(l.name, l.warning ? box.left + box.width - 6 * r : box.left + 6 * r, y + (below ? 3 : -3) * r);
  }
  c.restore();
}

// svg makes an element of a drawing.
function svg(name, attributes, parts) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...(parts || []));
  return e;
}

// legend shows the stroke of each curve as it is drawn.
function legend(f) {
  const box = document.createElement("p");
  box.className = "legend";
  f.names.forEach((name, i) => {
    const line = svg("line", {
      x1: 0, y1: 6, x2: 44, y2: 6, stroke: colour("abcd"[i % 4]), "stroke-width": 2.5,
      "stroke-dasharray": (f.dashes[i] || []).join(" "),
    });
    const entry = document.createElement("span");
    entry.append(svg("svg", { width: 44, height: 12, "aria-hidden": "true" }, [line]), " " + name.replaceAll("_", " "));
    box.append(entry);
  });
  return box;
}

// overTime makes a plot of quantities over time. Its range is that of the curves; levels far away are in the title.
function overTime(figure, f) {
  const note = document.createElement("small");
  figure.querySelector("figcaption").append(note);
  const range = (u, low, high) => {
    const out = inSight(low, high, f.levels), text = farText(f.levels, low, high);
    if (note.textContent !== text) note.textContent = text;
    return out;
  };
  const plot = new uPlot({
    width: width(figure), height: f.height, cursor: { show: false }, legend: { show: false },
    scales: { x: { time: false, range: () => f.range() }, y: { range } },
    axes: [axis("time of the run, s", "", false), axis("", f.unit, true)],
    series: [{}].concat(f.names.map((n, i) => ({
      label: n, stroke: colour("abcd"[i % 4]), width: i === 0 ? 2 : 1.5, dash: f.dashes[i], points: { show: false },
      spanGaps: false,
    }))).concat(f.sd ? [{ width: 0, points: { show: false } }, { width: 0, points: { show: false } }] : []),
    bands: f.sd ? [{ series: [f.names.length + 2, f.names.length + 1], fill: colour("a") + "38" }] : [],
    hooks: { draw: [u => drawLevels(u, f.levels)] },
  }, [[0], ...f.names.map(() => [null]), ...(f.sd ? [[null], [null]] : [])], figure);
  const data = bins => curves(bins, f.places, f.zero()).concat(f.sd ? band(bins, f.places[0], f.sd) : []);
  if (f.names.length > 1) figure.append(legend(f));
  return {
    plot, draw: bins => plot.setData(data(bins)),
    size: () => plot.setSize({ width: width(figure), height: f.height }),
  };
}

// overQuantity makes a plot of a quantity over another one.
function overQuantity(figure, f) {
  let ends = [[-1, 1], [-1, 1]];
  const facets = [{ scale: "x", auto: true }, { scale: "y", auto: true }];
  const series = [{}, { stroke: colour("c"), width: 1.5, paths: pathOver, points: { show: false }, facets }];
  if (f.diagonal) {
    series.push({ stroke: colour("a"), width: 1, dash: [6, 4], paths: pathOver, points: { show: false }, facets });
  }
  const plot = new uPlot({
    mode: 2, width: width(figure), height: f.height, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false, range: () => ends[0] }, y: { range: () => ends[1] } },
    axes: [axis(f.x.name, f.x.unit, false), axis(f.y.name, f.y.unit, true)], series,
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

// width is that of a plot in its figure; on paper, which is no window, that of A4 and Letter.
function width(figure) {
  if (document.documentElement.classList.contains("paper")) return figure.className === "half" ? 320 : 670;
  return Math.max(120, figure.clientWidth - 18);
}

// histogram draws how often ticks took how long. Both axes are logarithmic.
function histogram(box, c) {
  const low = Math.max(c.from[0], c.to[0] / 2), high = c.to[c.to.length - 1], of = unitFor(high, "µs");
  const most = Math.max(...c.count), up = n => 100 * Math.log(1 + n) / Math.log(1 + most);
  const at = us => 100 * Math.log(Math.max(us, low) / low) / Math.log(high / low);
  const mark = (name, place, text) => {
    const e = document.createElement(name);
    for (const [k, v] of Object.entries(place)) e.style[k] = v + "%";
    e.append(text || "");
    return e;
  };
  const bars = c.count.map((n, i) => {
    const left = at(c.from[i]);
    return mark("i", { left, width: at(c.to[i]) - left, height: up(n) });
  });
  const [from, to] = [low * of.times, high * of.times];
  const between = decadeTicks(from, to, false).filter(t => Math.abs(roundDown(t.at) - t.at) < 1e-6 * t.at);
  for (const t of between) t.text = String(Number(t.at.toPrecision(6)));
  const round = roundTicks(from, to, 3).filter(t => t.at >= from && t.at <= to);
  const xs = [decadeTicks(from, to, true), between].find(list => list.length > 1) || round;
  const ys = decadeTicks(1, Math.max(1, most), true), every = Math.ceil(ys.length / 4);
  const many = t => t.at < 1e4 ? t.text : powerOfTen(Math.log10(t.at));
  box.replaceChildren(...bars, ...xs.map(t => mark("span", { left: at(t.at / of.times) }, t.text)),
    ...ys.filter((t, i) => i % every === 0).map(t => mark("u", { bottom: up(t.at) }, many(t))));
  if (c.of >= low && c.of <= high) box.append(mark("b", { left: at(c.of) }));
  return of.unit;
}
