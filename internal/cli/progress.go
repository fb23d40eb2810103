package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// progress is a line on a terminal that says what is going on. It comes when something
// takes long, and goes before anything else is written.
type progress struct {
	w      io.Writer
	on     bool
	asking func() bool // a person is being asked, and must not be written over

	mu      sync.Mutex
	done    int
	running []*running
	drawn   bool
}

// running is a call, and the last that was heard of it.
type running struct {
	name  string
	since time.Time
	last  toolfall.Report
}

func (a *app) progress() *progress {
	return &progress{w: a.stderr, on: isTerminal(a.stderr), asking: a.asking}
}

// begin takes in a call, until end is called, and hears the reports in the context that
// it returns.
func (p *progress) begin(ctx context.Context, name string) (heard context.Context, end func()) {
	if !p.on {
		return ctx, func() {}
	}
	r := &running{name: name, since: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, r)
	return toolfall.Listen(ctx, func(said toolfall.Report) { p.hear(r, said) }), func() { p.end(r) }
}

func (p *progress) hear(r *running, said toolfall.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch said.Kind {
	case toolfall.ReportedProgress, toolfall.ReportedOutput, toolfall.ReportedAttempt, toolfall.ReportedNote, toolfall.ReportedStuck:
		r.last = said
	}
}

func (p *progress) end(r *running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.running = slices.DeleteFunc(p.running, func(o *running) bool { return o == r })
}

// start draws the line every second, until stop is called, which takes it away.
func (p *progress) start() (stop func()) {
	if !p.on {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-ended
		p.clear()
	}
}

// clear takes the line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) == 0 || p.asking != nil && p.asking() {
		return
	}
	text := []rune(visible(p.text(), true))
	if width := max(3, width(p.w)); len(text) > width-1 {
		text = append(text[:width-2], '…')
	}
	io.WriteString(p.w, "\r\x1b[K"+string(text))
	p.drawn = true
}

// maxNames is how many of the running calls are named.
const maxNames = 3

// text says it all in one line: what has been done, what runs, how far the one is that
// runs longest, and for how long.
func (p *progress) text() string {
	var b strings.Builder
	if p.done > 0 {
		fmt.Fprintf(&b, "%d done, ", p.done)
	}
	b.WriteString("running ")
	for i, r := range p.running {
		if i == maxNames {
			fmt.Fprintf(&b, " and %d more", len(p.running)-maxNames)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.name)
	}
	first := p.running[0]
	fmt.Fprintf(&b, ", %s", time.Since(first.since).Round(time.Second))
	if said := told(first.last); said != "" {
		b.WriteString(": " + said)
	}
	return b.String()
}

// told is a report in few words.
func told(r toolfall.Report) string {
	text := lastLine(r.Text)
	switch {
	case r.Kind == toolfall.ReportedProgress && r.Total > 0:
		return fmt.Sprintf("%s %.0f of %.0f %s", bar(r.Done/r.Total), r.Done, r.Total, text)
	case r.Kind == toolfall.ReportedProgress && r.Done > 0:
		return fmt.Sprintf("%.0f %s", r.Done, text)
	case r.Kind == toolfall.ReportedAttempt:
		return fmt.Sprintf("attempt %.0f, as %s", r.Done, lastLine(r.Why))
	}
	return text
}

// barWidth is how many characters a bar has.
const barWidth = 20

func bar(part float64) string {
	full := 0
	if part > 0 { // what a tool says may be no number, and that is not greater
		full = int(min(1, part) * barWidth)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "]"
}

// lastLine is the last line of a text that has something in it.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n \t")
	return text[strings.LastIndexAny(text, "\r\n")+1:]
}
