package scenario

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

const chainText = `name: chain
rate_hz: 1024
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 0.5, duration_s: 1}
structure: {kind: shear, masses: [1000], stiffnesses: [1.58e5], damping: {modal_ratio: [0.05]}}
specimen: {kind: linear, stiffness: 8e4}
transfer: {kind: second-order}
compensator:
  kind: chain
  join: parallel
  of:
    - kind: amb
      name: forward
    - {kind: lqg, error_weight: 5}
`

func chainScenario(t *testing.T, text string, sets ...string) *Scenario {
	t.Helper()
	return rthstest.Must(Parse("chain.yaml", []byte(text), ".", sets))
}

// The resolved scenario has what the makers of the parts filled in. Read back it is the same
// scenario, and the scenario that was built is left as it was.
func TestChainRoundTrip(t *testing.T) {
	s := chainScenario(t, chainText)
	before := yamlOf(t, s)
	r := rthstest.Must(s.Build(t.Context(), Options{}))
	if after := yamlOf(t, s); after != before {
		t.Errorf("the build changes the scenario from\n%s\nto\n%s", before, after)
	}
	resolved := yamlOf(t, r.Scenario)
	for _, want := range []string{"- kind: amb\n    name: forward\n", "initial: given", "error_weight: 5"} {
		if !strings.Contains(resolved, want) {
			t.Errorf("the resolved scenario lacks %q:\n%s", want, resolved)
		}
	}
	again := chainScenario(t, resolved)
	if text := yamlOf(t, again); text != resolved {
		t.Errorf("read back it is\n%s\nwant\n%s", text, resolved)
	}
	if a, b := r.Parameters(), rthstest.Must(again.Build(t.Context(), Options{})).Parameters(); !reflect.DeepEqual(a, b) {
		t.Errorf("parameters %v, read back %v", a, b)
	}
	lines, err := s.CompensatorSettings()
	if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0],
		"{kind: chain, join: parallel, of: [{kind: amb, name: forward, order: ") {
		t.Errorf("settings %q, %v", lines, err)
	}
}

// Channels have the name of their part, and the number of their actuator.
func TestChannelsOfAChain(t *testing.T) {
	var names []string
	for _, c := range rthstest.Must(chainScenario(t, chainText).CompensatorChannels()) {
		names = append(names, c.Name)
	}
	if want := []string{"forward_a0", "forward_a1", "forward_a2", "forward_a3", "lqg_u_fb",
		"lqg_d_hat"}; !slices.Equal(names, want) {
		t.Errorf("channels %v, want %v", names, want)
	}
	two := string(rthstest.Must(os.ReadFile("../scenarios/benchmark-multiaxial.yaml")))
	for chain, want := range map[string]string{
		"{kind: chain, of: [{kind: pe, tau_ms: 1.953125, order: 1}, {kind: amb}]}": "amb_a0_2",
		"{kind: chain, of: [{kind: rodeac}, {kind: msmc}]}":                        "rodeac_theta_1_2",
	} {
		s := chainScenario(t, two, "inner_loop=", "compensator="+chain,
			"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 1}")
		channels := rthstest.Must(s.CompensatorChannels())
		if !slices.ContainsFunc(channels, func(c rths.Channel) bool { return c.Name == want }) {
			t.Errorf("%s: no channel %s among %v", chain, want, channels)
		}
	}
}

// A chain stands on each actuator with settings of its own.
func TestChainOfEach(t *testing.T) {
	text := string(rthstest.Must(os.ReadFile("../scenarios/benchmark-multiaxial.yaml")))
	s := chainScenario(t, text, "compensator={kind: chain, join: parallel, of: [{kind: amb}, "+rthstest.PlainPI+"]}",
		"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 0.1, duration_s: 1}")
	r := rthstest.Must(s.Build(t.Context(), Options{}))
	if len(r.Scenario.Each) != 2 {
		t.Fatalf("%d compensators under each, want 2", len(r.Scenario.Each))
	}
	a := func(i int) []float64 {
		return r.Scenario.Each[i].Compensator.Params.(*Chain).Of[0].Params.(*compensate.AMB).A
	}
	if slices.Equal(a(0), a(1)) {
		t.Errorf("both actuators start from %g", a(0))
	}
	again := chainScenario(t, yamlOf(t, r.Scenario))
	if got, want := yamlOf(t, again), yamlOf(t, r.Scenario); got != want {
		t.Errorf("read back it is\n%s\nwant\n%s", got, want)
	}
}

// An error says which part is wrong, by its place in the file.
func TestChainMistakes(t *testing.T) {
	for _, tc := range []struct{ from, to, want string }{
		{"    - {kind: lqg, error_weight: 5}\n", "    - {kind: amb, name: forward}\n",
			"chain.yaml:13:8: compensator.of[2]: name forward is taken by part 1: want a name of its own, as in {kind: amb, " +
				"name: forward_2} (chain.yaml:11:7: compensator.of[1])"},
		{"error_weight: 5", "error_weight: -5", "chain.yaml:13:8: compensator.of[2]: lqg: error_weight -5: want 0 or more"},
		{"error_weight: 5", "eror_weight: 5",
			"chain.yaml:13:19: compensator.of[2].eror_weight: unknown key: did you mean error_weight?"},
		{"kind: lqg, error_weight: 5", "kind: pe", "chain.yaml:13:8: compensator.of[2]: pe is a feedforward as part 1 is"},
		{"kind: lqg, error_weight: 5", "kind: lgq", `chain.yaml:13:14: compensator.of[2]: kind "lgq": did you mean`},
		{"kind: lqg, error_weight: 5", "kind: chain",
			"chain.yaml:13:14: compensator.of[2].kind: a chain inside a chain: want its parts in the one list"},
		{"kind: lqg, error_weight: 5", "kind: amb, window_s: 5",
			"compensator.of[2].window_s: unknown key of this kind, a key of kind ats"},
		{"  of:\n    - kind: amb\n      name: forward\n    - {kind: lqg, error_weight: 5}\n", "",
			"chain.yaml:7:1: compensator: chain: of is empty: want a list of parts, as in of: [{kind: amb}, {kind: pi}]"},
		{"name: forward", "name: a b", `chain.yaml:11:7: compensator.of[1]: name "a b": want a letter`},
		{"join: parallel", "join: across", `compensator: chain: join "across": want series or parallel`},
	} {
		text := strings.Replace(chainText, tc.from, tc.to, 1)
		if text == chainText {
			t.Fatalf("no %q in the text", tc.from)
		}
		s, err := Parse("chain.yaml", []byte(text), ".", nil)
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v\nwant %q", err, tc.want)
		}
	}
}

// A chain of one part runs as the part does, to the bit.
func TestChainOfOnePartRunsAsThePart(t *testing.T) {
	run := func(compensator string) []float64 {
		r := rthstest.Must(chainScenario(t, chainText, "compensator="+compensator).Build(t.Context(), Options{}))
		if err := r.Loop.Run(1<<30, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(r.Loop.Frame().Command), r.Loop.Frame().Read.X...)
	}
	for _, kind := range []string{"amb", "kf", "mbc", "none"} {
		one := run("{kind: " + kind + "}")
		for _, join := range []string{"series", "parallel"} {
			if got := run("{kind: chain, join: " + join + ", of: [{kind: " + kind + "}]}"); !slices.Equal(got, one) {
				t.Errorf("%s alone in %s ends with %g, want %g", kind, join, got, one)
			}
		}
	}
}

// Both stages of two-stage.yaml leave less than either alone, and the second one learns what is
// left of the delay: the lag of 8 ms, half a sample for the hold, less the sample that timing
// next gives.
func TestTwoStagesOfTheScenario(t *testing.T) {
	text := string(rthstest.Must(os.ReadFile("../scenarios/two-stage.yaml")))
	run := func(sets ...string) (j2 float64, parameters map[string]float64) {
		r := rthstest.Must(chainScenario(t, text, append(sets, "expect=")...).Build(t.Context(), Options{}))
		if err := r.Loop.Run(1<<30, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Summary() {
			if v.Name == "J2_true_pct" {
				j2 = v.V
			}
		}
		parameters = map[string]float64{}
		for _, v := range r.Parameters() {
			parameters[v.Name] = v.V
		}
		return j2, parameters
	}
	both, learnt := run()
	pe, _ := run("compensator={kind: pe, spacing: 8}")
	adm, _ := run("compensator.kind=adm2")
	smooth, _ := run("compensator={kind: chain, of: [{kind: linear-acceleration, tau_ms: 15.625}, {kind: adm2}]}")
	left := 1e3 * learnt["adm2_model_delay"]
	t.Logf("J2 without noise: pe %.3g %%, adm2 %.3g %%, both %.3g %%, linear-acceleration and adm2 %.3g %%; %.4g "+
		"ms are left", pe, adm, both, smooth, left)
	if !(both < pe/2) || !(both < adm/2) || !(smooth < both) {
		t.Error("want less than half with both stages, and less with linear-acceleration")
	}
	if want := 8 - 0.5e3/1024; !(left > want-0.02 && left < want+0.02) {
		t.Errorf("adm2 finds %.4g ms: want %.4g ms", left, want)
	}
}
