package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
)

// process is a running command and all that it starts.
type process struct {
	*confine.Process
	pipe  *os.File // what it prints
	out   io.Writer
	read  chan struct{} // closed when the pipe has been read to its end; by the reader
	since time.Time
}

// How long a tree that was asked to end may take, and how long its output may
// lag behind its death.
const (
	grace = 2 * time.Second
	lag   = time.Second
)

// start runs a command, as the context says how. Its output and its errors go into
// one pipe, so that they stay in order. The caller must call wait.
func start(ctx context.Context, c confine.Command, out io.Writer) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	c.Stdout, c.Stderr = w, w
	p := &process{pipe: r, out: out, read: make(chan struct{}), since: time.Now()}
	p.Process, err = confine.From(ctx).Start(c)
	w.Close()
	if err != nil {
		r.Close()
		if errors.Is(err, confine.ErrUnavailable) {
			return nil, toolfall.NewError(toolfall.SandboxUnavailable, err)
		}
		return nil, err
	}
	go p.pump()
	return p, nil
}

// pump reads the pipe until every holder of its other end is gone, or until wait
// sets a deadline. wait waits for it.
func (p *process) pump() {
	defer close(p.read)
	buffer := make([]byte, 64<<10)
	for {
		n, err := p.pipe.Read(buffer)
		p.out.Write(buffer[:n])
		if err != nil {
			return
		}
	}
}

// wait returns when nothing of the tree is left: because the command ended, or
// because ctx or the limit did and the tree was made to.
func (p *process) wait(ctx context.Context, limit time.Duration) ending {
	defer p.pipe.Close()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	e := ending{limit: limit}
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.stop()
	case <-timer.C:
		e.timedOut = true
		p.stop()
	}
	e.Ending = p.Wait()
	select {
	case <-p.read:
	default:
		p.pipe.SetReadDeadline(time.Now().Add(lag)) // somebody beyond our reach may hold it
		<-p.read
	}
	e.took = time.Since(p.since)
	return e
}

// stop asks the tree to end, and ends it when it does not.
func (p *process) stop() {
	p.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.Exited():
	case <-timer.C:
		p.Kill()
	}
}
