package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolfall/toolfall"
)

const globDescription = `Find files by a pattern for their paths, such as "**/*.go", "src/**/*_test.{js,ts}" or "docs/*.md": ` +
	`"*" is any text without a slash, "**" any number of directories. A pattern that ends in a slash finds directories. ` +
	`The paths come sorted, and can be given to the other tools. What .gitignore files exclude is left out, unless ignored is set.`

type globArgs struct {
	Pattern string `json:"pattern" description:"the pattern, relative to path" minLength:"1" maxLength:"1000"`
	Path    string `json:"path,omitempty" description:"the directory to look in; the working directory when absent"`
	Ignored bool   `json:"ignored,omitempty" description:"also find what .gitignore files exclude"`
}

func (t *tools) glob(ctx context.Context, a globArgs, _ toolfall.Call) ([]toolfall.Content, error) {
	g, err := t.globber(a)
	if err != nil {
		return nil, err
	}
	d, err := g.start.openDir()
	if err != nil {
		return nil, err
	}
	d.Close()
	w := &walk{tools: t, start: g.start, ignored: a.Ignored, levels: g.levels()}
	found := results{limit: t.MaxResults, maxBytes: t.MaxBytes}
	far, seen := newPulse(ctx, "glob"), 0
	for e := range w.entries(ctx) {
		if g.matches(e) && !found.add(e.String()+g.ending) {
			break
		}
		seen++
		far.beat(seen, "paths looked at")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if found.n == 0 {
		return toolfall.Text(g.nothing() + w.skipped.String()), nil
	}
	return toolfall.Text(found.text("path") + w.skipped.String()), nil
}

// globber is a pattern and the directory that it is relative to.
type globber struct {
	start   place
	pattern string
	ending  string // "/" when directories are wanted
}

func (t *tools) globber(a globArgs) (globber, error) {
	var g globber
	if err := checkPattern(a.Pattern); err != nil {
		return g, err
	}
	pattern, dirs := strings.CutSuffix(filepath.ToSlash(a.Pattern), "/")
	if dirs {
		g.ending = "/"
	}
	base, pattern := doublestar.SplitPattern(pattern)
	g.pattern = pattern
	if !filepath.IsAbs(base) {
		base = filepath.Join(a.Path, base)
	}
	var err error
	g.start, err = t.place(base)
	return g, err
}

// levels is how deep the pattern reaches.
func (g globber) levels() int {
	if strings.Contains(g.pattern, "**") || strings.Contains(g.pattern, "{") {
		return maxLevels
	}
	return 1 + strings.Count(g.pattern, "/")
}

func (g globber) matches(e entry) bool {
	return e.mode.IsDir() == (g.ending != "") && doublestar.MatchUnvalidated(g.pattern, below(g.start, e.place))
}

// below is the path of p from start on.
func below(start, p place) string {
	if start.name == "." {
		return p.name
	}
	return p.name[len(start.name)+1:]
}

func (g globber) nothing() string {
	text := fmt.Sprintf("no file below %s matches %s\n", g.start, g.pattern)
	if !strings.Contains(g.pattern, "/") && !strings.Contains(g.pattern, "**") {
		text = fmt.Sprintf("no file in %s matches %s; **/%s would look below it too\n", g.start, g.pattern, g.pattern)
	}
	return text
}

// maxAlternatives is how many patterns one with braces may stand for. Each may
// have to be tried for each path.
const maxAlternatives = 256

// checkPattern refuses a pattern that is malformed, or that would be slow.
func checkPattern(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not a pattern: a bracket or brace is not closed, or a backslash is at the end", pattern)
	}
	if alternatives(pattern) > maxAlternatives {
		return fmt.Errorf("the pattern stands for more than %d alternatives; use a simpler one", maxAlternatives)
	}
	if strings.Count(pattern, "*") > 32 {
		return errors.New("the pattern has more than 32 stars; use a simpler one")
	}
	return nil
}

// alternatives is at least how many patterns without braces a pattern stands for.
func alternatives(pattern string) int {
	product, here := 1, 1
	for _, c := range pattern {
		switch c {
		case '{':
			here++
		case ',':
			here++
		case '}':
			product *= here
			here = 1
		}
		if product > maxAlternatives || here > maxAlternatives {
			return maxAlternatives + 1
		}
	}
	return product * here
}

// matchesName reports whether a path fits a filter: one without a slash is about
// the last part of the path, wherever that is.
func matchesName(filter, name string) bool {
	if !strings.Contains(filter, "/") {
		name = path.Base(name)
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(filter, "/"), name)
}
