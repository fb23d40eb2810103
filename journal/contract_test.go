package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/journal/journaltest"
)

func TestEveryJournalKeepsTheContract(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		journaltest.Run(t, func(t *testing.T) journal.Journal {
			return open(t, filepath.Join(t.TempDir(), "j", "journal.db"), journal.Config{MaxAge: -1})
		})
	})
	t.Run("memory", func(t *testing.T) {
		journaltest.Run(t, func(*testing.T) journal.Journal { return journal.NewMemory(journal.Config{MaxAge: -1}) })
	})
}

func open(t testing.TB, path string, c journal.Config) *journal.SQLite {
	t.Helper()
	j, err := journal.Open(path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}
