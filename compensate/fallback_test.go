package compensate

import (
	"fmt"

	"testing"

	"rths"
	"rths/rthstest"
)

// withFallback puts one kind with its defaults behind another.
func withFallback(t *testing.T, active, safe string, p Fallback, at At) rths.Compensator {
	t.Helper()
	parts := partsOf(t, active, safe)
	return rthstest.Must(p.Around(rthstest.Must(parts[0].Maker.Make(at)), rthstest.Must(parts[1].Maker.Make(at)), at))
}

// learning are the kinds that learn, of one actuator.
func learning(t *testing.T) (out []string) {
	for _, k := range Kinds {
		c, err := k.Defaults().Make(benchAt(4096, 1, 0))
		if a, ok := rths.As[rths.Adaptive](c); err == nil && ok && len(a.AppendAdaptation(nil)) > 0 {
			out = append(out, k.Name)
		}
	}
	return out
}

// Every kind that learns keeps, with a fallback, what every compensator must keep. The reading
// of the kit is 24 ms old once, so that every one of them falls back.
func TestFallbackConformance(t *testing.T) {
	p := FallbackDefaults()
	p.StaleS, p.BlendS = 0.01, 0.05
	for i, kind := range learning(t) {
		for lead := range 2 {
			t.Run(fmt.Sprint(kind, lead), func(t *testing.T) {
				limit := 0.1
				if kind == "kf-literal" {
					limit = 1e3
				}
				at := benchAt(4096, 1, lead)
				at.Noise, at.Stroke, at.Rate = 1e-5, 0.05*float64(i%2), float64(i%3)
				safe := "kf"
				if i%2 == 0 && kind != "mbc" || kind == "kf" {
					safe = "mbc"
				}
				var last rths.Compensator
				k := rthstest.Compensator{Axes: 1, RateHz: 4096, Limit: limit, Make: func() rths.Compensator {
					last = withFallback(t, kind, safe, p, at)
					return last
				}}
				rthstest.Keeps(t, k.Broken())
			})
		}
	}
}
