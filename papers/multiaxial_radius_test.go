package papers

import (
	"context"
	"os"
	"runtime"
	"testing"

	"rths/analyse"
	"rths/scenario"
)

// The whole loop of every design is stable in every case on the nominal and on 20
// uncertain plants: its spectral radius is below 1. Of RoDeAC, which noise takes away
// from its start at once, it is that of the start.
func TestEveryLoopDecays(t *testing.T) {
	const trials = 21
	s := &MultiAxial{Compensators: MultiAxialCompensators(), Scale: 0.4, Seed: 123, RecordsDir: os.Getenv("RTHS_RECORDS")}
	if s.RecordsDir == "" {
		t.Skip("the ground motions are not part of the program: set RTHS_RECORDS")
	}
	if err := s.calibrate(); err != nil {
		t.Fatal(err)
	}
	var runs []factorialRun
	for _, name := range s.Compensators {
		for partitionCase := 1; partitionCase <= 4; partitionCase++ {
			for trial := 1; trial <= trials; trial++ {
				runs = append(runs, factorialRun{compensator: name, record: "elcentro", partitionCase: partitionCase, trial: trial})
			}
		}
	}
	at := &factorial{records: []string{"elcentro"}, nominal: 1}
	shaking, err := at.shake(s.RecordsDir, func(r *factorialRun) (*scenario.Scenario, error) { return s.scenario(r) })
	if err != nil {
		t.Fatal(err)
	}
	err = parallel(context.Background(), runtime.GOMAXPROCS(0), len(runs), nil, func(i int) error {
		r := &runs[i]
		sc, err := s.scenario(r)
		if err != nil {
			return err
		}
		run, err := sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: shaking[r.record]})
		if err != nil {
			return err
		}
		radius, err := analyse.LoopRadius(run)
		if err == nil && !(radius < 1) {
			t.Errorf("%s, case %d, trial %d: radius %.6f", r.compensator, r.partitionCase, r.trial, radius)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
