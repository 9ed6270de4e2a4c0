"use strict";

// A rigid body with its actuators (Body of moving.go). A pose is x, y, z, mm, and rx, ry, rz, mrad.

const rangeOf = (points, i) => [Math.min(...points.map(p => p[i])), Math.max(...points.map(p => p[i]))];
const wholeOf = b => [...b.bases, ...b.pins, [0, 0, 0]];

// timesOf is by how much a pose of this size, mm or mrad, may be drawn larger.
function timesOf(b, size) {
  const sizes = (b.flat ? [0, 1] : [0, 2]).map(i => rangeOf(wholeOf(b), i)).map(([low, high]) => high - low);
  return 80 * Math.max(...sizes) / size;
}

// suspectOf names the actuator or the instrument that has slipped; "": none.
function suspectOf(b, number) {
  if (!(number > 0)) return "";
  const n = Math.round(number), of = b.bases.length;
  return `${n > of ? "Instrument " + (n - of) : "Actuator " + n} has slipped, or its sensor is wrong.`;
}

// mover moves points of the body with a pose that is drawn larger.
function mover(pose, larger) {
  const q = pose.map(v => larger * v / 1000), phi = Math.hypot(q[3], q[4], q[5]);
  const k = [q[3] / phi, q[4] / phi, q[5] / phi], s = Math.sin(phi), f = 1 - Math.cos(phi);
  const turn = p => { // about the rotation vector
    if (phi === 0) return p;
    const dot = k[0] * p[0] + k[1] * p[1] + k[2] * p[2];
    const cross = [k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]];
    return p.map((v, i) => v + s * cross[i] + f * (k[i] * dot - v));
  };
  return p => turn(p).map((v, i) => v + q[i]);
}

// drawBody draws plan (x, y) and elevation (x, z), one under the other where the picture is higher than wide. of has
// the pose, the target's (null: not known) and the number of the link that has slipped; ink has colours, and px of
// letters.
function drawBody(c, width, height, b, larger, of, ink) {
  const all = wholeOf(b), views = b.flat ? [1] : [1, 2], rows = height > width ? views.length : 1;
  const [x0, x1] = rangeOf(all, 0), share = (width - 20) * rows / views.length, room = height / rows, tall = room - 26;
  const unit = Math.min(...views.map(v => rangeOf(all, v)).map(([low, high]) =>
    Math.min((share - 70) / (x1 - x0 || 1), (tall - 50) / (high - low || 1))));
  const moved = mover(of.pose, larger), pins = b.pins.map(moved), node = moved([0, 0, 0]);
  const bad = i => i + 1 === Math.round(of.suspect);
  c.lineJoin = "round";
  views.forEach((up, n) => {
    const [y0, y1] = rangeOf(all, up), column = rows > 1 ? 0 : n, top = rows > 1 ? n * room : 0;
    const left = 10 + column * share + (share - unit * (x1 - x0)) / 2;
    const bottom = top + tall - (tall - unit * (y1 - y0)) / 2;
    const to = p => [left + unit * (p[0] - x0), bottom - unit * (p[up] - y0)];
    const stroke = (from, end, colour, wide) => {
      c.strokeStyle = colour;
      c.lineWidth = wide;
      c.beginPath();
      c.moveTo(...to(from));
      c.lineTo(...to(end));
      c.stroke();
    };
    const ring = points => { // round their middle
      const at = points.map(to), mid = [0, 1].map(k => at.reduce((sum, p) => sum + p[k], 0) / at.length);
      at.sort((p, o) => Math.atan2(p[1] - mid[1], p[0] - mid[0]) - Math.atan2(o[1] - mid[1], o[0] - mid[0]));
      c.beginPath();
      at.forEach(p => c.lineTo(...p));
      c.closePath();
    };
    ring([[0, 0, 0], ...b.pins]);
    c.fillStyle = ink.rest;
    c.fill();
    if (of.target) {
      ring([[0, 0, 0], ...b.pins].map(mover(of.target, larger)));
      c.strokeStyle = ink.words;
      c.lineWidth = 1;
      c.setLineDash([4, 3]);
      c.stroke();
      c.setLineDash([]);
    }
    b.bases.forEach((p, i) => {
      const colour = bad(i) ? ink.suspect : ink.actuator;
      stroke(p, pins[i], colour, bad(i) ? 3 : 1.5);
      stroke(p, p.map((v, k) => v + 0.5 * (pins[i][k] - v)), colour, bad(i) ? 8 : 5);
    });
    ring([node, ...pins]);
    c.strokeStyle = ink.line;
    c.lineWidth = 2;
    c.stroke();
    b.bases.forEach((p, i) => {
      const near = o => Math.hypot(to(o)[0] - to(p)[0], to(o)[1] - to(p)[1]) < 8;
      const before = b.bases.slice(0, i).filter(near).length;
      c.fillStyle = bad(i) ? ink.suspect : ink.line;
      c.font = `${bad(i) ? "bold " : ""}${ink.px + (bad(i) ? 3 : 0)}px system-ui, sans-serif`;
      const [x, y] = to(p);
      c.fillText(i + 1 + (bad(i) ? "!" : ""), x - ink.px - (bad(i) ? 8 : 1), y - 6 - (ink.px - 1) * before);
    });
    c.fillStyle = ink.line;
    pins.forEach(p => { c.beginPath(); c.arc(...to(p), 3.5, 0, 2 * Math.PI); c.fill(); });
    c.beginPath();
    c.arc(...to(node), 6, 0, 2 * Math.PI);
    c.stroke();
    c.fillStyle = ink.words;
    c.font = `${ink.px}px system-ui, sans-serif`;
    c.fillText(up === 1 ? "plan: x, y" : "elevation: x, z", 10 + column * share, top + room - 6);
  });
}
