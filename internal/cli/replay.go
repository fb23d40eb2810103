package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/secret"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/schema"
)

func (a *app) replayCommand() *cli.Command {
	return &cli.Command{
		Name: "replay", ArgsUsage: "ID|FILE", Usage: "make recorded calls again, or answer from the record",
		Description: "An ID is a call of the journal; a FILE has the lines of toolfall log export. The calls are made one after\n" +
			"another, through the same gates as any other, and each line of the output says whether the result is\n" +
			"what was recorded.\n\n" +
			"  toolfall replay 7-142\n" +
			"  toolfall log export --agent tester > run.jsonl; toolfall replay run.jsonl\n\n" +
			"With --answer nothing is run: calls are read from standard input as toolfall exec reads them, and each\n" +
			"gets the result of the first recorded call with the same name and arguments that was not used yet.\n" +
			"The exit status is 0 when all results are as recorded, or were there, and 1 when not.",
		Flags:        []cli.Flag{journalFlag(), &cli.BoolFlag{Name: "answer", Usage: "answer calls from standard input from the record"}},
		OnUsageError: usageError, Action: a.replay,
	}
}

// recorded is a call and its result, as far as they were recorded.
type recorded struct {
	asked, outcome journal.Record
	started        *journal.Record
	used           bool
}

// arguments are what the tool got, or else what was asked.
func (r *recorded) arguments() json.RawMessage {
	if r.started != nil && len(r.started.Arguments) > 0 {
		return r.started.Arguments
	}
	return r.asked.Arguments
}

func (a *app) replay(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return errors.New("replay takes the ID of a call or a file of toolfall log export")
	}
	calls, err := a.recorded(ctx, c, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("answer") {
		return a.answerAll(ctx, calls)
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	worst := exitOK
	for _, r := range calls {
		same, err := a.again(ctx, reg, r)
		if err != nil {
			return err
		}
		if !same {
			worst = exitTool
		}
	}
	return exitWith(worst)
}

// recorded reads the calls from the journal or a file, in the order in which they were made.
func (a *app) recorded(ctx context.Context, c *cli.Command, from string) ([]*recorded, error) {
	if id, err := journal.ParseID(from); err == nil {
		j, err := a.journal(c)
		if err != nil {
			return nil, err
		}
		defer j.Close()
		rs, err := j.Records(ctx, id)
		if err != nil {
			return nil, err
		}
		return gather(rs), nil
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []journal.Record
	lines := bufio.NewReaderSize(f, 64<<10)
	for n := 1; ; n++ {
		text, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return gather(all), nil
		}
		var r journal.Record
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: not a record: %w", from, n, err)
		}
		all = append(all, r)
	}
}

// gather puts records together, call by call.
func gather(rs []journal.Record) (calls []*recorded) {
	byID := make(map[journal.ID]*recorded)
	for _, r := range rs {
		call := byID[r.Call]
		if r.Kind == journal.Asked {
			call = &recorded{asked: r}
			byID[r.Call] = call
			calls = append(calls, call)
		}
		switch {
		case call == nil: // its beginning is not there
		case r.Kind == journal.Start:
			call.started = &r
		case r.Kind == journal.Outcome:
			call.outcome = r
		}
	}
	return calls
}

// outcome is a line of replay.
type outcome struct {
	report
	Recorded string `json:"recorded"` // same, differs, or why the call was not made
}

// again makes a call once more.
func (a *app) again(ctx context.Context, reg *toolfall.Registry, r *recorded) (same bool, err error) {
	id := r.asked.Call.String()
	if bytes.Contains(r.arguments(), []byte(secret.Mask)) {
		res := toolfall.Fail(errors.New("not made again: its arguments were masked when they were recorded"))
		res.CallID = id
		return false, writeJSON(a.stdout, outcome{reportOf(res), "masked"})
	}
	res := a.execute(ctx, reg, toolfall.Call{ID: id, Name: r.asked.Tool, Arguments: r.asked.Arguments, Agent: r.asked.Agent})
	what := "differs"
	if same = toolfall.Code(res) == r.outcome.Code && alike(res.Text(), r.outcome.Content); same {
		what = "same"
	}
	return same, writeJSON(a.stdout, outcome{reportOf(res), what})
}

// alike reports whether a text is what was recorded, of which long texts have only a part,
// and secrets a mask.
func alike(text, recorded string) bool {
	text = secret.Text(text)
	if text == recorded {
		return true
	}
	head, tail, cut := strings.Cut(recorded, "\n[…")
	_, tail, _ = strings.Cut(tail, "…]\n")
	return cut && strings.HasPrefix(text, head) && strings.HasSuffix(text, tail)
}

// answerAll answers the calls of standard input.
func (a *app) answerAll(ctx context.Context, calls []*recorded) error {
	plan, err := schema.For[line]()
	if err != nil {
		return err
	}
	worst := exitOK
	for in := range a.lines(ctx) {
		var l line
		err := in.err
		if err == nil {
			err = plan.Decode(in.text, &l)
		}
		r := toolfall.Fail(fmt.Errorf("line %d: %w", in.number, err))
		if err == nil {
			r = answerOne(calls, l)
		}
		if r.CallID = l.CallID; r.CallID == "" {
			r.CallID = fmt.Sprint(in.number)
		}
		if errors.Is(r.Err, errNotRecorded) || err != nil {
			worst = exitTool
		}
		if err := writeJSON(a.stdout, reportOf(r)); err != nil {
			return err
		}
	}
	return exitWith(worst)
}

var errNotRecorded = errors.New("no such call is left in the record")

// answerOne is the result of the first call like this one that was not used yet.
func answerOne(calls []*recorded, l line) toolfall.Result {
	for _, r := range calls {
		if r.used || r.asked.Tool != l.Name || !sameJSON(r.asked.Arguments, l.Arguments) && !sameJSON(r.arguments(), l.Arguments) {
			continue
		}
		r.used = true
		res := toolfall.Result{Content: toolfall.Text(r.outcome.Content), IsError: r.outcome.Code != ""}
		if res.IsError {
			res.Err = toolfall.NewError(r.outcome.Code, errors.New(r.outcome.Content))
		}
		return res
	}
	return toolfall.Fail(fmt.Errorf("%w: %s %s", errNotRecorded, l.Name, preview(l.Arguments, 200)))
}

// sameJSON reports whether two texts are the same JSON, in whatever order its members are.
// None at all is an empty object.
func sameJSON(x, y json.RawMessage) bool {
	return bytes.Equal(canonical(x), canonical(y))
}

func canonical(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}
