package files

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/toolfall/toolfall"
)

const grepDescription = `Search the lines of text files for a regular expression (RE2 syntax, as in Go). ` +
	`Searches one file, or all files below a directory except binary ones and what .gitignore files exclude. ` +
	`Returns "path:line:text" for each match, sorted by path, or the paths alone, or how many lines match in each file.`

type grepArgs struct {
	Pattern    string `json:"pattern" description:"the regular expression; it is matched with one line at a time" minLength:"1" maxLength:"4000"`
	Path       string `json:"path,omitempty" description:"the file or directory to search; the working directory when absent"`
	Glob       string `json:"glob,omitempty" description:"search only files whose path below the directory fits this pattern, such as *.go or src/**/*.{js,ts}; without a slash it is about the name alone" maxLength:"1000"`
	Mode       string `json:"mode,omitempty" description:"content: the lines; files: the paths of files with a match; count: how many lines match in each file" enum:"content,files,count" default:"content"`
	IgnoreCase bool   `json:"ignore_case,omitempty" description:"match letters of either case"`
	Before     int    `json:"before,omitempty" description:"how many lines to show before each match" minimum:"0" maximum:"50"`
	After      int    `json:"after,omitempty" description:"how many lines to show after each match" minimum:"0" maximum:"50"`
	Limit      int    `json:"limit,omitempty" description:"how many matches, or files, to return at most" minimum:"1"`
	Ignored    bool   `json:"ignored,omitempty" description:"also search what .gitignore files exclude"`
}

const (
	modeContent = "content"
	modeFiles   = "files"
	modeCount   = "count"
)

// perBatch is how many files one worker takes at a time.
const perBatch = 32

func (t *tools) grep(ctx context.Context, a grepArgs, _ toolfall.Call) ([]toolfall.Content, error) {
	q, err := t.query(a)
	if err != nil {
		return nil, err
	}
	start, err := t.place(a.Path)
	if err != nil {
		return nil, err
	}
	info, err := start.in.Stat(start.name)
	if err != nil {
		return nil, start.explain(err)
	}
	w := &walk{tools: t, start: start, ignored: a.Ignored, levels: maxLevels}
	files := w.files(a.Glob)
	if !info.IsDir() {
		if err := start.mustBeFile(info.Mode()); err != nil {
			return nil, err
		}
		files = func(context.Context) iter.Seq[place] { return func(yield func(place) bool) { yield(start) } }
	}
	r := report{results: results{limit: q.limit, maxBytes: t.MaxBytes}, mode: q.mode}
	far := newPulse(ctx, "grep")
	for found := range ordered(ctx, t.Workers, batches(files, perBatch), t.searchAll(q)) {
		if !r.addAll(found) {
			break
		}
		far.beat(r.searched, "files searched")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return toolfall.Text(r.answer(start, q, &w.skipped)), nil
}

// query is what is searched for. It is shared by the workers and never changes.
type query struct {
	re            *regexp.Regexp
	literal       []byte // is in every line that matches; empty when unknown
	folded        bool   // the literal is in lower case, and may be there in any
	mode          string
	before, after int
	limit         int // matches that the answer holds
	maxBytes      int // of what one batch finds
	maxLine       int
}

func (t *tools) query(a grepArgs) (*query, error) {
	if a.Glob != "" {
		if err := checkPattern(a.Glob); err != nil {
			return nil, fmt.Errorf("glob: %w", err)
		}
	}
	pattern := a.Pattern
	if a.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern is not a regular expression: %s; to search for it as plain text use %q",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "), regexp.QuoteMeta(a.Pattern))
	}
	literal, folded := required(pattern)
	q := &query{re: re, literal: []byte(literal), folded: folded, mode: a.Mode, before: a.Before, after: a.After,
		limit: t.MaxResults, maxBytes: t.MaxBytes, maxLine: t.MaxLine}
	if q.mode == "" {
		q.mode = modeContent
	}
	if q.mode != modeContent {
		q.before, q.after = 0, 0
	}
	if 0 < a.Limit && a.Limit < q.limit {
		q.limit = a.Limit
	}
	return q, nil
}

// files returns the regular files of a walk that fit a filter.
func (w *walk) files(filter string) source[place] {
	return func(ctx context.Context) iter.Seq[place] {
		return func(yield func(place) bool) {
			for e := range w.entries(ctx) {
				if !e.mode.IsRegular() || filter != "" && !matchesName(filter, below(w.start, e.place)) {
					continue
				}
				if !yield(e.place) {
					return
				}
			}
		}
	}
}

// found is what one file has.
type found struct {
	place
	lines []foundLine // for modeContent
	n     int         // lines that match
	err   error       // why the file was not searched
}

type foundLine struct {
	number int
	text   string
	match  bool // not only there as context
	apart  bool // there are lines between this one and the one before
}

// searchAll returns the work of one worker on one batch. It stops when the batch
// alone would fill the answer, so that what is found is never more than a few
// answers long, however much there is.
func (t *tools) searchAll(q *query) func(context.Context, []place) []found {
	spare := sync.Pool{New: func() any { return &searcher{query: q, buffer: make([]byte, chunkSize)} }}
	return func(ctx context.Context, batch []place) []found {
		s := spare.Get().(*searcher)
		defer spare.Put(s)
		s.bytes, s.hits = 0, 0
		dir := &directory{}
		defer dir.close()
		out := make([]found, 0, len(batch))
		for _, p := range batch {
			f := found{place: p}
			s.begin(&f)
			f.err = t.search(ctx, dir, s)
			out = append(out, f)
			if s.full() || ctx.Err() != nil {
				break
			}
		}
		s.into = nil
		return out
	}
}

func (t *tools) search(ctx context.Context, dir *directory, s *searcher) error {
	p := s.into.place
	f, err := dir.open(p)
	if err != nil {
		return p.explain(err)
	}
	defer f.Close()
	if _, err := t.check(p, f); err != nil {
		return err
	}
	err = s.read(interruptible{ctx, f})
	if errors.Is(err, errBinary) || ctx.Err() != nil {
		return nil
	}
	return p.explain(err)
}

// directory is the directory of the file that was opened last, held open since the
// next file is mostly in it too.
type directory struct {
	place
	opened *os.Root
}

// open opens a file of a walk without waiting. What it is must be checked.
func (d *directory) open(p place) (*os.File, error) {
	in := place{p.in, path.Dir(p.name)}
	if d.opened == nil || d.place != in {
		d.close()
		opened, err := in.in.OpenRoot(in.name)
		if err != nil {
			return nil, err
		}
		d.place, d.opened = in, opened
	}
	return d.opened.OpenFile(path.Base(p.name), os.O_RDONLY|nonBlocking, 0)
}

func (d *directory) close() {
	if d.opened != nil {
		d.opened.Close()
		d.opened = nil
	}
}

// report is the answer of a search while it is written.
type report struct {
	results
	mode     string
	searched int
	matches  int
	skipped  skipped
}

// addAll adds what a batch has, and reports whether there is room for more.
func (r *report) addAll(batch []found) bool {
	for _, f := range batch {
		r.searched++
		if f.err != nil {
			r.skipped.add(f.err)
		}
		if f.n > 0 && !r.addFile(f) {
			return false
		}
		r.matches += f.n
	}
	return true
}

func (r *report) addFile(f found) bool {
	switch r.mode {
	case modeFiles:
		return r.add(f.String())
	case modeCount:
		return r.add(fmt.Sprintf("%s:%d", f.place, f.n))
	}
	for _, line := range f.lines {
		if !r.addLine(f.place, line) {
			return false
		}
	}
	return true
}

func (r *report) addLine(p place, line foundLine) bool {
	separator := ""
	if line.apart && r.out.Len() > 0 {
		separator = "--\n"
	}
	if line.match {
		return r.add(fmt.Sprintf("%s%s:%d:%s", separator, p, line.number, line.text))
	}
	if r.n == r.limit && line.apart { // it leads to a match that has no room
		r.more = true
		return false
	}
	return r.aside(fmt.Sprintf("%s%s-%d-%s", separator, p, line.number, line.text))
}

// answer is the whole answer.
func (r *report) answer(start place, q *query, walked *skipped) string {
	for _, err := range r.skipped.some {
		walked.add(err)
	}
	walked.n += max(0, r.skipped.n-len(r.skipped.some))
	if r.n == 0 && !r.more {
		return fmt.Sprintf("no line matches %s in %s (%s searched)\n", q.re, start, plural(r.searched, "file")) + walked.String()
	}
	one := map[string]string{modeContent: "match", modeFiles: "file", modeCount: "file"}[r.mode]
	text := r.text(one)
	if r.mode == modeCount && !r.more {
		text += fmt.Sprintf("\n%s in %s\n", plural(r.matches, "matching line"), plural(r.n, "file"))
	}
	return text + walked.String()
}
