package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/internal/config"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/plugin/permission"
	"github.com/toolfall/toolfall/policy"
)

const exitAsk = 4 // policy explain: a person would be asked

func (a *app) policyCommand() *cli.Command {
	settings := &cli.StringSliceFlag{Name: "settings", Usage: "take in the rules of `FILE` too: settings.json of Claude Code, .rules of Codex, .toml of Gemini CLI"}
	return &cli.Command{
		Name:         "policy",
		Usage:        "say which calls may run, and why",
		OnUsageError: usageError,
		Commands: []*cli.Command{
			{
				Name: "explain", Usage: "what becomes of a call, and why", ArgsUsage: "NAME JSON|-",
				Description: "  toolfall policy explain bash '{\"command\":\"git log && rm x\"}'\n\n" +
					"Nothing runs. The exit status is 0 when the call is allowed, 3 when it is denied, 4 when it is asked.",
				Flags:        []cli.Flag{settings, &cli.BoolFlag{Name: "json", Usage: "print the decision as JSON"}},
				OnUsageError: usageError, Action: a.explain,
			},
			{
				Name: "test", Usage: "run the examples of the rules",
				Description:  "Every rule's match and not_match are tried. The exit status is 1 when one does not hold.",
				Flags:        []cli.Flag{settings},
				OnUsageError: usageError, Action: a.policyTest,
			},
			{Name: "grants", Usage: "list what has been granted for longer", OnUsageError: usageError, Action: a.grants},
			{Name: "revoke", Usage: "take a grant back", ArgsUsage: "ID", OnUsageError: usageError, Action: a.revoke},
		},
		Action: func(_ context.Context, c *cli.Command) error { return a.unknownCommand(c) },
	}
}

// policyOf reads the configuration with further settings.
func (a *app) policyOf(c *cli.Command) (*config.Config, error) {
	conf, err := a.load(c)
	if err != nil {
		return nil, err
	}
	conf.AddSettings(c.StringSlice("settings")...)
	return conf, nil
}

func (a *app) explain(_ context.Context, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return errors.New("explain takes the name of a tool and its arguments: toolfall policy explain NAME JSON|-")
	}
	raw, err := a.input(c.Args().Get(1))
	if err != nil {
		return err
	}
	conf, err := a.policyOf(c)
	if err != nil {
		return err
	}
	p, err := conf.Policy()
	if err != nil {
		return err
	}
	a.notes(conf)
	d := p.Decide(c.Args().First(), raw)
	if c.Bool("json") {
		err = writeJSON(a.stdout, d)
	} else {
		err = a.writeDecision(d)
	}
	if err != nil {
		return err
	}
	return exitWith(map[policy.Effect]int{policy.Allow: exitOK, policy.Deny: exitRefused, policy.Ask: exitAsk}[d.Effect])
}

// notes tells what of the files does not count.
func (a *app) notes(c *config.Config) {
	for _, note := range c.Notes {
		fmt.Fprintln(a.stderr, "toolfall:", visible(note, isTerminal(a.stderr)))
	}
}

// writeDecision prints a decision for people.
func (a *app) writeDecision(d *policy.Decision) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (mode %s)\n", d.Effect, d.Mode)
	for _, s := range d.Steps {
		indent := "  "
		if s.Inner {
			indent = "    "
		}
		fmt.Fprintf(&b, "%s%-5s  %s %s\n", indent, s.Effect, s.Does, escape.Line(s.What))
		fmt.Fprintf(&b, "%s       %s\n", indent, escape.Line(s.Because()))
	}
	for _, reason := range d.Opaque {
		fmt.Fprintf(&b, "  not seen through: %s\n", escape.Line(reason))
	}
	for _, g := range d.Grants {
		fmt.Fprintf(&b, "  would run unasked with: %s\n", escape.Line(g.String()))
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func (a *app) policyTest(_ context.Context, c *cli.Command) error {
	conf, err := a.policyOf(c)
	if err != nil {
		return err
	}
	pc, err := conf.PolicyConfig()
	if err != nil {
		return err
	}
	a.notes(conf)
	examples, failed := 0, 0
	for _, o := range policy.Try(pc) {
		examples += len(o.Rule.Match) + len(o.Rule.NotMatch)
		if o.Err != nil {
			failed++
			fmt.Fprintln(a.stdout, "FAIL", visible(o.Err.Error(), isTerminal(a.stdout)))
		}
	}
	fmt.Fprintf(a.stdout, "%d rules, %d examples, %d rules fail\n", len(pc.Rules), examples, failed)
	if failed > 0 {
		return exitWith(exitTool)
	}
	return nil
}

// store is where grants are kept.
func (a *app) store(c *cli.Command) (permission.Store, error) {
	conf, err := a.load(c)
	if err != nil {
		return permission.Store{}, err
	}
	return conf.Grants()
}

func (a *app) grants(_ context.Context, c *cli.Command) error {
	store, err := a.store(c)
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	for _, g := range all {
		where := g.Project
		if where == "" {
			where = "everywhere"
		}
		fmt.Fprintf(a.stdout, "%s  %s  %s  in %s\n", g.ID, g.Granted.Local().Format("2006-01-02 15:04"), escape.Line(g.Rule.String()), escape.Line(where))
	}
	return nil
}

func (a *app) revoke(_ context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return errors.New("revoke takes the ID of a grant; toolfall policy grants lists them")
	}
	store, err := a.store(c)
	if err != nil {
		return err
	}
	return store.Revoke(c.Args().First())
}

func (a *app) trustCommand() *cli.Command {
	return &cli.Command{
		Name: "trust", Usage: "let a toolfall.yaml count in full", ArgsUsage: "[FILE]",
		Description: "A toolfall.yaml that is found upward from the current directory may have come with a repository.\n" +
			"Until it is trusted it can only tighten: its rules that deny and ask count, those that allow do not.\n" +
			"Read it, then trust it; after a change it has to be trusted again. A file given with --config is trusted.",
		OnUsageError: usageError,
		Action: func(_ context.Context, c *cli.Command) error {
			path := c.Args().First()
			if path == "" {
				conf, err := a.load(c)
				if err != nil {
					return err
				}
				if path = conf.Path; path == "" {
					return errors.New("there is no toolfall.yaml from here upward")
				}
			}
			if err := config.Trust(path); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.stdout, "trusted: %s\n", visible(path, isTerminal(a.stdout)))
			return err
		},
	}
}
