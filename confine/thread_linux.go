//go:build amd64 || arm64

package confine

import (
	"fmt"
	"runtime"
)

// startThread starts a command from a thread that is restricted to reading, and to
// writing in the directories of the policy. That costs next to nothing, and holds
// neither the network nor other processes back.
func startThread(p Policy, c Command) (*Process, error) {
	type started struct {
		tree *plain
		err  error
	}
	done := make(chan started)
	go func() { // the thread ends with the goroutine, since it stays locked
		runtime.LockOSThread()
		if err := confineFiles(p.Write); err != nil {
			done <- started{nil, fmt.Errorf("%w: %w", ErrUnavailable, err)}
			return
		}
		t, err := startPlain(c)
		done <- started{t, err}
	}()
	s := <-done
	if s.err != nil {
		return nil, s.err
	}
	return track(s.tree), nil
}
