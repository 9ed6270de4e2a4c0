package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"rths/run/session"
)

var errStopped = errors.New("stopped by the user")

// asker is an operator at a terminal beside a page.
type asker struct {
	*Operator
	*Hub
	typing io.WriteCloser
	stderr bytes.Buffer
}

func newAsking(t *testing.T, paged bool) *asker {
	t.Helper()
	a := &asker{Hub: NewHub(nil)}
	t.Cleanup(a.Hub.Close)
	in, out := io.Pipe()
	t.Cleanup(func() { out.Close() })
	var l *Live
	if paged {
		l = NewLive(a.Hub, nil)
	}
	a.Operator, a.typing = NewOperator(in, &a.stderr, l, errStopped), out
	return a
}

// got is what a question gets.
type got struct {
	text string
	err  error
}

func (a *asker) question(ctx context.Context, step, want string) <-chan got {
	out := make(chan got, 1)
	go func() {
		text, err := a.Operator.Ask(ctx, session.Question{Step: step, Text: step + "? ", Want: want})
		out <- got{text, err}
	}()
	return out
}

func (a *asker) types(line string) { _, _ = io.WriteString(a.typing, line+"\n") }

func wantGot(t *testing.T, from <-chan got, text string, err error) {
	t.Helper()
	select {
	case g := <-from:
		if g.text != text || !errors.Is(g.err, err) {
			t.Errorf("got %q, %v: want %q, %v", g.text, g.err, text, err)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("no answer: want %q, %v", text, err)
	}
}

// A line that is typed for a question that the page has answered answers no other one: it
// neither arms, nor ends a session.
func TestStaleLines(t *testing.T) {
	a := newAsking(t, true)
	a.owed = []string{"ARM", "START"}
	end := a.question(context.Background(), "END", "")
	a.types("ARM")
	a.types("what?")
	a.types("START")
	select {
	case g := <-end:
		t.Fatalf("the session has ended with %q, %v", g.text, g.err)
	case <-time.After(50 * time.Millisecond):
	}
	a.types("")
	wantGot(t, end, "", nil)
	next := a.question(context.Background(), "ARM", "ARM")
	a.types("no")
	wantGot(t, next, "no", nil)
	if text := a.stderr.String(); strings.Count(text, "answered by the page already") != 2 ||
		strings.Count(text, `"what?" is no answer`) != 1 {
		t.Errorf("the operator reads\n%s", text)
	}
}

// A question that nobody waits for any more takes no line of the next one.
func TestQuestionThatIsOver(t *testing.T) {
	for _, paged := range []bool{false, true} {
		a := newAsking(t, paged)
		ctx, over := context.WithCancel(context.Background())
		first := a.question(ctx, "END", "")
		over()
		wantGot(t, first, "", errStopped)
		second := a.question(context.Background(), "GO", "GO")
		a.types("GO")
		wantGot(t, second, "GO", nil)
	}
}

// Where the terminal is closed the page alone answers; without a page nobody can.
func TestClosedTerminal(t *testing.T) {
	a := newAsking(t, false)
	a.typing.Close()
	wantGot(t, a.question(context.Background(), "ARM", "ARM"), "", io.EOF)
	b := newAsking(t, true)
	b.typing.Close()
	ctx, over := context.WithCancel(context.Background())
	question := b.question(ctx, "ARM", "ARM")
	select {
	case g := <-question:
		t.Fatalf("got %q, %v: want the page to be waited for", g.text, g.err)
	case <-time.After(50 * time.Millisecond):
	}
	over()
	wantGot(t, question, "", errStopped)
}
