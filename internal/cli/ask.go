package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/scope"
)

// guard is how long after a question is shown no key counts: what is typed then was
// meant for something else.
const guard = 400 * time.Millisecond

// shortText is how many lines of a call are shown at first.
const shortText = 12

// desk is where questions are: a broker of this program, or of another one.
type desk interface {
	Pending() []approval.Request
	Changed() <-chan struct{}
	Answer(approval.Answer) error
}

// terminal asks a person at the terminal of the process.
type terminal struct {
	broker desk
	out    io.Writer
	keys   <-chan byte // closed when the terminal is gone
	now    func() time.Time
}

// serveTerminal lets the person at the terminal answer, for as long as s is open. In
// a pipe, or where there is no terminal, nobody is there to ask.
func (a *app) serveTerminal(s *scope.Scope, b *approval.Broker) {
	if !isTerminal(a.stderr) {
		return
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return
	}
	b.Serve(s)
	a.listen(s, b) // without it only this terminal can answer
	s.Go(func(ctx context.Context) {
		defer tty.Close()
		for ctx.Err() == nil {
			changed := b.Changed()
			if open := b.Pending(); len(open) > 0 {
				askRaw(ctx, tty, b, open[0])
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	})
}

// askRaw asks one question with the terminal in raw mode, so that a letter is enough
// and nothing typed ahead, nor Enter, is an answer.
func askRaw(ctx context.Context, tty *os.File, b desk, q approval.Request) {
	fd := int(tty.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		b.Answer(approval.Answer{ID: q.ID, Hash: q.Hash, Outcome: approval.Rejected, Note: "the terminal cannot be asked", By: "terminal"})
		return
	}
	defer term.Restore(fd, state)
	flush(fd)
	keys := make(chan byte)
	done := make(chan struct{})
	defer close(done)
	go readKeys(tty, keys, done)
	t := &terminal{broker: b, out: rawWriter{tty}, keys: keys, now: time.Now}
	t.ask(ctx, q)
}

// readKeys sends what is typed until nobody wants it any more. It then stays in its
// last read until the next key, or until the terminal is closed.
func readKeys(tty io.Reader, keys chan<- byte, done <-chan struct{}) {
	defer close(keys)
	var one [1]byte
	for {
		if n, err := tty.Read(one[:]); n == 0 || err != nil {
			return
		}
		select {
		case keys <- one[0]:
		case <-done:
			return
		}
	}
}

// rawWriter ends lines the way a raw terminal wants them.
type rawWriter struct{ w io.Writer }

func (r rawWriter) Write(b []byte) (int, error) {
	_, err := io.WriteString(r.w, strings.ReplaceAll(string(b), "\n", "\r\n"))
	return len(b), err
}

// ask shows a question and waits for its answer, from here or from elsewhere.
func (t *terminal) ask(ctx context.Context, q approval.Request) {
	fits := t.show(q, shortText)
	seen, shown := fits, t.now()
	for {
		changed := t.broker.Changed()
		if !pending(t.broker, q.ID) {
			fmt.Fprintln(t.out, "— no longer asked —")
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case key, ok := <-t.keys:
			switch {
			case !ok:
				t.answer(q, approval.Rejected, "the terminal went away")
				return
			case t.now().Sub(shown) < guard:
			case key == 'v':
				t.show(q, 1<<20)
				seen, shown = true, t.now()
			case t.key(q, key, seen):
				return
			}
		}
	}
}

func pending(b desk, id string) bool {
	for _, q := range b.Pending() {
		if q.ID == id {
			return true
		}
	}
	return false
}

// answers are the keys. All others do nothing.
var answers = map[byte]approval.Outcome{
	'y': approval.Once, 's': approval.Session, 'p': approval.Project, 'a': approval.Always,
	'n': approval.Rejected, 3: approval.Rejected, // Ctrl-C
}

// key takes a key and reports whether it was an answer. What has not been shown in
// full can only be rejected.
func (t *terminal) key(q approval.Request, key byte, seen bool) bool {
	outcome, ok := answers[key]
	if !ok || outcome != approval.Rejected && !seen {
		return false
	}
	return t.answer(q, outcome, "")
}

func (t *terminal) answer(q approval.Request, o approval.Outcome, note string) bool {
	err := t.broker.Answer(approval.Answer{ID: q.ID, Hash: q.Hash, Outcome: o, Note: note, By: "terminal"})
	if err != nil {
		fmt.Fprintf(t.out, "— %v —\n", err)
		return false
	}
	fmt.Fprintf(t.out, "— %s —\n", o)
	return true
}

// show prints a question, of which the texts have been escaped. It reports whether
// that was all of it.
func (t *terminal) show(q approval.Request, most int) (all bool) {
	lines := strings.Split(q.Text, "\n")
	all = len(lines) <= most
	if !all {
		lines = lines[:most]
	}
	fmt.Fprintf(t.out, "\n%s wants to run:\n", q.Tool)
	for _, line := range lines {
		fmt.Fprintf(t.out, "  %s\n", line)
	}
	if !all {
		fmt.Fprintf(t.out, "  … (%d lines in all)\n", strings.Count(q.Text, "\n")+1)
	}
	fmt.Fprintf(t.out, "asked because: %s\n", q.Why)
	for _, g := range q.Grants {
		fmt.Fprintf(t.out, "for longer, this is saved: %s\n", g)
	}
	fmt.Fprintln(t.out, keysOf(q, all))
	return all
}

func keysOf(q approval.Request, all bool) string {
	switch {
	case !all:
		return "[v] view it all, [n] no"
	case len(q.Grants) == 0:
		return "[y] yes, once  [n] no"
	}
	return "[y] yes, once  [s] this session  [p] this project  [a] always  [n] no"
}
