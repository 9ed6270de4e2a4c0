package scenario

import (
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario/syntax"
)

// A setting without value leaves out a block at the top, or of an actuator; the scenario is as if the
// file had none. A later setting fills the block again.
func TestEmptySettingsLeaveOut(t *testing.T) {
	const inner = rthstest.Small + "compensator: {kind: pe, tau_ms: 8}\ninner_loop: {kp: 2}\n"
	two := yamlOf(t, rthstest.Must(Shipped("two-storeys.yaml", sine)))
	for _, c := range []struct {
		text string
		sets []string
		same []string // settings that say the same
	}{
		{inner, []string{"inner_loop="}, []string{"inner_loop={kp: 0}"}},
		{inner, []string{"inner_loop= ", "compensator="}, []string{"inner_loop={kp: 0}", "compensator.kind=none"}},
		{inner, []string{"compensator=", "compensator.kind=kf"}, []string{"compensator={kind: kf}"}},
		{inner, []string{"compensator=", "compensator.kind=kf", "compensator.qf=0.2"},
			[]string{"compensator={kind: kf, qf: 0.2}"}},
		{inner, []string{"compensator.kind=kf", "compensator="}, []string{"compensator={kind: none}"}},
		{inner, []string{"two_rate=", "reduce="}, nil}, // there is none
		{inner, []string{"reduce={modes: 1, up_to_hz: 1}", "reduce="}, nil},
		{two, []string{"each[1].fallback=", "each[2].fallback="}, nil},
		{two, []string{"compensator=", "each[1].compensator={kind: pe}", "each[2].compensator={kind: ats}",
			"each[1].compensator=", "each[2].compensator="}, []string{"compensator={kind: none}"}},
	} {
		got, err := Parse("test.yaml", []byte(c.text), ".", c.sets)
		if err != nil {
			t.Errorf("%q: %v", c.sets, err)
			continue
		}
		want := rthstest.Must(Parse("test.yaml", []byte(c.text), ".", c.same))
		if yamlOf(t, got) != yamlOf(t, want) {
			t.Errorf("%q:\n%s\nwant\n%s", c.sets, yamlOf(t, got), yamlOf(t, want))
		}
		var settings []syntax.Setting
		for _, set := range c.sets {
			settings = append(settings, rthstest.Must(syntax.ParseSetting(set)))
		}
		template := rthstest.Must(NewTemplate("test.yaml", []byte(c.text), ".", nil))
		if with := yamlOf(t, rthstest.Must(template.With(settings...))); with != yamlOf(t, want) {
			t.Errorf("%q by With:\n%s", c.sets, with)
		}
		if before := yamlOf(t, rthstest.Must(template.With())); before != yamlOf(t,
			rthstest.Must(Parse("test.yaml", []byte(c.text), ".", nil))) {
			t.Errorf("%q: With has changed the template:\n%s", c.sets, before)
		}
	}
}

// A block that the file leaves empty, a key inside a block without value, or a block that a test needs, is a
// mistake as before.
func TestEmptyBlocksAreMistakes(t *testing.T) {
	for _, c := range []struct {
		text string
		set  string
		want string
	}{
		{rthstest.Small + "compensator:\n", "rate_hz=1024", "compensator"},
		{rthstest.Small + "each:\n", "rate_hz=1024", "each"},
		{rthstest.Small, "compensater=", "compensater: unknown key"},
		{rthstest.Small, "name=", "name: found nothing: want text"},
		{rthstest.Small, "structure=", "structure: missing"},
		{rthstest.Small, "transfer=", "transfer: missing"},
		{rthstest.Small, "structure.masses=", "structure.masses"},
		{rthstest.Small, "rate_hz=", "rate_hz: found nothing: want a finite number"},
		{yamlOf(t, rthstest.Must(Shipped("two-storeys.yaml", sine))), "each[1].transfer=", "each[1]: nothing in it"},
		{yamlOf(t, rthstest.Must(Shipped("two-storeys.yaml", sine))), "each[2].transfer.num=", "each[2].transfer.num"},
	} {
		if _, err := Parse("test.yaml", []byte(c.text), ".", []string{c.set}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.set, err, c.want)
		}
	}
}
