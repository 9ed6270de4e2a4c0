package job

import (
	"cmp"
	"context"
	"time"

	"rths"
	"rths/campaign/advice"
	"rths/campaign/picture"
	"rths/result/catalogue"
)

// Advice is an advice that is made. Out may hold one that was stopped.
type Advice struct {
	Order
	Work   *advice.Advice // with its budget
	Answer *advice.Answer // after Open

	unlock func() error
}

// Open makes the folder.
func (a *Advice) Open(ctx context.Context) error {
	result := a.Work.Result(ctx)
	if a.Out == "" {
		a.Out = catalogue.Fresh(a.Beside, result.Name+" advice")
	}
	began, unlock, err := advice.Open(a.Out)
	if err != nil {
		return err
	}
	a.unlock = unlock
	a.Answer = a.answer(result, cmp.Or(began, time.Now().Format(time.RFC3339)))
	if err := a.Answer.Save(a.Out); err != nil { // a folder that takes nothing is found before the runs
		a.Close()
		return err
	}
	return nil
}

// Close lets go of the folder.
func (a *Advice) Close() { _ = a.unlock() } // the end of the program unlocks too

// answer is an answer of this program, with a result, while the work goes on.
func (a *Advice) answer(r *advice.Result, started string) *advice.Answer {
	return &advice.Answer{
		Status: rths.Running, Started: started, Result: r, Executor: a.Executor, Workers: a.Workers, Version: a.Version,
		Asked: a.Asked.For(a.Out),
	}
}

// Run makes the runs and writes the answer. An error says what could not be written; how the work has ended is in the
// answer.
func (a *Advice) Run(ctx context.Context) error {
	defer a.Close()
	start := time.Now()
	failure := a.Work.Run(ctx, a.By(a.Out), a.Progress)
	whole := context.WithoutCancel(ctx) // advice that is stopped has an answer too
	out := a.answer(a.Work.Result(whole), a.Answer.Started)
	out.WallS = time.Since(start).Seconds()
	out.End(ctx, failure)
	a.Answer = out
	return out.WriteFiles(whole, a.Work, a.Out, func() ([]string, error) {
		page, err := picture.OfAnswer(whole, a.Work, out)
		if err != nil {
			return nil, err
		}
		return page.Write(a.Out, a.Plots)
	})
}
