package page

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"rths/run/session"
)

// Operator answers the questions of a test: at the terminal, and on the page if there is one. The first answer counts,
// and the other place is told. One question is open at a time.
type Operator struct {
	out     io.Writer // the terminal
	live    *Live     // nil without a page
	stopped error     // of a question whose context has ended

	asked sync.Mutex
	lines chan string // that are typed; nil: the terminal is closed
	owed  []string    // what the terminal may still bring for questions that the page has answered
}

// NewOperator asks at a terminal, and on a page (nil: there is none). stopped is the error of a question whose context
// ends.
func NewOperator(in io.Reader, out io.Writer, l *Live, stopped error) *Operator {
	o := &Operator{out: out, live: l, stopped: stopped, lines: make(chan string)}
	go typed(in, o.lines)
	return o
}

// typed reads what is typed, line by line.
func typed(in io.Reader, lines chan<- string) {
	defer close(lines)
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		lines <- strings.TrimSpace(line)
	}
}

// Ask asks until somebody answers, or the context ends.
func (o *Operator) Ask(ctx context.Context, q session.Question) (string, error) {
	o.asked.Lock()
	defer o.asked.Unlock()
	var onPage <-chan Answer
	if o.live != nil {
		answers, withdraw := o.live.Ask(Question(q))
		defer withdraw()
		onPage = answers
	}
	fmt.Fprint(o.out, q.Text)
	for {
		select {
		case a := <-onPage:
			o.owed = append(o.owed, q.Want)
			fmt.Fprintf(o.out, "\n%s: %s\n", q.Step, a.Who)
			o.live.Answered(q, a.Text, a.Who)
			return a.Text, nil
		case line, ok := <-o.lines:
			if !ok {
				o.lines = nil
				if o.live == nil {
					return "", fmt.Errorf("no answer: %w: want an operator at the terminal, or --yes", io.EOF)
				}
				fmt.Fprintln(o.out, "the terminal is closed: the page alone answers")
				continue
			}
			if o.live == nil {
				return line, nil
			}
			if o.answers(q, line) {
				o.live.Answered(q, line, "the terminal")
				return line, nil
			}
		case <-ctx.Done():
			return "", o.stopped
		}
	}
}

// answers reports whether a line is for this question. One that the page has answered before may have been on its way.
// Only Enter ends a session while there is a page: else a word for another question would end it too.
func (o *Operator) answers(q session.Question, line string) bool {
	switch i := slices.Index(o.owed, line); {
	case line == q.Want:
		return true
	case i >= 0:
		o.owed = slices.Delete(o.owed, i, i+1)
		fmt.Fprintf(o.out, "%q was answered by the page already. %s", line, q.Text)
		return false
	case q.Want == "":
		fmt.Fprintf(o.out, "%q is no answer: Enter ends the session. %s", line, q.Text)
		return false
	}
	return true
}
