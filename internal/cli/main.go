// Package cli is the command toolfall: one file for each of its commands.
//
// [Main] runs one command line and returns the exit status. Every command works
// through an [app], which has the streams, and opens a registry only when it
// needs one, so that asking for the version costs nothing.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/config"
	"github.com/toolfall/toolfall/internal/near"
	"github.com/toolfall/toolfall/schedule"
	"github.com/toolfall/toolfall/scope"
)

// The exit statuses. An interrupted command ends with 128 and the signal.
const (
	exitOK      = 0
	exitTool    = 1 // the call failed
	exitUsage   = 2 // the command line, or what it names, is wrong
	exitRefused = 3 // a policy or a person refused
)

// Main runs the command line args, the first of which is the program's name, and
// returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	err := a.root().Run(ctx, args)
	if status, interrupted := interruption(ctx); interrupted {
		return status
	}
	var status exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(stderr, "toolfall: %s\n", visible(err.Error(), isTerminal(stderr)))
	return exitUsage
}

// exit is an error that has been told already, with its status.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// app is what the commands share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	overlay        *confine.Overlay // what commands have changed, or nil
	scheduler      *schedule.Scheduler
	asking         func() bool // whether a person is being asked; nil until a registry is open
}

func (a *app) root() *cli.Command {
	return &cli.Command{
		Name:  "toolfall",
		Usage: "call the tools of an LLM agent, through one waterfall",
		Description: "toolfall has tools that read, write and search files and run commands, checks what they are\n" +
			"sent, and gives back exactly one result for each call.\n\n" +
			"  toolfall tools                                     what there is\n" +
			"  toolfall call grep '{\"pattern\":\"TODO\"}'            call one tool\n" +
			"  toolfall exec < calls.jsonl                        call many, one line each\n" +
			"  toolfall check read_file '{\"limit\":\"ten\"}'         what is wrong with these arguments?",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "root", Usage: "a `DIR` in which tools may work; the first is where paths begin (default: the current directory)"},
			&cli.StringFlag{Name: "mode", Usage: "what becomes of calls that no rule speaks of: default, acceptEdits, plan, dontAsk or bypass"},
			&cli.StringSliceFlag{Name: "allow", Usage: "a `RULE` that allows, such as 'Bash(make *)' or 'Edit(./src/**)'"},
			&cli.BoolFlag{Name: "no-journal", Usage: "keep no record of the calls"},
			&cli.BoolFlag{Name: "approvals", Usage: "let questions wait for toolfall approvals in another terminal"},
			&cli.StringFlag{Name: "config", Usage: "read `FILE` instead of the nearest toolfall.yaml upward", Sources: cli.EnvVars("TOOLFALL_CONFIG")},
		},
		Commands: []*cli.Command{
			a.callCommand(), a.execCommand(), a.toolsCommand(), a.checkCommand(), a.policyCommand(), a.approvalsCommand(), a.sandboxCommand(), a.logCommand(), a.showCommand(), a.statsCommand(), a.replayCommand(), a.mcpCommand(), a.serveCommand(), a.configCommand(), a.trustCommand(), a.versionCommand(),
		},
		Action:                func(_ context.Context, c *cli.Command) error { return a.unknownCommand(c) },
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden = false
			c.Usage = "print a script that completes commands in bash, zsh, fish or pwsh"
		},
		Reader:         a.stdin,
		Writer:         a.stdout,
		ErrWriter:      a.stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // Main tells errors
		OnUsageError:   usageError,
	}
}

// usageError says of a bad flag where to read on.
func usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	return fmt.Errorf("%w; see %s --help", err, c.FullName())
}

// unknownCommand is what the root does by itself: help, or a hint.
func (a *app) unknownCommand(c *cli.Command) error {
	name := c.Args().First()
	if name == "" {
		return cli.ShowRootCommandHelp(c)
	}
	names := make([]string, 0, len(c.Commands))
	for _, sub := range c.Commands {
		names = append(names, sub.Name)
	}
	if meant := near.Names(name, slices.Values(names)); len(meant) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %q?", name, meant[0])
	}
	return fmt.Errorf("unknown command %q; see toolfall --help", name)
}

// load reads the configuration that the flags name.
func (a *app) load(c *cli.Command) (*config.Config, error) {
	return config.Load(config.Options{
		File: c.String("config"), Roots: c.StringSlice("root"), Mode: c.String("mode"), Allow: c.StringSlice("allow"),
		Single: c.Name == "call", Overlay: c.Bool("overlay"), Log: a.stderr, Unrecorded: c.Bool("no-journal"),
	})
}

// maxStart is how long a command waits for MCP servers to list their tools.
const maxStart = 30 * time.Second

// await waits for MCP servers, unless the command is a call that needs none.
func (a *app) await(ctx context.Context, c *cli.Command, conf *config.Config) {
	if c.Name == "call" && !strings.HasPrefix(c.Args().First(), "mcp__") {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	conf.Ready(ctx)
}

// open returns a registry, and what closes it.
func (a *app) open(ctx context.Context, c *cli.Command) (r *toolfall.Registry, done func(), err error) {
	conf, err := a.load(c)
	if err != nil {
		return nil, nil, err
	}
	s := scope.New(context.WithoutCancel(ctx), "toolfall")
	done = func() {
		if err := s.Close(); err != nil {
			fmt.Fprintln(a.stderr, "toolfall:", err)
		}
	}
	broker := approval.New(approval.Config{})
	a.asking = func() bool { return len(broker.Pending()) > 0 }
	if r, err = conf.Open(s, broker); err != nil {
		done()
		return nil, nil, err
	}
	a.notes(conf)
	a.await(ctx, c, conf)
	a.overlay, a.scheduler = conf.Over(), conf.Scheduler()
	if c.Bool("approvals") {
		broker.Serve(s)
		if err := a.listen(s, broker); err != nil {
			done()
			return nil, nil, err
		}
	}
	a.serveTerminal(s, broker)
	return r, done, nil
}
