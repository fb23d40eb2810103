package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/rpc"
)

// process is a server that runs, and the connection to it.
type process struct {
	*confine.Process
	conn  *rpc.Conn
	out   *os.File // what it prints
	said  *stderr
	heard chan struct{} // closed when its standard error has been read to its end
}

// How long a server may take to end by itself, when its input does, and after it was asked.
const (
	byItself = 2 * time.Second
	asked    = 2 * time.Second
)

// spawn starts the program.
func (c Config) spawn(conf rpc.Config) (*process, error) {
	path, err := exec.LookPath(c.Command)
	if err != nil {
		return nil, fmt.Errorf("%s: no such program", c.Command)
	}
	dir := c.Dir
	if dir == "" {
		dir, err = os.Getwd()
	}
	inR, inW, e1 := os.Pipe()
	outR, outW, e2 := os.Pipe()
	errR, errW, e3 := os.Pipe()
	if err := errors.Join(err, e1, e2, e3); err != nil {
		closeAll(inR, inW, outR, outW, errR, errW)
		return nil, err
	}
	defer closeAll(inR, outW, errW)
	p := &process{out: outR, said: new(stderr), heard: make(chan struct{})}
	p.Process, err = c.Cell.Start(confine.Command{Path: path, Args: c.Args, Dir: dir, Env: environment(c.Env), Stdin: inR, Stdout: outW, Stderr: errW})
	if err != nil {
		closeAll(inW, outR, errR)
		return nil, err
	}
	go func() { // until nobody holds the other end
		defer close(p.heard)
		defer errR.Close()
		io.Copy(p.said, errR)
	}()
	p.conn = rpc.Open(outR, inW, conf)
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// stop ends the server: its input ends first, then it is asked, then it is killed, with all
// that it started. It returns what it said last.
func (p *process) stop() (said string) {
	p.out.SetReadDeadline(time.Now()) // the reader lets go
	p.conn.Close()                    // which closes its input
	if !p.gone(byItself) {
		p.Signal(syscall.SIGTERM)
		p.gone(asked)
	}
	p.Kill()
	p.Wait()
	p.out.Close()
	select {
	case <-p.heard:
		return p.said.last()
	case <-time.After(time.Second): // somebody beyond our reach holds it
		return ""
	}
}

func (p *process) gone(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.Exited():
		return true
	case <-timer.C:
		return false
	}
}
