package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolfall/toolfall/confine"
)

// Bounds on a hook.
const (
	defaultTime = 10 * time.Minute
	maxOutput   = 1 << 20
	maxErrors   = 64 << 10
	lag         = time.Second // how long output may come after the hook has ended
)

// said is what came of running a hook.
type said struct {
	answer
	failed string // the kind of failure, or nothing
	err    error
}

// one runs a hook and judges what it said.
func (r *Runner) one(ctx context.Context, h hook, input []byte) (s said) {
	limit := h.Timeout
	if limit <= 0 {
		limit = defaultTime
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if h.URL != "" {
		s = r.post(ctx, h, input)
	} else {
		s = r.command(ctx, h, input)
	}
	if s.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.failed, s.err = "timeout", fmt.Errorf("it took longer than %s", limit)
	}
	r.report(h, s, time.Since(start))
	return s
}

func (r *Runner) report(h hook, s said, took time.Duration) {
	if r.Report == nil {
		return
	}
	o := Outcome{Hook: h.Hook, Event: h.Event, Kind: "no_verdict", Duration: took, Text: s.reason}
	switch {
	case s.err != nil:
		o.Kind, o.Text = s.failed, s.err.Error()
	case s.verdict != Silent || s.input != nil:
		o.Kind = "verdict"
	}
	r.Report(o)
}

// command runs a hook as a process: what it is told comes by its standard input alone,
// never by the text of the command.
func (r *Runner) command(ctx context.Context, h hook, input []byte) said {
	c := confine.Command{Path: "/bin/sh", Args: []string{"-c", h.Command}, Dir: r.Dir, Env: r.env}
	if h.Args != nil {
		name := r.placed(h.Command)
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return said{failed: "spawn_failed", err: err}
		}
		c.Path, c.Args = path, nil
		for _, arg := range h.Args {
			c.Args = append(c.Args, r.placed(arg))
		}
	}
	out, errs, ending, err := process(ctx, c, input)
	if err != nil {
		return said{failed: "spawn_failed", err: err}
	}
	return judge(h.Event, out, errs, ending, ctx.Err())
}

// placed replaces the placeholder of the project's directory.
func (r *Runner) placed(text string) string {
	return strings.ReplaceAll(text, "${CLAUDE_PROJECT_DIR}", r.Dir)
}

// process runs a command with an input, bounded, and ends all of it.
func process(ctx context.Context, c confine.Command, input []byte) (out, errs []byte, e confine.Ending, err error) {
	var ends [3][2]*os.File // reading and writing
	for i := range ends {
		if ends[i][0], ends[i][1], err = os.Pipe(); err != nil {
			return nil, nil, e, errors.Join(err, closeAll(ends))
		}
	}
	c.Stdin, c.Stdout, c.Stderr = ends[0][0], ends[1][1], ends[2][1]
	p, err := confine.From(ctx).Start(c)
	closeFiles(ends[0][0], ends[1][1], ends[2][1])
	if err != nil {
		closeFiles(ends[0][1], ends[1][0], ends[2][0])
		return nil, nil, e, err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	go func() { // ends when the hook has read or is gone
		ends[0][1].Write(input)
		ends[0][1].Close()
	}()
	texts := make(chan []byte, 1)
	go func() { texts <- drain(ends[2][0], maxErrors) }()
	first := make(chan []byte, 1)
	go func() { first <- drain(ends[1][0], maxOutput+1) }()
	e = p.Wait()
	for _, f := range []*os.File{ends[0][1], ends[1][0], ends[2][0]} {
		f.SetDeadline(time.Now().Add(lag)) // somebody beyond our reach may hold the other end
	}
	return <-first, <-texts, e, nil
}

// drain keeps the beginning of what is read, and reads all of it.
func drain(f *os.File, most int64) []byte {
	defer f.Close()
	kept, _ := io.ReadAll(io.LimitReader(f, most))
	io.Copy(io.Discard, f)
	return kept
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func closeAll(ends [3][2]*os.File) error {
	for _, pair := range ends {
		for _, f := range pair {
			if f != nil {
				f.Close()
			}
		}
	}
	return nil
}

// judge makes an answer of how a hook ended: 0 lets it speak, 2 blocks whatever it
// says, and with anything else only a proper verdict counts.
func judge(event Event, out, errs []byte, e confine.Ending, ended error) said {
	if ended != nil || e.Signal != nil {
		return said{failed: "crashed", err: fmt.Errorf("it was ended by a signal (%v)", e.Signal)}
	}
	a, err := parseAnswer(event, bounded(out))
	if len(out) > maxOutput {
		err = fmt.Errorf("it printed more than %d bytes", maxOutput)
	}
	if e.Exit == 2 {
		a.verdict = Denied
		if err != nil || a.reason == "" {
			a = answer{verdict: Denied, reason: strings.TrimSpace(string(errs))}
		}
		return said{answer: a}
	}
	switch {
	case e.Exit == 126 || e.Exit == 127:
		return said{failed: "spawn_failed", err: fmt.Errorf("exit status %d: %.300s", e.Exit, bytes.TrimSpace(errs))}
	case e.Exit != 0 && (err != nil || a.verdict == Silent):
		return said{failed: "crashed", err: fmt.Errorf("exit status %d: %.300s", e.Exit, bytes.TrimSpace(errs))}
	case err != nil:
		return said{failed: "bad_output", err: err}
	}
	return said{answer: a}
}

func bounded(out []byte) []byte { return out[:min(len(out), maxOutput)] }

// post tells a hook by HTTP.
func (r *Runner) post(ctx context.Context, h hook, input []byte) said {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(input))
	if err != nil {
		return said{failed: "spawn_failed", err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range h.Headers {
		request.Header.Set(name, expand(value, h.AllowedEnv))
	}
	response, err := r.client.Do(request)
	if err != nil {
		return said{failed: "spawn_failed", err: err}
	}
	defer response.Body.Close()
	out, err := io.ReadAll(io.LimitReader(response.Body, maxOutput+1))
	switch {
	case err != nil:
		return said{failed: "crashed", err: err}
	case response.StatusCode/100 != 2:
		return said{failed: "crashed", err: fmt.Errorf("it answered %s", response.Status)}
	case len(out) > maxOutput:
		return said{failed: "bad_output", err: fmt.Errorf("it answered more than %d bytes", maxOutput)}
	}
	a, err := parseAnswer(h.Event, out)
	if err != nil {
		return said{failed: "bad_output", err: err}
	}
	return said{answer: a}
}

// expand replaces $NAME and ${NAME} where the name is allowed, and by nothing where
// it is not.
func expand(text string, allowed []string) string {
	return os.Expand(text, func(name string) string {
		for _, a := range allowed {
			if a == name {
				return os.Getenv(name)
			}
		}
		return ""
	})
}

// marshal writes what a hook is told.
func marshal(members map[string]any) []byte {
	raw, err := json.Marshal(members)
	if err != nil {
		return []byte("{}") // nothing in it that JSON does not have
	}
	return raw
}
