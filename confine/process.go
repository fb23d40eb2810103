package confine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Command is what to start. Its files stay the caller's; without any, a stream is
// empty or goes nowhere.
type Command struct {
	Path                  string   // of the program, absolute
	Name                  string   // what the program is called; the last element of Path when empty
	Args                  []string // without the program's name
	Dir                   string
	Env                   []string
	Stdin, Stdout, Stderr *os.File
}

func (c Command) name() string {
	if c.Name != "" {
		return c.Name
	}
	return filepath.Base(c.Path)
}

// An Ending is how a process ended.
type Ending struct {
	Exit   int       // the exit status, or -1
	Signal os.Signal // that ended it, or nil
	Strays int       // processes that it left behind, and that were killed
}

// A Process is a command that was started, and all that it started. The caller must
// call Wait.
type Process struct {
	tree    tree
	report  Report
	exited  chan struct{}
	ending  Ending // after exited
	cleanup []func()
}

// tree is what a way of starting knows about ending.
type tree interface {
	wait() Ending        // for the command itself; called once
	signal(os.Signal)    // to the command and its group
	kill()               // everything
	sweep() (killed int) // what is left after the command itself
}

// Cell is a launcher and the policy under which it starts.
type Cell struct {
	Launcher *Launcher
	Policy   Policy
}

type cellKey struct{}

// With says how whatever is below ctx starts processes.
func With(ctx context.Context, c *Cell) context.Context {
	return context.WithValue(ctx, cellKey{}, c)
}

// From returns how to start processes; nil, which starts them plainly, when nobody
// said.
func From(ctx context.Context) *Cell {
	c, _ := ctx.Value(cellKey{}).(*Cell)
	return c
}

// Start starts a command. An error that wraps ErrUnavailable says that it could not be
// confined as the policy demands, and was not started.
func (c *Cell) Start(cmd Command) (*Process, error) {
	if c == nil || c.Policy.Tier == None {
		t, err := startPlain(cmd)
		if err != nil {
			return nil, err
		}
		return track(t, Policy{}.report()), nil
	}
	return c.Launcher.start(c.Policy, cmd)
}

// track waits for a tree in the background.
func track(t tree, r Report, cleanup ...func()) *Process {
	p := &Process{tree: t, report: r, exited: make(chan struct{}), cleanup: cleanup}
	go func() { // Wait waits for it
		defer close(p.exited)
		p.ending = t.wait()
	}()
	return p
}

// Exited is closed when the command itself has ended; what it started may still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Signal sends a signal to the command and its group.
func (p *Process) Signal(s os.Signal) { p.tree.signal(s) }

// Kill ends everything at once.
func (p *Process) Kill() { p.tree.kill() }

// Wait waits for the command, and kills what it left behind. When it returns, nothing
// of it runs any more, as far as it can be found.
func (p *Process) Wait() Ending {
	<-p.exited
	p.ending.Strays += p.tree.sweep()
	for _, f := range p.cleanup {
		f()
	}
	p.cleanup = nil
	return p.ending
}

// marker is the name of the variable that marks a tree, so that those of it are found
// who left the session.
const marker = "TOOLFALL_CALL"

// plain is a process without a sandbox.
type plain struct {
	cmd  *exec.Cmd
	mark string // the variable in the environment of the whole tree
}

func startPlain(c Command) (*plain, error) {
	p := &plain{mark: marker + "=" + rand.Text()}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Args[0] = c.name()
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], p.mark)
	p.cmd.SysProcAttr = apart()
	give(p.cmd, c)
	if err := p.cmd.Start(); err != nil {
		return nil, startFault(err)
	}
	return p, nil
}

// give hands over the files that are there: a nil *os.File is not a nil io.Reader.
func give(cmd *exec.Cmd, c Command) {
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
}

// startFault drops the path of the program, which says nothing to a model.
func startFault(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("start the command: %w", err)
}

func (p *plain) wait() Ending {
	p.cmd.Wait() // how it ended is in ProcessState
	return endingOf(p.cmd.ProcessState)
}
