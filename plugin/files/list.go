package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/toolfall/toolfall"
)

const listDescription = `List what is in a directory: the directories first, each with a slash at its end, ` +
	`then the files with their sizes. Hidden and ignored files are listed too. Does not go into the directories.`

type listArgs struct {
	Path string `json:"path,omitempty" description:"the directory: relative to the working directory, or absolute; the working directory when absent"`
}

// maxListed is how many names of one directory are read to be sorted.
const maxListed = 100_000

func (t *tools) listDir(ctx context.Context, a listArgs, _ toolfall.Call) ([]toolfall.Content, error) {
	p, err := t.place(a.Path)
	if err != nil {
		return nil, err
	}
	d, err := p.openDir()
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, more, err := entriesOf(ctx, d)
	if err != nil {
		return nil, p.explainRead(err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return t.hides(p.join(e.Name())) })
	if len(entries) == 0 {
		return toolfall.Text(fmt.Sprintf("%s is empty", p)), nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a.Name(), b.Name()))
	})
	return toolfall.Text(t.listed(p, entries, more)), nil
}

// entriesOf reads a directory, up to a limit, and reports whether it has more.
func entriesOf(ctx context.Context, d *os.File) (entries []fs.DirEntry, more bool, err error) {
	for len(entries) < maxListed {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		batch, err := d.ReadDir(readBatch)
		entries = append(entries, batch...)
		if errors.Is(err, io.EOF) {
			return entries, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return entries, true, nil
}

// rank puts directories before everything else.
func rank(e fs.DirEntry) int {
	if e.IsDir() {
		return 0
	}
	return 1
}

// listed is the text of a listing, as far as it fits.
func (t *tools) listed(p place, entries []fs.DirEntry, more bool) string {
	var b strings.Builder
	shown := 0
	for _, e := range entries {
		line := describe(p.join(e.Name()), e)
		if shown == t.MaxResults || b.Len()+len(line) > t.MaxBytes {
			break
		}
		b.WriteString(line)
		shown++
	}
	switch {
	case more:
		fmt.Fprintf(&b, "\n[%d of more than %d entries; use glob to find the others]\n", shown, len(entries))
	case shown < len(entries):
		fmt.Fprintf(&b, "\n[%d of %d entries; use glob to find the others]\n", shown, len(entries))
	}
	return b.String()
}

// describe is the line for one entry.
func describe(p place, e fs.DirEntry) string {
	info, err := p.in.Lstat(p.name)
	if err != nil { // gone by now, or not to be looked at
		return e.Name() + "\n"
	}
	switch m := info.Mode(); {
	case m.IsDir():
		return e.Name() + "/\n"
	case m.IsRegular():
		return fmt.Sprintf("%s\t%s\n", e.Name(), size(info.Size()))
	case m&fs.ModeSymlink != 0:
		if target, err := p.in.Readlink(p.name); err == nil {
			return fmt.Sprintf("%s -> %s\n", e.Name(), target)
		}
		fallthrough
	default:
		return fmt.Sprintf("%s\t(%s)\n", e.Name(), kind(m))
	}
}
