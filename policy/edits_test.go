package policy

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEditsThatLeftTheRoots(t *testing.T) {
	dir := workspace(t)
	if err := os.Symlink("../../outside/secret", filepath.Join(dir, "sub", "a.txt")); err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Roots: []string{dir}, Mode: AcceptEdits})
	if err != nil {
		t.Fatal(err)
	}
	decideAll(t, p, []row{
		{"dots behind a link", "mv a.txt leak/../ws-evil/x", "ask"},
		{"a redirection with dots behind a link", "echo x >leak/../ws-evil/x", "ask"},
		{"a directory as the value of an option", "cp -t../ws-evil a.txt", "ask"},
		{"the same among other letters", "mv -ft../outside a.txt", "ask"},
		{"a suffix that is a path", "cp -S../x a.txt src/a.go", "ask"},
		{"a link in the directory", "cp a.txt sub", "ask"},
		{"a directory over another", "cp -r sub src", "ask"},
		{"what is protected comes along", "cp -r .git src", "ask"},
		{"sed is given a second script", "sed -i s/a/b/ a.txt -e 1e", "ask"},
		{"the same by a long option", "sed -i s/a/b/ a.txt --expression='w /x'", "ask"},
		{"sed is given a file of scripts", "sed -i s/a/b/ a.txt -ff", "ask"},
		{"within", "mkdir -p new-dir && touch new-dir/y && cp -r src new-name && mv -f a.txt src", "allow"},
		{"sed within", "sed -i -E 's/a/b/g' a.txt", "allow"},
	})
}
