"use strict";

const roomPx = 56, highPx = 64, pxPerMm = 96 / 25.4; // a millimetre of the screen, as browsers have it

// Motion is a moving picture of the specimen: the floor over each actuator stands where it was measured, and dashed
// where its target is. All are drawn to one scale, which changes rarely.
class Motion {
  constructor(box, words, about) {
    [this.box, this.words, this.frames, this.times] = [box, words, [], 0];
    this.pairs = about.pairs.filter(p => p.panel === "sync");
    const limit = about.limits.find(l => l.unit === "mm" && /^(measured|command)/.test(l.channel));
    this.usual = limit ? limit.trip / 4 : 5; // mm, before anything has moved
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

  // scaled takes the largest motion of the last seconds, mm. What leaves the picture makes the scale smaller at once;
  // only a whole window of small motion makes it larger.
  scaled(largest, whole) {
    const fits = mm => roundDown(roomPx / pxPerMm / mm), before = this.times;
    if (!this.times) this.times = fits(this.usual);
    const wanted = fits(Math.max(largest, this.usual / 20)); // not the noise of a specimen at rest
    if (wanted < this.times || whole && wanted >= 10 * this.times) this.times = wanted;
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
