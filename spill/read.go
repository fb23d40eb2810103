package spill

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/toolfall/toolfall"
)

// readArgs are what the model sends.
type readArgs struct {
	ID      string `json:"id" description:"the id from the line that says what was left out"`
	Offset  int    `json:"offset,omitempty" minimum:"1" default:"1" description:"the line to begin at"`
	Limit   int    `json:"limit,omitempty" minimum:"1" maximum:"100000" description:"how many lines, or how many matches of pattern; as many as fit when absent"`
	Pattern string `json:"pattern,omitempty" maxLength:"1000" description:"a regular expression (RE2): only the lines that match it, each with its number"`
}

// reader is the tool read_output.
func (t *spiller) reader() toolfall.Definition {
	d := toolfall.Define("read_output", "Read on in an output that was too long to be shown whole, by its id: a page of lines, or the lines that match a pattern.",
		func(ctx context.Context, a readArgs, c toolfall.Call) ([]toolfall.Content, error) {
			var pattern *regexp.Regexp
			if a.Pattern != "" {
				var err error
				if pattern, err = regexp.Compile(a.Pattern); err != nil {
					return nil, fmt.Errorf("pattern: %w", err)
				}
			}
			f, err := t.store.open(c.Agent, a.ID)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			p := &page{readArgs: a, pattern: pattern, budget: t.Budget - noteRoom}
			if err := p.scan(ctx, bufio.NewReaderSize(f, 64<<10)); err != nil {
				return nil, err
			}
			return toolfall.Text(p.text()), nil
		})
	d.Hints = toolfall.Hints{Title: "Read long output", ReadOnly: toolfall.Yes, Idempotent: toolfall.Yes, OpenWorld: toolfall.No}
	d.Claims = func(toolfall.Call) []toolfall.Claim { return nil } // nobody else writes what was kept
	return d
}

// maxShown is how much is shown of one line, in bytes, and what is searched of it.
const maxShown = 4 << 10

// page is the lines that were asked for, as far as they fit.
type page struct {
	readArgs
	pattern *regexp.Regexp
	budget  int

	out   strings.Builder
	line  int // the one that was read last
	shown int
	full  bool
}

// scan reads until the page is full. It holds one beginning of a line.
func (p *page) scan(ctx context.Context, in *bufio.Reader) error {
	for !p.full {
		if p.line%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line, err := nextLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read line %d of the output: %w", p.line+1, errors.New("the file cannot be read"))
		}
		p.line++
		p.take(line)
	}
	return nil
}

// take puts a line on the page if it was asked for.
func (p *page) take(line string) {
	if p.line < p.Offset || p.pattern != nil && !p.pattern.MatchString(line) {
		return
	}
	text := Clean(line)
	if p.pattern != nil {
		text = fmt.Sprintf("%d: %s", p.line, text)
	}
	if p.full = p.out.Len()+len(text)+1 > p.budget || p.Limit > 0 && p.shown == p.Limit; p.full {
		return
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
	p.shown++
}

// text is the page, and where to go on.
func (p *page) text() string {
	switch {
	case p.full:
		return p.out.String() + fmt.Sprintf("[… more from line %d on …]", p.line)
	case p.shown == 0 && p.pattern != nil:
		return fmt.Sprintf("[no line from %d to %d matches]", max(1, p.Offset), p.line)
	case p.shown == 0:
		return fmt.Sprintf("[the output ends with line %d]", p.line)
	}
	return p.out.String() + "[the end]"
}

// nextLine returns a line without its end, or as much of it as is shown.
func nextLine(in *bufio.Reader) (string, error) {
	var line []byte
	cutOff := false
	for {
		part, err := in.ReadSlice('\n')
		if room := maxShown - len(line); len(part) > room {
			cutOff = cutOff || len(bytes.TrimRight(part[room:], "\r\n")) > 0
			part = part[:room]
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) == 0:
			return "", err
		case err != nil && !errors.Is(err, io.EOF):
			return "", err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if cutOff {
			text = wholeEnd(text) + " […]"
		}
		return text, nil
	}
}
