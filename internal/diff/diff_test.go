package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// patched is b, put together from what a diff keeps and adds.
func patched(t *testing.T, a, b string) string {
	d := differ{a: splitLines(a), b: splitLines(b)}
	d.match(stretch{0, len(d.a), 0, len(d.b)}, maxDepth)
	var out strings.Builder
	at := pair{}
	for _, c := range d.changes() {
		if c.a0 < at.a || c.b0 < at.b || c.a0-at.a != c.b0-at.b {
			t.Fatalf("diff(%q, %q): change %v after %v", a, b, c, at)
		}
		out.WriteString(strings.Join(d.a[at.a:c.a0], "") + strings.Join(d.b[c.b0:c.b1], ""))
		at = pair{c.a1, c.b1}
	}
	out.WriteString(strings.Join(d.a[at.a:], ""))
	return out.String()
}

func FuzzDiffLeadsFromOldToNew(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc")
	f.Add("", "\n")
	f.Add("a\na\na\n", "a\na\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := patched(t, a, b); got != b {
			t.Errorf("from %q the diff leads to %q, want %q", a, got, b)
		}
		Unified("x", a, b)
	})
}

func TestRandomDiffsLeadFromOldToNew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(40) {
			fmt.Fprintln(&b, r.IntN(1+r.IntN(60)))
		}
		return b.String()
	}
	for range 5000 {
		a, b := text(), text()
		if got := patched(t, a, b); got != b {
			t.Fatalf("from %q the diff leads to %q, want %q", a, got, b)
		}
	}
}

// A moved or inserted block must not make everything after it differ.
func TestDiffOfAnInsertionIsTheInsertion(t *testing.T) {
	var a strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&a, "line %d\n}\n\n", i)
	}
	b := strings.Replace(a.String(), "line 500\n", "new\n}\n\nline 500\n", 1)
	if got := Unified("x", a.String(), b); strings.Count(got, "\n+") != 4 || strings.Count(got, "\n-") != 0 {
		t.Errorf("diff = %s", got)
	}
}
