"use strict";
(function () {
  const page = JSON.parse(document.getElementById("data").textContent);
  const font = "12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
  const sync = uPlot.sync("time");
  const drawn = []; // every plot with its figure and its height
  const markers = { fill: () => null, dash: (u, i) => u.series[i].dash ? "dashed" : "solid" };
  const paper = () => document.documentElement.classList.contains("paper");

  // Traces are little-endian float32 in base64; null where there is no number.
  function decode(text) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const values = new Array(bytes.length / 4);
    for (let i = 0; i < values.length; i++) {
      const v = view.getFloat32(4 * i, true);
      values[i] = Number.isFinite(v) ? v : null;
    }
    return values;
  }
  const traces = page.traces.map(decode);

  function shown(v) {
    return v == null ? "–" : String(Number(v.toPrecision(5)));
  }

  // Places of the ticks of an axis in decades: 1, 2, 5 times a power of ten.
  function decades(u, i, min, max) {
    const places = [];
    for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
      for (const digit of [1, 2, 5]) {
        const v = Number((digit * Math.pow(10, e)).toPrecision(6));
        if (v >= min && v <= max) places.push(v);
      }
    }
    return places;
  }

  // Of many places the powers of ten alone.
  const powers = places => places.filter(v => Number.isInteger(Number(Math.log10(v).toFixed(9))));
  const decimal = v => v < 1e5 ? String(v) : v.toExponential().replace("+", "");
  const leastBelow = 45; // pixels from tick to tick

  function axis(label, vertical) {
    const a = { label, labelFont: font, font, values: tickTexts, stroke: "#1c1c1c", grid: { stroke: "#e4e4e4", width: 1 }, ticks: { size: 6 }, gap: 3, labelGap: 1, labelSize: 18 };
    if (vertical) {
      a.space = (u, i, low, high, length) => length < 150 ? 22 : 32;
      a.size = (u, values) => 14 + 7 * Math.max(3, ...(values || []).map(v => v.length));
    } else {
      a.size = 24;
      a.space = 40;
    }
    return a;
  }

  // Heights on paper let five wide plots stand on a page.
  function height(f) {
    const sizes = paper() ? { wide: 165, square: 290, small: 130, loop: 200, strip: 110, half: 190, broad: 190 } : { wide: 270, square: Math.min(430, innerWidth), small: 210, loop: 260, strip: 150, half: 270, broad: 290 };
    return sizes[f.shape];
  }

  function place(row, title) {
    const figure = document.createElement("figure");
    const head = document.createElement("h3");
    head.textContent = title;
    figure.append(head);
    row.append(figure);
    return figure;
  }

  // Spans of faults and the instant at which a limit acted, behind the curves. Wide
  // plots say what they are, each mark in a line of its own, on white where it crosses a level.
  function drawMarks(u, named, clear) {
    const c = u.ctx, box = u.bbox, line = 13 * devicePixelRatio;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    c.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
    c.textBaseline = "top";
    c.textAlign = "left";
    const marks = (page.marks || []).map(m => ({ ...m, from: u.valToPos(m.from_s, "x", true), to: u.valToPos(m.to_s, "x", true) }));
    for (const m of marks) {
      c.fillStyle = "#f7e6c4";
      c.fillRect(m.from, box.top, m.to - m.from, box.height);
      c.fillStyle = m.from_s === m.to_s ? "#a00000" : "#d9a441";
      c.fillRect(m.from, box.top, devicePixelRatio, box.height);
    }
    marks.forEach((m, i) => {
      if (!named || m.to < box.left || m.from > box.left + box.width) return;
      const wide = c.measureText(m.label).width, right = box.left + box.width - wide - 4;
      const x = Math.min(Math.max(m.from, box.left), right) + 3, y = box.top + 2 + i * line;
      c.fillStyle = "#fff";
      if (clear) c.fillRect(x, y, wide, line);
      c.fillStyle = "#555";
      c.fillText(m.label, x, y);
    });
    c.restore();
  }

  // The level of a difference, on both sides of 0.
  function drawLevel(u, f) {
    const c = u.ctx, box = u.bbox;
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.width, box.height);
    c.clip();
    c.strokeStyle = "#a00000";
    c.fillStyle = "#555";
    c.lineWidth = devicePixelRatio;
    c.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    c.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
    for (const v of [f.level, -f.level]) {
      const y = u.valToPos(v, "y", true);
      c.beginPath();
      c.moveTo(box.left, y);
      c.lineTo(box.left + box.width, y);
      c.stroke();
    }
    c.textBaseline = "top";
    c.textAlign = "left";
    c.fillText(f.level_name, box.left + 3 * devicePixelRatio, u.valToPos(-f.level, "y", true) + 2 * devicePixelRatio);
    c.restore();
  }

  // The range of a vertical axis: all that is in sight with a margin and the level, at least
  // f.least long, and no farther from 0 than f.most.
  function span(f, low, high) {
    if (f.level > 0) {
      low = Math.min(low || 0, -1.2 * f.level);
      high = Math.max(high || 0, f.level);
    }
    if (low == null) return [-1, 1];
    if (f.most > 0) {
      low = Math.max(low, -f.most);
      high = Math.min(high, f.most);
    }
    const lack = Math.max(0, (f.least - (high - low)) / 2);
    const margin = 0.05 * (high - low + 2 * lack) || Math.abs(high) || 1;
    return [low - lack - margin, high + lack + margin];
  }

  // Plots over the whole time zoom together. A plot of a part of it zooms alone.
  function overTime(f, figure) {
    const n = Math.max(...f.curves.map(c => traces[c.y].length));
    const time = Array.from({ length: n }, (_, i) => page.start_s + i * page.step_s);
    const data = f.curves.map(c => {
      const y = traces[c.y].slice();
      while (y.length < n) y.push(null);
      return y;
    });
    const part = f.to_s > f.from_s;
    const whole = part ? [f.from_s, f.to_s] : [time[0], Math.max(time[n - 1], time[0] + page.step_s)];
    const all = (min, max) => min == null || (min <= time[0] && max >= time[n - 1]);
    const plot = new uPlot({
      width: figure.clientWidth,
      height: height(f),
      cursor: { y: false, sync: part ? undefined : { key: sync.key, setSeries: false }, drag: { x: true, y: false } },
      scales: { x: { time: false, range: (u, min, max) => all(min, max) ? whole : [min, max] }, y: { range: (u, min, max) => span(f, min, max) } },
      hooks: f.level > 0 ? { drawAxes: [u => drawLevel(u, f), u => drawMarks(u, true, true)] } : { drawClear: [u => drawMarks(u, f.shape !== "small", false)] },
      axes: [axis(f.x_label, false), axis(f.y_label, true)],
      series: [{ label: "time, s", value: (u, v) => shown(v) }].concat(f.curves.map(c => ({
        label: c.name, stroke: c.colour, width: 1.25, dash: c.dashed ? [6, 4] : undefined,
        points: { show: n < 3 }, value: (u, v) => shown(v),
      }))),
      legend: { show: f.curves.length > 1 || f.shape !== "small", markers },
    }, [time].concat(data), figure);
    drawn.push({ plot, figure, f });
  }

  // Smallest and largest number; [-1, 1] where there is none.
  function ends(lists) {
    let low = Infinity, high = -Infinity;
    for (const list of lists) {
      for (const v of list) {
        if (v != null && v < low) low = v;
        if (v != null && v > high) high = v;
      }
    }
    return low > high ? [-1, 1] : [low, high];
  }

  function wider([low, high]) {
    const margin = 0.05 * (high - low) || Math.abs(high) || 1;
    return [low - margin, high + margin];
  }

  function overQuantity(f, figure) {
    const curves = f.curves.map(c => ({ label: c.name, colour: c.colour, xs: traces[c.x], ys: traces[c.y], dash: c.dashed ? [6, 4] : undefined }));
    const across = ends(curves.map(c => c.xs)), up = ends(curves.map(c => c.ys));
    let x = wider(across), y = wider(up);
    if (f.box[0] > 0 && f.box[1] > 0) [x, y] = f.box.map(v => [-1.05 * v, 1.05 * v]);
    if (f.diagonal) {
      x = y = [Math.min(x[0], y[0]), Math.max(x[1], y[1])];
      curves.push({ label: "ideal", colour: "#303030", xs: x, ys: x, dash: [6, 4] });
    }
    // A zoomed range is kept; the whole range comes back with a double click.
    const scale = (all, own) => ({
      time: false,
      range: (u, min, max) => min == null || (min === own[0] && max === own[1]) || (min <= all[0] && max >= all[1]) ? all : [min, max],
    });
    const below = axis(f.x_label, false);
    let xScale = scale(x, across);
    if (f.log_x) {
      x = (f.shape === "broad" ? [across[0] / 1.1, across[1] * 1.1] : across).map(v => Number(v.toPrecision(6)));
      xScale = { ...scale(x, across), distr: 3 };
      below.splits = (u, i, min, max) => {
        const places = decades(u, i, min, max);
        return places.length * leastBelow * devicePixelRatio > u.bbox.width ? powers(places) : places;
      };
      below.filter = (u, splits) => splits;
      below.values = (u, splits) => splits.map(decimal);
    }
    const left = axis(f.y_label, true);
    let yScale = scale(y, up);
    if (f.log_y) {
      y = [f.shape === "broad" ? up[0] : up[0] / 1.3, up[1] * 1.3]; // a histogram stands on its axis
      yScale = { ...scale(y, up), distr: 3 };
      left.splits = (u, i, min, max) => max < 100 * min ? decades(u, i, min, max) : powers(decades(u, i, min, max));
      left.filter = (u, splits) => splits;
      left.values = (u, splits) => splits.map(decimal);
    }
    const plot = new uPlot({
      mode: 2,
      width: figure.clientWidth,
      height: height(f),
      legend: { live: false, show: f.shape !== "loop", markers },
      cursor: { points: { show: false }, drag: { x: true, y: true }, dataIdx: () => null },
      scales: { x: xScale, y: yScale },
      axes: [below, left],
      series: [{}].concat(curves.map(c => ({
        label: c.label, stroke: c.colour, width: 1, dash: c.dash, paths: pathOver, points: { show: false },
        facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }],
      }))),
    }, [null].concat(curves.map(c => [c.xs, c.ys])), figure);
    drawn.push({ plot, figure, f });
    plot.over.addEventListener("dblclick", () => {
      plot.setScale("x", { min: x[0], max: x[1] });
      plot.setScale("y", { min: y[0], max: y[1] });
    });
  }

  const plots = document.getElementById("plots");
  for (const s of page.sections) {
    const head = document.createElement("h2");
    head.textContent = s.title;
    plots.append(head);
    let row = null, shape = "";
    for (const f of s.figures) {
      if (!row || f.shape !== shape) {
        row = document.createElement("div");
        row.className = "row " + (shape = f.shape);
        plots.append(row);
      }
      const figure = place(row, f.title);
      if (["square", "loop", "half", "broad"].includes(f.shape)) overQuantity(f, figure); else overTime(f, figure);
    }
  }

  function fit() {
    for (const d of drawn) d.plot.setSize({ width: d.figure.clientWidth, height: height(d.f) });
  }
  addEventListener("resize", fit);
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", on);
      fit();
    });
  }
})();
