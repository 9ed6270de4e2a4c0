"use strict";
// What the report and the live page draw in the same way, with uPlot.

// The colours of the table on a dark page: near them, lighter, and told apart for any colour vision (colours_test.go).
const nightColours = {
  "#0072B2": "#488bbc", "#D55E00": "#d35a02", "#009E73": "#3cbd8b", "#CC79A7": "#b86085", "#E69F00": "#fbb415",
  "#56B4E9": "#89adca", "#8800FF": "#a960ff", "#663300": "#b18255", "#4422AA": "#726ed2", "#440055": "#c994ee",
  "#303030": "#e0e0e0", "#08306B": "#bcd7ff", "#A00000": "#ff6b6b",
};

// Ticks have as many decimals as their step; far from 1, an exponent.
function tickTexts(u, splits, axis, space, step) {
  const largest = Math.max(...splits.map(v => Math.abs(v || 0)));
  if (largest > 0 && (largest < 1e-3 || largest >= 1e6)) {
    return splits.map(v => v == null ? "" : Number(v.toPrecision(6)).toExponential().replace("0e+0", "0"));
  }
  let digits = 0;
  while (digits < 12 && Math.abs(Number(step.toFixed(digits)) - step) > 1e-6 * step) digits++;
  return splits.map(v => v == null ? "" : (v || 0).toFixed(digits));
}

// Marks of an axis at about so many multiples of 1, 2 or 5 times a power of ten, all with the same number of decimals,
// as RoundTicks in ticks.go has them.
function roundTicks(low, high, wanted) {
  const least = (high - low) / wanted, power = Math.floor(Math.log10(least));
  const digit = [1, 2, 5].find(d => d * Math.pow(10, power) >= least * (1 - 1e-9));
  const step = digit ? digit * Math.pow(10, power) : Math.pow(10, power + 1);
  const decimals = Math.max(0, digit ? -power : -power - 1);
  const largest = Math.max(Math.abs(low), Math.abs(high)), far = largest < 1e-3 || largest >= 1e6;
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  if (!(last - first <= 10 * wanted)) return [{ at: low, text: shortest(low, 6) }];
  const out = [];
  for (let k = first; k <= last; k++) {
    const at = k * step;
    out.push({ at, text: k === 0 ? "0" : far ? shortest(at, 4) : at.toFixed(decimals) });
  }
  return out;
}

// A number of so many digits, with an exponent where Go writes one.
function shortest(v, digits) {
  const [mantissa, exponent] = v.toExponential(digits - 1).split("e");
  const e = Number(exponent), bare = String(Number(mantissa));
  if (e >= -4 && e < digits) return String(Number(v.toPrecision(digits)));
  return bare + "e" + (e < 0 ? "-" : "+") + String(Math.abs(e)).padStart(2, "0");
}

// Marks of an axis in decades: powers of ten with their names, between them lines without, unless they are bare.
function decadeTicks(low, high, bare) {
  const out = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (let digit = 1; digit < 10; digit++) {
      const at = digit * Math.pow(10, e);
      if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9) || (bare && digit > 1)) continue;
      out.push({ at, text: digit > 1 ? "" : e >= -3 && e <= 4 ? String(Number(at.toPrecision(6))) : "1e" + e });
    }
  }
  return out;
}

// The line of one quantity over another, in pixels of the plot.
function pathOver(u, i) {
  const [xs, ys] = u.data[i];
  const p = new Path2D();
  let pen = false;
  for (let k = 0; k < xs.length; k++) {
    if (xs[k] == null || ys[k] == null) {
      pen = false;
      continue;
    }
    const x = u.valToPos(xs[k], "x", true), y = u.valToPos(ys[k], "y", true);
    if (pen) p.lineTo(x, y); else p.moveTo(x, y);
    pen = true;
  }
  return { stroke: p, fill: null, flags: 1 };
}

