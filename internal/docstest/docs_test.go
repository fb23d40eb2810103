package docstest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// block returns the first fenced block of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	inner, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("no block of %s", language)
	}
	return inner
}

// squeeze drops the indentation, which differs between the two places.
func squeeze(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}

func TestTheGoOfTheReadmeIsAnExample(t *testing.T) {
	code := squeeze(block(t, read(t, "README.md"), "go"))
	if !strings.Contains(squeeze(read(t, "example_test.go")), code) {
		t.Errorf("README.md has Go that example_test.go does not have:\n%s", code)
	}
}

func TestTheTerminalOfTheReadmeIsAScript(t *testing.T) {
	script := read(t, "cmd/toolfall/testdata/script/readme.txtar")
	for line := range strings.Lines(block(t, read(t, "README.md"), "console")) {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "$ "), "\n")
		if !strings.Contains(script, line) {
			t.Errorf("readme.txtar does not have %q", line)
		}
	}
}

func TestPathsInTheDocumentsExist(t *testing.T) {
	quoted := regexp.MustCompile("`([a-z][a-zA-Z0-9_./-]*/[a-zA-Z0-9_./-]*|[a-zA-Z_]+\\.(?:go|md))`")
	linked := regexp.MustCompile(`\]\(([a-zA-Z][a-zA-Z0-9_./-]*)\)`)
	for _, doc := range []string{"README.md", "AGENTS.md", "CONTRIBUTING.md", "docs/architecture.md"} {
		text := read(t, doc)
		for _, m := range append(quoted.FindAllStringSubmatch(text, -1), linked.FindAllStringSubmatch(text, -1)...) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", doc, m[1])
			}
		}
	}
}

func TestAgentsFitsOnAScreen(t *testing.T) {
	if n := strings.Count(read(t, "AGENTS.md"), "\n"); n >= 60 {
		t.Errorf("AGENTS.md has %d lines, want fewer than 60", n)
	}
}

func TestEveryPromiseHasItsTest(t *testing.T) {
	tests := allTests(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows := 0
	for line := range strings.Lines(read(t, "docs/contract.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") {
			continue
		}
		rows++
		named := name.FindAllStringSubmatch(line, -1)
		if len(named) == 0 {
			t.Errorf("no test holds: %s", line)
		}
		for _, m := range named {
			if !tests[m[1]] {
				t.Errorf("docs/contract.md names %s, which is not there", m[1])
			}
		}
	}
	if rows < 40 {
		t.Errorf("found %d promises; the table is not read", rows)
	}
}

// The list of attacks names each of its rows, and tests that are there. A row without
// one says why it needs none.
func TestEveryAttackNamesItsTest(t *testing.T) {
	tests := allTests(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	row := regexp.MustCompile(`^\| ([A-Z][0-9]+)`)
	seen := make(map[string]bool)
	for line := range strings.Lines(read(t, "docs/security.md")) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seen[m[1]] = true
		for _, m := range name.FindAllStringSubmatch(line, -1) {
			if !tests[m[1]] {
				t.Errorf("docs/security.md names %s, which is not there", m[1])
			}
		}
	}
	for letter, last := range map[string]int{"S": 21, "F": 17, "X": 22, "H": 13, "U": 14, "P": 4, "G": 5} {
		for i := 1; i <= last; i++ {
			if id := letter + strconv.Itoa(i); !seen[id] {
				t.Errorf("docs/security.md has no row %s", id)
			}
		}
	}
}

// allTests returns the names of all test functions of the module.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	tests := make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range function.FindAllStringSubmatch(read(t, path), -1) {
			tests[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}
