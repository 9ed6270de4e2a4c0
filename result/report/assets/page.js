"use strict";
(async function () {
  const page = JSON.parse(document.getElementById("data").textContent);
  const root = document.getElementById("plots");
  if (!("DecompressionStream" in window)) {
    root.textContent = "This browser cannot draw the plots. Want one of 2023 or later.";
    return;
  }
  const traces = await unpackPage(page);
  // In a comparison a run that is hidden in one plot is hidden in all.
  const plots = drawPlots(root, page, traces, document.querySelector("table.ranked.across") !== null);
  linkContents();
  rankTables();
  addEventListener("resize", plots.fit);
  theme.dark.addEventListener("change", plots.fit);
  for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", on);
      plots.fit();
    });
  }
  window.rthsPlots = plots.drawn; // for tests
  window.rthsMoving = plots.moving;
})();
