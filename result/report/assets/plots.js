"use strict";

// Draws the sections of a page (data.go) into an element. compared: a curve that is hidden in one plot is hidden in
// all.
function drawPlots(root, page, traces, compared) {
  const font = "12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
  const { ground, shade, paper } = theme;
  const sync = uPlot.sync("time " + ++drawPlots.pages);
  const drawn = []; // every plot with its figure and its description
  const markers = { fill: () => null, dash: (u, i) => u.series[i].dash ? "dashed" : "solid" };
  const shown = v => v == null ? "–" : String(Number(v.toPrecision(5)));
  const moving = page.moving ? moveStructure(root, page, traces, toTime) : null;

  // Ticks are those of images: about eight across and five up, fewer where there is no room.
  function axis(label, vertical, log) {
    const wanted = length => Math.max(2, Math.min(vertical ? 5 : 8, Math.floor(length / (vertical ? 28 : 55))));
    const ticks = (low, high, length) =>
      log ? decadeTicks(low, high, vertical || length < 260) : roundTicks(low, high, wanted(length));
    const length = u => (vertical ? u.bbox.height : u.bbox.width) / devicePixelRatio;
    const a = {
      label, labelFont: font, font, gap: 3, labelGap: 1, labelSize: 18,
      stroke: () => ground().ink,
      grid: { stroke: () => ground().grid, width: 1 },
      ticks: { size: 6, stroke: () => ground().grid },
      splits: (u, i, low, high) => (u.axes[i].marks = ticks(low, high, length(u))).map(t => t.at),
      filter: (u, splits) => splits,
      values: (u, splits, i) => splits.map((v, k) => u.axes[i].marks[k] ? u.axes[i].marks[k].text : ""),
    };
    if (vertical) a.size = (u, values) => 14 + 7 * Math.max(3, ...(values || []).map(v => v.length));
    else a.size = 24;
    return a;
  }

  // Heights on paper let five wide plots stand on a page.
  function height(f) {
    const square = Math.min(430, innerWidth);
    const sizes = paper() ? { wide: 165, square: 290, small: 130, loop: 200, strip: 110, half: 190, broad: 190 }
      : { wide: 270, square, small: 210, loop: 260, strip: 150, half: 270, broad: 290 };
    return sizes[f.shape];
  }

  function place(title) {
    const figure = document.createElement("figure"), head = document.createElement("h3");
    head.textContent = title;
    figure.append(head);
    return figure;
  }

  // What draws draws inside of the axes.
  function inside(u, draws) {
    const c = u.ctx, box = u.bbox;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    c.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
    c.textBaseline = "top";
    c.textAlign = "left";
    draws(c, box);
    c.restore();
  }

  // Spans of faults and the instant at which a limit acted, below the curves. Wide plots say what they are, each mark
  // in a line of its own, on white where it crosses a level. A mark without a name stands at the lower edge.
  const drawMarks = (u, named, clear) => inside(u, (c, box) => {
    const line = 13 * devicePixelRatio, foot = 5 * devicePixelRatio;
    const at = s => u.valToPos(s, "x", true);
    const marks = (page.marks || []).map(m => ({ ...m, from: at(m.from_s), to: at(m.to_s) }));
    for (const m of marks.filter(m => m.label)) {
      c.fillStyle = ground().fault;
      c.fillRect(m.from, box.top, m.to - m.from, box.height);
      c.fillStyle = m.from_s === m.to_s ? shade("#A00000") : "#d9a441";
      c.fillRect(m.from, box.top, devicePixelRatio, box.height);
    }
    c.fillStyle = shade("#A00000");
    for (const m of marks.filter(m => !m.label)) {
      c.fillRect(m.from, box.top + box.height - foot, Math.max(devicePixelRatio, m.to - m.from), foot);
    }
    marks.forEach((m, i) => {
      if (!named || !m.label || m.to < box.left || m.from > box.left + box.width) return;
      const wide = c.measureText(m.label).width, right = box.left + box.width - wide - 4;
      const x = Math.min(Math.max(m.from, box.left), right) + 3, y = box.top + 2 + i * line;
      c.fillStyle = ground().page;
      if (clear) c.fillRect(x, y, wide, line);
      c.fillStyle = ground().text;
      c.fillText(m.label, x, y);
    });
  });

  // The level of a difference, on both sides of 0.
  const drawLevel = (u, f) => inside(u, (c, box) => {
    c.strokeStyle = shade("#A00000");
    c.fillStyle = ground().text;
    c.lineWidth = devicePixelRatio;
    c.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const v of [f.level, -f.level]) {
      const y = u.valToPos(v, "y", true);
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
    }
    const y = u.valToPos(-f.level, "y", true) + 2 * devicePixelRatio;
    c.fillText(f.level_name, box.left + 3 * devicePixelRatio, y);
  });

  // The range of a vertical axis over time: all that is in sight with a margin and the level, at least f.least long,
  // and no farther from 0 than f.most. f.y, from the program (sight.go), has it of the whole, by the same rules.
  function span(f, low, high) {
    if (f.level > 0) {
      low = Math.min(low || 0, -1.2 * f.level);
      high = Math.max(high || 0, f.level);
    }
    if (low == null) return [-1, 1];
    const near = (f.bounds || []).filter(b => Math.max(high, b) - Math.min(low, b) <= 3 * (high - low));
    [low, high] = [Math.min(low, ...near), Math.max(high, ...near)];
    if (f.most) {
      low = Math.max(low, -f.most);
      high = Math.min(high, f.most);
    }
    const lack = Math.max(0, ((f.least || 0) - (high - low)) / 2);
    const margin = 0.04 * (high - low + 2 * lack) || Math.abs(high) || 1;
    return [low - lack - margin, high + lack + margin];
  }

  // Curves that lie on each other are told apart: the first is the widest.
  const width = (i, n) => 1 + Math.min(3, n - 1 - i) * 0.6;

  const hover = type => type === "mousemove" || type === "mouseleave";

  // The ends of bands, which follow the curves of a figure: lower and upper of each.
  const edges = f => f.curves.filter(c => c.band)
    .flatMap(c => ["from", "to"].map((word, i) => ({ ...c, name: `${c.name}: band ${word}`, y: c.band[i] })));

  // The bounds of a parameter that are in sight.
  const drawBounds = (u, f) => inside(u, (c, box) => {
    c.strokeStyle = ground().text;
    c.lineWidth = devicePixelRatio;
    c.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const b of f.bounds || []) {
      const y = u.valToPos(b, "y", true);
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
    }
  });

  // The numbers of a figure over time: the instants, and a list for each curve and each end of a band.
  function timeData(f) {
    const n = Math.max(...f.curves.map(c => traces[c.y].length));
    const [start, step] = f.part ? [f.start_s || 0, f.step_s] : [page.start_s, page.step_s];
    const time = Array.from({ length: n }, (_, i) => start + i * step);
    return [time].concat(f.curves.concat(edges(f)).map(c => {
      const y = traces[c.y].slice();
      while (y.length < n) y.push(null);
      return y;
    }));
  }

  // Plots over the whole time zoom together, and all show the values of one instant. A plot of a part zooms alone.
  function overTime(f, figure) {
    const d = { f, figure };
    const all = (min, max, time) => min == null || (min <= d.f.x[0] && max >= d.f.x[1]) ||
      (!d.f.part && min <= time[0] && max >= time[time.length - 1]);
    const lines = f.curves.filter(c => !c.dashed).length;
    const draws = f.level > 0 ? { drawAxes: [u => drawLevel(u, d.f), u => drawMarks(u, true, true)] }
      : { drawClear: [u => drawMarks(u, f.shape !== "small", false)], draw: [u => drawBounds(u, d.f)] };
    const first = f.curves.length + 1, ends = edges(f);
    const cursor = u => {
      if (moving && u.cursor.idx != null) moving.at(Math.round((u.data[0][u.cursor.idx] - page.start_s) / page.step_s));
    };
    const data = timeData(f);
    d.plot = new uPlot({
      width: figure.clientWidth,
      height: height(f),
      cursor: {
        y: false, drag: { x: true, y: false },
        sync: { key: sync.key, setSeries: false, filters: f.part ? { pub: hover, sub: hover } : undefined },
      },
      scales: {
        x: { time: false, range: (u, min, max) => all(min, max, u.data[0]) ? d.f.x : [min, max] },
        y: { range: (u, min, max) => span(d.f, min, max) },
      },
      hooks: { setSeries: [spread], setCursor: [cursor], ...draws },
      axes: [axis(f.x_label, false), axis(f.y_label, true)],
      series: [{ label: "time, s", value: (u, v) => shown(v) }].concat(f.curves.map((c, i) => ({
        label: c.name, stroke: () => shade(c.colour), width: c.dashed ? 1 : width(i, lines),
        dash: c.dashed ? [6, 4] : undefined, points: { show: data[0].length < 3 }, value: (u, v) => shown(v),
      }))).concat(ends.map(c => ({ label: c.name, class: "edge", width: 0, points: { show: false } }))),
      bands: ends.filter((c, i) => i % 2 === 0).map((c, i) => (
        { series: [first + 2 * i + 1, first + 2 * i], fill: () => shade(c.colour) + "38" })),
      legend: { show: f.curves.length > 1 || f.shape !== "small", markers },
    }, data, figure);
    d.table = () => [[d.f.x_label, d.plot.data[0]]].concat(
      d.f.curves.concat(edges(d.f)).map((c, i) => [c.name + ", " + d.f.y_label, d.plot.data[i + 1]]));
    d.renew = () => {
      const { min, max } = d.plot.scales.x, whole = all(min, max, d.plot.data[0]);
      return f => {
        d.f = f;
        d.plot.batch(() => {
          d.plot.setData(timeData(f), false);
          d.plot.setScale("x", whole ? { min: f.x[0], max: f.x[1] } : { min, max });
        });
      };
    };
    keep(d, false);
  }

  // The curves of a figure over a quantity.
  function pairsOf(f) {
    const curves = f.curves.map(c => (
      { label: c.name, colour: c.colour, xs: traces[c.x], ys: traces[c.y], dash: c.dashed ? [6, 4] : undefined }));
    if (f.diagonal) curves.push({ label: "ideal", colour: "#303030", xs: f.x, ys: f.x, dash: [6, 4] });
    return curves;
  }

  function overQuantity(f, figure) {
    const d = { f, figure }, curves = pairsOf(f);
    // A zoomed range is kept; the whole range comes back with a double click.
    const kept = key => {
      let begun = false; // what uPlot asks first is the range of the data
      return (u, min, max) => {
        const whole = d.f[key], all = !begun || min == null || (min <= whole[0] && max >= whole[1]);
        begun = true;
        return all ? whole : [min, max];
      };
    };
    d.plot = new uPlot({
      mode: 2,
      width: figure.clientWidth,
      height: height(f),
      legend: { live: false, show: f.shape !== "loop", markers },
      cursor: { points: { show: false }, drag: { x: true, y: true }, dataIdx: () => null },
      hooks: { setSeries: [spread] },
      scales: {
        x: { time: false, distr: f.log_x ? 3 : 1, range: kept("x") },
        y: { time: false, distr: f.log_y ? 3 : 1, range: kept("y") },
      },
      axes: [axis(f.x_label, false, f.log_x), axis(f.y_label, true, f.log_y)],
      series: [{}].concat(curves.map(c => ({
        label: c.label, stroke: () => shade(c.colour), width: 1, dash: c.dash, paths: pathOver, points: { show: false },
        facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
      }))),
    }, [null].concat(curves.map(c => [c.xs, c.ys])), figure);
    d.plot.setScale("x", { min: f.x[0], max: f.x[1] });
    d.plot.setScale("y", { min: f.y[0], max: f.y[1] });
    d.table = () => pairsOf(d.f).flatMap(c => [[c.label + ", " + f.x_label, c.xs], [c.label + ", " + f.y_label, c.ys]]);
    d.renew = () => {
      const at = ["x", "y"].map(key => d.plot.scales[key]), was = d.f;
      const keepsView = at[0].min > was.x[0] || at[0].max < was.x[1];
      return f => {
        d.f = f;
        d.plot.batch(() => {
          d.plot.setData([null].concat(pairsOf(f).map(c => [c.xs, c.ys])), false);
          ["x", "y"].forEach((key, i) => d.plot.setScale(key, keepsView ? { min: at[i].min, max: at[i].max }
            : { min: f[key][0], max: f[key][1] }));
        });
      };
    };
    keep(d, true);
    d.plot.over.addEventListener("dblclick", () => whole(d));
  }

  function keep(d, upToo) {
    drawn.push(d);
    pan(d.plot, upToo);
    names(d.plot);
    tools(d);
  }

  const together = d => d.plot.mode !== 2 && !d.f.part;

  // A plot as it was at first. Those over the whole time come back together.
  function whole(d) {
    for (const one of together(d) ? drawn.filter(together) : [d]) {
      one.plot.batch(() => {
        one.plot.series.forEach((s, i) => i && one.plot.setSeries(i, { show: true }));
        one.plot.setScale("x", { min: one.f.x[0], max: one.f.x[1] });
        if (one.plot.mode === 2) one.plot.setScale("y", { min: one.f.y[0], max: one.f.y[1] });
      });
    }
  }

  // The cursor of all plots over time goes to an instant.
  function toTime(s) {
    const d = drawn.find(together);
    if (!d) return;
    d.plot.setCursor({ left: d.plot.valToPos(s, "x"), top: 10 }, true, true); // and in all others
  }

  // With Shift the plot moves with the mouse.
  function pan(u, upToo) {
    u.over.addEventListener("mousedown", e => {
      if (!e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      e.stopImmediatePropagation();
      const at = { x: e.clientX, y: e.clientY }, box = u.over.getBoundingClientRect();
      const scale = key => ({ key, min: u.scales[key].min, max: u.scales[key].max, log: u.scales[key].distr === 3 });
      const scales = (upToo ? ["x", "y"] : ["x"]).map(scale);
      const d = drawn.find(p => p.plot === u), all = together(d) ? drawn.filter(together) : [d];
      const move = m => {
        const by = { x: (at.x - m.clientX) / box.width, y: (m.clientY - at.y) / box.height };
        for (const s of scales) {
          const way = s.log ? Math.pow(s.max / s.min, by[s.key]) : by[s.key] * (s.max - s.min);
          const range = s.log ? { min: s.min * way, max: s.max * way } : { min: s.min + way, max: s.max + way };
          for (const o of all) o.plot.setScale(s.key, range);
        }
      };
      const up = () => { removeEventListener("mousemove", move); removeEventListener("mouseup", up); };
      addEventListener("mousemove", move);
      addEventListener("mouseup", up);
    }, true);
  }

  let spreading = false;
  function spread(u, i, how) {
    if (!compared || spreading || !i || !how || how.show == null) return;
    spreading = true;
    for (const d of drawn) {
      d.plot.series.forEach((s, k) => {
        if (k && s.label === u.series[i].label && s.show !== how.show) d.plot.setSeries(k, { show: how.show });
      });
    }
    spreading = false;
  }

  // A click on a name hides its curve, a double click shows it alone, and again all.
  function names(u) {
    u.root.querySelectorAll(".u-legend .u-series").forEach((row, i) => {
      const k = u.mode === 2 ? i + 1 : i;
      const label = row.querySelector("th");
      if (!label || (u.mode !== 2 && i === 0)) return;
      label.tabIndex = 0;
      label.title = "click: hide; double click: alone";
      const alone = () => {
        const only = u.series.every((s, j) => j === 0 || s.show === (j === k));
        u.batch(() => u.series.forEach((s, j) => j && u.setSeries(j, { show: only || j === k })));
      };
      label.addEventListener("dblclick", alone);
      label.addEventListener("keydown", e => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        if (e.shiftKey) alone(); else u.setSeries(k, { show: !u.series[k].show });
      });
    });
  }

  function save(d, blob, ending) {
    const name = d.f.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "plot";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name + "." + ending;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Buttons of a plot: differences, the whole again, the picture and the numbers as files.
  function tools(d) {
    const bar = document.createElement("div");
    bar.className = "tools";
    const svg = () => new Blob([drawingOf(d)], { type: "image/svg+xml" });
    const csv = () => new Blob([numbersOf(d)], { type: "text/csv" });
    const list = [
      ["whole", "show all of it again", () => whole(d)],
      ["PNG", "save the picture as PNG", () => pictureOf(d).toBlob(b => save(d, b, "png"))],
      ["SVG", "save the picture as SVG", () => save(d, svg(), "svg")],
      ["CSV", "save the numbers of the curves as CSV", () => save(d, csv(), "csv")],
    ];
    const base = d.f.curves.find(c => !c.less);
    if (base && d.f.curves.some(c => c.less)) {
      list.unshift(["difference", "show the curves less " + base.name, e => differ(d, base, e.currentTarget)]);
    }
    for (const [text, title, act] of list) {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = text;
      b.title = title;
      b.addEventListener("click", act);
      bar.append(b);
    }
    d.figure.querySelector("h3").after(bar);
  }

  // A panel with the curves of a plot less the one of comparison comes and goes below it.
  function differ(d, base, button) {
    button.setAttribute("aria-pressed", String(!d.panel));
    if (d.panel) {
      drawn.splice(drawn.indexOf(d.panel), 1);
      d.panel.plot.destroy();
      d.panel.figure.remove();
      d.panel = null;
      return;
    }
    const curves = d.f.curves.filter(c => c.less).map(c => ({ ...c, y: c.less, less: 0, dashed: false }));
    const title = d.f.title + ", less " + base.name, figure = place(title);
    d.figure.after(figure);
    overTime({ ...d.f, title, shape: "strip", level: 0, least: 0, most: 0, curves }, figure);
    d.panel = drawn.at(-1);
    const x = d.plot.scales.x;
    d.panel.plot.setScale("x", { min: x.min, max: x.max });
  }

  for (const s of page.sections) {
    const head = document.createElement("h2");
    head.textContent = s.title;
    root.append(head);
    let row = null, shape = "";
    for (const f of s.figures) {
      if (!row || f.shape !== shape) {
        row = document.createElement("div");
        row.className = "row " + (shape = f.shape);
        root.append(row);
      }
      const figure = place(f.title);
      row.append(figure);
      if (["square", "loop", "half", "broad"].includes(f.shape)) overQuantity(f, figure); else overTime(f, figure);
    }
  }

  // The same figures with other numbers: zoom and hidden curves stay. What is in sight is drawn at once, the rest when
  // nothing has changed for a while.
  let later = 0;
  function renew(nextPage, nextTraces) {
    for (const d of [...drawn].filter(d => d.panel)) d.figure.querySelector("[aria-pressed=true]").click();
    page = nextPage;
    traces = nextTraces;
    const figures = page.sections.flatMap(s => s.figures), rest = [];
    const inSight = e => {
      const box = e.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    };
    drawn.forEach((d, i) => {
      if (inSight(d.figure)) d.renew()(figures[i]); else rest.push(() => d.renew()(figures[i]));
    });
    if (moving) moving.renew(page, traces);
    clearTimeout(later);
    const next = () => {
      const act = rest.shift();
      if (act) act();
      if (rest.length) later = setTimeout(next, 0);
    };
    later = setTimeout(next, 150);
  }

  function end() {
    clearTimeout(later);
    if (moving) moving.end();
    for (const d of drawn) d.plot.destroy();
  }

  function fit() {
    for (const d of drawn) d.plot.setSize({ width: d.figure.clientWidth, height: height(d.f) });
    if (moving) moving.fit();
  }
  return { drawn, moving, fit, renew, end };
}
drawPlots.pages = 0; // drawn so far: the plots of each zoom together
