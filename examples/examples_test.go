// Package examples has three programs to begin from. Its test builds and runs
// each of them.
package examples

import (
	"os/exec"
	"testing"
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
		out, err := exec.Command("go", "run", "./"+name).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s printed\n%s%v, want\n%s", name, out, err, want)
		}
	}
}
