package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// linkRows are lines that left the roots by links.
var linkRows = []row{
	{"F2 out by dots behind a link", "cat leak/../ws-evil/x", "ask"},
	{"F2 out by dots behind a link, a file that is there", "cat leak/../outside/secret", "ask"},
	{"F2 a wildcard that is a link", "cat l*/secret", "ask"},
	{"F2 a wildcard in a name that is a link", "head le?k", "ask"},
	{"F2 dots behind a wildcard", "cat src/*/../../../outside/secret", "ask"},
	{"F2 a wildcard inside", "cat s*b/*", "allow"},
}

func TestLinksThatLeadOut(t *testing.T) {
	p, err := New(Config{Roots: []string{workspace(t)}, Rules: claude(t, Allow, "Bash(git *)", "Bash(echo *)", "Bash(npm run *)")})
	if err != nil {
		t.Fatal(err)
	}
	decideAll(t, p, linkRows)
}

// A repository without .git comes with the files of another, and its settings name
// programs that git runs.
func TestGitInARepositoryThatWasCheckedIn(t *testing.T) {
	dir := workspace(t)
	for _, name := range []string{".git", "sub/objects", "sub/refs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for workdir, want := range map[string]Effect{".": Allow, "src": Allow, "sub": Ask, "sub/refs": Ask} {
		args, _ := json.Marshal(map[string]string{"command": "git status", "workdir": workdir})
		if d := p.Decide("bash", args); d.Effect != want {
			t.Errorf("git status in %s is %s, want %s: %s", workdir, d.Effect, want, d.Reason())
		}
	}
}
