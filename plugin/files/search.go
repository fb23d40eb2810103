package files

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// errBinary ends the search of a file that is not text.
var errBinary = errors.New("not a text file")

const (
	chunkSize = 64 << 10 // bytes read at once
	maxChunk  = 1 << 20  // a longer line is searched in pieces of this length
)

// searcher searches files, one after the other, through one buffer.
type searcher struct {
	*query
	buffer []byte
	lower  []byte // a copy of what is searched, in lower case
	bytes  int    // of the lines found in all files
	hits   int    // lines that match, in all files

	into   *found
	number int         // of the line that comes next
	recent []foundLine // the last few lines that are not shown, for context
	owed   int         // lines still to be shown after a match
	shown  int         // the number of the line shown last; 0 for none
}

// begin makes s ready for a file. What it finds goes into f.
func (s *searcher) begin(f *found) {
	s.into, s.number, s.recent, s.owed, s.shown = f, 1, s.recent[:0], 0, 0
}

// full reports whether the files so far fill an answer.
func (s *searcher) full() bool { return s.hits > s.limit || s.bytes > s.maxBytes }

// read searches a file, whole lines at a time.
func (s *searcher) read(r io.Reader) error {
	kept := 0 // bytes of a line that is not complete
	for first := true; ; {
		n, err := r.Read(s.buffer[kept:])
		fresh := s.buffer[kept : kept+n]
		if first && notText(fresh[:min(n, headSize)]) != "" || bytes.IndexByte(fresh, 0) >= 0 {
			return errBinary
		}
		first = first && n == 0
		kept += n
		end := bytes.LastIndexByte(s.buffer[:kept], '\n') + 1
		switch {
		case err != nil, end == 0 && kept == maxChunk:
			end = kept
		case kept == len(s.buffer) && end == 0:
			s.buffer = append(s.buffer, make([]byte, len(s.buffer))...)
			continue
		}
		if !s.scan(s.buffer[:end]) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(s.buffer, s.buffer[end:kept])
	}
}

// scan searches lines, and reports whether to go on.
func (s *searcher) scan(lines []byte) bool {
	hay := s.haystack(lines)
	for len(lines) > 0 {
		if s.owed == 0 {
			n := s.skip(lines, hay)
			if lines, hay = lines[n:], hay[n:]; n > 0 {
				continue
			}
		}
		line, rest, complete := bytes.Cut(lines, []byte("\n"))
		n := len(lines) - len(rest)
		likely := bytes.Contains(hay[:n], s.literal)
		if !s.line(bytes.TrimSuffix(line, []byte("\r")), likely) {
			return false
		}
		if complete {
			s.number++
		}
		lines, hay = rest, hay[n:]
	}
	return true
}

// haystack is where the literal is looked for: the lines themselves, or the same
// in lower case.
func (s *searcher) haystack(lines []byte) []byte {
	if !s.folded {
		return lines
	}
	s.lower = s.lower[:0]
	for _, c := range lines {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		s.lower = append(s.lower, c)
	}
	return s.lower
}

// skip passes over the lines before the next that has the literal in it, and so
// may match. It returns how long they are.
func (s *searcher) skip(lines, hay []byte) int {
	at := bytes.Index(hay, s.literal)
	if at < 0 {
		at = len(lines)
	} else {
		at = bytes.LastIndexByte(lines[:at], '\n') + 1
	}
	passed := lines[:at]
	if s.before > 0 {
		s.recall(passed)
	}
	s.number += bytes.Count(passed, []byte("\n"))
	return at
}

// recall keeps the last of the lines that are passed over, for context.
func (s *searcher) recall(passed []byte) {
	number := s.number + bytes.Count(passed, []byte("\n"))
	var last [][]byte
	for end := len(passed); end > 0 && len(last) < s.before; {
		begin := bytes.LastIndexByte(passed[:end-1], '\n') + 1
		last = append(last, bytes.TrimRight(passed[begin:end], "\r\n"))
		end = begin
	}
	for i := len(last) - 1; i >= 0; i-- {
		s.keep(foundLine{number: number - 1 - i, text: s.cut(last[i], 0)})
	}
}

// keep puts a line among the recent ones.
func (s *searcher) keep(line foundLine) {
	if len(s.recent) == s.before {
		s.recent = append(s.recent[:0], s.recent[1:]...)
	}
	s.recent = append(s.recent, line)
}

// line searches one line, which can match only if it is likely to, and reports
// whether to go on.
func (s *searcher) line(line []byte, likely bool) bool {
	var loc []int
	if likely {
		loc = s.re.FindIndex(line)
	}
	if loc == nil {
		s.other(line)
		return true
	}
	s.into.n++
	if s.mode == modeContent {
		for _, before := range s.recent {
			s.show(before)
		}
		s.recent = s.recent[:0]
		s.show(foundLine{number: s.number, text: s.cut(line, loc[0]), match: true})
		s.owed = s.after
	}
	if s.mode == modeContent || s.into.n == 1 {
		s.hits++
	}
	return s.mode == modeCount || s.mode == modeContent && !s.full()
}

// other takes note of a line that does not match.
func (s *searcher) other(line []byte) {
	switch {
	case s.owed > 0:
		s.owed--
		s.show(foundLine{number: s.number, text: s.cut(line, 0)})
	case s.before > 0:
		s.keep(foundLine{number: s.number, text: s.cut(line, 0)})
	}
}

func (s *searcher) show(line foundLine) {
	line.apart = s.before+s.after > 0 && (s.shown == 0 || line.number != s.shown+1)
	s.into.lines = append(s.into.lines, line)
	s.shown = line.number
	s.bytes += len(line.text) + len(s.into.name)
}

// cut is a line as it is shown: of a long one the part around a match.
func (s *searcher) cut(line []byte, match int) string {
	if len(line) <= s.maxLine {
		return string(line)
	}
	from := max(0, match-s.maxLine/4)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	part, more := prefix(line[from:], s.maxLine)
	text := string(part)
	if from > 0 {
		text = "… " + text
	}
	if more {
		text += " … [cut here: this line has " + size(int64(len(line))) + "]"
	}
	return text
}
