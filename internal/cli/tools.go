package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
	"github.com/toolfall/toolfall/schema/dialect"
)

func (a *app) toolsCommand() *cli.Command {
	return &cli.Command{
		Name:  "tools",
		Usage: "list the tools, for people or as a provider wants them",
		Description: "  toolfall tools\n  toolfall tools --format anthropic > tools.json\n\n" +
			"A tool that a provider cannot be shown is left out, and standard error says why.",
		Flags:        []cli.Flag{&cli.StringFlag{Name: "format", Value: "table", Usage: "one of " + formats()}},
		OnUsageError: usageError,
		Action:       a.tools,
	}
}

func formats() string {
	names := []string{"table"}
	for _, d := range dialect.All() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}

func (a *app) tools(ctx context.Context, c *cli.Command) error {
	format := c.String("format")
	if !strings.Contains(", "+formats()+",", ", "+format+",") {
		return fmt.Errorf("unknown format %q; want one of %s", format, formats())
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	schemas, err := a.shown(c, reg.Snapshot().Schemas())
	if err != nil {
		return err
	}
	if format == "table" {
		return a.table(schemas)
	}
	l := dialect.Convert(dialect.Dialect(format), presented(schemas))
	for _, p := range l.Problems {
		fmt.Fprintln(a.stderr, "toolfall:", visible(p.String(), isTerminal(a.stderr)))
	}
	_, err = fmt.Fprintln(a.stdout, l.JSON())
	return err
}

// shown leaves out the tools of which a rule denies every call: a model need not know
// them.
func (a *app) shown(c *cli.Command, schemas []toolfall.Schema) ([]toolfall.Schema, error) {
	conf, err := a.load(c)
	if err != nil {
		return nil, err
	}
	p, err := conf.Policy()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(schemas), func(s toolfall.Schema) bool { return p.Hides(s.Name) }), nil
}

func presented(schemas []toolfall.Schema) []dialect.Tool {
	tools := make([]dialect.Tool, len(schemas))
	for i, s := range schemas {
		tools[i] = dialect.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters, Output: s.Output}
		if s.Hints != (toolfall.Hints{}) {
			if raw, err := json.Marshal(s.Hints); err == nil {
				tools[i].Annotations = schema.JSON(raw)
			}
		}
	}
	return tools
}

// table writes the tools in columns: the name, what it may do, and what it is for,
// as far as the line goes on a terminal.
func (a *app) table(schemas []toolfall.Schema) error {
	longest := 0
	for _, s := range schemas {
		longest = max(longest, len(s.Name))
	}
	terminal, colour := isTerminal(a.stdout), colours(a.stdout)
	for _, s := range schemas {
		name := s.Name + strings.Repeat(" ", longest-len(s.Name))
		text, _, _ := strings.Cut(s.Description, "\n")
		if room := width(a.stdout) - longest - 10; terminal && utf8.RuneCountInString(text) > room && room > 10 {
			text = string([]rune(text)[:room-1]) + "…"
		}
		line := paint(colour, "1", name) + "  " + kind(s.Hints, colour) + "  " + visible(text, terminal)
		if _, err := io.WriteString(a.stdout, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// kind says in a word what a tool may do.
func kind(h toolfall.Hints, colour bool) string {
	switch {
	case h.ReadOnly == toolfall.Yes:
		return paint(colour, "32", "reads ")
	case h.ReadOnly == toolfall.No:
		return paint(colour, "33", "writes")
	}
	return "      "
}

// completeTools prints the names of tools for a shell that completes.
func (a *app) completeTools(ctx context.Context, c *cli.Command) {
	if c.Args().Len() > 1 {
		return
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return
	}
	defer done()
	for _, s := range reg.Snapshot().Schemas() {
		fmt.Fprintln(a.stdout, s.Name)
	}
}
