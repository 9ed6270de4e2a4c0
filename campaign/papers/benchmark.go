package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/scenario"
)

// Benchmark is the plan of a benchmark suite: every compensator on every partition case,
// record and plant, with sensor noise and without.
type Benchmark struct {
	Compensators []string   `flag:"compensator" usage:"compensators to run"`
	Cases        []int      `flag:"cases" usage:"partition cases"`
	Records      []string   `flag:"record" usage:"ground motions, by name"`
	Noise        string     `flag:"noise" usage:"sensor noise: on, off or both"`
	Scale        float64    `flag:"scale" usage:"factor on the ground motions"`
	Seed         uint64     `flag:"seed" usage:"seed of sensor noise and random plants"`
	Set          suite.Sets `flag:"set" usage:"KEY=VALUE of the scenarios, as rths run --set"`
}

// trial is one run of a benchmark.
type trial struct {
	trialHead
	random int // number of the random plant; 0: the nominal one
	last   bool
	status string
	values []rths.Value
	made   string  // the compensator's parameters
	radius float64 // of the loop, where the suite looks at it
}

// trialHead is the first columns of a row, which the random plants of a group share.
type trialHead struct {
	Compensator string  `col:"compensator" print:"%s"`
	Case        int     `col:"case" print:"%d" draw:"part"`
	Record      string  `col:"record" print:"%s" draw:"part"`
	Scale       float64 `col:"scale"`
	Noise       string  `col:"noise" print:"%s" draw:"named"`
}

// check wants compensators among some, and plants of a possible number.
func (b *Benchmark) check(compensators []string, plants int) error {
	if err := cmp.Or(suite.Distinct("compensator", b.Compensators, compensators), suite.Distinct("case", b.Cases, nil),
		suite.Distinct("record", b.Records, nil)); err != nil {
		return err
	}
	for _, c := range b.Cases {
		if c < 1 || c > 4 {
			return fmt.Errorf("case %d: want 1 to 4", c)
		}
	}
	switch {
	case !slices.Contains([]string{"on", "off", "both"}, b.Noise):
		return fmt.Errorf("--noise %s: want on, off or both", b.Noise)
	case !rths.Finite(b.Scale):
		return fmt.Errorf("scale %g: want a finite number", b.Scale)
	case plants < 0 || plants > 1e6:
		return fmt.Errorf("%d random plants: want 0 to a million", plants)
	}
	return nil
}

// trials lists the runs, the nominal plant of a group first.
func (b *Benchmark) trials(plants int) []*trial {
	var out []*trial
	for _, record := range b.Records {
		for _, c := range b.Cases {
			for _, noise := range []string{"on", "off"} {
				if b.Noise != "both" && b.Noise != noise {
					continue
				}
				for _, name := range b.Compensators {
					for i := range plants + 1 {
						out = append(out, &trial{trialHead: trialHead{name, c, record, b.Scale, noise}, random: i, last: i == plants})
					}
				}
			}
		}
	}
	return out
}

// scenario is the shipped scenario of a trial, with more keys set.
func (b *Benchmark) scenario(file string, t *trial, sets ...string) (*scenario.Scenario, error) {
	all := append(settled(t.Compensator),
		"ground.record="+t.Record, fmt.Sprintf("ground.scale=%g", t.Scale),
		fmt.Sprintf("structure.case=%d", t.Case), fmt.Sprintf("seed=%d", b.Seed), fmt.Sprintf("perturbed=%d", t.random),
	)
	if t.Noise == "off" {
		all = append(all, "sensors=")
	}
	return scenario.Shipped(file, slices.Concat(all, sets, b.Set)...)
}

// example is the scenario of a compensator on the first record and case 1, by a suite's own
// scenario of a trial.
func (b *Benchmark) example(of func(*trial) (*scenario.Scenario, error)) func(name string) (*scenario.Scenario, error) {
	return func(name string) (*scenario.Scenario, error) {
		return of(&trial{trialHead: trialHead{Compensator: name, Record: b.Records[0], Case: 1, Scale: b.Scale}})
	}
}

// play runs all trials. The shaking of a record, which depends on nothing else of a trial,
// is made once. look, if given, sees every run before its first tick.
func (b *Benchmark) play(ctx context.Context, lab suite.Lab, trials []*trial,
	of func(*trial) (*scenario.Scenario, error), look func(*trial, *scenario.Run) error) error {
	shaking, err := suite.Shakings(lab, len(trials), func(i int) string { return trials[i].Record },
		func(i int) (*scenario.Scenario, error) { return of(trials[i]) })
	if err != nil {
		return err
	}
	return lab.Each(ctx, len(trials), func(i int) (err error) {
		t := trials[i]
		sc, err := of(t)
		if err != nil {
			return err
		}
		var failed error
		out, err := lab.Play(ctx, sc, shaking[t.Record], func(run *scenario.Run) {
			if look != nil {
				failed = look(t, run)
			}
		})
		if err != nil || failed != nil {
			return errors.Join(err, failed)
		}
		t.status, t.values = out.Status, out.Values
		t.made, err = out.Scenario.Compensator.Settings()
		return err
	})
}

// statistics are mean and sample standard deviation of the criteria over the completed
// trials of a group.
func statistics(group []*trial, keys []string) (mean, std []rths.Value, of suite.Statistic) {
	of.Runs = len(group)
	done := slices.DeleteFunc(slices.Clone(group), func(t *trial) bool { return t.status != rths.Completed })
	of.Completed = len(done)
	for _, key := range keys {
		var sum, square float64
		n := float64(len(done))
		for _, t := range done {
			sum += suite.Value(t.values, key)
		}
		for _, t := range done {
			d := suite.Value(t.values, key) - sum/n
			square += d * d
		}
		mean = append(mean, rths.Value{Name: key, V: sum / n})
		std = append(std, rths.Value{Name: key, V: math.Sqrt(square / (n - 1))})
	}
	return mean, std, of
}

// settled are the overrides of a suite's compensator. By themselves amb and kf take their
// settings from the plant; the suites have the kinds with the settings that a paper prints,
// and of the other methods the settings that were found on the single-actuator benchmark
// (docs/adr/0005).
func settled(compensator string) []string {
	kind := compensator
	if published, ok := map[string]string{"amb": "amb-galmez2021", "kf": "kf-ning2020"}[compensator]; ok {
		kind = published
	}
	sets := []string{"compensator.kind=" + kind}
	for _, set := range found[compensator] {
		sets = append(sets, "compensator."+set)
	}
	return sets
}

var found = map[string][]string{
	"adm":                {"initial=given"},
	"adm2":               {"initial=given"},
	"adm3":               {"initial=given", "p0=[1e14]"},
	"adm4":               {"initial=given", "p0=[1e6, 1e12, 1e12, 1e12]"},
	"ats":                {"order=2", "initial=given"},
	"cats":               {"order=2", "initial=given"},
	"forward-prediction": {"order=2", "tau_ms=20", "gain=1"},
}
