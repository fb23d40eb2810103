package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line: the largest arguments and some more.
const maxLine = 16 << 20

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
