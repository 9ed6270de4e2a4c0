package scenario_test

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// What scatter cannot have is refused when the file is read, with its place.
func TestScatterMistakes(t *testing.T) {
	const normal = ": {kind: normal, mean: 1, sd: 1}"
	for _, tc := range []struct{ entry, want string }{
		{"transfer.omega_rads" + normal,
			"small.yaml:8:3: scatter.transfer.omega_rads: unknown key: did you mean omega_rad_s?"},
		{"transfer.zeta" + normal, "scatter.transfer.zeta: unknown key: did you mean damping_ratio?"},
		{"transfer.tau_ms" + normal,
			"scatter.transfer.tau_ms: unknown key of this kind, a key of kind first-order: want one of damping_ratio,"},
		{"stiffness" + normal, "scatter.stiffness: unknown key: did you mean specimen.stiffness?"},
		{"specimn.mass" + normal, "scatter.specimn.mass: unknown key: did you mean specimen?"},
		{"compensator.order" + normal,
			"scatter.compensator.order: stands outside the plant of this scenario; compensators are made for the nominal " +
				"plant: want a key below specimen, transfer or sensors"},
		{"rate_hz" + normal, "scatter.rate_hz: stands outside the plant"},
		{"specimens[1].specimen.mass" + normal, "scatter.specimens[1].specimen.mass: stands outside the plant"},
		{"each[1].transfer.gain" + normal, "scatter.each[1].transfer.gain: stands outside the plant"},
		{"transfer" + normal,
			"scatter.transfer: is a block: want the key of a number in it, one of damping_ratio, force_n, gain,"},
		{"transfer.kind" + normal, "scatter.transfer.kind: is a word: want the key of a number"},
		{"transfer.gain.x" + normal,
			"scatter.transfer.gain.x: there are no keys below transfer.gain: want the key of a number"},
		{"transfer.gain[1]" + normal, "scatter.transfer.gain[1]: there is no list before [1]"},
		{"transfer.stroke_m" + normal,
			"scatter.transfer.stroke_m: is a rating, which the guard uses and the simulated plant does not"},
		{"sensors.acceleration" + normal, "scatter.sensors.acceleration: holds true or false: want the key of a number"},
		{"sensors" + normal, "scatter.sensors: is a block: want the key of a number in it"},
		{"sensors.noise" + normal,
			"scatter.sensors.noise: unknown key: did you mean displacement_noise, displacement_noise_power, " +
				"displacement_noise_shared or another?"},
		{"gain" + normal, "scatter.gain: unknown key: did you mean transfer.gain?"},
		{"qqqq.x" + normal, "scatter.qqqq.x: unknown key: want one of sensors, specimen, transfer"},
		{"transfer.gain" + normal + "\n  transfer.gain" + normal, `small.yaml:9:3: key "transfer.gain" stands twice`},
		{"transfer.gain: 5",
			`small.yaml:8:18: scatter.transfer.gain: found "5": want a block with kind, one of normal, truncated-normal, ` +
				`uniform, log-uniform`},
		{"transfer.gain: {mean: 1}", "small.yaml:8:19: scatter.transfer.gain: kind is missing: want one of normal,"},
		{"transfer.gain: {kind: gaussian}", `small.yaml:8:25: scatter.transfer.gain: kind "gaussian": want one of normal,`},
		{"transfer.gain: {kind: normal, from: 1}",
			"small.yaml:8:33: scatter.transfer.gain.from: unknown key of this kind, a key of kind truncated-normal, uniform " +
				"or log-uniform: want one of kind, mean, sd"},
		{"transfer.gain: {kind: normal, sd: x}", `scatter.transfer.gain.sd: found "x": want a finite number`},
		{"transfer.gain: {kind: normal, sd: 0}", "small.yaml:8:3: scatter.transfer.gain: sd 0: want more than 0"},
		{"transfer.gain: {kind: uniform, from: 2, to: 1}", "scatter.transfer.gain: from 2 to 1: want from less than to"},
		{"transfer.gain: {kind: log-uniform, from: -1, to: 1}", "scatter.transfer.gain: from -1 to 1: want 0 < from < to"},
	} {
		rthstest.WantError(t, build(t.Context(), small+"scatter:\n  "+tc.entry+"\n"), tc.want)
	}
	rthstest.WantError(t, build(t.Context(), small+"scatter: [transfer.gain]\n"),
		"small.yaml:7:10: scatter: found a list: want keys of the plant with their distributions, as in "+
			"{transfer.omega_rad_s: {kind: normal")
	for _, missing := range []string{"specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}\n",
		"transfer: {kind: second-order}\n"} {
		block, _, _ := strings.Cut(missing, ":")
		text := strings.Replace(small, missing, "", 1)
		rthstest.WantError(t, build(t.Context(), text+"scatter: {specimen.mass"+normal+", transfer.gain"+normal+", x"+normal+
			"}\n"), "there are no keys below "+block)
	}
	if err := build(t.Context(), small+"scatter:\n"); err != nil {
		t.Errorf("nothing below scatter: %v", err)
	}
	many := strings.Builder{}
	for i := range 200 {
		many.WriteString("  transfer.x" + strings.Repeat("y", i) + normal + "\n")
	}
	if err := build(t.Context(), small+"scatter:\n"+many.String()); err == nil || strings.Count(err.Error(), "\n") > 20 {
		t.Errorf("200 mistakes: %v", err)
	}
}

// The same with lists, and with several actuators.
func TestScatterMistakesInLists(t *testing.T) {
	tf := strings.Replace(small, "{kind: second-order}", "{kind: tf, num: [2500], den: [1, 80, 2500]}", 1)
	zpk := strings.Replace(small, "{kind: second-order}", "{kind: zpk, poles: [[-40, 30], [-40, -30]], gain: 2500}", 1)
	random := strings.Replace(small, "kind: linear", "kind: random-linear", 1)
	several := strings.NewReplacer("specimen:", "interface: [1, 2]\nspecimen:", "transfer: {kind: second-order}",
		"each: [{transfer: {kind: delay}, compensator: {kind: none}}, {transfer: {kind: delay}, "+
			"compensator: {kind: none}}]").Replace(small)
	for _, tc := range []struct{ text, key, want string }{
		{tf, "transfer.num", "scatter.transfer.num: is a list: want an entry of it, as in transfer.num[1]"},
		{tf, "transfer.num[2]", "scatter.transfer.num[2]: there is no entry [2]: want 1 to 1"},
		{tf, "transfer.den[0]", "there is no entry [0]: want 1 to 3"},
		{tf, "transfer.den[01]", "there is no entry [01]: want 1 to 3"},
		{tf, "transfer.den[x]", "there is no entry [x]: want 1 to 3"},
		{tf, "transfer.den[1", "want the place in a list in brackets, as in transfer.num[1]"},
		{tf, "transfer.den[1]x", "want the place in a list in brackets, as in transfer.num[1]"},
		{tf, "transfer.den[1][1]", "there is no list before [1]"},
		{zpk, "transfer.poles[1]", "scatter.transfer.poles[1]: is a list: want an entry of it, as in transfer.poles[1][1]"},
		{zpk, "transfer.zeros[1][1]", "the list before [1] is empty"},
		{random, "specimen.mass_range[1]", "is a range of the published scatter, which scatter replaces"},
		{several, "transfer.delay_ms",
			"stands outside the plant of this scenario; compensators are made for the nominal plant: want a key below " +
				"specimen, each[i].transfer or sensors"},
		{several, "each.transfer.delay_ms", "there are no keys below each"},
		{several, "each[3].transfer.delay_ms", "there is no entry [3]: want 1 to 2"},
		{several, "each[1].compensator.tau_ms", "scatter.each[1].compensator.tau_ms: stands outside the plant"},
		{several, "each[1].transfer.delay", "scatter.each[1].transfer.delay: unknown key: did you mean delay_ms?"},
		{several, "each[1].transfer.tau_ms",
			"scatter.each[1].transfer.tau_ms: unknown key of this kind, a key of kind first-order"},
	} {
		rthstest.WantError(t, build(t.Context(), tc.text+"scatter:\n  "+tc.key+": {kind: normal, mean: 1, sd: 1}\n"), tc.want)
	}
	for text, key := range map[string]string{tf: "transfer.den[2]", zpk: "transfer.poles[2][1]",
		several: "each[2].transfer.delay_ms"} {
		if err := build(t.Context(), text+"scatter:\n  "+key+": {kind: normal, mean: 1, sd: 1}\n"); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// A value that the plant cannot have is refused with its key, the number of the plant and
// what was drawn. What is wrong with the nominal plant is said of the nominal plant.
func TestRefusedDraws(t *testing.T) {
	bilinear := strings.Replace(small, "{kind: linear, mass: 10, damping: 100, stiffness: 1e5}",
		"{kind: bilinear, stiffness: 2e5, post_stiffness: 1e5}", 1)
	for _, tc := range []struct {
		text, scatter string
		want          []string
	}{
		{small, "specimen.mass: {kind: uniform, from: -4, to: -3}",
			[]string{"scatter.specimen.mass: plant 2 drew -3.",
				"; want a distribution within what is possible, such as truncated-normal or uniform"}},
		{small, "transfer.damping_ratio: {kind: uniform, from: -4, to: -3}",
			[]string{"scatter.transfer.damping_ratio: plant 2 drew -3.",
				"second-order transfer system: omega 50 rad/s, damping ratio -3."}},
		{small, "transfer.gain: {kind: normal, mean: 1, sd: 0.1}, specimen.stiffness: {kind: uniform, from: 1e9, to: 2e9}",
			[]string{"scatter.specimen.stiffness: plant 2 drew 1.", "its stiffness of 1.", "to the numerical part"}},
		{small, "sensors.force_noise: {kind: uniform, from: -4, to: -3}",
			[]string{"scatter.sensors.force_noise: plant 2 drew -3.", "force_noise -3."}},
		{bilinear, "specimen.stiffness: {kind: uniform, from: 1.4e5, to: 1.5e5}, specimen.post_stiffness: {kind: uniform, " +
			"from: 1.6e5, to: 1.7e5}", []string{"small.yaml:7:1: scatter: plant 2 drew specimen.stiffness 14",
			", specimen.post_stiffness 16"}},
		{strings.Replace(small, "second-order", "silva2020", 1), "specimen.stiffness: {kind: uniform, from: 1e15, to: 2e15}",
			[]string{"scatter.specimen.stiffness: plant 2 drew 1."}},
		{small, "transfer.gain: {kind: normal, mean: 1e308, sd: 1e308}, specimen.mass: {kind: normal, mean: -1e308, " +
			"sd: 1e308}", []string{"drew "}},
		{strings.Replace(small, "mass: 10,", "mass: -10,", 1), "specimen.mass: {kind: uniform, from: -4, to: -3}",
			[]string{"small.yaml:5:1: specimen: linear specimen: mass -10"}},
	} {
		err := build(t.Context(), tc.text+"scatter:\n  "+strings.ReplaceAll(tc.scatter, "}, ", "}\n  ")+"\nperturbed: 2\n")
		for _, want := range tc.want {
			rthstest.WantError(t, err, want)
		}
	}
}

// --set takes the keys of scatter with their points and brackets.
func TestSetScatter(t *testing.T) {
	tf := strings.Replace(small, "{kind: second-order}", "{kind: tf, num: [2500], den: [1, 80, 2500]}", 1) +
		"scatter:\n  transfer.den[2]: {kind: normal, mean: 80, sd: 3}\n"
	s := parsed(t, tf, "scatter.transfer.den[2].sd=4", "scatter.specimen.mass.kind=uniform", "scatter.specimen.mass.to=20",
		"scatter.transfer.num[1]={kind: normal, mean: 2500, sd: 5}")
	text := rthstest.Must(s.YAML())
	const want = "scatter:\n  transfer.den[2]:\n    kind: normal\n    mean: 80\n    sd: 4\n  specimen.mass:\n    kind: " +
		"uniform\n    from: 0\n    to: 20\n  transfer.num[1]:\n    kind: normal\n    mean: 2500\n    sd: 5\n"
	if !strings.Contains(strings.ReplaceAll(text, ".0\n", "\n"), want) {
		t.Errorf("the scenario is\n%s\nwant\n%s", text, want)
	}
	fragment := rthstest.Must(s.Fragment("scatter.transfer.den[2].sd"))
	if again := parsed(t, strings.Replace(small, "{kind: second-order}", "{kind: tf, num: [2500], den: [1, 80, 2500]}", 1)+
		fragment); rthstest.Must(again.YAML()) != text {
		t.Errorf("%s is read as\n%s\nwant\n%s", fragment, rthstest.Must(again.YAML()), text)
	}
	if s = parsed(t, tf, "scatter="); len(s.Scatter) != 0 {
		t.Errorf("scatter= leaves %v", s.Scatter)
	}
	_, err := parse(scattered, "transfer.kind=ideal")
	rthstest.WantError(t, err,
		"scatter.transfer.omega_rad_s: unknown key of this kind, a key of kind second-order: want one of force_n, "+
			"rate_m_s, stroke_m; --set scatter= leaves the block out")
	_, err = parse(scattered, "transfer={kind: ideal}")
	rthstest.WantError(t, err, "; --set scatter= leaves the block out")
	if _, err := s.With("scatter.transfer.den[4].kind=normal"); err == nil ||
		!strings.Contains(err.Error(),
			"--set scatter.transfer.den[4].kind=normal: scatter.transfer.den[4]: there is no entry [4]: want 1 to 3") {
		t.Errorf("error %v", err)
	}
}
