"use strict";

const roomPx = 56, highPx = 64, pxPerMm = 96 / 25.4; // a millimetre of the screen, as browsers have it

// usualMotion is a motion to begin with, mm, before anything has moved.
function usualMotion(about) {
  const limit = about.limits.find(l => l.unit === "mm" && /^(measured|command)/.test(l.channel));
  return limit ? limit.trip / 4 : 5;
}

// scaleOf is the scale after another one (0: none), of the largest motion of the last seconds. What leaves the picture
// makes the scale smaller at once; only a whole window of small motion makes it larger.
function scaleOf(fits, times, usual, largest, whole) {
  if (!times) times = fits(usual);
  const wanted = fits(Math.max(largest, usual / 20)); // not the noise of a specimen at rest
  return wanted < times || whole && wanted >= 10 * times ? wanted : times;
}

// Motion is a moving picture of the specimen: the floor over each actuator stands where it was measured, and dashed
// where its target is. All are drawn to one scale, which changes rarely.
class Motion {
  constructor(box, words, about) {
    [this.box, this.words, this.frames, this.times] = [box, words, [], 0];
    this.pairs = about.pairs.filter(p => p.panel === "sync");
    this.usual = usualMotion(about);
    const wide = 2 * roomPx + 70, many = this.pairs.length > 1;
    box.replaceChildren(...this.pairs.map((p, i) => {
      const [target, measured] = ["target", "measured"].map(name => svg("path", { class: name }));
      const ground = svg("path", { class: "ground", d: `M 4 ${highPx + 16} H ${wide - 4}` });
      const name = svg("text", { x: wide / 2, y: highPx + 34, "text-anchor": "middle" }, [`actuator ${i + 1}`]);
      this.frames.push({ target, measured, pair: p, middle: wide / 2 });
      return svg("svg", { width: wide, height: highPx + (many ? 40 : 22), "aria-hidden": "true" },
        [ground, measured, target].concat(many ? [name] : []));
    }));
  }

  // scaled takes the largest motion of the last seconds, mm.
  scaled(largest, whole) {
    const before = this.times;
    this.times = scaleOf(mm => roundDown(roomPx / pxPerMm / mm), before, this.usual, largest, whole);
    if (this.times === before) return;
    const one = this.times >= 1 ? `× ${this.times}` : `1 : ${Math.round(1 / this.times)}`;
    const bar = roundDown(roomPx / pxPerMm / this.times);
    const rule = svg("svg", { width: bar * this.times * pxPerMm + 2, height: 12, "aria-hidden": "true" },
      [svg("path", { class: "ground", d: `M 1 1 V 11 M 1 6 h ${bar * this.times * pxPerMm} m 0 -5 v 10` })]);
    this.words.replaceChildren(`Motion ${one}: `, rule, ` ${exactly(bar, "mm")}. Dashed: target.`);
  }

  draw(bins, values) {
    const drawn = this.frames.flatMap(f => [f.pair.x, f.pair.y]);
    let largest = 0;
    for (const b of bins) for (const q of drawn) largest = Math.max(largest, -b[2 + 2 * q], b[3 + 2 * q]);
    this.scaled(largest, bins.length >= 1000);
    for (const f of this.frames) {
      f.target.setAttribute("d", this.frame(f.middle, values[f.pair.x]));
      f.measured.setAttribute("d", this.frame(f.middle, values[f.pair.y]));
    }
  }

  // frame is a floor on two columns, moved by so many mm.
  frame(middle, mm) {
    if (mm == null) return "";
    const shift = mm * this.times * pxPerMm, floor = 16, foot = floor + highPx, half = floor + highPx / 2;
    const column = x => `M ${x} ${foot} C ${x} ${half} ${x + shift} ${half} ${x + shift} ${floor}`;
    const left = middle - 30 + shift;
    return `${column(middle - 24)} ${column(middle + 24)} M ${left} ${floor} v -12 h 60 v 12 Z`;
  }
}

const coordinates = ["x", "y", "z", "rx", "ry", "rz"];

// BodyMotion is the picture of a rigid body with its actuators (body.js). The pose is drawn larger, by a factor that
// changes rarely. named says what has slipped.
class BodyMotion {
  constructor(canvas, words, named, about) {
    [this.canvas, this.words, this.named, this.body, this.times] = [canvas, words, named, about.body, 0];
    this.usual = usualMotion(about);
    canvas.style.aspectRatio = this.body.flat ? "10 / 7" : "10 / 12";
  }

  draw(bins, values, speak) {
    const b = this.body, at = places => places.map(q => q < 0 ? 0 : values[q]), pose = at(b.pose);
    const known = pose.every(v => v != null), suspect = b.suspect < 0 ? 0 : values[b.suspect];
    const named = suspectOf(b, suspect) || (known ? "" : "The pose is not known now.");
    const renamed = this.named.textContent !== named;
    if (renamed) this.named.textContent = named;
    this.scaled(bins);
    const target = known && b.target ? at(b.target) : null;
    this.paint({ pose: known ? pose : [0, 0, 0, 0, 0, 0], target, suspect }, known);
    if (!speak && !renamed) return;
    const said = (v, i) => i < 3 ? written(v, "mm") : written(v * 0.18 / Math.PI, "°"); // of mrad
    const moved = pose.map((v, i) => `${coordinates[i]} ${said(v, i)}`)
      .filter((_, i) => known && b.pose[i] >= 0);
    this.canvas.setAttribute("aria-label", `Body and its actuators: ${moved.concat(named || []).join(", ")}`);
  }

  scaled(bins) {
    const b = this.body, before = this.times;
    let largest = 0; // mm or mrad
    for (const q of b.pose.filter(q => q >= 0)) {
      for (const bin of bins) largest = Math.max(largest, -bin[2 + 2 * q], bin[3 + 2 * q]);
    }
    const fits = size => Math.max(1, roundDown(timesOf(b, size)));
    this.times = scaleOf(fits, before, this.usual, largest, bins.length >= 1000);
    if (this.times === before) return;
    const dashed = b.target ? ", dashed: target" : "";
    this.words.textContent = `Pose × ${this.times}. Grey: at rest${dashed}, ring: node.`;
  }

  paint(of, known) {
    const canvas = this.canvas, width = canvas.clientWidth, height = canvas.clientHeight;
    const r = Math.max(2, devicePixelRatio); // sharp on paper too
    [canvas.width, canvas.height] = [width * r, height * r];
    const c = canvas.getContext("2d");
    c.scale(r, r);
    c.globalAlpha = known ? 1 : 0.4;
    drawBody(c, width, height, this.body, this.times, of, { line: colour("ink"), words: colour("soft"),
      rest: colour("line"), actuator: colour("c"), suspect: colour("limit"), px: 14 });
  }
}
