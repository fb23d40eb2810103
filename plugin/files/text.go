package files

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// headSize is how much of a file is looked at to tell what it is.
const headSize = 8 << 10

// magics are the beginnings by which files that are not text are told.
var magics = [...]struct{ prefix, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"%PDF-", "a PDF document"},
	{"PK\x03\x04", "a zip archive or office document"},
	{"\x1f\x8b", "gzip data"},
	{"\x7fELF", "an ELF program"},
	{"MZ\x90", "a Windows program"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
}

// notText says what a file is that begins with head, or returns "" for text.
func notText(head []byte) string {
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.kind
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "binary data"
	}
	return ""
}

// refuseBinary is the error for a file that is not the text it should be.
func (p place) refuseBinary(what string, n int64) error {
	return fmt.Errorf("%s is not a text file: it looks like %s, %s", p, what, size(n))
}

// size is n bytes for people.
func size(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 10<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// plural is n of something, in words.
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	case strings.HasSuffix(one, "ch"):
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// prefix returns the first n characters of s, and whether there are more.
func prefix(s []byte, n int) (cut []byte, more bool) {
	if len(s) <= n {
		return s, false
	}
	end := 0
	for range n {
		if end >= len(s) {
			return s, false
		}
		_, width := utf8.DecodeRune(s[end:])
		end += width
	}
	return s[:end], end < len(s)
}

// short is the beginning of one line of s, quoted, for an error.
func short(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	cut, more := prefix([]byte(line), 80)
	if more {
		return fmt.Sprintf("%q…", cut)
	}
	return fmt.Sprintf("%q", cut)
}
