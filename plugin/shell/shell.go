// Package shell gives a model the tool bash, which runs one command and returns what it
// printed and how it ended, or lets it run in the background; job_output, job_kill and
// job_list for what is there; and, where it is asked for, shell, one bash that stays.
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
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
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

	Jobs         int           // how many commands an agent may have in the background; 8 when zero
	JobLife      time.Duration // how long one may run; an hour when zero
	NoBackground string        // why none may be started, if so: the program that has the registry ends too soon
	Done         func(Done)    // told once of the end of each job that its agent was not told of; nil: nobody

	// Persistent adds the tool shell.
	Persistent bool

	// ReadOnly says of which calls of bash it is proven that they only read, so that they
	// may run beside others that do. Nil: none.
	ReadOnly func(toolfall.Call) bool
}

// arguments are what the model sends.
type arguments struct {
	Command     string `json:"command" minLength:"1" description:"The command line to run. It runs in a fresh shell: nothing is kept from the call before, and nothing can be typed into it."`
	Timeout     int    `json:"timeout,omitempty" minimum:"1" maximum:"600" default:"120" description:"Seconds after which the command and all that it started is killed."`
	Workdir     string `json:"workdir,omitempty" description:"The directory to run in, absolute or relative to the project's root, which is the default."`
	Background  bool   `json:"background,omitempty" description:"Answer at once with the id of a job, and let the command run on: job_output reads what it prints, job_kill ends it. For servers and for what takes long."`
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
		b.owner = s
		all := append([]toolfall.Definition{b.definition()}, b.jobTools()...)
		if c.Persistent {
			all = append(all, b.stays(s))
		}
		_, err = r.Register(s, all...)
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

	owner    *scope.Scope // of jobs
	jobs     *jobs
	life     time.Duration
	noJobs   string
	done     func(Done)
	readOnly func(toolfall.Call) bool
}

func newBash(c Config) (*bash, error) {
	b := &bash{
		timeout: cmp.Or(c.DefaultTimeout, 120*time.Second),
		longest: min(cmp.Or(c.MaxTimeout, 600*time.Second), 600*time.Second),
		keep:    max(cmp.Or(c.MaxOutput, 30_000), 1000),

		jobs: newJobs(cmp.Or(c.Jobs, 8)), life: cmp.Or(c.JobLife, time.Hour), noJobs: c.NoBackground, done: c.Done, readOnly: c.ReadOnly,
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
		"Standard input is empty; whatever the command leaves running is killed when it returns, unless background is set; long output is cut in the middle.", b.run)
	d.Hints = toolfall.Hints{Title: "Run a command", ReadOnly: toolfall.No, Destructive: toolfall.Yes, OpenWorld: toolfall.Yes}
	d.Claims = b.claims
	d.Timeout = -1    // it ends by itself
	d.NoRepair = true // half a guess at a command is worse than none
	return d
}

// claims are those of a call of bash: nobody knows what else it touches.
func (b *bash) claims(c toolfall.Call) []toolfall.Claim {
	if b.readOnly != nil && b.readOnly(c) {
		return toolfall.Shared()
	}
	return toolfall.Alone()
}

// run is one call.
func (b *bash) run(ctx context.Context, a arguments, c toolfall.Call) ([]toolfall.Content, error) {
	dir, err := b.directory(a.Workdir)
	if err != nil {
		return nil, err
	}
	if a.Background {
		return b.background(ctx, a, c.Agent, dir)
	}
	limit, err := b.limit(a.Timeout)
	if err != nil {
		return nil, err
	}
	out := newOutput(b.keep)
	whole := spill.To(ctx)
	args := append(b.args[:len(b.args):len(b.args)], a.Command)
	p, err := start(ctx, confine.Command{Path: b.shell, Args: args, Dir: dir, Env: b.env}, io.MultiWriter(out, whole, newStream(ctx)))
	if err != nil {
		whole.Drop()
		return nil, err
	}
	end := p.wait(ctx, limit)
	if ctx.Err() != nil {
		whole.Drop()
		return nil, context.Cause(ctx)
	}
	out.keepWhole(whole)
	return end.content(out)
}

// limit is how long a command may take that asks for so many seconds.
func (b *bash) limit(seconds int) (time.Duration, error) {
	limit := b.timeout
	if seconds > 0 {
		limit = time.Duration(seconds) * time.Second
	}
	if limit > b.longest {
		return 0, fmt.Errorf("timeout: at most %d seconds are allowed here", int(b.longest.Seconds()))
	}
	return limit, nil
}

// background starts a job.
func (b *bash) background(ctx context.Context, a arguments, agent, dir string) ([]toolfall.Content, error) {
	switch {
	case b.noJobs != "":
		return nil, fmt.Errorf("background: %s", b.noJobs)
	case a.Timeout > 0:
		return nil, errors.New("timeout: a command in the background has none; job_kill ends it")
	}
	j, err := b.begin(ctx, agent, dir, a.Command)
	if err != nil {
		return nil, err
	}
	return toolfall.Text(fmt.Sprintf("[%s runs in the background; job_output {\"job\":\"%s\"} reads what it prints, job_kill ends it]", j.id, j.id)), nil
}
