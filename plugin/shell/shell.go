// Package shell gives a model one tool, bash, which runs one command and returns
// what it printed and how it ended.
//
// A command runs in a process group and session of its own, with an empty
// standard input and without the environment's secrets, and nothing that it
// started outlives the call: a [process] starts it and ends its whole tree, and
// an [output] keeps the two ends of what it prints, however much that is. The
// package does not confine the command; that is for a sandbox around it.
package shell

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
)

// Config says where and how commands run. Its zero value works.
type Config struct {
	Roots          []string      // where a command may start; the first is the default; the current directory when empty
	DefaultTimeout time.Duration // of a call that names none; 120 s when zero
	MaxTimeout     time.Duration // the longest a call may ask for; 600 s when zero, and at most that
	MaxOutput      int           // how much of the output the model gets, in bytes; 30,000 when zero
	Env            []string      // the environment before it is scrubbed; that of this process when nil
	AllowEnv       []string      // names of variables to keep although they look like secrets
	Shell          string        // the shell to run; bash, or else sh, from the PATH when empty
}

// arguments are what the model sends.
type arguments struct {
	Command     string `json:"command" minLength:"1" description:"The command line to run. It runs in a fresh shell: nothing is kept from the call before, and nothing can be typed into it."`
	Timeout     int    `json:"timeout,omitempty" minimum:"1" maximum:"600" default:"120" description:"Seconds after which the command and all that it started is killed."`
	Workdir     string `json:"workdir,omitempty" description:"The directory to run in, absolute or relative to the project's root, which is the default."`
	Description string `json:"description,omitempty" description:"What the command does, in a few words, for people who look on."`
}

// New returns a plugin that registers the tool bash. Attaching it fails where
// there is no shell or a root is not a directory.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: "shell", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		b, err := newBash(c)
		if err != nil {
			return err
		}
		_, err = r.Register(s, b.definition())
		return err
	}}
}

// bash is the tool.
type bash struct {
	shell   string
	args    []string // before the command line
	roots   []string // absolute, without symbolic links
	env     []string
	timeout time.Duration
	longest time.Duration
	keep    int
}

func newBash(c Config) (*bash, error) {
	b := &bash{
		timeout: cmp.Or(c.DefaultTimeout, 120*time.Second),
		longest: min(cmp.Or(c.MaxTimeout, 600*time.Second), 600*time.Second),
		keep:    max(cmp.Or(c.MaxOutput, 30_000), 1000),
	}
	b.timeout = min(b.timeout, b.longest)
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	b.env = append(confine.Scrub(env, c.AllowEnv), quiet...)
	var err error
	if b.shell, b.args, err = findShell(c.Shell); err != nil {
		return nil, err
	}
	b.roots, err = realRoots(c.Roots)
	return b, err
}

// quiet keeps programs from waiting for a person who is not there.
var quiet = []string{
	"TERM=dumb", "CDPATH=", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "EDITOR=true", "VISUAL=true",
	"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "npm_config_yes=true",
}

// findShell returns a shell and the arguments that keep it from reading the
// profiles of the user: those are slow, and the model cannot know what they do.
func findShell(name string) (path string, args []string, err error) {
	for _, candidate := range []string{cmp.Or(name, "bash"), cmp.Or(name, "sh")} {
		path, err = exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if strings.TrimSuffix(filepath.Base(path), ".exe") == "bash" {
			return path, []string{"--noprofile", "--norc", "-c"}, nil
		}
		return path, []string{"-c"}, nil
	}
	return "", nil, fmt.Errorf("find a shell: %w", err)
}

func (b *bash) definition() toolfall.Definition {
	d := toolfall.Define("bash", "Run one command line with "+filepath.Base(b.shell)+" and return what it prints and its exit status. "+
		"Standard input is empty; whatever the command leaves running is killed when it returns; long output is cut in the middle.", b.run)
	d.Hints = toolfall.Hints{Title: "Run a command", ReadOnly: toolfall.No, Destructive: toolfall.Yes, OpenWorld: toolfall.Yes}
	d.Timeout = -1    // each call has its own
	d.NoRepair = true // half a guess at a command is worse than none
	return d
}

// run is one call.
func (b *bash) run(ctx context.Context, a arguments, _ toolfall.Call) ([]toolfall.Content, error) {
	dir, err := b.directory(a.Workdir)
	if err != nil {
		return nil, err
	}
	limit := b.timeout
	if a.Timeout > 0 {
		limit = time.Duration(a.Timeout) * time.Second
	}
	if limit > b.longest {
		return nil, fmt.Errorf("timeout: at most %d seconds are allowed here", int(b.longest.Seconds()))
	}
	out := newOutput(b.keep)
	args := append(b.args[:len(b.args):len(b.args)], a.Command)
	p, err := start(ctx, confine.Command{Path: b.shell, Args: args, Dir: dir, Env: b.env}, out)
	if err != nil {
		return nil, err
	}
	end := p.wait(ctx, limit)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return end.content(out)
}
