package shell

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a running command and all that it starts.
type process struct {
	cmd    *exec.Cmd
	mark   string   // a variable in the environment of the whole tree
	pipe   *os.File // what it prints
	out    io.Writer
	exited chan struct{} // closed when the command itself has ended; by the waiter
	read   chan struct{} // closed when the pipe has been read to its end; by the reader
	since  time.Time
}

// How long a tree that was asked to end may take, and how long its output may
// lag behind its death.
const (
	grace = 2 * time.Second
	lag   = time.Second
)

// marker is the name of the variable that marks a tree, so that those of it are
// found who left the session.
const marker = "TOOLFALL_CALL"

// start runs a command. Its output and its errors go into one pipe, so that they
// stay in order. The caller must call wait.
func start(path string, args []string, dir string, env []string, out io.Writer) (*process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	p := &process{mark: marker + "=" + rand.Text(), pipe: r, out: out, exited: make(chan struct{}), read: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, w, w
	p.cmd.Env = append(env[:len(env):len(env)], p.mark)
	p.cmd.SysProcAttr = apart()
	p.since = time.Now()
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("start the command: %w", startFault(err))
	}
	go p.reap()
	go p.pump()
	return p, nil
}

// startFault drops the path of the shell, which says nothing to the model.
func startFault(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// reap waits for the command itself. wait waits for it.
func (p *process) reap() {
	defer close(p.exited)
	p.cmd.Wait() // how it ended is in ProcessState
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
	case <-p.exited:
	case <-ctx.Done():
		p.stop()
	case <-timer.C:
		e.timedOut = true
		p.stop()
	}
	e.strays = p.sweep()
	select {
	case <-p.read:
	default:
		p.pipe.SetReadDeadline(time.Now().Add(lag)) // somebody beyond our reach may hold it
		<-p.read
	}
	e.state, e.took = p.cmd.ProcessState, time.Since(p.since)
	return e
}

// stop asks the tree to end, and ends it when it does not.
func (p *process) stop() {
	p.ask()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.kill()
		<-p.exited
	}
}
