package hook

import "testing"

// Whatever a hook prints, it cannot make more of it than a verdict or a failure.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}`))
	f.Add([]byte(`{"decision":"block"} `))
	f.Fuzz(func(t *testing.T, out []byte) {
		a, err := parseAnswer(PreToolUse, out)
		if _, known := ranks[a.verdict]; !known && err == nil {
			t.Errorf("%q gave the verdict %q", out, a.verdict)
		}
	})
}
