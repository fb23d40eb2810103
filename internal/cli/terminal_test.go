package cli

import (
	"encoding/json"
	"testing"

	"github.com/toolfall/toolfall/internal/escape"
)

const hostile = "a\x1b]0;evil\x07b\u202e\u009bc\U000e0001\td\n"

func TestNothingCommandsATerminal(t *testing.T) {
	want := `a\u{1b}]0;evil\u{7}b\u{202e}\u{9b}c\u{e0001}` + "\td\n"
	if got := visible(hostile, true); got != want {
		t.Errorf("visible = %q, want %q", got, want)
	}
	if got := visible(hostile, false); got != hostile {
		t.Errorf("in a pipe the text became %q", got)
	}
}

func TestJSONForATerminalIsTheSameJSON(t *testing.T) {
	raw, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	text := escapeJSON(string(raw))
	for _, r := range text {
		if escape.Hostile(r) {
			t.Fatalf("%q has %U", text, r)
		}
	}
	var back string
	if err := json.Unmarshal([]byte(text), &back); err != nil || back != hostile {
		t.Errorf("%s decodes to %q, %v", text, back, err)
	}
}
