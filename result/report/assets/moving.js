"use strict";

// The numerical part and the actuators at one instant (moving.go). Displacements are drawn larger than they are; the
// picture says by how much. toTime moves the cursor of the plots.
function moveStructure(root, page, traces, toTime) {
  let m, joints, used, n, usual, now = 0, playing = 0;
  const figure = document.createElement("figure");
  figure.className = "moving";
  const head = document.createElement("h3"), canvas = document.createElement("canvas");
  const bar = document.createElement("div"), play = document.createElement("button");
  const slider = document.createElement("input"), note = document.createElement("p");
  play.type = "button";
  play.textContent = "play";
  slider.type = "range";
  slider.setAttribute("aria-label", "instant of the motion");
  canvas.setAttribute("role", "img");
  bar.className = "scrub";
  note.className = "doc";
  bar.append(play, slider);
  figure.append(head, canvas, bar, note);
  root.append(figure);

  const value = (trace, k) => trace < 0 || traces[trace][k] == null ? 0 : traces[trace][k];

  // What nearly all of the motion stays below, mm: the end of a run that diverged must not flatten the rest.
  function usualSize() {
    const sizes = [];
    for (const i of used) for (let k = 0; k < n; k += Math.ceil(n / 4000)) sizes.push(Math.abs(value(i, k)));
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.995 * (sizes.length - 1))] || sizes.at(-1) || 1;
  }

  function take() {
    m = page.moving;
    joints = m.joints || [];
    const all = m.actuators.flatMap(a => [a.target, a.measured]).concat(...(m.moves || []), m.body ? m.body.pose : []);
    used = [...new Set(all)].filter(i => i >= 0);
    n = Math.max(...used.map(i => traces[i].length));
    usual = usualSize();
    slider.max = n - 1;
    now = Math.min(now, n - 1);
  }

  const round = v => { // 1, 2 or 5 times a power of ten, at most v
    const p = Math.pow(10, Math.floor(Math.log10(v)));
    return p * (v >= 5 * p ? 5 : v >= 2 * p ? 2 : 1);
  };

  // Pixels of a unit of length and of a mm of displacement, and where the picture starts.
  function frame(width, height) {
    const room = 0.2 * width; // for displacements on both sides, and for the actuator
    if (!joints.length) return { unit: 1, mm: round(0.5 * room / usual), left: 0.55 * width, bottom: height };
    const xs = joints.map(j => j[0]), ys = joints.map(j => j[1]);
    const wide = Math.max(...xs) - Math.min(...xs), high = Math.max(...ys) - Math.min(...ys);
    const unit = Math.min((width - 2.2 * room) / (wide || 1), (height - 30) / (high || 1));
    let mm = 0.8 * room / usual;
    if (m.metres) mm = round(mm / (unit / 1000)) * unit / 1000;
    return { unit, mm, left: (width - unit * wide) / 2 + 0.1 * room - unit * Math.min(...xs),
      bottom: height - 12 + unit * Math.min(...ys) };
  }

  function draw() {
    const width = figure.clientWidth, under = m.body && !m.body.flat && width < 400, r = devicePixelRatio;
    const height = under ? Math.min(420, 1.5 * width) : Math.min(280, Math.max(170, 0.5 * width));
    [canvas.width, canvas.height] = [width * r, height * r];
    canvas.style.height = height + "px";
    const c = canvas.getContext("2d"), { ink, text, grid } = theme.ground(), at = frame(width, height - 22);
    c.scale(r, r);
    c.lineJoin = "round";
    if (m.body) {
      const at = places => places.map(t => value(t, now)), larger = Math.max(1, round(timesOf(m.body, usual)));
      const of = { pose: at(m.body.pose), target: m.body.target ? at(m.body.target) : null,
        suspect: value(m.body.suspect, now) };
      drawBody(c, width, height, m.body, larger, of, { line: ink, words: text, rest: grid,
        actuator: theme.shade("#0072B2"), suspect: theme.shade("#D55E00"), px: 11 });
      return words(`The pose is drawn × ${shortest(larger, 3)}. Grey: the body at rest; ring: the node` +
        `${of.target ? "; dashed: target" : ""}. ${suspectOf(m.body, of.suspect)}`);
    }
    const joint = (k, moves) => moves ? [at.left + at.unit * joints[k][0] + at.mm * value(moves[k][0], now),
      at.bottom - at.unit * joints[k][1] - at.mm * value(moves[k][1], now)] : [at.left + at.unit * joints[k][0],
      at.bottom - at.unit * joints[k][1]];
    const lines = (moves, colour, wide, dash) => {
      c.strokeStyle = colour;
      c.lineWidth = wide;
      c.setLineDash(dash);
      c.beginPath();
      for (const [from, to] of m.lines || []) {
        c.moveTo(...joint(from, moves));
        c.lineTo(...joint(to, moves));
      }
      c.stroke();
      c.setLineDash([]);
    };
    if (joints.length) {
      c.strokeStyle = text;
      c.beginPath();
      for (const k of joints.keys()) { // the ground
        if (m.moves[k][0] >= 0 || m.moves[k][1] >= 0) continue;
        const [x, y] = joint(k);
        c.moveTo(x - 8, y + 1.5);
        c.lineTo(x + 8, y + 1.5);
      }
      c.stroke();
      lines(null, grid, 1, []);
      if (m.reference) lines(m.reference, text, 1, [4, 3]);
      lines(m.moves, ink, joints.length > 40 ? 0.8 : 2, []);
    }
    m.actuators.forEach((a, i) => {
      const base = a.joint >= 0 && joints.length ? joint(a.joint)
        : [at.left, joints.length ? 14 + 18 * i : (i + 0.5) / m.actuators.length * (height - 22)];
      actuator(c, base, at.mm * value(a.target, now), at.mm * value(a.measured, now), ink);
    });
    // the scale of displacements
    const bar = round(0.25 * width / at.mm), from = 8, y = height - 8;
    c.strokeStyle = c.fillStyle = text;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(from, y - 4);
    c.lineTo(from, y);
    c.lineTo(from + bar * at.mm, y);
    c.lineTo(from + bar * at.mm, y - 4);
    c.stroke();
    c.font = "11px system-ui, sans-serif";
    c.fillText(shortest(bar, 3) + " mm", from + bar * at.mm + 6, y);
    const larger = m.metres && joints.length ? "Displacements × " + shortest(at.mm / (at.unit / 1000), 3) + "."
      : joints.length ? "Storeys are not to scale; the bar is of displacements."
        : m.unkept ? "The numerical part is not drawn: the record has not all of its displacements." : "";
    words(larger + " Dot: measured; ring: target" + (m.reference ? "; dashed: reference." : "."));
  }

  // What stands above and below the picture.
  function words(text) {
    const time = (page.start_s + now * page.step_s).toFixed(3) + " s";
    head.textContent = "Motion at " + time;
    slider.value = now;
    slider.setAttribute("aria-valuetext", time);
    note.textContent = text;
    const mm = trace => shortest(value(trace, now), 4) + " mm";
    const said = m.actuators.map((a, i) => `actuator ${i + 1} target ${mm(a.target)}, measured ${mm(a.measured)}`);
    canvas.setAttribute("aria-label", head.textContent + ": " + said.join("; "));
  }

  // A cylinder on a wall with its rod to what it holds.
  function actuator(c, base, target, measured, ink) {
    const colour = theme.shade("#0072B2"), wall = 6, end = base[0] + measured;
    const body = wall + 0.55 * (base[0] - wall);
    c.strokeStyle = c.fillStyle = colour;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(wall, base[1] - 10);
    c.lineTo(wall, base[1] + 10);
    c.moveTo(body, base[1]);
    c.lineTo(end, base[1]);
    c.stroke();
    c.strokeRect(wall, base[1] - 4, body - wall, 8);
    c.beginPath();
    c.arc(end, base[1], 4, 0, 2 * Math.PI);
    c.fill();
    c.strokeStyle = ink;
    c.beginPath();
    c.arc(base[0] + target, base[1], 6.5, 0, 2 * Math.PI);
    c.stroke();
  }

  function at(k) {
    if (k === now || k < 0 || k >= n) return;
    now = k;
    draw();
  }

  function stop() {
    cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = "play";
  }
  play.addEventListener("click", () => {
    if (playing) return stop();
    if (now >= n - 1) now = 0;
    const begun = performance.now(), from = now;
    play.textContent = "pause";
    const tick = clock => {
      const k = Math.min(n - 1, from + Math.round((clock - begun) / 1000 / page.step_s));
      at(k);
      toTime(page.start_s + k * page.step_s);
      if (k < n - 1) playing = requestAnimationFrame(tick); else stop();
    };
    playing = requestAnimationFrame(tick);
  });
  slider.addEventListener("input", () => {
    stop();
    at(Number(slider.value));
    toTime(page.start_s + now * page.step_s);
  });
  take();
  // At first the instant of the largest reading.
  const first = traces[m.actuators[0].measured];
  for (let k = 0; k < first.length; k++) if (Math.abs(first[k]) > Math.abs(first[now])) now = k;
  slider.value = now;
  requestAnimationFrame(draw); // the figure has a width by then
  const renew = (nextPage, nextTraces) => {
    page = nextPage;
    traces = nextTraces;
    take();
    draw();
  };
  return { at, fit: draw, now: () => now, figure, renew, end: stop };
}
