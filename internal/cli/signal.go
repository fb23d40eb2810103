package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the cause of a context that a signal ended.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return "interrupted" }

// interruptible returns a context that the first interrupt ends, so that running
// calls can be taken down. The second interrupt ends the program at once.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() { // ends with stop, or with the program
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interrupted{s})
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// interruption returns the exit status of a program that a signal interrupted.
func interruption(ctx context.Context) (status int, ok bool) {
	var i interrupted
	if !errors.As(context.Cause(ctx), &i) {
		return 0, false
	}
	if s, ok := i.signal.(syscall.Signal); ok {
		return 128 + int(s), true
	}
	return 130, true
}
