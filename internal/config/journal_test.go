package config

import (
	"path/filepath"
	"testing"
)

func TestAnUntrustedFileHidesNothingFromTheJournal(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := write(t, "journal: {redact: ['.*']}\n")

	c, err := Load(Options{Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}

	if len(c.Journal.Redact) != 0 || len(c.Notes) == 0 {
		t.Errorf("redact is %q, with the notes %q", c.Journal.Redact, c.Notes)
	}
}
