// Package examples has three programs to begin from. Its test builds and runs
// each of them.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	_ "github.com/toolfall/toolfall" // a cached pass must not outlive a change to what the programs use
)

func TestExamplesDoWhatTheySay(t *testing.T) {
	for name, want := range map[string]string{
		"customtool": "2026-12-15\n" +
			"Error: invalid arguments: \"from\" must be a date-time such as 2026-01-31T12:00:00Z (got \"tomorrow\"); " +
			"\"days\" must be at least 1 (got 0); \"unit\" must be one of [\"days\",\"weeks\"] (got \"years\")\n",
		"audit": "main asked for greet {\"name\":\"Ada\"}: OK\n" +
			"helper asked for greet {\"nme\":\"Ada\"}: INVALID_ARGS\n" +
			"helper asked for gret : UNKNOWN_TOOL\n",
		"plugin": "[\"buy milk\"]\nclosed with 1 notes\n0 tools left\n",
	} {
		source, err := os.ReadFile(name + "/main.go") // reading it also ties a cached pass to it
		if n := bytes.Count(source, []byte("\n")); err != nil || n >= 60 {
			t.Errorf("%s has %d lines, %v: an example is short", name, n, err)
		}
		out, err := exec.Command("go", "run", "./"+name).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s printed\n%s%v, want\n%s", name, out, err, want)
		}
	}
}
