package main

import (
	"fmt"
	"strings"
)

// luminance is that of a colour, from 0 to 1, and contrast that of two luminances (WCAG 2.2, 1.4.3).
const luminance = `
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const contrast = (a, c) => (Math.max(a, c) + 0.05) / (Math.min(a, c) + 0.05);`

// badTexts are texts on a page with too little contrast, below so many pixels, or cut off; and that there are too few.
func (b browser) badTexts(px, texts int) []string {
	b.Helper()
	return strings.FieldsFunc(b.Says(fmt.Sprintf(`(() => {`+luminance+`
  const numbers = text => text.match(/[\d.]+/g).map(Number), wrong = [];
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement, style = getComputedStyle(e);
    if (!n.textContent.trim() || !e.checkVisibility() || e.closest("canvas, select, script")) continue;
    texts++;
    const px = parseFloat(style.fontSize), ratio = contrast(light(numbers(style.color)), light(behind(e)));
    const large = px >= 24 || px >= 18.66 && Number(style.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) wrong.push("contrast " + ratio.toFixed(2) + ": " + n.textContent);
    if (px < %d) wrong.push(px + " px: " + n.textContent);
    const cut = e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
    if (cut && style.overflowX !== "auto") wrong.push("cut off: " + n.textContent);
  }
  if (texts < %d) wrong.push("only " + texts + " texts");
  return wrong.join("\n");
})()`, px, texts)), func(r rune) bool { return r == '\n' })
}
