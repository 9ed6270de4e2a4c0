"use strict";
(function () {
  const id = name => document.getElementById(name);
  const most = 1024; // bins, as in package page
  const sightS = 10;
  let you = { number: 0, arm: false, open: true, ask: false };
  let about = null, past = null, plots = [], motion = null, frame = null;
  let source = null, program = null, heard = performance.now(), logged = 0, ownLost = 0, over = false, fresh = false;

  // text sets a text that has changed: a screen reader reads changes alone.
  function text(of, value) {
    if (of.textContent !== value) of.textContent = value;
  }

  function element(name, parts, attributes) {
    const e = document.createElement(name);
    e.append(...(parts || []));
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    return e;
  }

  async function post(path, body) {
    let answer;
    try {
      answer = await fetch(path, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body || {}),
        signal: AbortSignal.timeout(2000),
      });
    } catch {
      throw new Error("the program has not answered");
    }
    if (!answer.ok) throw new Error((await answer.text()).trim());
  }

  function tell(error) { text(id("refusal"), error ? error.message : ""); }

  // Connection.

  function connect() {
    if (source) source.close();
    source = new EventSource("/events");
    source.addEventListener("hello", e => { hear(); hello(JSON.parse(e.data)); });
    source.addEventListener("frame", e => { hear(); take(JSON.parse(e.data)); });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(begin, 500);
    };
  }

  function hear() { heard = performance.now(); }

  // A browser has six connections to a page. A window that nobody sees gives its own back, unless it has to sound.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source && !id("tone").checked) {
      source.close();
      source = null;
    } else if (!document.hidden && !source) {
      hear();
      begin();
    }
  });

  async function begin() {
    try {
      you = Object.assign(you, await (await fetch("/you")).json());
    } catch {
      setTimeout(begin, 500);
      return;
    }
    arming();
    if (you.open || you.number > 0) connect();
  }

  async function login(token) {
    try {
      await post("/login", { token });
      tell(null);
    } catch (e) {
      tell(e);
    }
    await begin();
  }

  // enter logs in with the token after #, and takes it out of sight.
  function enter() {
    const token = location.hash.slice(1);
    if (!token) return begin();
    history.replaceState(null, "", location.pathname);
    return login(token);
  }

  // A frame comes every 40 ms. Half a second without one is a lost connection.
  setInterval(() => {
    const silent = performance.now() - heard, lost = silent > 500 && (you.open || you.number > 0);
    id("lost").hidden = !lost;
    document.body.classList.toggle("cut", lost);
    if (!lost) return;
    text(id("lost-word"), over ? "THE PROGRAM HAS ENDED" : "NOT CONNECTED");
    text(id("lost-text"), over ? "You see the end of the test." :
      "What you see is old, and STOP does not work from here. Use the terminal, or the emergency stop.");
    text(id("lost-since"), `Nothing has come for ${(silent / 1000).toFixed(1)} s.`);
  }, 100);

  // What does not change.

  function hello(h) {
    you = Object.assign(you, h.you);
    ownLost = h.lost;
    if (program !== null && program !== h.program) { // another one at the same address
      location.reload();
      return;
    }
    program = h.program;
    note(h.log);
    if (h.about) {
      const same = about && JSON.stringify(about) === JSON.stringify(h.about);
      about = h.about;
      past = new Past(about.quantities.length, most);
      past.fill(h.newest, h.whole, h.each, h.last);
      if (!same) describe();
    }
    arming();
  }

  function describe() {
    text(id("place"), about.banner);
    text(id("name"), about.name);
    document.title = about.banner + " · " + about.name;
    id("banner").classList.toggle("virtual", about.virtual);
    const actuators = Array.from({ length: about.axes }, (_, i) => element("option", [String(i + 1)], { value: i }));
    id("axis").replaceChildren(...actuators);
    text(id("stops"), (about.tested ? "ramps down" : "ends the run") + " · key S");
    id("axis-box").hidden = about.axes < 2;
    text(id("specimen"), "Specimen: " + about.specimen);
    id("levels").replaceChildren(...about.rules.map(text => element("li", [text])));
    id("checklist").hidden = !about.checks.length;
    id("checks").replaceChildren(...about.checks.map(c => {
      const verdict = element("strong", [!c.ok ? "NO " : c.warning ? "WARNING " : "ok "]);
      return element("li", [verdict, c.name + ": ", element("small", [checked(c)])],
        { class: c.ok && !c.warning ? "good" : "bad" });
    }));
    bars();
    parameters();
    id("frames").hidden = !!about.body;
    id("body").hidden = id("named").hidden = !about.body;
    motion = about.body ? new BodyMotion(id("body"), id("scale"), id("named"), about)
      : new Motion(id("frames"), id("scale"), about);
    seen.observe(id("motion"));
    figures();
  }

  // checked is what a check has found, and its limit if there is one.
  function checked(c) {
    const number = v => c.unit === "bytes" ? size(v) : exactly(v, c.unit || "");
    const limit = c.limit != null && Math.abs(c.limit) < 9e18 ? ` ${c.compare} ${number(c.limit)}` : "";
    return number(c.value) + limit + (c.text ? ` (${c.text})` : "");
  }

  // meter is a bar with a name.
  function meter(name, parts, least, most) {
    return element("div", parts, {
      class: "track", role: "meter", "aria-labelledby": name, "aria-valuemin": least, "aria-valuemax": most,
      "aria-valuenow": least,
    });
  }

  function bars() {
    id("bars").replaceChildren(...about.limits.map((l, i) => {
      const label = element("span", [l.name], { id: "limit" + i });
      const track = meter("limit" + i, [element("i"), element("b")], 0, 100);
      if (l.warn > 0) {
        const mark = element("u");
        mark.style.left = 100 * l.warn / l.trip + "%";
        track.append(mark);
      }
      return element("div", [element("p", [label, element("span")]), track], { class: "bar" });
    }));
    if (!about.limits.length) id("bars").replaceChildren(element("p", ["This test has no limits."]));
  }

  function parameters() {
    const list = about.quantities.map((q, i) => ({ ...q, i })).filter(q => ["parameters", "flags"].includes(q.panel));
    id("learnt").hidden = list.length === 0;
    id("parameters").replaceChildren(...list.map(q => {
      const name = element("span", [q.name], { id: "parameter" + q.i });
      const parts = [element("p", [name, element("span")])];
      if (q.lower != null) parts.push(meter("parameter" + q.i, [element("b")], q.lower, q.upper));
      const box = element("div", parts, { class: "bar wide" });
      box.quantity = q;
      return box;
    }));
  }

  // Plots.

  const span = () => document.querySelector("input[name=span]:checked").value;
  // zero is the time of tick 0 of the run since the first row. Before the run it is now.
  const zero = () => !frame ? 0 : frame.start != null ? frame.start : frame.t;
  const range = () => {
    const t = frame ? frame.t : 0, from = span() === "whole" ? 0 : Math.max(0, t - sightS);
    return [from - zero(), Math.max(t, from + (span() === "whole" ? 1 : sightS)) - zero()];
  };

  // limitOf are the levels of a limit in a plot.
  function limitOf(channel, axisNumber) {
    const names = [channel, channel.replace(/_m$/, `_${axisNumber + 1}_m`)], out = [];
    const level = (name, v, unit, warning) => {
      out.push({ values: [v, -v], name: `${name} ±${exactly(v, unit)}`, warning });
    };
    for (const l of about.limits.filter(l => names.includes(l.channel))) {
      level("limit", l.trip, l.unit, false);
      if (l.warn > 0) level("warning", l.warn, l.unit, true);
    }
    return out;
  }

  // boundsOf are the bounds of an adaptive parameter, which its bar shows too.
  function boundsOf(q) {
    return [["upper bound", q.upper], ["lower bound", q.lower]].filter(([, v]) => v != null)
      .map(([name, v]) => ({ values: [v], name: `${name} ${exactly(v, q.unit)}`, quiet: true }));
  }

  // strokes tell curves apart where colours do not.
  const strokes = [
    undefined, [8, 3], [2, 3], [10, 3, 2, 3], [5, 2], [16, 4], [2, 6], [10, 3, 2, 3, 2, 3], [20, 3, 2, 3], [4, 8],
  ];

  const titles = {
    displacement: "Target, command, measured", error: "Tracking error", sync: "Synchronisation: measured over target",
    hysteresis: "Force over displacement", delay: "Delay of the measured displacement",
    amplitude: "Amplitude: measured over target", indicators: "Indicators of stability", energies: "Energies",
  };

  function figures() {
    for (const p of plots) {
      seen.unobserve(p.figure);
      p.made.plot.destroy();
    }
    plots = [];
    id("plots").replaceChildren();
    const n = Number(id("axis").value) || 0, all = about.quantities.map((q, i) => ({ ...q, i }));
    const over = (panel, half, height) => {
      const common = panel === "indicators" || panel === "energies";
      const list = all.filter(q => q.panel === panel && (q.axis === n || common));
      curve(panel, titles[panel], half, height, list, panel === "error" ? limitOf("error_m", n) : []);
    };
    const curve = (panel, title, half, height, list, levels) => {
      if (list.length === 0) return;
      const dashes = panel === "displacement" ? [undefined, [6, 4], undefined] : strokes;
      place(panel, title, half, figure => overTime(figure, {
        names: list.map(q => q.name), places: list.map(q => q.i), unit: list[0].unit, levels, range, zero, height,
        dashes: list.map((_, i) => dashes[i % dashes.length]), sd: list[0].sd,
      }), list);
    };
    const pair = (panel, height) => about.pairs.forEach((p, i) => {
      if (p.panel !== panel || p.axis !== n) return;
      const x = all[p.x], y = all[p.y], at = 2 + 2 * all.length + 4 * i;
      const f = { x, y, diagonal: panel === "sync", at, height };
      place(panel, titles[panel], true, figure => overQuantity(figure, f), [x, y]);
    });
    over("displacement", false, 260);
    over("error", false, 220);
    pair("sync", 240);
    pair("hysteresis", 240);
    over("delay", true, 240);
    over("amplitude", true, 240);
    over("indicators", true, 200);
    over("energies", true, 200);
    for (const q of all.filter(q => q.panel === "parameters")) {
      curve("parameter-" + q.name, "Parameter " + q.name, true, 180, [q], boundsOf(q));
    }
    draw(true);
  }

  function place(panel, title, half, make, list) {
    const figure = element("figure", [element("figcaption", [element("span", [title])])],
      { id: "plot-" + panel, class: half ? "half" : "whole" });
    id("plots").append(figure);
    const made = make(figure);
    const canvas = figure.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", title);
    plots.push({ figure, made, list, canvas, title });
    seen.observe(figure);
  }

  const sight = new WeakSet();
  const seen = new IntersectionObserver(entries => {
    for (const e of entries) if (e.isIntersecting) sight.add(e.target); else sight.delete(e.target);
    fresh = true;
  });

  let drawn = 0, spoken = 0;
  function draw(all) {
    if (!past) return;
    const bins = past.bins(span()), now = performance.now(), speak = now - spoken > 2000;
    if (speak) spoken = now;
    for (const p of plots) {
      if (!all && !sight.has(p.figure)) continue;
      p.made.draw(bins);
      const words = () => p.list.map(q => `${q.name} ${written(frame.values[q.i], q.unit)}`).join(", ");
      if (speak && frame) p.canvas.setAttribute("aria-label", p.title + ": " + words());
    }
    if (frame && (all || sight.has(id("motion")))) motion.draw(past.bins("newest"), frame.values, speak);
  }

  function loop(now) {
    requestAnimationFrame(loop);
    if (now - drawn < 60 || !frame || !fresh) return;
    drawn = now;
    fresh = false;
    draw(false);
  }

  // Frames.

  function take(f) {
    if (past) for (const b of f.bins) past.add(b);
    if (f.bins.length > 0) fresh = true;
    const before = frame;
    frame = f;
    over = f.verdict != null && f.verdict.ended;
    note(f.log);
    state(f, before);
    facts(f);
    if (about) {
      near(f);
      learnt(f);
    }
    cycle(f.now.Cycle);
    const changed = name => JSON.stringify(f[name]) !== JSON.stringify(before && before[name]);
    if (id("refusal").textContent && changed("question")) tell(null);
    if (changed("question") || changed("holder")) arming();
    if (f.verdict && changed("verdict")) verdict(f.verdict);
    if (!f.verdict) id("verdict").hidden = id("numbers").hidden = true;
  }

  function state(f, before) {
    text(id("word"), f.now.Word);
    id("state").className = f.now.Word.toLowerCase();
    const cause = f.cause || f.verdict && f.verdict.cause, phase = f.now.Phase;
    text(id("why"), cause ? "First cause: " + cause : phase === f.now.Word.toLowerCase() ? "" : phase);
    text(id("next"), "Next: " + f.now.Next);
    const rate = about ? about.rate_hz : 1, whole = about ? about.samples / rate : 0;
    text(id("clock"), `${(f.now.Tick / rate).toFixed(1)} s of ${whole.toFixed(1)} s`);
    id("progress").max = Math.max(1, about ? about.samples : 1);
    id("progress").value = f.now.Tick;
    if (before && f.cause && !before.cause) sound();
  }

  function size(bytes) {
    if (bytes < 0) return "not known";
    return bytes >= 1e9 ? (bytes / 1e9).toFixed(1) + " GB" : (bytes / 1e6).toFixed(0) + " MB";
  }

  function facts(f) {
    const waiting = f.now.Behind > 0 ? `, ${f.now.Behind} wait` : "";
    const lost = `${f.readings_lost} readings and ${f.commands_lost} commands lost or too late`;
    const list = [
      ["Recording", about && about.folder ? `${f.now.Rows} rows in ${about.folder}${waiting}` : "nothing is recorded"],
      ["Room on disk", size(f.free)],
      ["Armed by", f.armed || "nobody"],
      ["Watchdog", about ? about.watchdog : "–"],
      ["Alone", about ? about.alone : "–"],
      ["Late ticks", `${f.now.Late}, at most ${f.now.Most} in a row`],
      ["Readings late", `${f.late}, at most ${f.most_late} in a row`],
      ...(about && about.linked ? [["Link", lost]] : []),
      ["Viewers", `${f.viewers}; ${f.dropped} frames dropped` + (ownLost ? `, ${ownLost} of yours` : "")],
    ];
    const box = id("facts");
    if (box.children.length !== 2 * list.length) {
      box.replaceChildren(...list.flatMap(() => [element("dt"), element("dd")]));
    }
    list.forEach(([name, value], i) => {
      text(box.children[2 * i], name);
      text(box.children[2 * i + 1], value);
    });
  }

  function near(f) {
    about.limits.forEach((l, i) => {
      const box = id("bars").children[i], share = f.peak[i] / l.trip, worst = f.worst[i] / l.trip;
      if (f.peak[i] == null) return;
      const percent = share > 0 && share < 0.01 ? "below 1 %" : Math.round(100 * share) + " %";
      text(box.querySelector("p").lastChild, `${written(f.peak[i], l.unit, f.worst[i])} of ${exactly(l.trip, l.unit)}` +
        ` · ${percent}${worst >= 1 ? " CROSSED" : ""}`);
      box.querySelector("i").style.width = 100 * Math.min(1, share) + "%";
      box.querySelector("b").style.left = `calc(${100 * Math.min(1, worst)}% - ${worst > 0.99 ? 3 : 0}px)`;
      box.querySelector(".track").setAttribute("aria-valuenow", Math.round(100 * share));
      const close = share >= 0.7 || l.warn > 0 && f.peak[i] >= l.warn;
      box.className = "bar" + (worst >= 1 ? " crossed" : close ? " near" : "");
    });
  }

  function learnt(f) {
    for (const box of id("parameters").children) {
      const q = box.quantity, v = f.values[q.i];
      const most = q.lower != null ? Math.max(Math.abs(q.lower), Math.abs(q.upper)) : 0;
      const bounds = most ? ` · ${exactly(q.lower, q.unit)} to ${exactly(q.upper, q.unit)}` : "";
      const sd = q.sd ? ` ± ${written(f.values[q.sd], q.unit)}` : "";
      text(box.querySelector("p").lastChild, written(v, q.unit, most, 4) + sd + bounds);
      const track = box.querySelector(".track");
      if (!track || v == null) continue;
      track.setAttribute("aria-valuenow", v);
      const share = Math.min(1, Math.max(0, (v - q.lower) / (q.upper - q.lower)));
      track.firstChild.style.left = `calc(${100 * share}% - 1px)`;
    }
  }

  let cycleText = "";
  function cycle(c) {
    id("cycles").hidden = !c;
    if (!c || cycleText === JSON.stringify(c)) return;
    cycleText = JSON.stringify(c);
    const us = v => written(v, "µs"), unit = histogram(id("histogram"), c);
    text(id("cycle-axis"), `time of a tick, ${unit}`);
    const words = `Half of the ticks take at most ${us(c.p50)}, 99 % ${us(c.p99)}, the longest ${us(c.max)}. ` +
      `A period is ${us(c.of)}.`;
    text(id("cycle"), words);
    id("histogram").setAttribute("aria-label", "histogram of cycle times: " + words);
  }

  function note(lines) {
    const box = id("log");
    for (const l of lines || []) {
      if (l.n <= logged) continue;
      logged = l.n;
      box.prepend(element("li", [element("time", [l.at]), " " + l.text]));
    }
    while (box.children.length > 300) box.lastChild.remove();
  }

  function verdict(v) {
    id("verdict").hidden = false;
    id("numbers").hidden = !v.values.length;
    text(id("outcome"), v.words || v.status + (v.reason ? ": " + v.reason : ""));
    const link = () => element("a", ["Open the report"], { href: "/report", target: "_blank", rel: "noopener" });
    id("links").replaceChildren(...(v.report ? [link()] : []));
    id("results").firstElementChild.replaceChildren(...v.values.map(x =>
      element("tr", [element("td", [x.name.replaceAll("_", " ")]), element("td", [written(x.v, x.unit)])])));
  }

  // Arming.

  // arming shows what can be armed from here. The keyboard stays where it is, or goes to what comes in its place.
  function arming() {
    const at = document.activeElement, inside = id("arming").contains(at);
    armed();
    if (inside && !at.checkVisibility()) (id("question").hidden ? id("arming") : id("ask")).focus();
  }

  function armed() {
    const q = frame && frame.question, holder = frame ? frame.holder : 0;
    const waits = !you.open && you.number === 0, mine = you.arm && holder === you.number;
    id("arming").hidden = !(you.ask || waits);
    id("login").hidden = !(waits || you.ask && !you.arm);
    id("take").hidden = !(you.arm && !mine);
    text(id("right"), waits ? "This page wants a token." : mine ? "You have the arming right." : !you.arm ?
      "You look on. Arming wants the token." : `Viewer ${holder} has the arming right; you are viewer ${you.number}.`);
    id("question").hidden = !(mine && q);
    if (!(mine && q)) {
      id("confirm").hidden = true;
      if (q && !mine) text(id("right"), id("right").textContent + ` The test waits for ${q.step}.`);
      return;
    }
    const [asked, confirming] = {
      ARM: ["The checks hold. Arm the test?", `You ARM the test “${about.name}”. Nothing moves before START.`],
      START: ["The test is armed. Start it? The rig will move.",
        `You START the test “${about.name}”. The rig WILL MOVE.`],
      END: ["The rig is held. End the session?", "The session ends. The rig then goes to safety by itself."],
    }[q.step] || [q.text, q.text];
    text(id("asked"), asked);
    text(id("ask"), q.step + " …");
    text(id("confirming"), confirming);
    text(id("yes"), "Yes, " + q.step);
    if (Number(id("confirm").dataset.number) !== q.number) id("confirm").hidden = true;
  }

  id("ask").addEventListener("click", () => {
    if (!frame.question) return;
    id("confirm").dataset.number = frame.question.number;
    id("confirm").hidden = false;
    id("no").focus();
  });
  let answering = false;
  function notNow() {
    id("confirm").hidden = true;
    id("ask").focus();
  }
  id("no").addEventListener("click", notNow);
  id("confirm").addEventListener("keydown", e => { if (e.key === "Escape") notNow(); });
  id("yes").addEventListener("click", async () => {
    if (answering) return; // a second click answers nothing
    answering = true;
    notNow();
    try {
      const number = Number(id("confirm").dataset.number);
      await post("/answer", { number, text: frame.question ? frame.question.want : "" });
      tell(null);
    } catch (e) {
      tell(e);
    }
    answering = false;
  });
  id("take").addEventListener("click", async () => {
    try {
      await post("/take");
      tell(null);
    } catch (e) {
      tell(e);
    }
  });
  id("login").addEventListener("submit", e => {
    e.preventDefault();
    login(id("token").value.trim());
    id("token").value = "";
  });

  // Stop.

  async function stop() {
    id("stop").classList.add("asked");
    const crowded = frame && frame.viewers > 5 && source;
    if (crowded) source.close(); // its connection is for the stop
    try {
      await post("/stop");
      text(id("alarm"), "");
    } catch (e) {
      text(id("alarm"), `STOP WAS NOT TAKEN: ${e.message}. Use the terminal, or the emergency stop.`);
      hold();
    }
    if (crowded) connect();
    setTimeout(() => id("stop").classList.remove("asked"), 1000);
  }
  id("stop").addEventListener("click", stop);
  addEventListener("keydown", e => {
    if (e.key.toLowerCase() !== "s" || e.ctrlKey || e.altKey || e.metaKey || e.repeat) return;
    if (e.target.closest && e.target.closest("input[type=password]")) return;
    e.preventDefault(); // a list would look for an entry with S
    stop();
  });

  // hold keeps STOP and the alarm where they are in the window, also where a keyboard covers a part of the window, or
  // where fingers have zoomed.
  function hold() {
    const view = visualViewport, whole = document.documentElement.clientHeight;
    const covered = Math.max(0, whole - view.height * view.scale);
    for (const e of [id("stop"), id("alarm")]) {
      const [left, top] = [e.offsetLeft, e.offsetTop], lift = top > whole / 2 ? covered : 0;
      e.style.transformOrigin = `${-left}px ${-top}px`;
      e.style.transform = view.scale === 1 && covered + view.offsetTop < 1 ? "" :
        `translate(${view.offsetLeft}px, ${view.offsetTop}px) scale(${1 / view.scale}) translateY(${-lift}px)`;
    }
  }
  for (const name of ["resize", "scroll"]) visualViewport.addEventListener(name, hold);

  // A tone on trip, if somebody has asked for it: browsers make no sound before.
  let audio = null;
  id("tone").addEventListener("change", e => {
    if (e.target.checked && !audio) audio = new AudioContext();
    if (e.target.checked) sound();
  });
  function sound() {
    if (!audio || !id("tone").checked) return;
    const o = audio.createOscillator(), g = audio.createGain();
    g.gain.value = 0.2;
    o.frequency.value = 880;
    o.connect(g).connect(audio.destination);
    o.start();
    o.stop(audio.currentTime + 0.8);
  }

  addEventListener("resize", () => {
    plots.forEach(p => p.made.size());
    fresh = true;
  });
  id("axis").addEventListener("change", figures);
  addEventListener("change", () => { fresh = true; });
  for (const r of document.querySelectorAll("input[name=span]")) r.addEventListener("change", () => draw(true));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => about && figures());

  // On paper every plot is drawn again: in light colours, as wide as the paper, also what was never scrolled to.
  function paper(on) {
    document.documentElement.classList.toggle("paper", on);
    if (about) figures();
  }
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));

  requestAnimationFrame(loop);
  addEventListener("hashchange", enter);
  enter();
})();
