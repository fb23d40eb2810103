package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/internal/config"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/journal"
)

func (a *app) logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "list the calls that were made, the newest first",
		Description: "Every call is recorded in the journal: what was asked, what was decided and why, and how it ended.\n\n" +
			"  toolfall log --tool bash --last 5\n" +
			"  toolfall log --code DENIED --since 24h\n" +
			"  toolfall show 7-142                     one call's whole story",
		Flags: append(filterFlags(),
			&cli.IntFlag{Name: "last", Usage: "how many calls at the most; 0 is all", Value: 20},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object for each call"}),
		OnUsageError: usageError, Action: a.log,
		Commands: []*cli.Command{a.verifyCommand(), a.exportCommand()},
	}
}

func (a *app) verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", ArgsUsage: "[HEAD]...", Usage: "check that no record was changed",
		Description: "Prints the head of the chain, the place where it ends now. Noted elsewhere and given later, it shows\n" +
			"that everything up to it is as it was then. The exit status is 1 when something was changed.",
		Flags:        []cli.Flag{journalFlag()},
		OnUsageError: usageError, Action: a.verify,
	}
}

func (a *app) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "print every record, one JSON object a line",
		Description:  "The lines of the calls that the flags name, the oldest first. toolfall replay reads them.",
		Flags:        filterFlags(),
		OnUsageError: usageError, Action: a.export,
	}
}

func journalFlag() cli.Flag {
	return &cli.StringFlag{Name: "journal", Usage: "read this `FILE` instead of the user's journal"}
}

// filterFlags are those that say which calls are meant.
func filterFlags() []cli.Flag {
	return []cli.Flag{
		journalFlag(),
		&cli.StringFlag{Name: "tool", Usage: "calls of this `TOOL`"},
		&cli.StringFlag{Name: "agent", Usage: "calls by this `AGENT`"},
		&cli.StringFlag{Name: "code", Usage: "calls that failed with this `CODE`, such as DENIED or TIMEOUT"},
		&cli.StringFlag{Name: "since", Usage: "calls since this `TIME`: a span such as 90m, 24h or 7d, or a date such as 2026-01-31 or 2026-01-31T12:00:00Z"},
		&cli.StringFlag{Name: "until", Usage: "calls before this `TIME`, written likewise"},
	}
}

func filterOf(c *cli.Command) (f journal.Filter, err error) {
	f = journal.Filter{Tool: c.String("tool"), Agent: c.String("agent"), Code: c.String("code")}
	if f.Since, err = moment("since", c.String("since"), time.Now()); err == nil {
		f.Until, err = moment("until", c.String("until"), time.Now())
	}
	return f, err
}

// moment reads a time, or a span before now.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	span := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days+"!", "%d!", &n); err == nil {
			span = fmt.Sprintf("%dh", 24*n)
		}
	}
	if d, err := time.ParseDuration(span); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--%s %q: want a span such as 90m, 24h or 7d, or a date such as 2026-01-31", flag, text)
}

// journal opens what was recorded, to look at it.
func (a *app) journal(c *cli.Command) (*journal.SQLite, error) {
	path := c.String("journal")
	if path == "" {
		var err error
		if path, err = config.JournalPath(); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("no call has been recorded yet")
	}
	return journal.Open(path, journal.Config{ReadOnly: true})
}

// looking opens the journal for a function, with the filter of the flags.
func (a *app) looking(c *cli.Command, look func(*journal.SQLite, journal.Filter) error) error {
	f, err := filterOf(c)
	if err != nil {
		return err
	}
	j, err := a.journal(c)
	if err != nil {
		return err
	}
	defer j.Close()
	return look(j, f)
}

func (a *app) log(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 0 {
		return a.unknownCommand(c)
	}
	return a.looking(c, func(j *journal.SQLite, f journal.Filter) error { return a.logAll(ctx, c, j, f) })
}

// logAll prints the calls.
func (a *app) logAll(ctx context.Context, c *cli.Command, j journal.Journal, f journal.Filter) error {
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	if !c.Bool("json") {
		fmt.Fprintln(w, "ID\tASKED\tTOOL\tTOOK\tENDED\tARGUMENTS")
	}
	n := 0
	for call, err := range j.Calls(ctx, f) {
		if err != nil {
			return err
		}
		if err := a.logCall(ctx, w, j, call, c.Bool("json")); err != nil {
			return err
		}
		if n++; n == c.Int("last") {
			break
		}
	}
	return w.Flush()
}

// logCall prints one line.
func (a *app) logCall(ctx context.Context, w io.Writer, j journal.Journal, call journal.Call, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, call)
	}
	arguments := ""
	if rs, err := j.Records(ctx, call.ID); err == nil && len(rs) > 0 {
		room := 200
		if isTerminal(a.stdout) {
			room = max(20, width(a.stdout)-80)
		}
		arguments = preview(rs[0].Arguments, room)
	}
	took := ""
	if call.Ended {
		took = brief(call.Took)
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", call.ID, call.Asked.Local().Format("2006-01-02 15:04:05"), escape.Line(call.Tool), took, escape.Line(ended(call)), escape.Line(arguments))
	return err
}

// ended says in a word how a call ended.
func ended(c journal.Call) string {
	switch {
	case !c.Ended:
		return "running"
	case c.Code == "":
		return "ok"
	}
	return c.Code
}

// brief is a duration in three digits.
func brief(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", float64(d)/1e6)
	}
	return fmt.Sprintf("%dµs", d.Microseconds())
}

// preview is JSON on one line, as far as there is room.
func preview(raw json.RawMessage, room int) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		b.Reset()
		b.Write(raw)
	}
	if text := []rune(b.String()); len(text) > room {
		return string(text[:room-1]) + "…"
	}
	return b.String()
}

func (a *app) verify(ctx context.Context, c *cli.Command) error {
	var known []journal.Head
	for _, text := range c.Args().Slice() {
		h, err := journal.ParseHead(text)
		if err != nil {
			return err
		}
		known = append(known, h)
	}
	j, err := a.journal(c)
	if err != nil {
		return err
	}
	defer j.Close()
	head, err := j.Verify(ctx, known...)
	var tampered *journal.TamperedError
	if errors.As(err, &tampered) {
		fmt.Fprintf(a.stdout, "changed: %s\n", visible(tampered.Error(), isTerminal(a.stdout)))
		return exitWith(exitTool)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "nothing was changed up to %s\n", head)
	return err
}

func (a *app) export(ctx context.Context, c *cli.Command) error {
	return a.looking(c, func(j *journal.SQLite, f journal.Filter) error {
		wanted := make(map[journal.ID]bool)
		for call, err := range j.Calls(ctx, f) {
			if err != nil {
				return err
			}
			wanted[call.ID] = true
		}
		for r, err := range j.All(ctx, 0) {
			if err == nil && wanted[r.Call] {
				err = writeJSON(a.stdout, r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
