package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// searched is what the searcher finds in a text, through a small buffer.
func searched(t *testing.T, q *query, text string) []foundLine {
	t.Helper()
	var f found
	s := searcher{query: q, buffer: make([]byte, 16)}
	s.begin(&f)
	if err := s.read(iotest.HalfReader(strings.NewReader(text))); err != nil {
		t.Fatal(err)
	}
	return f.lines
}

// naive is what there is to be found, line by line.
func naive(q *query, text string) []foundLine {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		return nil
	}
	match := make([]bool, len(lines))
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
		match[i] = q.re.MatchString(lines[i])
	}
	var out []foundLine
	for i, line := range lines {
		near := false
		for j := max(0, i-q.after); j <= min(len(lines)-1, i+q.before); j++ {
			near = near || match[j]
		}
		if near {
			apart := q.before+q.after > 0 && (len(out) == 0 || out[len(out)-1].number != i)
			out = append(out, foundLine{i + 1, line, match[i], apart})
		}
	}
	return out
}

func FuzzSearchFindsEveryLine(f *testing.F) {
	f.Add("one\ntwo\r\nthree\n\nfour", "o", false, 1, 1)
	f.Add("Kelvin \u212a\nSharp ſ\nK\n", "k|S", true, 0, 0)
	f.Add("aaa\nb\nc\naaa\n", "(ab?)+a", true, 2, 0)
	f.Add("x\n\n\nx", "^$", false, 0, 3)
	f.Add("class\nCLASS\nclaſs", "class", true, 0, 1)
	f.Add("a\xffb\na\ufffdb\n", "a\ufffdb", false, 0, 0)
	f.Fuzz(func(t *testing.T, text, pattern string, fold bool, before, after int) {
		if strings.ContainsRune(text, 0) || notText([]byte(text)) != "" || strings.Count(text, "\r\n") != strings.Count(text, "\r") {
			return
		}
		a := grepArgs{Pattern: pattern, IgnoreCase: fold, Before: before & 3, After: after & 3}
		q, err := (&tools{Config: Config{}.withDefaults()}).query(a)
		if err != nil || len(text) > 10_000 {
			return
		}
		q.maxLine = len(text) // what is cut is another test's concern
		got, want := fmt.Sprint(searched(t, q, text)), fmt.Sprint(naive(q, text))
		if got != want {
			t.Errorf("%q in %q (literal %q, folded %v): %s, want %s", q.re, text, q.literal, q.folded, got, want)
		}
	})
}

func TestRequiredTextIsInEveryMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		"needle": "needle", "a(bcd)+e": "bcd", "x*yy": "yy", "foo|bar": "", "(?i)Needle": "needle", "(?i)class": "cla",
		"(?i)k": "", "[a-c]long": "long", "a{2,3}": "a", "a?": "", `\bword\b`: "word", "a.*bb": "bb",
	} {
		if got, _ := required(pattern); got != want {
			t.Errorf("required(%q) = %q, want %q", pattern, got, want)
		}
	}
}

// A page never holds more than it may, whatever the text is.
func FuzzPageIsBounded(f *testing.F) {
	f.Add([]byte("one\ntwo\r\n\xff\n"), 1, 2, 10)
	f.Add([]byte(strings.Repeat("äö", 100)), 1, 1, 3)
	f.Fuzz(func(t *testing.T, text []byte, offset, limit, maxLine int) {
		c := Config{MaxLines: 5, MaxBytes: 200, MaxLine: max(1, maxLine&63)}.withDefaults()
		a := readArgs{Offset: offset & 7, Limit: limit & 7}
		g := newPager(c, a)
		if err := g.scan(bufferedSmall(text), true); err != nil {
			t.Fatal(err)
		}
		if g.lines != bytes.Count(text, []byte("\n"))+trailing(text) {
			t.Errorf("%d lines in %q", g.lines, text)
		}
		longest := 7 + 4*c.MaxLine + 50
		if n := g.out.Len(); n > max(c.MaxBytes, longest) || g.shown > 5 {
			t.Errorf("a page of %d bytes and %d lines", n, g.shown)
		}
	})
}

// trailing is 1 if the last line has no newline.
func trailing(text []byte) int {
	if len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) {
		return 0
	}
	return 1
}

// A walk holds the listings on its way, not the tree.
func TestLargeTreeIsNotHeld(t *testing.T) {
	dir := t.TempDir()
	const dirs, each = 60, 50
	for i := range dirs {
		sub := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		for j := range each {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprint(strings.Repeat("a long name ", 12), j)), nil, 0o644); err != nil {
				t.Skip("no room for many files:", err)
			}
		}
	}
	tree, err := openTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	w := &walk{tools: &tools{tree: tree}, start: place{tree.roots[0], "."}, levels: maxLevels}
	before, n := heap(), 0
	for range w.entries(t.Context()) {
		if n++; n%500 == 0 {
			if now := heap(); now > before+450<<10 {
				t.Fatalf("after %d entries, %d bytes more are held", n, now-before)
			}
		}
	}
	if n != dirs*each+dirs {
		t.Errorf("%d entries", n)
	}
}

func TestQueryWithoutAnyMatchIsCheap(t *testing.T) {
	q := &query{re: regexp.MustCompile("needle"), literal: []byte("needle"), mode: modeContent, limit: 10, maxBytes: 1000, maxLine: 100}
	text := []byte(strings.Repeat("hay\n", 10_000))
	var f found
	s := searcher{query: q, buffer: make([]byte, chunkSize)}
	n := testing.AllocsPerRun(10, func() {
		s.begin(&f)
		if err := s.read(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	})
	if n > 1 { // the reader itself
		t.Errorf("%v allocations to search a file without a match", n)
	}
}
