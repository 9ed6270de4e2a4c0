package combine

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"rths"
	"rths/method/compensate"
)

// inParallel makes the parts, feedback of the tracking error apart from the feedforward.
func inParallel(links []*link, at compensate.At) (rths.Compensator, error) {
	var forward *link
	var feedback []*link
	instant := at // the target of the reading's instant
	instant.Lead = 0
	for _, l := range links {
		trial, err := copied(l.Maker).Make(instant)
		switch {
		case err != nil:
			return nil, l.fail(err)
		case isFeedback(trial, max(at.Axes, 1)):
			l.at, feedback = instant, append(feedback, l)
		case forward != nil:
			return nil, &PartError{l.number, forward.number,
				fmt.Errorf("%s is a feedforward as part %d is: its command is not 0 where target and reading agree, and the sum "+
					"of both is about twice the target: want one feedforward, beside it feedback as lqg, or pi with lead_num: [1] "+
					"and lead_den: [1]; or join: series", l.Kind, forward.number)}
		default:
			l.at, forward = at, l
		}
	}
	for _, l := range links {
		var err error
		if l.Compensator, err = l.Maker.Make(l.at); err != nil {
			return nil, l.fail(err)
		}
	}
	c := newInParallel(links, forward, at)
	if forward == nil {
		return c, nil
	}
	s, shares := forward.Compensator.(compensate.Sharer)
	if _, learns := rths.As[rths.Adaptive](forward.Compensator); learns && !shares && len(feedback) > 0 {
		return nil, forward.fail(errors.New("it learns from its own commands, and here the rig gets others: want it in " +
			"series, or alone"))
	}
	if shares && len(feedback) > 0 {
		s.Share(c.sent)
	}
	if _, rates := rths.As[rths.RateUser](forward.Compensator); rates {
		return parallelChainWithRates{c}, nil
	}
	return c, nil
}

// copied is a maker whose Make leaves the original as it is.
func copied(m compensate.Maker) compensate.Maker {
	v := reflect.New(reflect.TypeOf(m).Elem())
	v.Elem().Set(reflect.ValueOf(m).Elem())
	return v.Interface().(compensate.Maker)
}

// isFeedback reports whether the command is 0 where target and reading agree.
func isFeedback(c rths.Compensator, axes int) bool {
	if _, rates := rths.As[rths.RateUser](c); rates {
		return false
	}
	still(c)
	target, read, command := rths.NewMotion(axes), rths.NewReading(axes, axes), make([]float64, axes)
	for k := range 200 {
		for i := range axes {
			target.X[i] = math.Sin(float64(k*k + i)) // all frequencies, of 1 m
			read.X[i] = target.X[i]
		}
		c.Step(command, &target, &read)
		for _, u := range command {
			if !(math.Abs(u) <= 1e-9) {
				return false
			}
		}
	}
	return true
}
