package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
)

func (a *app) execCommand() *cli.Command {
	return &cli.Command{
		Name:  "exec",
		Usage: "run calls from standard input, one JSON object a line",
		Description: "Each line is a call such as {\"callId\":\"1\",\"name\":\"read_file\",\"arguments\":{\"path\":\"go.mod\"}}.\n" +
			"Each gets one line on standard output, in the order of the calls and as soon as it is there;\n" +
			"a line that is not a call gets an error, and the next one is read.\n\n" +
			"The exit status is 0 when all calls went well; otherwise the worst of 1 (a call failed),\n" +
			"2 (no such tool) and 3 (refused). After Ctrl-C the running call is ended and told, and it is 130.",
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

// maxLine is the longest line: the largest arguments and some more.
const maxLine = 16 << 20

func (a *app) exec(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 0 {
		return errors.New("exec takes no arguments: it reads calls from standard input")
	}
	plan, err := schema.For[line]()
	if err != nil {
		return err
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	p := &progress{w: a.stderr, on: isTerminal(a.stderr), since: time.Now(), asking: a.asking}
	worst := exitOK
	for in := range a.lines(ctx) {
		r := a.runLine(ctx, reg, plan, in, p)
		if err := writeJSON(a.stdout, reportOf(r)); err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
		worst = max(worst, statusOf(r))
	}
	return exitWith(worst)
}

// numbered is a line and where it stood.
type numbered struct {
	number int
	text   []byte
	err    error
}

// lines yields the lines of standard input that are not empty, until it ends or
// ctx does. What has been read by then is still yielded: every call that came in
// gets a result.
func (a *app) lines(ctx context.Context) func(yield func(numbered) bool) {
	return func(yield func(numbered) bool) {
		read, stop := make(chan numbered), make(chan struct{})
		defer close(stop)
		go a.feed(read, stop)
		for {
			select {
			case in, ok := <-read:
				if !ok || !yield(in) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// feed sends the lines. It ends with stop, or with the program while it waits for
// input.
func (a *app) feed(read chan<- numbered, stop <-chan struct{}) {
	defer close(read)
	b := bufio.NewReaderSize(a.stdin, 64<<10)
	for number := 1; ; number++ {
		text, err := readLine(b)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err == nil && len(bytes.TrimSpace(text)) == 0:
			continue
		}
		select {
		case read <- numbered{number, text, err}:
		case <-stop:
			return
		}
		if err != nil && !errors.Is(err, errLong) {
			return
		}
	}
}

var errLong = fmt.Errorf("longer than %d bytes", maxLine)

// readLine returns the next line. Of one that is too long it keeps nothing.
func readLine(b *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxLine; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(text) > 0 || long), err == nil:
			if long {
				return nil, errLong
			}
			return bytes.TrimRight(text, "\r\n"), nil
		}
		return nil, err
	}
}

func (a *app) runLine(ctx context.Context, reg *toolfall.Registry, plan *schema.Plan, in numbered, p *progress) toolfall.Result {
	var l line
	err := in.err
	if err == nil {
		err = plan.Decode(in.text, &l)
	}
	if err != nil {
		r := toolfall.Fail(fmt.Errorf("line %d: %w", in.number, err))
		r.CallID = fmt.Sprint(in.number)
		return r
	}
	if l.CallID == "" {
		l.CallID = fmt.Sprint(in.number)
	}
	defer p.show(in.number, l.Name)()
	return reg.Execute(a.hearing(ctx), toolfall.Call{ID: l.CallID, Name: l.Name, Arguments: l.Arguments, Agent: l.Agent, Parent: l.Parent})
}

// progress is a line on a terminal that says what is going on.
type progress struct {
	w     io.Writer
	on    bool
	since time.Time

	asking func() bool // a person is being asked, and must not be written over
}

// show draws the line, and again every second until the function that it returns
// is called, which takes it away.
func (p *progress) show(number int, name string) (hide func()) {
	if !p.on {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		p.draw(number, name, stop)
	}()
	return func() {
		close(stop)
		<-stopped
		io.WriteString(p.w, "\r\x1b[K")
	}
}

func (p *progress) draw(number int, name string, stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if p.asking == nil || !p.asking() {
			fmt.Fprintf(p.w, "\r\x1b[K%d done, running %s, %s", number-1, visible(name, true), time.Since(p.since).Round(time.Second))
		}
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}
