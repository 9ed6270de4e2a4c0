"use strict";
// What the report and the live page draw in the same way, with uPlot.

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

