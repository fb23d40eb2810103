package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that is taken in, in bytes. Of a longer one only the two ends
// are looked at, to find out whose answer it was.
const MaxLine = 64 << 20

// edge is how much of each end of a line that is too long is kept.
const edge = 4 << 10

// lines reads lines.
type lines struct {
	in   *bufio.Reader
	most int
}

// next returns the next line. One that is too long is cut to its ends, and is not whole.
func (l *lines) next() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > l.most {
			whole = false
			tail := line[len(line)-edge:]
			line = append(line[:edge:edge], tail...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			return nil, false, err
		}
		return line, whole, nil
	}
}

// answered finds the number of the call that a line is the answer to, of which only the
// ends are known: its id stands first or last.
func answered(ends []byte) string {
	head, tail := ends[:min(edge, len(ends))], ends[max(0, len(ends)-edge):]
	for _, start := range [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), []byte(`{"id":`)} {
		if rest, ok := bytes.CutPrefix(bytes.ReplaceAll(head, []byte(" "), nil), start); ok {
			return digits(rest)
		}
	}
	if i := bytes.LastIndex(tail, []byte(`"id":`)); i >= 0 {
		rest := bytes.TrimLeft(tail[i+len(`"id":`):], " ")
		if n := digits(rest); n != "" && len(bytes.Trim(rest[len(n):], " \r\n")) == 1 { // the last brace
			return n
		}
	}
	return ""
}

func digits(text []byte) string {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return string(text[:n])
}
