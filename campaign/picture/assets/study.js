// Pictures of single runs, drawn from the columns of a study (explored.go): what is marked in one is marked in all.
(function () {
  const font = "12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const failedAt = 1.045, stripTo = 1.09; // shares of an axis, above its end: what has no value
  const mostRows = 200, far = 10; // pixels from a run up to which the mouse points at it
  let printing = false;
  const night = () => dark.matches && !printing;
  const inks = () => night()
    ? { ink: "#e6e6e6", grid: "#33373d", pale: "#4d525a", strip: "#26292e", page: "#16181c" }
    : { ink: "#1c1c1c", grid: "#e4e4e4", pale: "#cfcfcf", strip: "#f3f3f3", page: "#fff" };
  const shade = colour => night() ? nightColours[colour] || colour : colour;
  const dashes = [[], [6, 3], [2, 3]];

  function make(name, parent, text, attributes) {
    const e = document.createElement(name);
    if (text != null) e.textContent = text;
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    if (parent) parent.append(e);
    return e;
  }

  function written(v) {
    if (v == null) return "–";
    const plain = v === 0 || (Math.abs(v) < 1e5 && Math.abs(v) >= 1e-3);
    return plain ? String(Number(v.toPrecision(4))) : shortest(v, 4);
  }

  const coordinate = (c, v) => c.log ? Math.log10(v) : v / Math.pow(10, c.power);

  // The share of its axis at which each run stands: NaN where it has no value, above the end where it should have one.
  function shares(c, n) {
    const out = new Float64Array(n).fill(c.output ? failedAt : NaN), [low, high] = c.range;
    for (let i = 0; i < n; i++) {
      if (!c.v) out[i] = (c.of.at[i] + 0.5) / c.of.levels.length;
      else if (c.v[i] != null) out[i] = (coordinate(c, c.v[i]) - low) / (high - low);
    }
    return out;
  }

  // Marks of an axis by their shares, with names that have room.
  function ticks(c, wanted) {
    if (!c.v) return c.of.levels.map((text, k) => ({ at: (k + 0.5) / c.of.levels.length, text }));
    const [low, high] = c.range, share = at => (at - low) / (high - low);
    if (!c.log) return roundTicks(low, high, wanted).map(t => ({ at: share(t.at), text: t.text }));
    const decades = decadeTicks(Math.pow(10, low), Math.pow(10, high), true);
    const list = decades.length > 1 ? decades : roundTicks(Math.pow(10, low), Math.pow(10, high), wanted);
    return list.filter(t => t.at > 0).map(t => ({ at: share(Math.log10(t.at)), text: t.text }));
  }

  const sorted = (a, b) => [Math.min(a, b), Math.max(a, b)];
  const within = (v, low, high) => v >= low && v <= high;

  // A point of a method: a disc; with a colour that another has too, a ring, then a square.
  function point(g, x, y, r, round) {
    g.beginPath();
    if (round > 1) g.rect(x - r, y - r, 2 * r, 2 * r); else g.arc(x, y, r, 0, 7);
    if (round % 2) g.stroke(); else g.fill();
  }

  function line(g, x0, y0, x1, y1) {
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
  }

  function cross(g, x, y, r) {
    line(g, x - r, y - r, x + r, y + r);
    line(g, x - r, y + r, x + r, y - r);
  }

  // Where the data of a picture with two axes lie.
  const inBox = p => Object.assign(p, { left: 58, wide: p.w - 70, foot: p.h - 40, high: p.h - 50 });
  const boxSize = w => [Math.min(w || 340, 480), 270];

  // act, where the page can: link is the address of a file beside the study, run opens a run.
  function explore(section, act) {
    const d = JSON.parse(section.querySelector("script").textContent);
    const columns = d.columns.map(c => ({ ...c, share: shares(c, d.n) })), main = columns[d.main];
    const method = i => d.method < 0 ? 0 : columns[d.method].of.at[i];
    const lost = main.v.some(v => v == null), top = lost ? stripTo : 1;
    const bars = d.edges.map(e => (e - main.range[0]) / (main.range[1] - main.range[0]));
    const brushes = new Map(), hidden = new Set(), pictures = [], marked = new Uint8Array(d.n);
    const number = i => d.numbers ? d.numbers[i] : i + 1;
    const statusOf = i => d.status.levels[d.status.at[i]];
    const valueOf = (c, i) => c.v ? written(c.v[i]) : c.of.levels[c.of.at[i]];
    let at = -1, pinned = false, count = d.n, sorting = { column: -1, up: true }, asked = 0;

    // Methods lie over each other in turns, not the last over all others.
    const turn = d.n % 7919 ? 7919 : 1, order = Array.from({ length: d.n }, (_, k) => k * turn % d.n);
    const seen = i => printing || !hidden.has(method(i));
    const lit = i => printing || marked[i] === 1;
    const barOf = s => {
      if (!(s <= bars.at(-1))) return -1;
      let k = 0;
      while (k < bars.length - 2 && s >= bars[k + 1]) k++;
      return k;
    };
    const barAt = main.share.map((s, i) => main.v[i] == null ? -1 : barOf(s));

    // What is marked follows from the brushes and the methods that are shown.
    function changed() {
      count = 0;
      for (let i = 0; i < d.n; i++) {
        marked[i] = !hidden.has(method(i)) && [...brushes.values()].every(b => b.has(i)) ? 1 : 0;
        count += marked[i];
      }
      const some = brushes.size + hidden.size > 0;
      status.textContent = some ? `${count} of ${d.n} ${d.thing}s marked` : `${d.n} ${d.thing}s, none marked`;
      clear.disabled = brushes.size === 0;
      if (at >= 0 && !marked[at]) pointAt(-1);
      if (!asked) asked = requestAnimationFrame(() => { asked = 0; redraw(); rows(); });
    }

    function unpin() {
      pinned = false;
      tip.classList.remove("pinned");
      tip.setAttribute("role", "tooltip");
    }

    function unbrush() {
      brushes.clear();
      unpin();
      pointAt(-1);
      changed();
    }

    // The bar above the pictures: how many are marked, and the methods.
    const bar = make("div", section, null, { class: "marks" });
    const status = make("p", bar, "", { role: "status", "aria-live": "polite" });
    const clear = make("button", bar, "clear", { type: "button", title: "unmark (Escape)" });
    clear.addEventListener("click", unbrush);
    const legend = make("div", bar, null, { class: "legend", role: "group", "aria-label": "methods: click to hide" });
    const swatches = d.method < 0 ? [] : columns[d.method].of.levels.map((name, k) => {
      const b = make("button", legend, null, { type: "button", "aria-pressed": "true", title: "click: hide or show" });
      const swatch = make("canvas", b, null, { "aria-hidden": "true" });
      make("span", b, name);
      b.addEventListener("click", () => {
        if (!hidden.delete(k)) hidden.add(k);
        b.setAttribute("aria-pressed", String(!hidden.has(k)));
        changed();
      });
      return swatch;
    });

    function style(g, k, faint) {
      const m = d.marks[k];
      g.strokeStyle = g.fillStyle = faint ? inks().pale : shade(m.colour);
      g.setLineDash(dashes[Math.min(m.round, 2)]);
    }

    // A canvas for the picture and one above it for what the mouse does.
    function panel(parent, title, words, size, picture) {
      const figure = make("figure", parent);
      if (title) make("h3", figure, title);
      const box = make("div", make("div", figure, null, { class: "scroll" }), null, { class: "canvas" });
      const below = make("canvas", box, null, { role: "img", "aria-label": words });
      const above = make("canvas", box, null, { "aria-hidden": "true" });
      Object.assign(picture, { figure, box, below, above, size });
      pictures.push(picture);
      listen(picture);
      return picture;
    }

    function sheet(canvas, w, h, fixed) {
      const r = Math.max(2, devicePixelRatio);
      [canvas.width, canvas.height] = [w * r, h * r];
      canvas.style.aspectRatio = w + " / " + h;
      canvas.style.width = printing && !fixed ? "100%" : w + "px";
      const g = canvas.getContext("2d");
      g.scale(r, r);
      g.font = font;
      g.lineWidth = 1;
      return g;
    }

    function draw(p) {
      [p.w, p.h] = p.size(printing ? 0 : p.figure.clientWidth);
      p.layout();
      p.draw(sheet(p.below, p.w, p.h));
      over(p);
    }

    // The brush of a picture, and the run that is pointed at.
    function over(p) {
      const g = sheet(p.above, p.w, p.h);
      if (printing) return;
      for (const [key, b] of brushes) {
        if (b.of !== p) continue;
        const [x, y, w, h] = p.brushBox(key, b);
        g.fillStyle = dark.matches ? "rgba(255, 255, 255, 0.12)" : "rgba(0, 0, 0, 0.08)";
        g.fillRect(x, y, w, h);
        g.strokeStyle = inks().ink;
        g.strokeRect(x, y, w, h);
      }
      if (at >= 0) p.point(g, at);
    }

    const redraw = () => { pictures.forEach(draw); swatches.forEach(paintSwatch); };

    function paintSwatch(canvas, k) {
      const g = sheet(canvas, 26, 12, true);
      style(g, k, false);
      g.lineWidth = 2;
      line(g, 0, 6, 26, 6);
      g.setLineDash([]);
      point(g, 13, 6, 3.5, d.marks[k].round);
    }

    // A press and a move is a brush; a press alone pins what is there, or clears.
    function listen(p) {
      const place = e => {
        const r = p.above.getBoundingClientRect();
        return [(e.clientX - r.left) * p.w / r.width, (e.clientY - r.top) * p.h / r.height];
      };
      let from = null, brushing = false;
      p.above.addEventListener("pointerdown", e => {
        if (e.button !== 0) return;
        from = place(e);
        brushing = false;
        p.above.setPointerCapture(e.pointerId);
      });
      p.above.addEventListener("pointermove", e => {
        const to = place(e);
        if (!from) {
          if (!pinned) hover(p, to, e);
          return;
        }
        if (!brushing && Math.hypot(to[0] - from[0], to[1] - from[1]) < 4) return;
        brushing = true;
        unpin();
        pointAt(-1);
        p.brush(from, to);
        changed();
      });
      const end = e => {
        if (from && !brushing && e.type === "pointerup") press(p, from, e);
        from = null;
      };
      p.above.addEventListener("pointerup", end);
      p.above.addEventListener("pointercancel", end);
      p.above.addEventListener("pointerleave", () => { if (!pinned) pointAt(-1); });
      p.above.addEventListener("dblclick", unbrush);
    }

    function hover(p, to, e) {
      const words = p.words && p.words(to);
      pointAt(words ? -1 : p.pick(to), e.clientX, e.clientY);
      if (words) show(words, e.clientX, e.clientY);
    }

    function press(p, to, e) {
      if (p.press && p.press(to)) return changed();
      const i = p.pick(to), open = pinned;
      unpin();
      if (i < 0 && !open) return unbrush();
      pointAt(i, e.clientX, e.clientY);
      if (i >= 0) pin();
    }

    // Settings, criteria and status of a run. All text is text.
    const tip = make("div", section, null, { class: "tip", role: "tooltip", tabindex: "-1", hidden: "hidden" });
    function pointAt(i, x, y) {
      if (i !== at) {
        at = i;
        pictures.forEach(over);
        for (const r of body.rows) r.classList.toggle("at", Number(r.dataset.run) === at);
      }
      if (i < 0) tip.hidden = true;
      else if (x != null) show(words(i), x, y);
    }

    function words(i) {
      const lines = [[`${d.thing} ${number(i)}`, statusOf(i)]];
      columns.forEach((c, k) => {
        const all = pinned || !c.output || d.axes.includes(k);
        if (all) lines.push([c.name, valueOf(c, i)]);
      });
      return { lines, link: (d.links || {})[i] };
    }

    function show(said, x, y) {
      tip.replaceChildren();
      const names = make("dl", tip);
      for (const [name, value] of said.lines) {
        const line = make("div", names);
        make("dt", line, name);
        make("dd", line, value);
      }
      if (said.link) {
        const link = make("a", make("p", tip), "report of this run");
        link.href = act.link(said.link);
      }
      if (pinned && act.run) {
        const open = make("button", make("p", tip), `open this ${d.thing}`, { type: "button" });
        open.addEventListener("click", () => act.run(d.thing, number(at)));
      }
      tip.hidden = false;
      const r = tip.getBoundingClientRect(), wide = document.documentElement.clientWidth;
      tip.style.left = Math.max(4, Math.min(x + 14, wide - r.width - 4)) + "px";
      tip.style.top = Math.max(4, y + 14 + r.height > innerHeight ? y - 14 - r.height : y + 14) + "px";
    }

    // What is pinned stays until Escape or a click, so that its link can be followed.
    function pin() {
      pinned = true;
      const r = tip.getBoundingClientRect();
      show(words(at), r.left - 14, r.top - 14);
      tip.classList.add("pinned");
      tip.setAttribute("role", "dialog");
      tip.setAttribute("aria-label", `${d.thing} ${number(at)}`);
      (tip.querySelector("a, button") || tip).focus({ preventScroll: true });
    }

    // The criterion over one column.
    function scatter(parent, t) {
      const across = columns[t.column], p = { key: "scatter " + t.column };
      const x = i => p.left + across.share[i] * p.wide, y = i => p.foot - main.share[i] / top * p.high;
      p.layout = () => inBox(p);
      p.draw = g => {
        frame(g, p, across, main, top);
        const r = d.n > 2000 ? 1.4 : 3;
        for (const wanted of [false, true]) {
          for (const i of order) {
            if (!seen(i) || lit(i) !== wanted || !(across.share[i] > -1)) continue;
            style(g, method(i), !wanted);
            g.setLineDash([]);
            if (main.v[i] == null) {
              if (wanted && d.method < 0) g.strokeStyle = night() ? "#ff7aa8" : d.failed;
              cross(g, x(i), y(i), 3);
            } else if (d.n > 2000) {
              g.fillRect(x(i) - r, y(i) - r, 2 * r, 2 * r);
            } else {
              point(g, x(i), y(i), r, d.marks[method(i)].round);
            }
          }
        }
      };
      p.pick = ([px, py]) => nearest(i => across.share[i] > -1 ? Math.hypot(x(i) - px, y(i) - py) : Infinity);
      p.point = (g, i) => {
        if (!(across.share[i] > -1)) return;
        g.strokeStyle = inks().ink;
        g.lineWidth = 2;
        point(g, x(i), y(i), 6, 1);
      };
      p.brush = (a, b) => {
        const at = q => [(q[0] - p.left) / p.wide, (p.foot - q[1]) / p.high * top], [u, v] = [at(a), at(b)];
        const [x0, x1] = sorted(u[0], v[0]), [y0, y1] = sorted(u[1], v[1]);
        const has = i => within(across.share[i], x0, x1) && within(main.share[i], y0, y1);
        brushes.set(p.key, { of: p, x0, x1, y0, y1, has });
      };
      p.brushBox = (key, b) => {
        const foot = p.foot - b.y1 / top * p.high;
        return [p.left + b.x0 * p.wide, foot, (b.x1 - b.x0) * p.wide, (b.y1 - b.y0) / top * p.high];
      };
      return panel(parent, t.title, t.words, boxSize, p);
    }

    // The run with the least distance, if it is near.
    function nearest(distance) {
      let least = far, best = -1;
      for (let i = 0; i < d.n; i++) {
        if (!seen(i) || (brushes.size && !marked[i])) continue;
        const r = distance(i);
        if (r < least) [least, best] = [r, i];
      }
      return best;
    }

    // Axes with grid, marks and names, and the strip of what has no value.
    function frame(g, p, across, up, end) {
      const ink = inks();
      g.fillStyle = ink.strip;
      if (end > 1) g.fillRect(p.left, p.foot - p.high, p.wide, p.high * (1 - 1 / end));
      g.strokeStyle = ink.grid;
      g.fillStyle = ink.ink;
      g.textAlign = "center";
      g.textBaseline = "top";
      let until = -Infinity;
      for (const t of ticks(across, Math.max(2, Math.min(6, Math.floor(p.wide / 60))))) {
        const x = p.left + t.at * p.wide, half = g.measureText(t.text).width / 2;
        line(g, x, p.foot - p.high, x, p.foot + 4);
        if (x - half < until || x + half > p.w) continue;
        g.fillText(t.text, x, p.foot + 6);
        until = x + half + 6;
      }
      g.textAlign = "right";
      g.textBaseline = "middle";
      for (const t of ticks(up, 5)) {
        const y = p.foot - t.at / end * p.high;
        line(g, p.left - 4, y, p.left + p.wide, y);
        g.fillText(t.text, p.left - 7, y);
      }
      if (end > 1) g.fillText("failed", p.left - 7, p.foot - failedAt / end * p.high);
      g.textAlign = "center";
      g.textBaseline = "bottom";
      g.fillText(across.label, p.left + p.wide / 2, p.h - 2, p.w - 20);
      g.save();
      g.translate(12, p.foot - p.high / 2);
      g.rotate(-Math.PI / 2);
      g.fillText(up.label, 0, 3, p.high + 30);
      g.restore();
    }

    // Bars of the criterion: all runs pale, those that are marked above each other in the colours of their methods.
    function histogram(parent) {
      const p = { key: "histogram" }, counts = () => bars.slice(1).map(() => new Uint32Array(d.marks.length));
      const x = s => p.left + s * p.wide, sum = c => c.reduce((a, b) => a + b);
      const boxOf = (k, low, n) => {
        const high = n / p.most * p.high;
        return [x(bars[k]), p.foot - low / p.most * p.high - high, Math.max(1, x(bars[k + 1]) - x(bars[k]) - 1), high];
      };
      p.layout = () => {
        Object.assign(inBox(p), { all: counts(), lit: counts() });
        for (let i = 0; i < d.n; i++) {
          if (barAt[i] < 0 || !seen(i)) continue;
          p.all[barAt[i]][method(i)]++;
          if (lit(i)) p.lit[barAt[i]][method(i)]++;
        }
        p.most = Math.max(5, ...p.all.map(sum)) * 1.04;
      };
      p.draw = g => {
        frame(g, p, main, { v: [], range: [0, p.most], label: d.thing + "s" }, 1);
        p.all.forEach((all, k) => {
          let below = 0;
          const block = (n, m, faint) => {
            style(g, m, faint);
            if (!faint && d.marks[m].round) g.globalAlpha = 0.55; // told apart from the first with this colour
            g.fillRect(...boxOf(k, below, n));
            g.globalAlpha = 1;
          };
          block(sum(all), 0, true);
          p.lit[k].forEach((n, m) => { block(n, m, false); below += n; });
        });
      };
      const bar = px => bars.slice(1).findIndex((b, k) => px >= x(bars[k]) && px < x(b));
      p.words = ([px, py]) => {
        const k = bar(px);
        if (k < 0 || py > p.foot) return null;
        const value = e => written(main.log ? Math.pow(10, e) : e * Math.pow(10, main.power));
        return { lines: [[main.name, value(d.edges[k]) + " to " + value(d.edges[k + 1])],
          [d.thing + "s", String(sum(p.all[k]))], ["marked", String(sum(p.lit[k]))]] };
      };
      const mark = (from, to) => brushes.set(p.key, { of: p, from, to, has: i => barAt[i] >= from && barAt[i] <= to });
      p.press = ([px, py]) => {
        const k = bar(px);
        if (k < 0 || py > p.foot || sum(p.all[k]) === 0 || py < boxOf(k, 0, sum(p.all[k]))[1]) return false;
        mark(k, k);
        return true;
      };
      p.pick = () => -1;
      p.brush = (a, b) => {
        const [low, high] = sorted(a[0], b[0]);
        const list = bars.slice(1).map((_, k) => k).filter(k => x(bars[k + 1]) > low && x(bars[k]) < high);
        mark(list.length ? list[0] : 0, list.length ? list.at(-1) : -1);
      };
      p.brushBox = (key, b) => {
        const left = x(bars[b.from]);
        return b.to < b.from ? [0, 0, 0, 0] : [left, p.foot - p.high, x(bars[b.to + 1]) - left, p.high];
      };
      p.point = (g, i) => {
        const k = barAt[i];
        g.strokeStyle = inks().ink;
        g.lineWidth = 2;
        if (k >= 0) g.strokeRect(...boxOf(k, 0, sum(p.all[k])));
      };
      const words = `Histogram of ${main.name} of the ${d.thing}s.`;
      return panel(parent, "Histogram", words, boxSize, p);
    }

    // A line over upright axes for each run.
    function parallel(parent) {
      const axes = d.axes.map(k => columns[k]), p = { key: "axis" };
      const x = k => p.left + k * p.gap, y = s => p.foot - s / top * p.high;
      p.layout = () => {
        const letters = (axes[0].v ? [] : axes[0].of.levels).map(t => Math.min(t.length, 18));
        const left = 9 + 7 * Math.max(5, ...letters), gap = (p.w - left - 46) / Math.max(1, axes.length - 1);
        Object.assign(p, { left, gap, foot: p.h - 14, high: p.h - 76 });
      };
      const trace = (g, i) => {
        g.beginPath();
        let pen = false;
        axes.forEach((c, k) => {
          const s = c.share[i];
          if (!(s > -1)) pen = false;
          else if (pen) g.lineTo(x(k), y(s));
          else { g.moveTo(x(k), y(s)); pen = true; }
        });
        g.stroke();
      };
      p.draw = g => {
        for (const wanted of [false, true]) {
          const lines = printing ? d.n : wanted ? count : d.n - count;
          g.globalAlpha = Math.max(0.06, Math.min(0.85, (wanted ? 120 : 60) / Math.max(1, lines)));
          for (const i of order) {
            if (!seen(i) || lit(i) !== wanted) continue;
            style(g, method(i), !wanted);
            trace(g, i);
          }
        }
        g.globalAlpha = 1;
        g.setLineDash([]);
        axes.forEach((c, k) => upright(g, p, c, x(k), y));
      };
      p.pick = ([px, py]) => {
        const k = Math.min(axes.length - 2, Math.floor((px - p.left) / p.gap));
        if (k < 0) return -1;
        const part = (px - x(k)) / p.gap;
        return nearest(i => {
          const [a, b] = [axes[k].share[i], axes[k + 1].share[i]];
          return a > -1 && b > -1 ? Math.abs(y(a) + part * (y(b) - y(a)) - py) : Infinity;
        });
      };
      p.point = (g, i) => {
        style(g, method(i), false);
        for (const [width, colour] of [[6, inks().page], [3, g.strokeStyle]]) {
          g.lineWidth = width;
          g.strokeStyle = colour;
          trace(g, i);
        }
      };
      p.brush = (a, b) => {
        const k = Math.max(0, Math.min(axes.length - 1, Math.round((a[0] - p.left) / p.gap)));
        const share = q => (p.foot - q[1]) / p.high * top, [low, high] = sorted(share(a), share(b));
        brushes.set("axis " + k, { of: p, k, low, high, has: i => within(axes[k].share[i], low, high) });
      };
      p.brushBox = (key, b) => [x(b.k) - 7, y(b.high), 14, y(b.low) - y(b.high)];
      const words = `Parallel coordinates: a line for each ${d.thing} over ${axes.map(c => c.name).join("; ")}.`;
      return panel(parent, "", words, w => [Math.max(w || 700, 96 * axes.length), printing ? 300 : 340], p);
    }

    // An upright axis with its name in lines above it.
    function upright(g, p, c, x, y) {
      const ink = inks();
      g.strokeStyle = g.fillStyle = ink.ink;
      line(g, x, y(0), x, y(1));
      const text = (t, at, right) => {
        g.strokeStyle = ink.page;
        g.lineWidth = 3;
        g.strokeText(t, right, at);
        g.fillText(t, right, at);
        g.lineWidth = 1;
        g.strokeStyle = ink.ink;
      };
      g.textAlign = "right";
      g.textBaseline = "middle";
      let until = Infinity;
      for (const t of ticks(c, 5)) {
        const at = y(t.at), short = t.text.length > 18 ? t.text.slice(0, 17) + "…" : t.text;
        line(g, x - 4, at, x, at);
        if (at > until - 12) continue;
        text(short, at, x - 6);
        until = at;
      }
      if (c.output && lost) text("failed", y(failedAt), x - 6);
      g.textAlign = "center";
      g.textBaseline = "bottom";
      const lines = c.label.replace(/\./, ".\n").replace(/, /, ",\n").split("\n");
      lines.forEach((line, k) => g.fillText(line, Math.min(x, p.w - 45), 50 - 14 * (lines.length - 1 - k), 94));
    }

    // Rows of what is marked. One of them can be reached by Tab, the others by arrows.
    const scroll = make("div", null, null, { class: "scroll rows" });
    const table = make("table", scroll, null, { class: "values study runs" });
    const heads = make("tr", make("thead", table)), body = make("tbody", table);
    const shown = [-1, ...d.axes, columns.length];
    const cell = (k, i) => k < 0 ? String(number(i)) : k === columns.length ? statusOf(i) : valueOf(columns[k], i);
    const numeric = k => k < 0 || (k < columns.length && columns[k].v);
    for (const k of shown) {
      const name = k < 0 ? d.thing : k === columns.length ? "status" : columns[k].name;
      const head = make("th", heads, null, numeric(k) ? { class: "number" } : {});
      make("button", head, name, { type: "button", title: "click: sort" }).addEventListener("click", () => {
        sorting = { column: k, up: sorting.column === k ? !sorting.up : true };
        for (const h of heads.cells) h.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sorting.up ? "ascending" : "descending");
        rows();
      });
    }

    function rows() {
      const k = sorting.column, sign = sorting.up ? 1 : -1;
      const key = i => k < 0 ? i : k === columns.length ? d.status.at[i] : columns[k].share[i];
      const list = Array.from(marked.keys()).filter(i => marked[i]);
      if (k >= 0 || !sorting.up) list.sort((a, b) => sign * (key(a) - key(b)) || a - b);
      const kept = body.contains(document.activeElement) ? document.activeElement.dataset.run : "";
      body.replaceChildren();
      for (const i of list.slice(0, mostRows)) {
        const row = make("tr", body, null, { "data-run": i, tabindex: body.rows.length ? "-1" : "0" });
        row.classList.toggle("at", i === at);
        for (const c of shown) make("td", row, cell(c, i), numeric(c) ? { class: "number" } : {});
      }
      const again = [...body.rows].find(r => r.dataset.run === kept);
      if (again) again.focus();
      const left = list.length - body.rows.length;
      note.textContent = (left > 0 ? `The first ${body.rows.length} of ${list.length} ${d.thing}s. ` : "") + d.words;
    }

    function listenRows() {
      const run = e => Number((e.target.closest("tr[data-run]") || { dataset: { run: -1 } }).dataset.run);
      const near = e => {
        const r = e.target.closest("tr").getBoundingClientRect();
        return [e.clientX || r.left + 60, r.bottom - 10];
      };
      body.addEventListener("pointerover", e => { if (!pinned && run(e) >= 0) pointAt(run(e)); });
      body.addEventListener("pointerleave", () => { if (!pinned) pointAt(-1); });
      body.addEventListener("focusin", e => { unpin(); pointAt(run(e), ...near(e)); });
      body.addEventListener("focusout", () => { if (!pinned) pointAt(-1); });
      body.addEventListener("click", e => { if (run(e) >= 0) { pointAt(run(e), ...near(e)); pin(); } });
      body.addEventListener("keydown", e => {
        const row = e.target.closest("tr");
        const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[e.key];
        if (e.key === "Enter") {
          pointAt(run(e), ...near(e));
          returnTo = row;
          pin();
        }
        if (to) {
          row.tabIndex = -1;
          to.tabIndex = 0;
          to.focus();
        }
        if (to || e.key === "Enter") e.preventDefault();
      });
    }

    let returnTo = null;
    function escape() {
      if (!pinned) return unbrush();
      unpin();
      pointAt(-1);
      if (returnTo) returnTo.focus();
      tip.hidden = true;
      returnTo = null;
    }

    section.querySelector("p[hidden]").hidden = false;
    const upper = make("div", section, null, { class: "across" });
    if (d.axes.length > 1) parallel(upper);
    const tiles = make("div", section, null, { class: "tiles wide" });
    for (const t of d.scatter) scatter(tiles, t);
    histogram(tiles);
    const note = make("p", section, "", { class: "caption" });
    section.append(scroll);
    listenRows();
    changed();
    const used = () => brushes.size + hidden.size > 0 || at >= 0 || section.contains(document.activeElement);
    return { d, columns, brushes, marked, pictures, redraw, escape, used, get at() { return at; } };
  }

  // The sections of a page, or of a part of one that takes their place.
  let parts = [];
  window.rthsExplore = (root, act) => {
    window.rthsStudy = parts = [...root.querySelectorAll("section.explored")].map(s => explore(s, act));
    return parts;
  };
  rthsExplore(document, { link: file => file });
  addEventListener("keydown", e => { if (e.key === "Escape") parts.forEach(p => p.escape()); });
  const again = () => parts.forEach(p => p.redraw());
  dark.addEventListener("change", again);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) again(); width = innerWidth; });
  addEventListener("beforeprint", () => { printing = true; again(); });
  addEventListener("afterprint", () => { printing = false; again(); });
})();
