package main

import (
	"context"
	"errors"
	"os"
	"sync"
)

// errStopped is the error of a command that Ctrl-C or SIGTERM has ended.
var errStopped = failed{errors.New("stopped by the user")}

// stopControl knows whether a command is keeping something: a record that has begun must be
// closed before the program may end.
type stopControl struct {
	sync.RWMutex
	second sync.Mutex
	again  chan struct{} // closed at the second signal; nil: that ends the command
	twice  sync.Once
	asked  chan error // a stop from elsewhere, in place of the first signal
}

// ask stops a command as the first signal does. The cause of its context says who has asked.
func (k *stopControl) ask(cause error) {
	select {
	case k.stops() <- cause:
	default: // somebody has asked before
	}
}

func (k *stopControl) stops() chan error {
	k.second.Lock()
	defer k.second.Unlock()
	if k.asked == nil {
		k.asked = make(chan error, 1)
	}
	return k.asked
}

// byHand reports whether Ctrl-C or SIGTERM has stopped a command.
func byHand(ctx context.Context) bool { return context.Cause(ctx) == context.Canceled }

// keep begins such a part of a command, and release ends the part. Meanwhile the first
// Ctrl-C cancels the context of the command and waits. A command that prints a result of
// the kept part never releases. If the program is ending already, keep does not return.
func (k *stopControl) keep() (release func()) {
	k.RLock()
	return k.RUnlock
}

// takeSecond has the second signal close a channel: the command knows what to do, and no further
// signal ends it before it has done so.
func (k *stopControl) takeSecond() <-chan struct{} {
	k.second.Lock()
	defer k.second.Unlock()
	k.again = make(chan struct{})
	return k.again
}

// toldAgain tells a command that has taken the second signal.
func (k *stopControl) toldAgain() bool {
	k.second.Lock()
	defer k.second.Unlock()
	if k.again == nil {
		return false
	}
	k.twice.Do(func() { close(k.again) })
	return true
}

// idle is closed as soon as no part is kept; then no other part can begin.
func (k *stopControl) idle() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		k.Lock() // and never unlocked
		close(done)
	}()
	return done
}

// untilStopped runs a command until it returns or is stopped. The first signal, or what stopControl.ask asks for,
// cancels the command's context; a command that keeps something may finish, any other ends at
// once with errStopped, wherever it is. The second signal ends every command at once. After
// errStopped the program has to exit: the command may still be computing.
func untilStopped(signals <-chan os.Signal, k *stopControl, command func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- command(ctx) }()
	select {
	case err := <-done:
		return err
	case <-signals:
		cancel(nil)
	case cause := <-k.stops():
		cancel(cause)
	}
	idle := k.idle()
	for {
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				return err
			}
		case <-idle:
		case <-signals:
			if k.toldAgain() {
				continue
			}
		}
		return errStopped
	}
}
