package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schedule"
	"github.com/toolfall/toolfall/schema"
)

func (a *app) execCommand() *cli.Command {
	return &cli.Command{
		Name:  "exec",
		Usage: "run calls from standard input, one JSON object a line",
		Description: "Each line is a call such as {\"callId\":\"1\",\"name\":\"read_file\",\"arguments\":{\"path\":\"go.mod\"}}.\n" +
			"Each gets one line on standard output, in the order of the calls and as soon as it is there;\n" +
			"a line that is not a call gets an error, and the next one is read.\n\n" +
			"Calls that do not touch the same things run side by side, as many as limits.parallel says.\n\n" +
			"The exit status is 0 when all calls went well; otherwise the worst of 1 (a call failed),\n" +
			"2 (no such tool) and 3 (refused). After Ctrl-C the running calls are ended and told, those that\n" +
			"were read and not started say so, and it is 130.",
		OnUsageError: usageError,
		Action:       a.exec,
	}
}

// line is a call as it is read.
type line struct {
	CallID    string          `json:"callId,omitempty"`
	Name      string          `json:"name" minLength:"1"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Parent    string          `json:"parent,omitempty"`
}

// maxAhead is how many lines are read before the first of them has its result.
const maxAhead = 64

func (a *app) exec(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 0 {
		return errors.New("exec takes no arguments: it reads calls from standard input")
	}
	plan, err := schema.For[line]()
	if err != nil {
		return err
	}
	_, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	p := a.progress()
	defer p.start()()
	ctx, stop := context.WithCancel(ctx)
	e := &executor{app: a, plan: plan, batch: a.scheduler.Batch(), progress: p, answers: make(chan answer, maxAhead)}
	go e.read(ctx) // until the input or ctx ends, or the answers are no longer taken
	worst, err := e.write()
	stop()
	for w := range e.answers { // what still runs when a result could not be written
		w.wait()
	}
	if err != nil {
		return err
	}
	return exitWith(worst)
}

// executor runs the lines of one input.
type executor struct {
	app      *app
	plan     *schema.Plan
	batch    *schedule.Batch
	progress *progress
	answers  chan answer // in the order of the lines
}

// answer is the Result of a line, or where it will be.
type answer struct {
	result  toolfall.Result
	pending *schedule.Pending
	end     func()
}

func (w answer) wait() toolfall.Result {
	if w.pending == nil {
		return w.result
	}
	defer w.end()
	return w.pending.Result()
}

// read begins the calls as their lines come in.
func (e *executor) read(ctx context.Context) {
	defer close(e.answers)
	for in := range e.app.lines(ctx) {
		e.answers <- e.begin(ctx, in)
	}
}

// write prints the results, and returns the worst status.
func (e *executor) write() (worst int, err error) {
	for w := range e.answers {
		r := w.wait()
		e.progress.clear()
		if err := writeJSON(e.app.stdout, reportOf(r)); err != nil {
			return worst, fmt.Errorf("write a result: %w", err)
		}
		worst = max(worst, statusOf(r))
	}
	return worst, nil
}

func (e *executor) begin(ctx context.Context, in numbered) answer {
	var l line
	err := in.err
	if err == nil {
		err = e.plan.Decode(in.text, &l)
	}
	if err != nil {
		r := toolfall.Fail(fmt.Errorf("line %d: %w", in.number, err))
		r.CallID = fmt.Sprint(in.number)
		return answer{result: r}
	}
	if l.CallID == "" {
		l.CallID = fmt.Sprint(in.number)
	}
	ctx, end := e.progress.begin(e.app.hearing(ctx), l.Name)
	c := toolfall.Call{ID: l.CallID, Name: l.Name, Arguments: l.Arguments, Agent: l.Agent, Parent: l.Parent}
	return answer{pending: e.batch.Add(ctx, c), end: end}
}
