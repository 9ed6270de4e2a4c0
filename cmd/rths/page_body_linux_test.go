package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"rths/kit/rthstest"
)

// The live page of a rigid body shows the body with its actuators, which move, and names a pin that has slipped, in
// words and in the picture, where nothing jumps.
func TestBrowserBody(t *testing.T) {
	b := newBrowser(t)
	path := rthstest.Must(filepath.Abs("../../scenarios/loading-block.yaml"))
	p := startPage(t, "run", path, "--pace", "1", "-o", "runs/body", "--set",
		"faults=[{kind: slipped-pin, actuator: 2, from_s: 25, slip_m: 5e-3}]",
		"--set", "ground.duration_s=30", "--set", "ground.strong_s=20")
	b.Size(1200, 900, false)
	b.Do(chromedp.Navigate(p.address))
	b.word("RUNNING", 10*time.Second)
	const at = "Number(document.getElementById('progress').value)"
	b.Until(at+" > 2 * 1024", 20*time.Second)
	const picture = `document.getElementById("body").toDataURL()`
	// marked: how many pixels have the colour of a link that has slipped
	const marked = `(() => { const e = document.getElementById("body"), all = e.getContext("2d")
  .getImageData(0, 0, e.width, e.height).data, [r, g, b] = colour("limit").match(/\w\w/g).map(v => parseInt(v, 16));
  let n = 0; for (let i = 0; i < all.length; i += 4) n += all[i] === r && all[i + 1] === g && all[i + 2] === b;
  return n; })()`
	const places = `["frames", "body", "scale", "named"].map(n => document.getElementById(n))
  .map(e => [e.checkVisibility(), e.offsetTop, e.offsetHeight].join(" ")).join() +
  " " + document.getElementById("nearing").offsetTop`
	before, scale, laid := b.Says(picture), b.Text("scale"), b.Says(places)
	b.Until(fmt.Sprintf("%s !== %q", picture, before), 2*time.Second)
	b.Until(`/^Body and its actuators: x -?[0-9.]+ [µm]m, y .*, rz -?[0-9.]+ °$/.test(`+
		`document.getElementById("body").ariaLabel)`, 3*time.Second)
	if n, text := b.Says(marked), b.Text("named"); n != "0" || text != "" {
		t.Errorf("before a pin slips %s pixels are marked, and the page says %q", n, text)
	}
	b.readable("1200 light, a body")
	b.shot("body-1200")
	b.Until(`document.getElementById("named").innerText === "Actuator 2 has slipped, or its sensor is wrong."`,
		40*time.Second)
	b.Until(marked+" > 300", time.Second)
	b.Until(`document.getElementById("body").ariaLabel.endsWith("Actuator 2 has slipped, or its sensor is wrong.")`,
		3*time.Second)
	if now := b.Says(places); now != laid {
		t.Errorf("the page jumps from %s to %s", laid, now)
	}
	if now := b.Text("scale"); now != scale || !strings.HasPrefix(now, "Pose × 5. ") {
		t.Errorf("the scale changes from %q to %q", scale, now)
	}
	b.shot("body-1200-slipped")
	b.Until("document.getElementById('next').innerText === 'Next: nothing: the test has ended'", 10*time.Second)
	for _, c := range []struct {
		name       string
		wide, high int64
		dark       bool
	}{{"body-1200-dark", 1200, 900, true}, {"body-1900", 1900, 1000, false}, {"body-400", 400, 900, false}} {
		b.Size(c.wide, c.high, c.dark)
		b.Says(`document.getElementById("motion").scrollIntoView({block: "center"})`)
		b.Until(marked+" > 300", time.Second)
		b.shot(c.name)
		b.readable(c.name)
	}
	b.Size(716, 1000, true)
	paper := emulation.SetEmulatedMediaParams{Media: "print"}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, paper); err != nil {
		t.Fatal(err)
	}
	b.Says(`dispatchEvent(new Event("beforeprint"))`)
	if b.Says(`colour("limit")`) != "#b00020" || b.Says(marked+" > 300") != "true" {
		t.Error("on paper the picture has not the colours of a light page")
	}
	b.Says(`document.getElementById("motion").scrollIntoView({block: "center"})`)
	b.shot("body-paper")
	b.Sound(p.host())
	b.Do(chromedp.Navigate("about:blank"))
	if code := p.wait(); code != exitFailed {
		t.Errorf("exit status %d: want %d\n%s", code, exitFailed, p.errs.String())
	}
}
