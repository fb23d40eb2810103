package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
	"github.com/toolfall/toolfall/scope"
)

// largeTree makes n files of about 2 KB, a hundred in a directory, three levels
// deep. Every hundredth has the word needle in it.
func largeTree(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	var plain []byte
	for i := range 50 {
		plain = fmt.Appendf(plain, "func name%d(argument int) (result string, err error) {\n", i)
	}
	marked := append(append([]byte(nil), plain...), "the needle is here\n"...)
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("d%02d/e%02d", i/100/100, i/100%100))
		if i%100 == 0 {
			if err := os.MkdirAll(sub, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		content := plain
		if i%100 == 7 {
			content = marked
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%02d.go", i%100)), content, 0o644); err != nil {
			tb.Skip("no room for a large tree:", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.log\nbuild/\n/dist\n"), 0o644); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func BenchmarkLargeTree(b *testing.B) {
	s := scope.New(b.Context(), "bench")
	defer s.Close()
	r := toolfall.New()
	if _, err := r.Attach(s, files.New(files.Config{Roots: []string{largeTree(b, 100_000)}})); err != nil {
		b.Fatal(err)
	}
	for name, call := range map[string]toolfall.Call{
		"grep literal":     {Name: "grep", Arguments: []byte(`{"pattern":"needle","mode":"files"}`)},
		"grep regexp":      {Name: "grep", Arguments: []byte(`{"pattern":"n[e]+dl[ef] is","mode":"files"}`)},
		"grep nothing":     {Name: "grep", Arguments: []byte(`{"pattern":"not there"}`)},
		"grep ignore case": {Name: "grep", Arguments: []byte(`{"pattern":"NEEDLE","ignore_case":true,"mode":"files"}`)},
		"glob":             {Name: "glob", Arguments: []byte(`{"pattern":"**/f07.go"}`)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if res := r.Execute(b.Context(), call); res.IsError {
					b.Fatal(res.Text())
				}
			}
		})
	}
}
