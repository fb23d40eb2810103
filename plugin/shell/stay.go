package shell

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
)

// stayArgs are what the model sends to a shell that stays.
type stayArgs struct {
	Command string `json:"command" minLength:"1" description:"The command line to run. The shell is the one of the call before: its directory, variables and functions are still there."`
	Timeout int    `json:"timeout,omitempty" minimum:"1" maximum:"600" default:"120" description:"Seconds after which the shell is ended, with all that it started; the next call begins a new one."`
	Restart bool   `json:"restart,omitempty" description:"Begin a new shell first."`
}

// stays is the tool shell: a bash for each agent, that runs one command after another.
// Running one there takes a tenth of starting a bash. What a line means depends on what
// ran before it, so no gate can allow it by its text; the tool as a whole can be allowed.
func (b *bash) stays(s *scope.Scope) toolfall.Definition {
	t := &stayers{bash: b, byAgent: make(map[string]*stayer)}
	s.Cleanup(t.close)
	d := toolfall.Define("shell", "Run one command line in a bash that stays: directory, variables and functions are kept from call to call. Standard input is empty; long output is cut in the middle.", t.run)
	d.Hints = toolfall.Hints{Title: "Run a command in a shell that stays", ReadOnly: toolfall.No, Destructive: toolfall.Yes, OpenWorld: toolfall.Yes}
	d.Timeout = -1 // it ends by itself
	d.NoRepair = true
	return d
}

// stayers are the shells of all agents.
type stayers struct {
	*bash
	mu      sync.Mutex
	closed  bool
	byAgent map[string]*stayer
}

// stayer is the shell of one agent. One call at a time has it.
type stayer struct {
	turn chan struct{} // holds one while a call has the shell

	process *confine.Process // nil while there is none
	cell    *confine.Cell    // under which it was started
	in      *os.File         // where it reads its lines
	out     *os.File         // what it prints
	dir     string           // where it is
}

// maxStayers is how many shells there are at once.
const maxStayers = 32

func (t *stayers) of(agent string) (*stayer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byAgent[agent]
	switch {
	case t.closed:
		return nil, errors.New("the shell is closed")
	case s == nil && len(t.byAgent) >= maxStayers:
		return nil, fmt.Errorf("%d agents have shells already, which is as many as may; use bash", maxStayers)
	case s == nil:
		s = &stayer{turn: make(chan struct{}, 1)}
		t.byAgent[agent] = s
	}
	return s, nil
}

// close ends all shells. Their calls are over: the tool is not registered any more.
func (t *stayers) close() {
	t.mu.Lock()
	t.closed = true
	all := t.byAgent
	t.byAgent = nil
	t.mu.Unlock()
	for _, s := range all {
		s.turn <- struct{}{}
		s.end()
	}
}

func (t *stayers) run(ctx context.Context, a stayArgs, c toolfall.Call) ([]toolfall.Content, error) {
	limit, err := t.limit(a.Timeout)
	if err != nil {
		return nil, err
	}
	if strings.ContainsRune(a.Command, 0) {
		return nil, errors.New("command: it has a NUL byte in it")
	}
	s, err := t.of(c.Agent)
	if err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	notes, err := t.ready(ctx, s, a.Restart)
	if err != nil {
		return nil, err
	}
	return s.execute(ctx, t.bash, a.Command, limit, notes)
}

// ready has a shell run under the cell of the call, and says what became of another one.
func (t *stayers) ready(ctx context.Context, s *stayer, restart bool) (notes []string, err error) {
	cell := confine.From(ctx)
	if s.process != nil && (restart || s.cell != cell || exited(s.process)) {
		why := "as asked"
		switch {
		case exited(s.process):
			why = "the one before has ended"
		case s.cell != cell:
			why = "this call has another sandbox"
		}
		s.end()
		notes = append(notes, "a new shell, "+why+": variables and functions are gone")
	}
	if s.process != nil {
		return notes, nil
	}
	return notes, s.start(cell, t.bash)
}

func exited(p *confine.Process) bool {
	select {
	case <-p.Exited():
		return true
	default:
		return false
	}
}

// start starts the bash. It reads lines from a pipe, and prints into another.
func (s *stayer) start(cell *confine.Cell, b *bash) error {
	read, in, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the shell: %w", err)
	}
	out, write, err := os.Pipe()
	if err != nil {
		read.Close()
		in.Close()
		return fmt.Errorf("start the shell: %w", err)
	}
	defer read.Close()
	defer write.Close()
	s.process, err = cell.Start(confine.Command{Path: b.shell, Args: []string{"--noprofile", "--norc"}, Dir: b.roots[0], Env: b.env, Stdin: read, Stdout: write, Stderr: write})
	if err != nil {
		in.Close()
		out.Close()
		if errors.Is(err, confine.ErrUnavailable) {
			return toolfall.NewError(toolfall.SandboxUnavailable, err)
		}
		return err
	}
	s.cell, s.in, s.out, s.dir = cell, in, out, b.roots[0]
	return nil
}

// end ends the shell with all that it started.
func (s *stayer) end() {
	if s.process == nil {
		return
	}
	s.in.Close()
	s.process.Kill()
	s.process.Wait()
	s.out.Close()
	s.process = nil
}

// execute has the shell run a command, and reads what it prints until the shell says that
// it is done. What it says ends with a word that nobody can guess.
func (s *stayer) execute(ctx context.Context, b *bash, command string, limit time.Duration, notes []string) ([]toolfall.Content, error) {
	began := time.Now()
	mark := rand.Text()
	out, whole := newOutput(b.keep), spill.To(ctx)
	m := &marked{mark: []byte("\n" + mark + " "), to: io.MultiWriter(out, whole, newStream(ctx))}
	s.out.SetReadDeadline(began.Add(limit))
	for _, ends := range []context.Context{ctx, b.owner.Context()} {
		stop := context.AfterFunc(ends, func() { s.out.SetReadDeadline(time.Now()) })
		defer stop()
	}
	err := s.send(command, mark, began.Add(limit))
	if err == nil {
		err = m.read(s.out)
	}
	if ctx.Err() != nil {
		s.end()
		whole.Drop()
		return nil, context.Cause(ctx)
	}
	e := ending{took: 0, limit: limit, Ending: confine.Ending{Exit: -1}}
	switch exit, dir, ok := m.said(); {
	case ok:
		e.Exit = exit
		if dir != s.dir {
			s.dir = dir
			notes = append(notes, "now in "+dir)
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		e.timedOut = true
		s.end()
		notes = append(notes, "the shell was ended: the next call begins a new one, without its variables and directory")
	default:
		p := s.process
		s.in.Close()
		e.Ending = p.Wait()
		s.out.Close()
		s.process = nil
		notes = append(notes, "the shell has ended: the next call begins a new one")
	}
	e.took = time.Since(began)
	out.keepWhole(whole)
	content, err := e.content(out)
	return noted(content, notes), err
}

// send writes one line: bash reads a line whole before it runs it, so the command finds
// nothing to read.
func (s *stayer) send(command, mark string, until time.Time) error {
	s.in.SetWriteDeadline(until)
	line := "eval " + quoted(command) + " </dev/null; printf '\\n" + mark + " %d %s\\n' \"$?\" \"$PWD\"\n"
	_, err := io.WriteString(s.in, line)
	return err
}

// quoted is a text as one word of bash, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// noted puts notes behind the text that the model reads.
func noted(content []toolfall.Content, notes []string) []toolfall.Content {
	for i := range content {
		if c := &content[i]; c.Type == toolfall.TypeText && len(notes) > 0 {
			if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
				c.Text += "\n"
			}
			c.Text += clean([]byte("[" + strings.Join(notes, "]\n[") + "]"))
		}
	}
	return content
}

// marked passes on what comes before a mark, and keeps the line that begins with it.
type marked struct {
	mark []byte // with the newline before it
	to   io.Writer
	held []byte // what may be the beginning of the mark, or the line of it
	seen bool
}

// maxSaid is the longest line behind a mark: a status and a path.
const maxSaid = 8 << 10

// read reads until the line of the mark is complete, or r ends.
func (m *marked) read(r io.Reader) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		m.held = append(m.held, buffer[:n]...)
		if m.pass() {
			return nil
		}
		if err != nil {
			if !m.seen {
				m.to.Write(m.held)
			}
			return err
		}
	}
}

// pass writes what cannot be the mark any more, and reports whether its line is complete.
func (m *marked) pass() bool {
	if !m.seen {
		if i := bytes.Index(m.held, m.mark); i >= 0 {
			m.to.Write(m.held[:i])
			m.held, m.seen = append([]byte(nil), m.held[i+len(m.mark):]...), true
		} else if n := len(m.held) - m.beginning(); n > 0 {
			m.to.Write(m.held[:n])
			m.held = append(m.held[:0], m.held[n:]...)
		}
	}
	return m.seen && (bytes.IndexByte(m.held, '\n') >= 0 || len(m.held) > maxSaid)
}

// beginning is how much of the end of what is held may be the beginning of the mark.
func (m *marked) beginning() int {
	for n := min(len(m.mark)-1, len(m.held)); n > 0; n-- {
		if bytes.HasPrefix(m.mark, m.held[len(m.held)-n:]) {
			return n
		}
	}
	return 0
}

// said is the status and the directory that the shell told.
func (m *marked) said() (exit int, dir string, ok bool) {
	line, _, ok := strings.Cut(string(m.held), "\n")
	if !m.seen || !ok {
		return 0, "", false
	}
	status, dir, _ := strings.Cut(line, " ")
	exit, err := strconv.Atoi(status)
	return exit, dir, err == nil
}
