"use strict";

// Colours of what is not a curve, on white and on black. A dark page lightens the ink of curves too.
const theme = (() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = () => document.documentElement.classList.contains("paper");
  const night = () => dark.matches && !paper();
  const white = { ink: "#1c1c1c", grid: "#e4e4e4", text: "#555", page: "#fff", fault: "#f7e6c4" };
  const black = { ink: "#e6e6e6", grid: "#33373d", text: "#b4b4b4", page: "#16181c", fault: "#4a3d1d" };
  return {
    dark, paper,
    ground: () => night() ? black : white,
    shade: colour => night() && nightColours[colour] || colour,
  };
})();
