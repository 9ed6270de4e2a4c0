package page

import (
	"errors"
	"sync"
)

// desk has the question that is open. Whoever answers first is heard.
type desk struct {
	at     sync.Mutex
	number int
	now    *asking
	answer chan Answer
}

// asking is an open question.
type asking struct {
	Number int `json:"number"`
	Question
}

// Ask opens a question. The channel gets at most one answer. withdraw closes the question: it was answered elsewhere,
// or nobody waits for an answer any more.
func (d *desk) Ask(q Question) (answers <-chan Answer, withdraw func()) {
	d.at.Lock()
	defer d.at.Unlock()
	d.number++
	of := &asking{d.number, q}
	d.now, d.answer = of, make(chan Answer, 1)
	return d.answer, func() {
		d.at.Lock()
		defer d.at.Unlock()
		if d.now == of {
			d.now = nil
		}
	}
}

func (d *desk) open() *asking {
	d.at.Lock()
	defer d.at.Unlock()
	return d.now
}

var errNoQuestion = errors.New(
	"this question is not open any more: somebody else has answered it, or the test has gone on")

// reply answers the question with this number.
func (d *desk) reply(number int, a Answer) error {
	d.at.Lock()
	defer d.at.Unlock()
	if d.now == nil || d.now.Number != number {
		return errNoQuestion
	}
	if a.Text != d.now.Want {
		return errors.New("want the word " + d.now.Want)
	}
	d.answer <- a
	d.now = nil
	return nil
}
