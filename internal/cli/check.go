package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
)

func (a *app) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "check arguments without running anything",
		ArgsUsage: "(NAME | --schema FILE) (JSON|-)",
		Description: "Prints the arguments as the tool would get them, or everything that is wrong with them.\n\n" +
			"  toolfall check read_file '{\"path\":\"a\",\"limit\":\"ten\"}'\n" +
			"  toolfall check --schema tool.json - < arguments.json\n\n" +
			"The exit status is 0 when they are valid, 1 when they are not, and 2 when that cannot be told.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "schema", Usage: "check against the JSON Schema in `FILE` instead of a tool's"},
			&cli.BoolFlag{Name: "json", Usage: "print the verdict as JSON"},
		},
		OnUsageError:  usageError,
		Action:        a.check,
		ShellComplete: a.completeTools,
	}
}

// verdict is what a check found, for programs.
type verdict struct {
	Valid      bool               `json:"valid"`
	Value      json.RawMessage    `json:"value,omitempty"` // canonical
	Code       string             `json:"code,omitempty"`
	Error      string             `json:"error,omitempty"`
	Violations []schema.Violation `json:"violations,omitempty"`
	Unenforced []string           `json:"unenforced,omitempty"` // parts of the schema that were not checked
}

func (a *app) check(ctx context.Context, c *cli.Command) error {
	args := c.Args().Slice()
	if len(args) != 2 && c.String("schema") == "" || len(args) != 1 && c.String("schema") != "" {
		return errors.New("check takes a tool or a schema, and arguments: toolfall check (NAME | --schema FILE) (JSON|-)")
	}
	if c.String("schema") == "-" && args[0] == "-" {
		return errors.New("only one of the schema and the arguments can be standard input")
	}
	canonical, unenforced, err := a.checker(ctx, c)
	if err != nil {
		return err
	}
	raw, err := a.input(args[len(args)-1])
	if err != nil {
		return err
	}
	v := verdict{Unenforced: unenforced}
	value, err := canonical(raw)
	v.fill(value, err)
	return a.tell(v, c.Bool("json"))
}

// checker returns what makes arguments canonical or says what is wrong with them.
func (a *app) checker(ctx context.Context, c *cli.Command) (canonical func([]byte) ([]byte, error), unenforced []string, err error) {
	if name := c.String("schema"); name != "" {
		return a.foreign(name)
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	name := c.Args().First()
	d, ok := reg.Snapshot().Get(name)
	switch {
	case !ok:
		return nil, nil, unknownTool(reg, name)
	case d.Plan() == nil:
		return schema.Arguments, nil, nil // the tool checks the rest itself
	}
	return d.Plan().Canonical, nil, nil
}

func unknownTool(reg *toolfall.Registry, name string) error {
	if meant := reg.Snapshot().Near(name); len(meant) > 0 {
		return fmt.Errorf("unknown tool %q; did you mean %s?", name, strings.Join(meant, " or "))
	}
	return fmt.Errorf("unknown tool %q; see toolfall tools", name)
}

// foreign checks against a schema from a file, as far as it can be enforced.
func (a *app) foreign(name string) (canonical func([]byte) ([]byte, error), unenforced []string, err error) {
	raw, err := a.file(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := schema.Parse(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("schema %s: %w", name, err)
	}
	if p, ok := f.Plan(); ok {
		return p.Canonical, nil, nil
	}
	return func(raw []byte) ([]byte, error) {
		object, err := schema.Arguments(raw)
		if err == nil {
			err = f.Check(object)
		}
		return object, err
	}, f.Unenforced(), nil
}

// fill takes in the outcome of a check.
func (v *verdict) fill(value []byte, err error) {
	if err == nil {
		v.Valid, v.Value = true, value
		return
	}
	v.Error = err.Error()
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		v.Code = coded.Code()
	}
	var args *schema.ArgsError
	if errors.As(err, &args) {
		v.Violations = args.Violations
	}
}

func (a *app) tell(v verdict, asJSON bool) error {
	if len(v.Unenforced) > 0 && !asJSON {
		fmt.Fprintf(a.stderr, "toolfall: not enforced: %s\n", visible(strings.Join(v.Unenforced, ", "), isTerminal(a.stderr)))
	}
	var err error
	switch terminal := isTerminal(a.stdout); {
	case asJSON:
		err = writeJSON(a.stdout, v)
	case v.Valid:
		_, err = fmt.Fprintln(a.stdout, visible(string(v.Value), terminal))
	case len(v.Violations) == 0:
		_, err = fmt.Fprintln(a.stdout, visible(v.Error, terminal))
	default:
		for _, one := range v.Violations {
			fmt.Fprintln(a.stdout, visible(one.String(), terminal))
		}
	}
	if err == nil && !v.Valid {
		err = exit(exitTool)
	}
	return err
}
