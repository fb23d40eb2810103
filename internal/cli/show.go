package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/journal"
)

func (a *app) showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", ArgsUsage: "ID", Usage: "tell one call's whole story",
		Description:  "What was asked, what was decided and why, what the tool got, and how it ended, with the time of each.",
		Flags:        []cli.Flag{journalFlag(), &cli.BoolFlag{Name: "json", Usage: "print the records, one JSON object a line"}},
		OnUsageError: usageError, Action: a.show,
	}
}

func (a *app) show(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return errors.New("show takes the ID of a call, as toolfall log lists it: toolfall show 7-142")
	}
	id, err := journal.ParseID(c.Args().First())
	if err != nil {
		return err
	}
	j, err := a.journal(c)
	if err != nil {
		return err
	}
	defer j.Close()
	rs, err := j.Records(ctx, id)
	if errors.Is(err, journal.ErrUnknown) {
		return fmt.Errorf("there is no call %s; toolfall log lists those there are", id)
	}
	if err != nil {
		return err
	}
	for _, r := range rs {
		if c.Bool("json") {
			err = writeJSON(a.stdout, r)
		} else {
			err = a.tellRecord(r, rs[0].Time)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellRecord prints one record: when it was, from the beginning of the call, and what.
func (a *app) tellRecord(r journal.Record, began time.Time) error {
	terminal := isTerminal(a.stdout)
	head, body := said(r)
	line := fmt.Sprintf("%9s  %-8s  %s\n", "+"+brief(r.Time.Sub(began)), r.Kind, escape.Line(head))
	if body != "" {
		line += indent(visible(body, terminal))
	}
	_, err := io.WriteString(a.stdout, line)
	return err
}

// said is a record in words, and what comes below that.
func said(r journal.Record) (head, body string) {
	switch r.Kind {
	case journal.Asked:
		head = r.Tool + " at " + r.Time.Local().Format("2006-01-02 15:04:05.000")
		for _, more := range [][2]string{{"by ", r.Agent}, {"as ", r.Model}, {"within ", r.Parent}} {
			if more[1] != "" {
				head += ", " + more[0] + more[1]
			}
		}
		return head, pretty(r.Arguments)
	case journal.Decision:
		return strings.TrimSpace(fmt.Sprintf("%s: %s %s", r.By, r.Text, inBrackets(r.Rule))), ""
	case journal.Start:
		return "the tool runs", pretty(r.Arguments)
	case journal.Mark:
		if r.Done > 0 || r.Total > 0 {
			return fmt.Sprintf("%s: %v of %v %s", r.By, r.Done, r.Total, r.Text), ""
		}
		return r.By + ": " + r.Text, ""
	case journal.Outcome:
		head = "ok"
		if r.Code != "" {
			head = r.Code
		}
		head += " after " + brief(r.Took) + stages(r.Stages)
		if r.Spill != "" {
			head += fmt.Sprintf("; %d bytes, all of them in %s", r.Bytes, r.Spill)
		}
		return head, r.Content
	}
	return "the program ended before the call did", ""
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func stages(list []journal.Stage) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name+" "+brief(s.Took))
	}
	return strings.TrimRight(" "+inBrackets(strings.Join(out, ", ")), " ")
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// indent puts text below a line of [app.tellRecord].
func indent(text string) string {
	return "           " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n           ") + "\n"
}
