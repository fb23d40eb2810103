package shell

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzOutputKeepsBothEnds(f *testing.F) {
	f.Add([]byte("hello\nworld\n"), 3, 8)
	f.Add(bytes.Repeat([]byte("0123456789"), 20), 7, 11)
	f.Fuzz(func(t *testing.T, data []byte, step, keep int) {
		if step < 1 || keep < 4 || keep > 1<<16 {
			return
		}
		o := newOutput(keep)
		for rest := data; len(rest) > 0; {
			n := min(step, len(rest))
			o.Write(rest[:n])
			rest = rest[n:]
		}
		head, tail, lost := o.ends()
		if !bytes.HasPrefix(data, head) || !bytes.HasSuffix(data, tail) || int64(len(head)+len(tail))+lost != int64(len(data)) {
			t.Fatalf("%d bytes in steps of %d kept %d: head %q tail %q lost %d", len(data), step, keep, head, tail, lost)
		}
		if len(data) <= keep && lost != 0 {
			t.Fatalf("lost %d of %d bytes with room for %d", lost, len(data), keep)
		}
		if text, _ := o.text(); !utf8.ValidString(text) {
			t.Fatalf("text = %q", text)
		}
	})
}

func FuzzCleanLeavesOnlyText(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;title\x07x", "\x1b]8;;http://x\x1b\\y", "a\rb\n", "\xc2\x9b31m", "\x1b", "\x1b[", "é\x80"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := clean(data)
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r <= 0x9f {
				t.Fatalf("clean(%q) = %q", data, got)
			}
		}
		if !utf8.ValidString(got) || strings.Count(got, "\n") > bytes.Count(data, newline) {
			t.Fatalf("clean(%q) = %q", data, got)
		}
		if again := clean([]byte(got)); again != got {
			t.Fatalf("clean(%q) = %q, and again %q", data, got, again)
		}
	})
}

func TestCutIsAtLinesAndCharacters(t *testing.T) {
	o := newOutput(40)
	for range 100 {
		o.Write([]byte("0123456\n"))
	}
	text, cut := o.text()
	want := "0123456\n0123456\n[… 768 bytes, 96 lines left out …]\n0123456\n0123456\n"
	if !cut || text != want {
		t.Errorf("text = %q\nwant   %q", text, want)
	}
	o = newOutput(41)
	o.Write([]byte(strings.Repeat("ä", 1000)))
	if text, _ := o.text(); strings.Contains(text, "\uFFFD") || !strings.HasPrefix(text, "ää") || !strings.HasSuffix(text, "ää") {
		t.Errorf("text = %q", text)
	}
}
