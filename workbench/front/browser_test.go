package front_test

import (
	"testing"
	"time"

	"rths/kit/browsertest"
)

type browser struct{ *browsertest.Browser }

func newBrowser(t *testing.T) browser {
	t.Helper()
	return browser{browsertest.New(t, browsertest.Within)}
}

// until waits until a script says a text.
func (b browser) until(script, want string) {
	b.Helper()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		got := b.Says(script)
		if got == want {
			return
		}
		if time.Since(begun) > 5*time.Second {
			b.Fatalf("%s is %q after 5 s: want %q; console: %q", script, got, want, b.Wrong)
		}
	}
}
