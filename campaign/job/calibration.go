package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rths"
	"rths/campaign/picture"
	"rths/campaign/study"
)

// Calibration is a calibration that is made.
type Calibration struct {
	Study
	Search *study.Calibration
}

// NewCalibration is the calibration that a plan asks for.
func NewCalibration(ctx context.Context, s Study) (*Calibration, error) {
	s.Bench.Radii = s.Plan.File.Calibrate.Radius > 0
	search, err := study.NewCalibration(ctx, s.Plan)
	return &Calibration{s, search}, err
}

// Open makes the folder, or opens it to go on after its last generation.
func (c *Calibration) Open() error {
	if err := c.open(study.CalibrationKind, c.Search.Identity()); err != nil || !c.Resume {
		return err
	}
	if err := c.Search.Resume(c.Out); err != nil {
		return errors.Join(err, c.Folder.Close())
	}
	return nil
}

// Run searches and writes the result. An error says what could not be written; how the search has ended is in the
// result.
func (c *Calibration) Run(ctx context.Context) (*study.Calibrated, error) {
	start := time.Now()
	before, failure := c.search(ctx, c.By(c.Out))
	c.Folder.Manifest.WallS += time.Since(start).Seconds()
	status, reason := c.Folder.Ended(ctx, failure)
	if status == rths.Stopped {
		reason = fmt.Sprintf("stopped by the user after %d generations", c.Search.Search.Generation())
	}
	summary, err := c.Folder.Finish(c.Plan, status, reason, func(s *study.Summary) ([]string, error) {
		names, err := c.Search.WriteFiles(c.Out, status)
		pictures := picture.OfStudy(c.Plan, c.Folder, s)
		pictures.AddSearch(c.Search)
		drawn, drawErr := pictures.Write(c.Out, c.Plots)
		return append(names, drawn...), errors.Join(err, drawErr)
	})
	return c.Search.Result(c.Folder, before, summary), err
}

// search makes the generations, then the maps and the runs of the optimum. before is the fitness of the base scenario.
func (c *Calibration) search(ctx context.Context, by study.Executor) (before study.Fitness, err error) {
	p, search := c.Plan, c.Search
	first, err := c.Bench.Evaluate(ctx, p, search.Criterion, [][]float64{nil}, by, c.told("the base scenario"))
	if err != nil {
		return before, err
	}
	before = first[0]
	for !search.Search.Done() {
		name := fmt.Sprintf("generation %d", search.Search.Generation()+1)
		err := search.Step(ctx, c.Bench, by, c.told(name))
		if err == nil {
			err = search.Save(c.Out)
		}
		if err != nil {
			return before, err
		}
		_, best, _ := search.Search.Best()
		c.say("%s: best %s %s", name, p.File.Calibrate.Objective(search.Criterion), best)
	}
	if err := search.Neighbourhood(ctx, c.Bench, by, c.told("maps around the optimum")); err != nil {
		return before, err
	}
	u, _, _ := search.Search.Best()
	p.Tune(p.File.Calibrate.Settings(u))
	return before, c.Bench.Execute(ctx, p, c.Folder, by, c.told("runs of the optimum"))
}
