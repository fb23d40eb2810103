package cli

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/internal/config"
)

func (a *app) configCommand() *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "show the configuration, or its schema",
		Description: "No configuration is needed. A toolfall.yaml is looked for from the current directory upward.\n" +
			"For completion in an editor: toolfall config schema > .toolfall.schema.json, and at the top of\n" +
			"the file: # yaml-language-server: $schema=.toolfall.schema.json",
		OnUsageError: usageError,
		Commands: []*cli.Command{
			{
				Name: "show", Usage: "print the values in force and where each comes from",
				Flags:        []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print them as JSON"}},
				OnUsageError: usageError, Action: a.configShow,
			},
			{Name: "schema", Usage: "print the JSON Schema of toolfall.yaml", OnUsageError: usageError, Action: a.configSchema},
		},
	}
}

func (a *app) configShow(_ context.Context, c *cli.Command) error {
	conf, err := a.load(c)
	if err != nil {
		return err
	}
	values, err := conf.Values()
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(a.stdout, values)
	}
	colour, terminal := colours(a.stdout), isTerminal(a.stdout)
	for _, v := range values {
		fmt.Fprintf(a.stdout, "%s  %-24s  %s\n", paint(colour, "1", fmt.Sprintf("%-22s", v.Key)), visible(string(v.Value), terminal), visible(v.Source, terminal))
	}
	return nil
}

func (a *app) configSchema(context.Context, *cli.Command) error {
	s, err := config.Schema()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, s)
	return err
}
