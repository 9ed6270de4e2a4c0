package papers

import (
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/scenario"
)

// factorial is the design of a benchmark suite: every compensator on every case,
// record and plant, with and without sensor noise.
type factorial struct {
	suite        string
	compensators []string
	cases        []int // 1 to 4
	records      []string
	noise        []bool
	scale        float64
	plants       int // beside the nominal one
	nominal      int // trial of the nominal plant
}

// factorialRun is one run of it.
type factorialRun struct {
	compensator   string
	record        string
	partitionCase int
	noise         bool
	trial         int
	values        []rths.Value
	status        string
}

// group is what means and standard deviations are taken over.
type group struct {
	compensator, record string
	partitionCase       int
	noise               bool
}

func (r *factorialRun) group() group { return group{r.compensator, r.record, r.partitionCase, r.noise} }

// check looks at all but compensators' names and the number of plants.
func (f *factorial) check() error {
	for what, list := range map[string][]string{"compensator": f.compensators, "record": f.records} {
		if name, twice := repeated(list); twice {
			return fmt.Errorf("benchmark %s: %s %s stands twice", f.suite, what, name)
		}
	}
	if c, twice := repeated(f.cases); twice {
		return fmt.Errorf("benchmark %s: case %d stands twice", f.suite, c)
	}
	for _, c := range f.cases {
		if c < 1 || c > 4 {
			return fmt.Errorf("benchmark %s: case %d: want 1 to 4", f.suite, c)
		}
	}
	switch {
	case len(f.compensators) == 0 || len(f.cases) == 0 || len(f.records) == 0 || len(f.noise) == 0:
		return fmt.Errorf("benchmark %s: nothing to run: want at least one compensator, case, record and noise setting", f.suite)
	case math.IsNaN(f.scale) || math.IsInf(f.scale, 0):
		return fmt.Errorf("benchmark %s: scale %g: want a finite number", f.suite, f.scale)
	}
	return nil
}

// repeated is the first value that stands twice.
func repeated[T comparable](list []T) (T, bool) {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return v, true
		}
	}
	var none T
	return none, false
}

// runs lists the runs, the plants of a group one after the other.
func (f *factorial) runs() []factorialRun {
	var runs []factorialRun
	for _, record := range f.records {
		for _, partitionCase := range f.cases {
			for _, noise := range f.noise {
				for _, name := range f.compensators {
					for i := range f.plants + 1 {
						runs = append(runs, factorialRun{compensator: name, record: record, partitionCase: partitionCase, noise: noise, trial: f.nominal + i})
					}
				}
			}
		}
	}
	return runs
}

// shake is the shaking of every record, by name. It depends on nothing else of a run.
func (f *factorial) shake(dir string, of func(*factorialRun) (*scenario.Scenario, error)) (map[string]*scenario.Shaking, error) {
	out := map[string]*scenario.Shaking{}
	for _, record := range f.records {
		sc, err := of(&factorialRun{compensator: "none", record: record, partitionCase: 1, trial: f.nominal})
		if err != nil {
			return nil, err
		}
		if out[record], err = sc.Shake(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// take steps the built run to its end and keeps how it ended.
func (r *factorialRun) take(run *scenario.Run) {
	r.status, _ = scenario.Status(run.Loop.Run(0, nil))
	r.values = run.Summary()
}

// head is how the row of a run or a statistic begins.
func (f *factorial) head(r *factorialRun) Row {
	noise := "off"
	if r.noise {
		noise = "on"
	}
	return Row{{"compensator", r.compensator}, {"case", r.partitionCase}, {"record", r.record}, {"scale", f.scale}, {"noise", noise}}
}

// cells are the criteria of a run.
func (r *factorialRun) cells(keys []string) []Cell {
	var out []Cell
	for _, key := range keys {
		out = append(out, Cell{key, value(r.values, key)})
	}
	return out
}

// statistics are mean and standard deviation of the criteria over the completed runs
// of a group, each with its count in front.
func statistics(runs []*factorialRun, keys []string) (mean, std []Cell) {
	completed := 0
	for _, r := range runs {
		if r.status == "completed" {
			completed++
		}
	}
	count := []Cell{{"runs", len(runs)}, {"completed", completed}}
	mean = append([]Cell{{"statistic", "mean"}}, count...)
	std = append([]Cell{{"statistic", "std"}}, count...)
	for _, key := range keys {
		m, sd := meanStd(runs, key)
		mean, std = append(mean, Cell{key, m}), append(std, Cell{key, sd})
	}
	return mean, std
}

// meanStd is the mean and sample standard deviation of a criterion over the
// completed runs.
func meanStd(runs []*factorialRun, key string) (mean, std float64) {
	var sum, square, n float64
	for _, r := range runs {
		if r.status == "completed" {
			sum += value(r.values, key)
			n++
		}
	}
	mean = sum / n
	for _, r := range runs {
		if r.status == "completed" {
			d := value(r.values, key) - mean
			square += d * d
		}
	}
	return mean, math.Sqrt(square / (n - 1))
}
