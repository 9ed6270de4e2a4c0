package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"rths/run/page"
	"rths/run/session"
)

// operator answers the questions of a test: at the terminal, and on the page if there is one. The first answer counts,
// and the other place is told. One question is open at a time.
type operator struct {
	cmd   *cobra.Command
	live  *live // nil without a page
	asked sync.Mutex
	lines chan string // that are typed; nil: the terminal is closed
	owed  []string    // what the terminal may still bring for questions that the page has answered
}

func newOperator(cmd *cobra.Command, l *live) *operator {
	o := &operator{cmd: cmd, live: l, lines: make(chan string)}
	go typed(cmd.InOrStdin(), o.lines)
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

// ask asks until somebody answers, or the context ends.
func (o *operator) ask(ctx context.Context, q session.Question) (string, error) {
	o.asked.Lock()
	defer o.asked.Unlock()
	var onPage <-chan page.Answer
	if o.live != nil {
		answers, withdraw := o.live.Ask(page.Question{Step: q.Step, Text: q.Text, Want: q.Want})
		defer withdraw()
		onPage = answers
	}
	fmt.Fprint(o.cmd.ErrOrStderr(), q.Text)
	for {
		select {
		case a := <-onPage:
			o.owed = append(o.owed, q.Want)
			o.cmd.PrintErrf("\n%s: %s\n", q.Step, a.Who)
			o.live.answered(q, a.Text, a.Who)
			return a.Text, nil
		case line, ok := <-o.lines:
			if !ok {
				o.lines = nil
				if o.live == nil {
					return "", fmt.Errorf("no answer: %w: want an operator at the terminal, or --yes", io.EOF)
				}
				o.cmd.PrintErrln("the terminal is closed: the page alone answers")
				continue
			}
			if o.live == nil {
				return line, nil
			}
			if o.answers(q, line) {
				o.live.answered(q, line, "the terminal")
				return line, nil
			}
		case <-ctx.Done():
			return "", errStopped
		}
	}
}

// answers reports whether a line is for this question. One that the page has answered before may have been on its way.
// Only Enter ends a session while there is a page: else a word for another question would end it too.
func (o *operator) answers(q session.Question, line string) bool {
	switch i := slices.Index(o.owed, line); {
	case line == q.Want:
		return true
	case i >= 0:
		o.owed = slices.Delete(o.owed, i, i+1)
		o.cmd.PrintErrf("%q was answered by the page already. %s", line, q.Text)
		return false
	case q.Want == "":
		o.cmd.PrintErrf("%q is no answer: Enter ends the session. %s", line, q.Text)
		return false
	}
	return true
}
