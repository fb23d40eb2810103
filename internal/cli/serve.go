package cli

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/gateway"
)

func (a *app) serveCommand() *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "be an MCP server: give all tools to an agent, behind one gate",
		Description: "Speaks MCP over standard input and output, in the revisions from 2024-11-05 to 2026-07-28.\n\n" +
			"  toolfall serve --install cursor      what to write into that client's configuration\n\n" +
			"Calls pass the same rules as any other. What a rule asks about needs --approvals, and an answer from\n" +
			"toolfall approvals in a terminal; without it such a call is refused.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "stdio", Usage: "speak over standard input and output"},
			&cli.StringFlag{Name: "install", Usage: "print the entry for a `CLIENT`: claude, claude-desktop, codex, cursor, gemini, vscode or windsurf"},
		},
		OnUsageError: usageError, Action: a.serve,
	}
}

func (a *app) serve(ctx context.Context, c *cli.Command) error {
	switch {
	case c.Args().Len() > 0:
		return a.unknownCommand(c)
	case c.String("install") != "":
		return a.install(c.String("install"))
	case !c.Bool("stdio"):
		return errors.New("serve needs --stdio: there is no other way to speak yet")
	}
	conf, err := a.load(c)
	if err != nil {
		return err
	}
	p, err := conf.Policy()
	if err != nil {
		return err
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	g := gateway.New(gateway.Config{Registry: reg, Scheduler: a.scheduler, Version: release, Hide: p.Hides})
	return g.Serve(ctx, a.stdin, writeCloser{a.stdout})
}

// writeCloser is a stream that stays open: it is the program's own.
type writeCloser struct{ io.Writer }

// Close does nothing.
func (writeCloser) Close() error { return nil }
