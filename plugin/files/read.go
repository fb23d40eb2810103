package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolfall/toolfall"
)

const readDescription = `Read a text file, or look at an image (PNG, JPEG, GIF, WebP). ` +
	`Each line is returned after its number and a tab; these are not part of the file. ` +
	`A long file is returned a page at a time, and the end of the result says how to go on. ` +
	`Read a file before changing it with edit_file or write_file.`

type readArgs struct {
	Path   string `json:"path" description:"the file: relative to the working directory, or absolute" minLength:"1"`
	Offset int    `json:"offset,omitempty" description:"the number of the line to begin at; the first is 1" minimum:"1"`
	Limit  int    `json:"limit,omitempty" description:"how many lines to return at most" minimum:"1"`
}

func (t *tools) readFile(ctx context.Context, a readArgs, c toolfall.Call) ([]toolfall.Content, error) {
	p, err := t.place(a.Path)
	if err != nil {
		return nil, err
	}
	f, info, err := t.open(p, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := newSummer(info, t.MaxFile)
	in := bufio.NewReaderSize(io.TeeReader(interruptible{ctx, f}, sum), 64<<10)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, p.explainRead(err)
	}
	what := notText(head)
	var content []toolfall.Content
	switch {
	case strings.HasPrefix(what, "image/"):
		content, err = t.image(p, in, what, info.Size())
	case what != "":
		err = p.refuseBinary(what, info.Size())
	default:
		content, err = t.page(p, in, a, info.Size())
	}
	if err == nil {
		t.remember(c.Agent, p, sum)
	}
	return content, err
}

// explainRead is explain, but for the end of the context, which is nobody's fault.
func (p place) explainRead(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return p.explain(err)
}

// image returns an image whole.
func (t *tools) image(p place, in io.Reader, mimeType string, n int64) ([]toolfall.Content, error) {
	if n > t.MaxImage {
		return nil, fmt.Errorf("%s is an image of %s; at most %s can be returned", p, size(n), size(t.MaxImage))
	}
	data, err := io.ReadAll(io.LimitReader(in, t.MaxImage+1))
	if err != nil {
		return nil, p.explainRead(err)
	}
	if int64(len(data)) > t.MaxImage {
		return nil, fmt.Errorf("%s grew while it was read; at most %s of an image can be returned", p, size(t.MaxImage))
	}
	about := toolfall.Text(fmt.Sprintf("%s: %s, %s", p, mimeType, size(int64(len(data)))))
	return append(about, toolfall.Image(data, mimeType)), nil
}

// page returns the lines of a text that were asked for. A file that is short
// enough is read to its end, to count its lines and to know its version; of a
// longer one no more is read than is shown.
func (t *tools) page(p place, in *bufio.Reader, a readArgs, n int64) ([]toolfall.Content, error) {
	g := newPager(t.Config, a)
	err := g.scan(in, n <= t.MaxFile)
	switch {
	case err != nil:
		return nil, p.explainRead(err)
	case g.fault != "":
		return nil, fmt.Errorf("%s is not a text file: line %d %s", p, g.faulty, g.fault)
	case g.lines == 0 && n == 0:
		return toolfall.Text(fmt.Sprintf("%s is empty (0 bytes)", p)), nil
	case g.shown == 0 && g.ended:
		return nil, fmt.Errorf("offset %d is past the end: %s has %s", g.first, p, plural(g.lines, "line"))
	}
	return toolfall.Text(g.text(n)), nil
}
