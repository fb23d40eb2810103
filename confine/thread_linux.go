//go:build amd64 || arm64

package confine

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// startThread starts a command from a thread that is restricted to reading, and to
// writing in the directories of the policy, without sockets unless the policy gives it
// the host's network. That costs next to nothing; it hides nothing, and does not keep
// other processes from being seen.
func startThread(p Policy, c Command) (*plain, error) {
	type started struct {
		tree *plain
		err  error
	}
	done := make(chan started)
	go func() { // the thread ends with the goroutine, since it stays locked
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread never ends: another one, while this one is held
			defer runtime.UnlockOSThread()
			t, err := startThread(p, c)
			done <- started{t, err}
			return
		}
		if err := p.restrictThread(); err != nil {
			done <- started{nil, fmt.Errorf("%w: %w", ErrUnavailable, err)}
			return
		}
		t, err := startPlain(c)
		done <- started{t, err}
	}()
	s := <-done
	return s.tree, s.err
}

// restrictThread restricts the calling thread for ever.
func (p Policy) restrictThread() error {
	if err := confineFiles(p.Write); err != nil {
		return err
	}
	return restrictCalls(p.Net.Mode == NetHost)
}
