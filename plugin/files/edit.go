package files

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/diff"
)

const editDescription = `Replace a piece of a text file by another one. old_string is taken literally and must be in the file exactly once, ` +
	`white space and all, unless replace_all is set; give enough of the lines around it to make it unique. ` +
	`Leave out the line numbers that read_file shows. The file must have been read with read_file first, and not have changed since. ` +
	`Returns what changed as a unified diff.`

type editArgs struct {
	Path       string `json:"path" description:"the file: relative to the working directory, or absolute" minLength:"1"`
	OldString  string `json:"old_string" description:"the text to replace, exactly as it is in the file" minLength:"1"`
	NewString  string `json:"new_string" description:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" description:"replace every occurrence, not just a single one"`
}

func (t *tools) editFile(ctx context.Context, a editArgs, c toolfall.Call) ([]toolfall.Content, error) {
	if a.OldString == a.NewString {
		return nil, fmt.Errorf("old_string and new_string are the same: nothing to change")
	}
	p, unlock, err := t.claim(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	was, err := t.current(ctx, p, c.Agent)
	if err != nil {
		return nil, err
	}
	text, err := t.editable(p, was)
	if err != nil {
		return nil, err
	}
	edited, n, err := replace(text, a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	if int64(len(edited)) > t.MaxFile {
		return nil, fmt.Errorf("%s would grow to %s; at most %s can be edited", p, size(int64(len(edited))), size(t.MaxFile))
	}
	if err := p.publish(ctx, []byte(edited), was.info); err != nil {
		return nil, err
	}
	t.wrote(c.Agent, p, []byte(edited))
	said := fmt.Sprintf("edited %s (%s replaced)\n", p, plural(n, "occurrence"))
	return toolfall.Text(said + diff.Unified(p.String(), text, edited)), nil
}

// editable returns the text of a file, or why it cannot be edited.
func (t *tools) editable(p place, s state) (string, error) {
	what := notText(s.data[:min(len(s.data), headSize)])
	switch {
	case !s.known:
		return "", fmt.Errorf("%s has %s; at most %s can be edited", p, size(s.info.Size()), size(t.MaxFile))
	case what != "":
		return "", p.refuseBinary(what, s.info.Size())
	case !utf8.Valid(s.data):
		return "", p.refuseBinary("data that is not UTF-8", s.info.Size())
	}
	return string(s.data), nil
}

// replace carries out the edit, and tells how many places it has changed.
func replace(text string, a editArgs) (edited string, n int, err error) {
	from, to := asIn(text, a.OldString, a.NewString)
	first := strings.Index(text, from)
	switch {
	case first < 0:
		return "", 0, notFound(text, from, to)
	case a.ReplaceAll:
		n = strings.Count(text, from)
		if grown := len(text) + n*(len(to)-len(from)); grown > maxGrown {
			return "", 0, fmt.Errorf("%d occurrences of old_string would make the file %s long", n, size(int64(grown)))
		}
		return strings.ReplaceAll(text, from, to), n, nil
	case strings.Contains(text[first+1:], from): // also where two overlap
		return "", 0, ambiguous(text, from)
	}
	return text[:first] + to + text[first+len(from):], 1, nil
}

// maxGrown is the longest text that an edit builds before its length is judged.
const maxGrown = 256 << 20

// asIn gives the strings of an edit the line ends of the text: a model that has
// read lines that end in CR LF mostly sends them back with LF alone. In a text
// that mixes the two, the strings stand as they are, unless only another form of
// them is to be found.
func asIn(text, from, to string) (string, string) {
	total, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	switch {
	case total == 0 || strings.Contains(text, from) && 0 < crlf && crlf < total:
		return from, to
	case crlf == total:
		return withCRLF(from), withCRLF(to)
	case crlf == 0 && !strings.Contains(text, from):
		return withLF(from), withLF(to)
	case crlf > 0 && strings.Contains(text, withCRLF(from)):
		return withCRLF(from), withCRLF(to)
	}
	return from, to
}

func withLF(s string) string   { return strings.ReplaceAll(s, "\r\n", "\n") }
func withCRLF(s string) string { return strings.ReplaceAll(withLF(s), "\n", "\r\n") }

// maxLinesTold is how many lines an error lists.
const maxLinesTold = 10

// ambiguous tells where the text has old_string, more than once.
func ambiguous(text, from string) error {
	var lines []string
	n, line, at := 0, 1, 0
	for {
		i := strings.Index(text[at:], from)
		if i < 0 {
			break
		}
		line += strings.Count(text[at:at+i], "\n")
		if n++; n <= maxLinesTold {
			lines = append(lines, fmt.Sprint(line))
		}
		line += strings.Count(text[at+i:at+i+1], "\n")
		at += i + 1
		if n > maxLinesTold*100 { // counted far enough to be told
			break
		}
	}
	where := "lines " + strings.Join(lines, ", ")
	if n > maxLinesTold {
		where += ", …"
	}
	return fmt.Errorf("old_string is there %d times, at %s; give more of the lines around the one that is meant, or set replace_all", n, where)
}
