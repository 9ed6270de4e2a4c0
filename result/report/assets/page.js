"use strict";
(async function () {
  const page = JSON.parse(document.getElementById("data").textContent);
  const font = "12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
  const sync = uPlot.sync("time");
  const drawn = []; // every plot with its figure and its height
  const markers = { fill: () => null, dash: (u, i) => u.series[i].dash ? "dashed" : "solid" };
  const paper = () => document.documentElement.classList.contains("paper");

  // Traces are packed (pack.go); null where there is no number.
  async function unpack(text) {
    const packed = new Blob([Uint8Array.from(atob(text), c => c.charCodeAt(0))]);
    const planes = new Uint8Array(await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
    const n = planes.length / 4, values = new Array(n), bits = new Uint32Array(1), number = new Float32Array(bits.buffer);
    for (let k = 0, place = 0; k < n; k++) {
      const word = planes[k] | planes[n + k] << 8 | planes[2 * n + k] << 16 | planes[3 * n + k] << 24;
      place += word >>> 1 ^ -(word & 1);
      const b = place << 6;
      bits[0] = (b < 0 ? b & 0x7fffffff : ~b) & ~63;
      values[k] = Number.isFinite(number[0]) ? number[0] : null;
    }
    return values;
  }
  if (!("DecompressionStream" in window)) {
    document.getElementById("plots").textContent = "This browser cannot draw the plots. Want one of 2023 or later.";
    return;
  }
  const traces = await Promise.all(page.traces.map(unpack));

  function shown(v) {
    return v == null ? "–" : String(Number(v.toPrecision(5)));
  }

  // Colours of what is not a curve, on white and on black. A dark page lightens the ink of curves too.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const night = () => dark.matches && !paper();
  const ground = () => night() ? { ink: "#e6e6e6", grid: "#33373d", text: "#b4b4b4", page: "#16181c", fault: "#4a3d1d" } : { ink: "#1c1c1c", grid: "#e4e4e4", text: "#555", page: "#fff", fault: "#f7e6c4" };
  const shade = colour => night() ? nightColours[colour] || colour : colour;

  // Ticks are those of images: about eight across and five up, fewer where there is no room.
  function axis(label, vertical, log) {
    const wanted = length => Math.max(2, Math.min(vertical ? 5 : 8, Math.floor(length / (vertical ? 28 : 55))));
    const ticks = (low, high, length) => log ? decadeTicks(low, high, vertical || length < 260) : roundTicks(low, high, wanted(length));
    const a = {
      label, labelFont: font, font, stroke: () => ground().ink, grid: { stroke: () => ground().grid, width: 1 }, ticks: { size: 6, stroke: () => ground().grid }, gap: 3, labelGap: 1, labelSize: 18,
      splits: (u, i, low, high) => (u.axes[i].marks = ticks(low, high, (vertical ? u.bbox.height : u.bbox.width) / devicePixelRatio)).map(t => t.at),
      filter: (u, splits) => splits,
      values: (u, splits, i) => splits.map((v, k) => u.axes[i].marks[k] ? u.axes[i].marks[k].text : ""),
    };
    if (vertical) a.size = (u, values) => 14 + 7 * Math.max(3, ...(values || []).map(v => v.length));
    else a.size = 24;
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
      c.fillStyle = ground().fault;
      c.fillRect(m.from, box.top, m.to - m.from, box.height);
      c.fillStyle = m.from_s === m.to_s ? shade("#A00000") : "#d9a441";
      c.fillRect(m.from, box.top, devicePixelRatio, box.height);
    }
    marks.forEach((m, i) => {
      if (!named || m.to < box.left || m.from > box.left + box.width) return;
      const wide = c.measureText(m.label).width, right = box.left + box.width - wide - 4;
      const x = Math.min(Math.max(m.from, box.left), right) + 3, y = box.top + 2 + i * line;
      c.fillStyle = ground().page;
      if (clear) c.fillRect(x, y, wide, line);
      c.fillStyle = ground().text;
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
    c.strokeStyle = shade("#A00000");
    c.fillStyle = ground().text;
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

  // The range of a vertical axis over time: all that is in sight with a margin and the level, at least f.least long, and no
  // farther from 0 than f.most. f.y, from the program (sight.go), is that of the whole, by the same rules.
  function span(f, low, high) {
    if (f.level > 0) {
      low = Math.min(low || 0, -1.2 * f.level);
      high = Math.max(high || 0, f.level);
    }
    if (low == null) return [-1, 1];
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

  // Plots over the whole time zoom together, and all show the values of one instant. A plot of a part zooms alone.
  function overTime(f, figure) {
    const n = Math.max(...f.curves.map(c => traces[c.y].length));
    const time = Array.from({ length: n }, (_, i) => page.start_s + i * page.step_s);
    const data = f.curves.map(c => {
      const y = traces[c.y].slice();
      while (y.length < n) y.push(null);
      return y;
    });
    const all = (min, max) => min == null || (min <= f.x[0] && max >= f.x[1]) || (!f.part && min <= time[0] && max >= time[n - 1]);
    const lines = f.curves.filter(c => !c.dashed).length;
    const plot = new uPlot({
      width: figure.clientWidth,
      height: height(f),
      cursor: { y: false, sync: { key: sync.key, setSeries: false, filters: f.part ? { pub: type => type === "mousemove" || type === "mouseleave", sub: type => type === "mousemove" || type === "mouseleave" } : undefined }, drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: (u, min, max) => all(min, max) ? f.x : [min, max] },
        y: { range: (u, min, max) => span(f, min, max) },
      },
      hooks: { setSeries: [spread], ...(f.level > 0 ? { drawAxes: [u => drawLevel(u, f), u => drawMarks(u, true, true)] } : { drawClear: [u => drawMarks(u, f.shape !== "small", false)] }) },
      axes: [axis(f.x_label, false), axis(f.y_label, true)],
      series: [{ label: "time, s", value: (u, v) => shown(v) }].concat(f.curves.map((c, i) => ({
        label: c.name, stroke: () => shade(c.colour), width: c.dashed ? 1 : width(i, lines), dash: c.dashed ? [6, 4] : undefined,
        points: { show: n < 3 }, value: (u, v) => shown(v),
      }))),
      legend: { show: f.curves.length > 1 || f.shape !== "small", markers },
    }, [time].concat(data), figure);
    pan(plot, false);
    drawn.push({ plot, figure, f, table: () => [[f.x_label, time]].concat(f.curves.map((c, i) => [c.name + ", " + f.y_label, data[i]])) });
  }

  function overQuantity(f, figure) {
    const curves = f.curves.map(c => ({ label: c.name, colour: c.colour, xs: traces[c.x], ys: traces[c.y], dash: c.dashed ? [6, 4] : undefined }));
    if (f.diagonal) curves.push({ label: "ideal", colour: "#303030", xs: f.x, ys: f.x, dash: [6, 4] });
    // A zoomed range is kept; the whole range comes back with a double click.
    const kept = whole => {
      let begun = false; // what uPlot asks first is the range of the data
      return (u, min, max) => {
        const range = !begun || min == null || (min <= whole[0] && max >= whole[1]) ? whole : [min, max];
        begun = true;
        return range;
      };
    };
    const plot = new uPlot({
      mode: 2,
      width: figure.clientWidth,
      height: height(f),
      legend: { live: false, show: f.shape !== "loop", markers },
      cursor: { points: { show: false }, drag: { x: true, y: true }, dataIdx: () => null },
      hooks: { setSeries: [spread] },
      scales: { x: { time: false, distr: f.log_x ? 3 : 1, range: kept(f.x) }, y: { time: false, distr: f.log_y ? 3 : 1, range: kept(f.y) } },
      axes: [axis(f.x_label, false, f.log_x), axis(f.y_label, true, f.log_y)],
      series: [{}].concat(curves.map(c => ({
        label: c.label, stroke: () => shade(c.colour), width: 1, dash: c.dash, paths: pathOver, points: { show: false },
        facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
      }))),
    }, [null].concat(curves.map(c => [c.xs, c.ys])), figure);
    plot.setScale("x", { min: f.x[0], max: f.x[1] });
    plot.setScale("y", { min: f.y[0], max: f.y[1] });
    pan(plot, true);
    drawn.push({ plot, figure, f, table: () => curves.flatMap(c => [[c.label + ", " + f.x_label, c.xs], [c.label + ", " + f.y_label, c.ys]]) });
    plot.over.addEventListener("dblclick", () => whole({ plot, f }));
  }

  // A plot as it was at first. Those over the whole time come back together.
  function whole(d) {
    for (const one of d.f.part || d.plot.mode === 2 ? [d] : drawn.filter(o => o.plot.mode !== 2 && !o.f.part)) {
      one.plot.batch(() => {
        one.plot.series.forEach((s, i) => i && one.plot.setSeries(i, { show: true }));
        one.plot.setScale("x", { min: one.f.x[0], max: one.f.x[1] });
        if (one.plot.mode === 2) one.plot.setScale("y", { min: one.f.y[0], max: one.f.y[1] });
      });
    }
  }

  // With Shift the plot moves with the mouse.
  function pan(u, upToo) {
    u.over.addEventListener("mousedown", e => {
      if (!e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      e.stopImmediatePropagation();
      const at = { x: e.clientX, y: e.clientY }, box = u.over.getBoundingClientRect();
      const scales = (upToo ? ["x", "y"] : ["x"]).map(key => ({ key, min: u.scales[key].min, max: u.scales[key].max, log: u.scales[key].distr === 3 }));
      const move = m => {
        const by = { x: (at.x - m.clientX) / box.width, y: (m.clientY - at.y) / box.height };
        for (const s of scales) {
          const d = s.log ? Math.pow(s.max / s.min, by[s.key]) : by[s.key] * (s.max - s.min);
          const range = s.log ? { min: s.min * d, max: s.max * d } : { min: s.min + d, max: s.max + d };
          if (upToo) u.setScale(s.key, range);
          else for (const o of drawn) if (o.plot === u || (!o.f.part && o.plot.mode !== 2 && !drawn.find(p => p.plot === u).f.part)) o.plot.setScale(s.key, range);
        }
      };
      const up = () => { removeEventListener("mousemove", move); removeEventListener("mouseup", up); };
      addEventListener("mousemove", move);
      addEventListener("mouseup", up);
    }, true);
  }

  // In a comparison a run that is hidden in one plot is hidden in all.
  const compared = document.querySelector("table.ranked.across") !== null;
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

  // Buttons of a plot: the whole again, the picture and the numbers as files.
  function tools(d) {
    const bar = document.createElement("div");
    bar.className = "tools";
    const name = d.f.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "plot";
    const save = (blob, ending) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = name + "." + ending;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    for (const [text, title, act] of [
      ["whole", "show all of it again", () => whole(d)],
      ["PNG", "save the picture as PNG", () => picture(d).toBlob(b => save(b, "png"))],
      ["SVG", "save the picture as SVG", () => save(new Blob([drawing(d)], { type: "image/svg+xml" }), "svg")],
      ["CSV", "save the numbers of the curves as CSV", () => save(new Blob([numbers(d)], { type: "text/csv" }), "csv")],
    ]) {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = text;
      b.title = title;
      b.addEventListener("click", act);
      bar.append(b);
    }
    d.figure.querySelector("h3").after(bar);
    Object.assign(d, { picture, drawing, numbers });
  }

  // The numbers of the curves, a column each. Empty: no number.
  function numbers(d) {
    const columns = d.table(), rows = Math.max(...columns.map(c => c[1].length));
    const quoted = t => /[",\n]/.test(t) ? '"' + t.replace(/"/g, '""') + '"' : t;
    const lines = [columns.map(c => quoted(c[0])).join(",")];
    for (let i = 0; i < rows; i++) lines.push(columns.map(c => c[1][i] == null ? "" : Number(c[1][i].toPrecision(9))).join(","));
    return lines.join("\n") + "\n";
  }

  const seen = d => d.plot.series.map((s, i) => ({ s, i })).filter(e => e.i > 0 && e.s.show);

  // The plot with its title and the names of its curves on one canvas.
  function picture(d) {
    const from = d.plot.ctx.canvas, r = devicePixelRatio, head = 48 * r;
    const to = document.createElement("canvas");
    [to.width, to.height] = [from.width, from.height + head];
    const c = to.getContext("2d");
    c.fillStyle = ground().page;
    c.fillRect(0, 0, to.width, to.height);
    c.drawImage(from, 0, head);
    c.textBaseline = "middle";
    c.font = "600 " + 14 * r + "px system-ui, sans-serif";
    c.fillStyle = ground().ink;
    c.fillText(d.f.title, 8 * r, 14 * r);
    c.font = 12 * r + "px system-ui, sans-serif";
    let x = 8 * r;
    for (const { s } of seen(d)) {
      c.strokeStyle = s.stroke();
      c.lineWidth = 2 * r;
      c.setLineDash(s.dash ? [5 * r, 3 * r] : []);
      c.beginPath();
      c.moveTo(x, 36 * r);
      c.lineTo(x + 20 * r, 36 * r);
      c.stroke();
      c.fillText(s.label, x + 26 * r, 36 * r);
      x += 44 * r + c.measureText(s.label).width;
    }
    return to;
  }

  // The same as SVG, of the data of the page.
  function drawing(d) {
    const u = d.plot, r = devicePixelRatio, w = u.ctx.canvas.width / r, head = 48, h = u.ctx.canvas.height / r + head;
    const box = { x: u.bbox.left / r, y: u.bbox.top / r + head, w: u.bbox.width / r, h: u.bbox.height / r };
    const text = t => String(t).replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");
    const px = v => (u.valToPos(v, "x", true) / r).toFixed(2), py = v => (u.valToPos(v, "y", true) / r + head).toFixed(2);
    const out = [`<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="system-ui, sans-serif" font-size="12">`,
      `<rect width="100%" height="100%" fill="#fff"/>`,
      `<text x="8" y="18" font-size="14" font-weight="600">${text(d.f.title)}</text>`];
    for (const t of u.axes[0].marks || []) out.push(`<path d="M${px(t.at)} ${box.y}v${box.h}" stroke="#e4e4e4"/><text x="${px(t.at)}" y="${box.y + box.h + 16}" text-anchor="middle">${text(t.text)}</text>`);
    for (const t of u.axes[1].marks || []) out.push(`<path d="M${box.x} ${py(t.at)}h${box.w}" stroke="#e4e4e4"/><text x="${box.x - 6}" y="${py(t.at)}" dy="4" text-anchor="end">${text(t.text)}</text>`);
    out.push(`<text x="${box.x + box.w / 2}" y="${h - 6}" text-anchor="middle">${text(d.f.x_label)}</text>`,
      `<text transform="translate(12 ${box.y + box.h / 2}) rotate(-90)" text-anchor="middle">${text(d.f.y_label)}</text>`);
    let x = 8;
    const inner = []; // cut at the box
    for (const { s, i } of seen(d)) {
      const [xs, ys] = u.mode === 2 ? u.data[i] : [u.data[0], u.data[i]];
      let path = "", pen = false;
      for (let k = 0; k < xs.length; k++) {
        if (xs[k] == null || ys[k] == null) { pen = false; continue; }
        path += (pen ? "L" : "M") + px(xs[k]) + " " + py(ys[k]);
        pen = true;
      }
      const colour = d.f.curves[i - 1] ? d.f.curves[i - 1].colour : "#303030", dash = s.dash ? ' stroke-dasharray="6 4"' : "";
      inner.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="${s.width / r > 1 ? 1.5 : 1}"${dash}/>`);
      out.push(`<path d="M${x} 36h20" stroke="${colour}" stroke-width="2"${dash}/><text x="${x + 26}" y="40">${text(s.label)}</text>`);
      x += 44 + 7 * s.label.length;
    }
    out.push(`<svg x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}" viewBox="${box.x} ${box.y} ${box.w} ${box.h}">`, ...inner, "</svg></svg>");
    return out.join("\n") + "\n";
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
      names(drawn.at(-1).plot);
      tools(drawn.at(-1));
    }
  }

  // Links to all that has a heading.
  const headings = [...document.querySelectorAll("main h2")];
  headings.forEach((h, i) => { h.id = h.id || "part-" + (i + 1); });
  for (const h of headings) {
    const link = document.createElement("a");
    link.href = "#" + h.id;
    link.textContent = h.textContent;
    document.getElementById("contents").append(link);
  }

  // Among runs the best value of a criterion stands out, and a table of runs sorts by a click on a head.
  const size = cell => Math.abs(parseFloat(cell.textContent.replace("·10", "e").replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, c => c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c))));
  for (const t of document.querySelectorAll("table.ranked")) {
    const rows = [...t.tBodies[0].rows], across = t.classList.contains("across");
    const lists = across ? rows[0] ? [...rows[0].cells].slice(1).map((c, k) => rows.map(r => r.cells[k + 1])) : [] : rows.map(r => [...r.cells].slice(1));
    for (const cells of lists) {
      const known = cells.map(size).filter(Number.isFinite), least = Math.min(...known), most = Math.max(...known);
      if (known.length < 2 || least === most) continue;
      for (const c of cells) {
        const share = Math.log((size(c) + 1e-9 * most) / (most + 1e-9 * most)) / Math.log((least + 1e-9 * most) / (most + 1e-9 * most));
        if (Number.isFinite(share)) c.style.backgroundColor = `rgba(0, 114, 178, ${(0.22 * share).toFixed(3)})`;
        if (size(c) === least) c.classList.add("best");
      }
    }
    if (across) [...t.tHead.rows[0].cells].forEach((head, k) => {
      head.tabIndex = 0;
      head.title = "sort";
      const sort = () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const h of t.tHead.rows[0].cells) h.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = r => k ? size(r.cells[k]) : r.cells[0].textContent;
        rows.sort((a, b) => (key(a) > key(b) ? 1 : key(a) < key(b) ? -1 : 0) * (down ? -1 : 1));
        t.tBodies[0].append(...rows);
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
    });
  }

  function fit() {
    for (const d of drawn) d.plot.setSize({ width: d.figure.clientWidth, height: height(d.f) });
  }
  addEventListener("resize", fit);
  dark.addEventListener("change", fit);
  window.rthsPlots = drawn; // for tests
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", on);
      fit();
    });
  }
})();
