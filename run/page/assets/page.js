"use strict";
(function () {
  const id = name => document.getElementById(name);
  const most = 1024; // bins, as in package page
  const sightS = 10;
  let you = { number: 0, arm: false, open: true, ask: false }, about = null, past = null, plots = [], frame = null;
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
      answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body || {}), signal: AbortSignal.timeout(2000) });
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

  // enter logs in with the token behind #, and takes it out of sight.
  function enter() {
    const token = location.hash.slice(1);
    if (!token) return begin();
    history.replaceState(null, "", location.pathname);
    return login(token);
  }

  // A frame comes every 40 ms. Half a second without one is a lost connection.
  setInterval(() => {
    const silent = performance.now() - heard, waits = !you.open && you.number === 0, lost = silent > 500 && !waits;
    id("lost").hidden = !lost;
    document.body.classList.toggle("cut", lost);
    if (!lost) return;
    text(id("lost-word"), over ? "THE PROGRAM HAS ENDED" : "NOT CONNECTED");
    text(id("lost-text"), over ? "What you see behind is the end of the test." : "What you see behind is old, and STOP does not work from here. Use the terminal, or the emergency stop.");
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
    id("axis").replaceChildren(...Array.from({ length: about.axes }, (_, i) => element("option", [String(i + 1)], { value: i })));
    text(id("stops"), (about.tested ? "ramps down" : "ends the run") + " · key S");
    id("axis-box").hidden = about.axes < 2;
    text(id("specimen"), "Specimen: " + about.specimen);
    id("levels").replaceChildren(...about.rules.map(text => element("li", [text])));
    id("checklist").hidden = !about.checks.length;
    id("checks").replaceChildren(...about.checks.map(c => element("li", [element("strong", [!c.ok ? "NO " : c.warning ? "WARNING " : "ok "]), c.name + ": ", element("small", [c.text])], { class: c.ok && !c.warning ? "good" : "bad" })));
    bars();
    parameters();
    figures();
  }

  function bars() {
    id("bars").replaceChildren(...about.limits.map((l, i) => {
      const label = element("span", [l.name], { id: "limit" + i });
      const track = element("div", [element("i"), element("b")], { class: "track", role: "meter", "aria-labelledby": "limit" + i, "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 });
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
    const list = about.quantities.map((q, i) => ({ ...q, i })).filter(q => q.panel === "parameters");
    id("learnt").hidden = list.length === 0;
    id("parameters").replaceChildren(...list.map(q => {
      const name = element("span", [q.name], { id: "parameter" + q.i });
      const parts = [element("p", [name, element("span")])];
      if (q.lower != null) parts.push(element("div", [element("b")], { class: "track", role: "meter", "aria-labelledby": "parameter" + q.i, "aria-valuemin": q.lower, "aria-valuemax": q.upper, "aria-valuenow": q.lower }));
      const box = element("div", parts, { class: "bar" });
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
    for (const l of about.limits.filter(l => names.includes(l.channel))) {
      out.push({ values: [l.trip, -l.trip], text: `limit ±${shown(l.trip)} ${l.unit}: ${l.action}` });
      if (l.warn > 0) out.push({ values: [l.warn, -l.warn], text: `warning ±${shown(l.warn)} ${l.unit}`, warning: true });
    }
    return out;
  }

  // boundsOf are the bounds of an adaptive parameter.
  function boundsOf(q) {
    return [["upper bound", q.upper], ["lower bound", q.lower]].filter(([, v]) => v != null).map(([name, v]) => ({ values: [v], text: `${name} ${shown(v)}` }));
  }

  // strokes tell curves apart where colours do not.
  const strokes = [undefined, [8, 3], [2, 3], [10, 3, 2, 3], [5, 2], [16, 4], [2, 6], [10, 3, 2, 3, 2, 3], [20, 3, 2, 3], [4, 8]];

  const titles = { displacement: "Target, command, measured", error: "Tracking error", sync: "Synchronisation: measured over target", hysteresis: "Force over displacement", delay: "Delay of the measured displacement", amplitude: "Amplitude: measured over target", indicators: "Indicators of stability", energies: "Energies" };

  function figures() {
    for (const p of plots) p.made.plot.destroy();
    plots = [];
    id("plots").replaceChildren();
    const n = Number(id("axis").value) || 0, all = about.quantities.map((q, i) => ({ ...q, i }));
    const over = (panel, half, height) => curve(panel, titles[panel], half, height, all.filter(q => q.panel === panel && (q.axis === n || panel === "indicators" || panel === "energies")), panel === "error" ? limitOf("error_m", n) : []);
    const curve = (panel, title, half, height, list, levels) => {
      if (list.length === 0) return;
      let zoom = null;
      place(panel, title, half, figure => {
        if (levels.length) {
          zoom = element("input", [], { type: "checkbox", "aria-label": "zoom to the curve of " + title });
          figure.querySelector("figcaption").append(element("label", [zoom, " zoom to the curve"]));
        }
        return overTime(figure, { names: list.map(q => q.name), places: list.map(q => q.i), unit: list[0].unit, dashes: panel === "displacement" ? [undefined, [6, 4], undefined] : list.map((_, i) => strokes[i % strokes.length]), levels, zoomed: () => zoom && zoom.checked, range, zero, height });
      }, list);
    };
    const pair = (panel, height) => about.pairs.forEach((p, i) => {
      if (p.panel !== panel || p.axis !== n) return;
      const x = about.quantities[p.x], y = about.quantities[p.y];
      place(panel, titles[panel], true, figure => overQuantity(figure, { x: `${x.name}, ${x.unit}`, y: `${y.name}, ${y.unit}`, diagonal: panel === "sync", at: 2 + 2 * about.quantities.length + 4 * i, height }), [{ ...x, i: p.x }, { ...y, i: p.y }]);
    });
    over("displacement", false, 260);
    over("error", false, 220);
    pair("sync", 240);
    pair("hysteresis", 240);
    over("delay", true, 240);
    over("amplitude", true, 240);
    over("indicators", true, 200);
    over("energies", true, 200);
    for (const q of all.filter(q => q.panel === "parameters")) curve("parameter-" + q.name, "Parameter " + q.name, true, 180, [q], boundsOf(q));
    draw(true);
  }

  function place(panel, title, half, make, list) {
    const figure = element("figure", [element("figcaption", [element("span", [title])])], { id: "plot-" + panel, class: half ? "half" : "whole" });
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
      if (speak && frame) p.canvas.setAttribute("aria-label", p.title + ": " + p.list.map(q => `${q.name} ${shown(frame.values[q.i])} ${q.unit}`).join(", "));
    }
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
    if (id("refusal").textContent && JSON.stringify(f.question) !== JSON.stringify(before && before.question)) tell(null);
    if (JSON.stringify(f.question) !== JSON.stringify(before && before.question) || f.holder !== (before && before.holder)) arming();
    if (f.verdict && JSON.stringify(f.verdict) !== JSON.stringify(before && before.verdict)) verdict(f.verdict);
    if (!f.verdict) id("verdict").hidden = true;
  }

  function state(f, before) {
    text(id("word"), f.now.Word);
    id("state").className = f.now.Word.toLowerCase();
    const cause = f.cause || f.verdict && f.verdict.cause;
    text(id("why"), cause ? "First cause: " + cause : f.now.Phase === f.now.Word.toLowerCase() ? "" : f.now.Phase);
    text(id("next"), "Next: " + f.now.Next);
    const rate = about ? about.rate_hz : 1, whole = about ? about.samples / rate : 0;
    text(id("clock"), `${(f.now.Tick / rate).toFixed(1)} s of ${whole.toFixed(1)} s`);
    id("progress").max = Math.max(1, about ? about.samples : 1);
    id("progress").value = f.now.Tick;
    if (before && f.cause && !before.cause) sound();
  }

  function size(bytes) {
    return bytes < 0 ? "not known" : bytes >= 1e9 ? (bytes / 1e9).toFixed(1) + " GB" : (bytes / 1e6).toFixed(0) + " MB";
  }

  function facts(f) {
    const list = [
      ["Recording", about && about.folder ? `${f.now.Rows} rows in ${about.folder}` + (f.now.Behind > 0 ? `, ${f.now.Behind} wait` : "") : "nothing is recorded"],
      ["Room on disk", size(f.free)],
      ["Armed by", f.armed || "nobody"],
      ["Watchdog", about ? about.watchdog : "–"],
      ["Alone", about ? about.alone : "–"],
      ["Late ticks", `${f.now.Late}, at most ${f.now.Most} in a row`],
      ["Readings late", `${f.late}, at most ${f.most_late} in a row`],
      ...(about && about.linked ? [["Link", `${f.readings_lost} readings and ${f.commands_lost} commands lost or too late`]] : []),
      ["Viewers", `${f.viewers}; ${f.dropped} frames dropped` + (ownLost ? `, ${ownLost} of yours` : "")],
    ];
    const box = id("facts");
    if (box.children.length !== 2 * list.length) box.replaceChildren(...list.flatMap(() => [element("dt"), element("dd")]));
    list.forEach(([name, value], i) => {
      text(box.children[2 * i], name);
      text(box.children[2 * i + 1], value);
    });
  }

  function near(f) {
    about.limits.forEach((l, i) => {
      const box = id("bars").children[i], share = f.peak[i] / l.trip, worst = f.worst[i] / l.trip;
      if (f.peak[i] == null || f.peak[i] === undefined) return;
      text(box.querySelector("p").lastChild, `${shown(f.peak[i])} of ${shown(l.trip)} ${l.unit} · ${Math.round(100 * share)} %` + (worst >= 1 ? " CROSSED" : ""));
      box.querySelector("i").style.width = 100 * Math.min(1, share) + "%";
      box.querySelector("b").style.left = `calc(${100 * Math.min(1, worst)}% - ${worst > 0.99 ? 3 : 0}px)`;
      box.querySelector(".track").setAttribute("aria-valuenow", Math.round(100 * share));
      box.className = "bar" + (worst >= 1 ? " crossed" : share >= 0.7 || l.warn > 0 && f.peak[i] >= l.warn ? " near" : "");
    });
  }

  function learnt(f) {
    for (const box of id("parameters").children) {
      const q = box.quantity, v = f.values[q.i];
      text(box.querySelector("p").lastChild, shown(v) + (q.unit !== "-" ? " " + q.unit : "") + (q.lower != null ? ` · ${shown(q.lower)} to ${shown(q.upper)}` : ""));
      const track = box.querySelector(".track");
      if (!track || v == null) continue;
      track.setAttribute("aria-valuenow", v);
      track.firstChild.style.left = `calc(${100 * Math.min(1, Math.max(0, (v - q.lower) / (q.upper - q.lower)))}% - 1px)`;
    }
  }

  let cycleText = "";
  function cycle(c) {
    id("cycles").hidden = !c;
    if (!c || cycleText === JSON.stringify(c)) return;
    cycleText = JSON.stringify(c);
    const top = Math.max(1, ...c.count.map(n => Math.log10(1 + n)));
    id("histogram").replaceChildren(...c.count.map(n => {
      const bar = element("i");
      bar.style.height = 100 * Math.log10(1 + n) / top + "%";
      return bar;
    }));
    const words = `half at most ${shown(c.p50)} µs, 99 % ${shown(c.p99)} µs, longest ${shown(c.max)} µs; a period is ${shown(c.of)} µs. Left ${shown(c.from[0])} µs, right ${shown(c.from[c.from.length - 1])} µs; heights are logarithms of counts.`;
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
    text(id("outcome"), v.status + (v.reason ? ": " + v.reason : "") + (v.cause ? ". First cause: " + v.cause : ""));
    id("links").replaceChildren(...(v.report ? [element("a", ["Open the report"], { href: "/report", target: "_blank", rel: "noopener" })] : []));
    id("results").firstElementChild.replaceChildren(...v.values.map(([n, x]) => element("tr", [element("td", [n]), element("td", [x])])));
  }

  // Arming.

  // arming shows what can be armed from here. The keyboard stays where it is, or goes to what comes in its place.
  function arming() {
    const at = document.activeElement, inside = id("arming").contains(at);
    armed();
    if (inside && !at.checkVisibility()) (id("question").hidden ? id("arming") : id("ask")).focus();
  }

  function armed() {
    const q = frame && frame.question, holder = frame ? frame.holder : 0, waits = !you.open && you.number === 0, mine = you.arm && holder === you.number;
    id("arming").hidden = !(you.ask || waits);
    id("login").hidden = !(waits || you.ask && !you.arm);
    id("take").hidden = !(you.arm && !mine);
    text(id("right"), waits ? "This page wants a token." : mine ? "You have the arming right." : you.arm ? `Viewer ${holder} has the arming right; you are viewer ${you.number}.` : "You look on. Arming wants the token.");
    id("question").hidden = !(mine && q);
    if (!(mine && q)) {
      id("confirm").hidden = true;
      if (q && !mine) text(id("right"), id("right").textContent + ` The test waits for ${q.step}.`);
      return;
    }
    text(id("asked"), { ARM: "The checks hold. Arm the test?", START: "The test is armed. Start it? The rig will move.", END: "The rig is held. End the session?" }[q.step] || q.text);
    text(id("ask"), q.step + " …");
    text(id("confirming"), { ARM: `You ARM the test “${about.name}”. Nothing moves before START.`, START: `You START the test “${about.name}”. The rig WILL MOVE.`, END: "The session ends. The rig then goes to safety by itself." }[q.step] || q.text);
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
      await post("/answer", { number: Number(id("confirm").dataset.number), text: frame.question ? frame.question.want : "" });
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

  addEventListener("resize", () => plots.forEach(p => p.made.size()));
  id("axis").addEventListener("change", figures);
  addEventListener("change", () => { fresh = true; });
  for (const r of document.querySelectorAll("input[name=span]")) r.addEventListener("change", () => draw(true));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => about && figures());

  addEventListener("beforeprint", () => draw(true)); // paper shows what was never scrolled to

  requestAnimationFrame(loop);
  addEventListener("hashchange", enter);
  enter();
})();
