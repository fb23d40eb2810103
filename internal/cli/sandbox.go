package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/config"
)

func (a *app) sandboxCommand() *cli.Command {
	return &cli.Command{
		Name: "sandbox", Usage: "say what the sandbox holds back here", OnUsageError: usageError,
		Commands: []*cli.Command{{
			Name: "check", Usage: "try from inside what an attacker would",
			Description: "Every line is something that was really tried in a sandbox. The exit status is 0 when all of it\n" +
				"was blocked, and 1 when not.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "json", Usage: "print the matrix as JSON"},
				&cli.StringFlag{Name: "backend", Value: "native", Usage: "who sets the sandbox up: native or bubblewrap"},
			},
			OnUsageError: usageError, Action: a.sandboxCheck,
		}},
		Action: func(_ context.Context, c *cli.Command) error { return a.unknownCommand(c) },
	}
}

func (a *app) sandboxCheck(_ context.Context, c *cli.Command) error {
	l, err := config.Launcher(c.String("backend"))
	if err != nil {
		return err
	}
	m := l.Probe()
	if c.Bool("json") {
		if err := writeJSON(a.stdout, m); err != nil {
			return err
		}
	} else {
		for _, t := range m.Attempts {
			what := "blocked"
			if !t.Blocked {
				what = "THROUGH"
			}
			fmt.Fprintf(a.stdout, "%s  %s\n", what, t.Name)
		}
		fmt.Fprintf(a.stdout, "sandbox: %s", m.Tier)
		if m.Reason != "" {
			fmt.Fprintf(a.stdout, " (%s)", visible(m.Reason, isTerminal(a.stdout)))
		}
		fmt.Fprintln(a.stdout)
	}
	if m.Tier != confine.Full {
		return exitWith(exitTool)
	}
	return nil
}
