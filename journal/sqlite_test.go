package journal_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/journal/journaltest"
)

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "toolfall", "journal.db") }

func list(t testing.TB, j journal.Journal, f journal.Filter) (all []journal.Call) {
	t.Helper()
	for c, err := range j.Calls(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func add(t testing.TB, j journal.Journal, d journal.Durability, records ...journal.Record) {
	t.Helper()
	if err := j.Append(t.Context(), d, records...); err != nil {
		t.Fatal(err)
	}
}

func TestAJournalIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	path := file(t)
	j := open(t, path, journal.Config{})
	journaltest.Tell(t, j, "t", "", "")
	all, err := filepath.Glob(path + "*")
	if err != nil || len(all) < 4 {
		t.Fatalf("there are %v, %v; want the file, its log, their index, and the locks", all, err)
	}
	for _, name := range append(all, filepath.Dir(path)) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			t.Errorf("%s has the mode %o", name, mode)
		}
	}
}

func TestAJournalIsThereTheNextTime(t *testing.T) {
	path := file(t)
	j := open(t, path, journal.Config{})
	id := journaltest.Tell(t, j, "t", "main", "DENIED")
	head, err := j.Verify(t.Context())
	if err = errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	j = open(t, path, journal.Config{})
	if next := j.Next(); next == id {
		t.Errorf("the ID %s is given twice", next)
	}
	if all := list(t, j, journal.Filter{}); len(all) != 1 || all[0].ID != id || all[0].Code != "DENIED" {
		t.Errorf("Calls = %+v", all)
	}
	if got, err := j.Verify(t.Context(), head); got != head || err != nil {
		t.Errorf("Verify = %v, %v; want %v", got, err, head)
	}
}

func TestACallIsInterruptedWhenItsSessionCloses(t *testing.T) {
	path := file(t)
	one, two := open(t, path, journal.Config{}), open(t, path, journal.Config{})
	id := one.Next()
	add(t, one, journal.Durable, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"}, journal.Record{Call: id, Kind: journal.Start})
	if all := list(t, two, journal.Filter{}); len(all) != 0 {
		// the lists of another session follow in a moment; what they show must be right
		if all[0].Ended {
			t.Errorf("the call of a session that lives is %+v", all[0])
		}
	}
	if all := list(t, one, journal.Filter{}); len(all) != 1 || all[0].Ended {
		t.Errorf("a call that runs is listed as %+v", all)
	}
	if all := list(t, two, journal.Filter{}); len(all) != 1 || all[0].Ended {
		t.Errorf("a call that runs in another session is listed as %+v", all)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	all := list(t, two, journal.Filter{Code: journal.Interrupted})
	if len(all) != 1 || all[0].ID != id || all[0].Started.IsZero() {
		t.Errorf("Calls = %+v; want %s, interrupted after it started", all, id)
	}
	if rs, err := two.Records(t.Context(), id); err != nil || rs[len(rs)-1].Kind != journal.Interrupt {
		t.Errorf("Records = %+v, %v", rs, err)
	}
	if _, err := two.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// An outcome that comes in spite of all counts.
func TestAnOutcomeReplacesAnInterruption(t *testing.T) {
	j := open(t, file(t), journal.Config{})
	id := j.Next()
	add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"}, journal.Record{Call: id, Kind: journal.Interrupt})
	list(t, j, journal.Filter{})
	add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Outcome})
	if all := list(t, j, journal.Filter{}); all[0].Code != "" {
		t.Errorf("the call is %+v", all[0])
	}
	if _, err := j.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if sums, err := j.Stats(t.Context(), journal.Filter{}); err != nil || sums[0].Calls != 1 || sums[0].Errors != 0 {
		t.Errorf("Stats = %+v, %v", sums, err)
	}
}

func TestFastRecordsAreWrittenInAMoment(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		j := open(t, path, journal.Config{})
		id := j.Next()
		add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"})
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		other := open(t, path, journal.Config{ReadOnly: true})
		if all := list(t, other, journal.Filter{}); len(all) != 1 {
			t.Errorf("after a moment another process sees %+v", all)
		}
		other.Close()
		j.Close()
	})
}

func TestClosingWritesWhatIsQueued(t *testing.T) {
	path := file(t)
	j := open(t, path, journal.Config{})
	id := j.Next()
	add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"}, journal.Record{Call: id, Kind: journal.Outcome})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if all := list(t, open(t, path, journal.Config{ReadOnly: true}), journal.Filter{}); len(all) != 1 || all[0].Code != "" {
		t.Errorf("Calls = %+v", all)
	}
}

func TestAContextThatEndsDoesNotTakeTheRecordAlong(t *testing.T) {
	j := open(t, file(t), journal.Config{})
	id := j.Next()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no time"))
	err := j.Append(ctx, journal.Durable, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"})
	if err != nil && !strings.Contains(err.Error(), "no time") {
		t.Errorf("Append: %v", err)
	}
	if all := list(t, j, journal.Filter{}); len(all) != 1 {
		t.Errorf("Calls = %+v", all)
	}
}

func TestReadingHoldsUpNobody(t *testing.T) {
	path := file(t)
	j := open(t, path, journal.Config{})
	journaltest.Tell(t, j, "t", "", "")
	c, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Exec("BEGIN; SELECT * FROM record"); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		journaltest.Tell(t, j, "t", "", "")
	}
	if err := c.Exec("SELECT * FROM call; COMMIT"); err != nil {
		t.Error(err)
	}
	if err := c.Exec("DELETE FROM record"); err == nil {
		t.Error("a connection that only reads writes")
	}
}

func TestAReadOnlyJournalWritesNothing(t *testing.T) {
	path := file(t)
	if _, err := journal.Open(path, journal.Config{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("it made a directory")
	}
	j := open(t, path, journal.Config{})
	id := journaltest.Tell(t, j, "t", "", "")
	list(t, j, journal.Filter{})
	r := open(t, path, journal.Config{ReadOnly: true})
	if err := r.Append(t.Context(), journal.Fast, journal.Record{Call: id, Kind: journal.Mark}); !errors.Is(err, journal.ErrReadOnly) {
		t.Errorf("Append: %v", err)
	}
	if rs, err := r.Records(t.Context(), id); err != nil || len(rs) != 4 {
		t.Errorf("Records = %+v, %v", rs, err)
	}
	if _, err := r.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAPlaceThatCannotBeWrittenIsAnError(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(filepath.Join(blocked, "journal.db"), journal.Config{}); err == nil || !strings.HasPrefix(err.Error(), "open journal ") {
		t.Errorf("Open: %v", err)
	}
	if _, err := journal.Open(t.TempDir(), journal.Config{}); err == nil {
		t.Error("a directory is opened as a journal")
	}
}

func TestWhatIsNoJournalStaysAsItIs(t *testing.T) {
	for name, content := range map[string]string{
		"text":    strings.Repeat("this is no database\n", 500),
		"damaged": "SQLite format 3\x00" + strings.Repeat("\xff", 8192),
	} {
		path := filepath.Join(t.TempDir(), "journal.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := journal.Open(path, journal.Config{}); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("Open of %s: %v", name, err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != content {
			t.Errorf("the file with %s was changed", name)
		}
		to, err := journal.SetAside(path)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(to); err != nil || string(raw) != content {
			t.Errorf("the file with %s is not what was set aside", name)
		}
		journaltest.Tell(t, open(t, path, journal.Config{}), "t", "", "")
	}
}

func TestAJournalIsNotSetAside(t *testing.T) {
	path := file(t)
	id := journaltest.Tell(t, open(t, path, journal.Config{}), "t", "", "")
	if to, err := journal.SetAside(path); err == nil {
		t.Errorf("it is %s now", to)
	}
	if _, err := open(t, path, journal.Config{}).Records(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func edit(t testing.TB, path, sql string) {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err == nil {
		err = errors.Join(c.Exec(sql), c.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestOtherDatabasesAndNewerJournalsAreRefused(t *testing.T) {
	path := file(t)
	open(t, path, journal.Config{}).Close()
	edit(t, path, "PRAGMA user_version = 99")
	if _, err := journal.Open(path, journal.Config{}); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("Open of a newer journal: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	edit(t, other, "CREATE TABLE t(a)")
	if _, err := journal.Open(other, journal.Config{}); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("Open of another program's database: %v", err)
	}
}

func TestTamperingIsFound(t *testing.T) {
	for sql, want := range map[string]string{
		"UPDATE record SET body = replace(body, '\"n\":1', '\"n\":3') WHERE seq = 5": "record 5: it is not what was written",
		"UPDATE record SET call = call + 1 WHERE seq = 6":                            "record 6: it is not what was written",
		"UPDATE record SET hash = randomblob(32) WHERE seq = 6":                      "record 6: it is not what was written",
		"DELETE FROM record WHERE seq = 6":                                           "record 6: it is missing",
		"DELETE FROM record WHERE seq = 1":                                           "record 1: it is missing",
		"DELETE FROM record WHERE seq = 12":                                          "record 12: it is missing",
		"UPDATE anchor SET hash = randomblob(32)":                                    "record 1: it is not what was written",
		"UPDATE call SET tool = 'other' WHERE id & 255 = 2":                          "call 1-2: the list of calls",
		"UPDATE call SET code = '' WHERE id & 255 = 2":                               "call 1-2: the list of calls",
		"DELETE FROM call WHERE id & 255 = 2":                                        "call 1-2: it is missing in the list",
		"DELETE FROM story WHERE seq = 6":                                            "some records are not shown",
		"UPDATE tally SET n = n + 1":                                                 "the sums are not",
		"DELETE FROM tally":                                                          "the sums leave out",
		"DELETE FROM record WHERE seq > 4; DELETE FROM call WHERE first > 4; DELETE FROM story WHERE seq > 4; UPDATE anchor SET shown = 4": "record 12: it is missing, and was there",
	} {
		path := file(t)
		j := open(t, path, journal.Config{})
		for range 3 {
			journaltest.Tell(t, j, "t", "", "DENIED")
		}
		head, err := j.Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		edit(t, path, sql)
		var tampered *journal.TamperedError
		_, err = open(t, path, journal.Config{ReadOnly: true}).Verify(t.Context(), head)
		if !errors.As(err, &tampered) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("after %s: %v, want %q", sql, err, want)
		}
	}
}

// A call that began long ago goes with the others, although it runs.
func TestOldCallsGoAndTheChainStillVerifies(t *testing.T) {
	now := time.Now()
	path := file(t)
	j := open(t, path, journal.Config{MaxAge: time.Hour, Now: func() time.Time { return now }})
	for range 150 {
		journaltest.Tell(t, j, "old", "", "")
	}
	running := j.Next()
	add(t, j, journal.Durable, journal.Record{Call: running, Kind: journal.Asked, Tool: "long"}, journal.Record{Call: running, Kind: journal.Start})
	now = now.Add(2 * time.Hour)
	var kept journal.ID
	for range 300 { // two rounds
		kept = journaltest.Tell(t, j, "new", "", "")
	}
	add(t, j, journal.Durable, journal.Record{Call: running, Kind: journal.Outcome})
	if all := list(t, j, journal.Filter{Tool: "old"}); len(all) != 0 {
		t.Errorf("%d old calls are left", len(all))
	}
	if all := list(t, j, journal.Filter{}); len(all) != 300 {
		t.Errorf("%d calls are left, want the new ones", len(all))
	}
	if _, err := j.Records(t.Context(), kept); err != nil {
		t.Error(err)
	}
	if _, err := j.Records(t.Context(), running); !errors.Is(err, journal.ErrUnknown) {
		t.Errorf("Records of a call that lost its beginning: %v", err)
	}
	if sums, err := j.Stats(t.Context(), journal.Filter{}); err != nil || len(sums) != 1 || sums[0].Calls != 300 {
		t.Errorf("Stats = %+v, %v", sums, err)
	}
	if head, err := j.Verify(t.Context()); err != nil || head.Seq != 451*4-1 {
		t.Errorf("Verify = %v, %v", head.Seq, err)
	}
}

func TestAJournalDoesNotGrowBeyondItsSize(t *testing.T) {
	const most = 1 << 20
	path := file(t)
	j := open(t, path, journal.Config{MaxBytes: most})
	text := strings.Repeat("x", 4000)
	for i := range 1500 {
		id := j.Next()
		add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"}, journal.Record{Call: id, Kind: journal.Outcome, Content: text})
		if i%50 == 0 {
			list(t, j, journal.Filter{Tool: "none"}) // which writes
		}
	}
	all := list(t, j, journal.Filter{})
	if len(all) == 0 || len(all) > 600 {
		t.Errorf("%d calls are left", len(all))
	}
	if _, err := j.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	j.Close()
	if info, err := os.Stat(path); err != nil || info.Size() > 4*most {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	j := journal.NewMemory(journal.Config{MaxBytes: 100_000})
	for range 1000 {
		journaltest.Tell(t, j, "t", "", "")
	}
	all := list(t, j, journal.Filter{})
	if len(all) < 50 || len(all) > 300 {
		t.Errorf("%d calls are left", len(all))
	}
	if head, err := j.Verify(t.Context()); err != nil || head.Seq != 4000 {
		t.Errorf("Verify = %v, %v", head, err)
	}
	if rs, err := j.Records(t.Context(), all[len(all)-1].ID); err != nil || len(rs) != 4 {
		t.Errorf("the oldest call has %d records, %v", len(rs), err)
	}
}

func TestPatternsOfTheConfigAreMasked(t *testing.T) {
	j := open(t, file(t), journal.Config{Redact: []*regexp.Regexp{regexp.MustCompile(`ACME-\d+`)}})
	id := j.Next()
	add(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t", Arguments: []byte(`{"a":["see ACME-123 there"]}`)})
	rs, err := j.Records(t.Context(), id)
	if err != nil || string(rs[0].Arguments) != `{"a":["see [redacted] there"]}` {
		t.Errorf("Records = %s, %v", rs[0].Arguments, err)
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "journal")
	defer os.RemoveAll(dir)
	j, err := journal.Open(filepath.Join(dir, "journal.db"), journal.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer j.Close()
	ctx, id := context.Background(), j.Next()
	j.Append(ctx, journal.Durable, // before anything has an effect
		journal.Record{Call: id, Kind: journal.Asked, Tool: "bash", Arguments: []byte(`{"command":"make","token":"abc"}`)},
		journal.Record{Call: id, Kind: journal.Decision, By: "permission", Text: "allow", Rule: "Bash(make)"},
		journal.Record{Call: id, Kind: journal.Start})
	j.Append(ctx, journal.Durable, journal.Record{Call: id, Kind: journal.Outcome, Code: "TIMEOUT"})
	records, _ := j.Records(ctx, id)
	for _, r := range records {
		fmt.Println(strings.TrimSpace(fmt.Sprint(r.Call, " ", r.Kind, " ", r.By, string(r.Arguments), r.Code)))
	}
	// Output:
	// 1-1 asked {"command":"make","token":"[redacted]"}
	// 1-1 decision permission
	// 1-1 start
	// 1-1 outcome TIMEOUT
}
