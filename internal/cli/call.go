package cli

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
)

func (a *app) callCommand() *cli.Command {
	return &cli.Command{
		Name:      "call",
		Usage:     "call one tool and print its result",
		ArgsUsage: "NAME [JSON|-]",
		Description: "Arguments are a JSON object; without any they are {}, and - reads them from standard input.\n\n" +
			"  toolfall call read_file '{\"path\":\"go.mod\"}'\n" +
			"  toolfall call bash '{\"command\":\"go version\"}' --json\n" +
			"  toolfall call write_file - < arguments.json\n\n" +
			"The exit status is 0 when the call went well, 1 when it failed, 2 when there is no such tool or\n" +
			"the command line is wrong, 3 when a policy or a person refused, and 130 after Ctrl-C.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the whole result as JSON"},
			&cli.BoolFlag{Name: "overlay", Usage: "let a command work on a copy, and show what it would change; tools that are no commands change the files themselves"},
			&cli.BoolFlag{Name: "keep", Usage: "with --overlay, make the changes afterwards without asking"},
		},
		OnUsageError:  usageError,
		Action:        a.call,
		ShellComplete: a.completeTools,
	}
}

func (a *app) call(ctx context.Context, c *cli.Command) (err error) {
	if n := c.Args().Len(); n < 1 || n > 2 {
		return errors.New("call takes the name of a tool and its arguments: toolfall call NAME [JSON|-]")
	}
	raw, err := a.input(c.Args().Get(1))
	if err != nil {
		return err
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	r := a.execute(ctx, reg, toolfall.Call{ID: "1", Name: c.Args().First(), Arguments: raw})
	defer func() { err = errors.Join(err, a.settle(c.Bool("keep"))) }()
	status := statusOf(r)
	switch {
	case c.Bool("json"):
		err = writeJSON(a.stdout, reportOf(r))
	case status == exitUsage:
		return r.Err
	default:
		err = writeContent(a.stdout, r)
	}
	if err != nil {
		return err
	}
	return exitWith(status)
}

// execute runs one call, and shows on a terminal that it takes long.
func (a *app) execute(ctx context.Context, reg *toolfall.Registry, c toolfall.Call) toolfall.Result {
	p := a.progress()
	defer p.start()()
	ctx, end := p.begin(a.hearing(ctx), c.Name)
	defer end()
	return reg.Execute(ctx, c)
}
