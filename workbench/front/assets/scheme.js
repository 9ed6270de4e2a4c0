"use strict";

// The drawing of a test: the loop from the ground to the specimen and back. A click on a part goes to its block.
function schemeView(root, goTo) {
  const svg = (tag, attributes, ...children) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const names = {
    ground: "Ground motion", target: "Prescribed target", structure: "Numerical part", devices: "Devices", integrator: "Integrator",
    two_rate: "Main steps", compensator: "Compensator", fallback: "Fallback", limits: "Limits",
    transfer: "Actuator", specimen: "Specimen", specimens: "Specimens", sensors: "Sensors", converters: "Converters",
    faults: "Faults on request",
  };
  const flow = make("div", { className: "flow" }), picture = make("div", { className: "scheme" });
  const list = make("dl", { className: "parts" });
  root.append(flow, picture, list);

  // What each part of the loop hands to the next one.
  const hands = {
    ground: "shakes", structure: "target", target: "target", compensator: "command", limits: "command",
    transfer: "displacement", specimen: "force", specimens: "forces",
  };

  // The loop from left to right, and what comes back.
  function loopOf(d) {
    const delays = d.delays || {};
    const kind = p => p.text.startsWith("[") ? p.text.split("channel:").length - 1 + " channels"
      : p.key === "sensors" ? "" : p.text.split(/[:;{]/)[0].trim();
    const later = of => delays[of] ? ", " + delays[of] + " later" : "";
    const order = [
      "ground", "target", "structure", "compensator", "limits", "transfer", "specimen", "specimens", "sensors",
    ];
    const chain = order.map(key => d.parts.find(p => p.key === key)).filter(p => p);
    return chain.flatMap(p => {
      const box = make("button", { type: "button" }, make("strong", { textContent: names[p.key] }),
        make("span", { textContent: kind(p) }));
      box.addEventListener("click", () => goTo(p.line || 1, p.column || 1));
      box.disabled = !p.line;
      const last = p === chain.at(-1), open = d.parts.some(q => q.key === "target");
      const text = last ? open ? "" : "back to the numerical part" + later("force")
        : (hands[p.key] || "") + (p.key === "compensator" ? later("command") : "");
      return text ? [box, make("span", { className: "arrow", textContent: (last ? "↩ " : "→ ") + text })] : [box];
    });
  }

  // The structure as lines, with the joints that actuators hold, and a mode beside it.
  function shapeOf(d, mode) {
    const s = d.shape, xs = s.joints.map(j => j[0]), ys = s.joints.map(j => j[1]);
    const wide = Math.max(...xs) - Math.min(...xs) || 1, high = Math.max(...ys) - Math.min(...ys) || 1;
    const unit = Math.min(110 / wide, 150 / high), moved = mode ? 18 : 0;
    const at = k => {
      const [across, up] = s.dof[k].map(dof => dof >= 0 && mode ? moved * mode.shape[dof] : 0);
      return [30 + unit * (xs[k] - Math.min(...xs)) + across, 165 - unit * (ys[k] - Math.min(...ys)) - up];
    };
    const point = k => at(k).map(v => v.toFixed(1));
    const path = s.lines.map(([a, b]) => "M" + point(a) + "L" + point(b)).join("");
    const pen = s.joints.length > 40 ? 0.7 : 2;
    const g = svg("g", {}, svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": pen }));
    if (!mode) {
      (d.held || []).forEach((dof, i) => {
        const k = s.dof.findIndex(p => p[0] === dof);
        if (k < 0) return;
        const [x, y] = at(k);
        g.append(svg("path", { d: `M0 ${y}H${x}M0 ${y - 7}v14`, stroke: "#0072B2", "stroke-width": 2 }),
          svg("circle", { cx: x, cy: y, r: 4, fill: "#0072B2" }, svg("title", {}, "actuator " + (i + 1))));
      });
      for (const of of d.devices || []) {
        const ends = of.between.map(dof => s.dof.findIndex(p => dof ? p[0] === dof - 1 : p[0] < 0 && p[1] < 0));
        if (ends.some(k => k < 0)) continue;
        const [[x1, y1], [x2, y2]] = ends.map(at), x = Math.max(x1, x2) + 14, middle = (y1 + y2) / 2;
        g.append(svg("path", { d: `M${x} ${y1}V${middle - 4}m-5 0h10m0 -4v9h-10v-9M${x} ${middle + 5}V${y2}`, fill: "none",
          stroke: of.learns ? "#D55E00" : "#009E73", "stroke-width": 1.5 },
        svg("title", {}, of.text + (of.learns ? ", learns" : ""))));
      }
      for (const storey of d.yielding || []) {
        const k = s.dof.findIndex(p => p[0] === storey - 1);
        const [x, y] = k < 0 ? [] : at(k);
        if (k >= 0) g.append(svg("text", { x: x + unit * wide + 6, y: y + 14, class: "yields" }, "yields"));
      }
    }
    return svg("svg", { viewBox: "-4 0 180 180", width: 180, height: 180, role: "img",
      "aria-label": mode ? "mode shape" : "numerical part" }, g);
  }

  function show(d) {
    const boxes = [];
    if (d.shape) boxes.push(make("figure", {}, shapeOf(d, null), make("figcaption", { textContent: "Numerical part" +
      (d.shape.metres ? "" : ", storeys not to scale") })));
    for (const [i, m] of (d.modes || []).entries()) {
      const caption = make("figcaption", { textContent: "Mode " + (i + 1) + ": " + shortest(m.hz, 4) + " Hz, damping " +
        shortest(m.damping_pct, 3) + " %" });
      boxes.push(make("figure", {}, ...(d.shape ? [shapeOf(d, m)] : []), caption));
    }
    flow.replaceChildren(...loopOf(d));
    picture.replaceChildren(...boxes);
    const rows = d.parts.map(p => {
      const go = make("button", { type: "button", className: "link", textContent: names[p.key] || p.key });
      go.addEventListener("click", () => goTo(p.line || 1, p.column || 1));
      if (!p.line) go.disabled = true;
      return make("div", {}, make("dt", {}, go), make("dd", { textContent: p.text || "as given" }));
    });
    const delays = Object.entries(d.delays || {}).map(([what, text]) =>
      make("div", {}, make("dt", { textContent: "Delay of the " + what }), make("dd", { textContent: text })));
    list.replaceChildren(make("div", {}, make("dt", { textContent: "Rate" }),
      make("dd", { textContent: d.rate_hz + " Hz, " + d.axes + (d.axes > 1 ? " actuators" : " actuator") })),
    ...rows, ...delays);
  }
  function wrong(text) {
    flow.replaceChildren();
    picture.replaceChildren(make("p", { textContent: text }));
    list.replaceChildren();
  }
  const clear = () => wrong("Drawing …");
  clear();
  return { show, wrong, clear, share() {}, fit() {} };
}
