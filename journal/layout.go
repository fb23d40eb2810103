package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// The file says what it is and of which version.
const (
	application = 0x54664a31 // "TfJ1"
	version     = 1
)

// layout is the journal as tables. Only record has to be durable: whatever is appended
// goes there alone, which is the least that a disk can be asked for. The others follow
// from it a moment later: story leads to the records of a call, call lists calls fast,
// and tally counts them fast. The anchor says from where the chain is kept, and up to
// where the other tables have followed.
const layout = `
CREATE TABLE record(seq INTEGER PRIMARY KEY, call INTEGER NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL);

CREATE TABLE story(call INTEGER, seq INTEGER, PRIMARY KEY(call, seq)) WITHOUT ROWID;
CREATE TABLE call(
	id INTEGER PRIMARY KEY, first INTEGER NOT NULL,
	tool TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL, parent TEXT NOT NULL,
	asked INTEGER NOT NULL, started INTEGER, code TEXT, took INTEGER, class INTEGER);
CREATE INDEX call_asked ON call(asked);
CREATE INDEX call_tool ON call(tool, asked);

CREATE TABLE tally(
	hour INTEGER, tool TEXT, code TEXT, class INTEGER, n INTEGER NOT NULL,
	PRIMARY KEY(hour, tool, code, class)) WITHOUT ROWID;
CREATE TRIGGER call_gone AFTER DELETE ON call WHEN old.code IS NOT NULL BEGIN
	UPDATE tally SET n = n - 1 WHERE
		hour = old.asked / 3600000000000 AND tool = old.tool AND code = old.code AND class = old.class;
	DELETE FROM tally WHERE n = 0 AND
		hour = old.asked / 3600000000000 AND tool = old.tool AND code = old.code AND class = old.class;
END;

CREATE TABLE session(id INTEGER PRIMARY KEY, pid INTEGER, opened INTEGER, closed INTEGER);
CREATE TABLE anchor(one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash BLOB NOT NULL, shown INTEGER NOT NULL);
INSERT INTO anchor VALUES(1, 0, zeroblob(32), 0);
`

// busyTimeout is how long one process waits while others write.
const busyTimeout = 10 * time.Second

// connect opens a connection to the file.
func connect(path string, flags sqlite3.OpenFlag, pragmas string) (*sqlite3.Conn, error) {
	c, err := sqlite3.OpenFlags(path, flags)
	if err != nil {
		return nil, classify(err)
	}
	if err = c.BusyTimeout(busyTimeout); err == nil {
		err = c.Exec(pragmas)
	}
	if err != nil {
		c.Close()
		return nil, classify(err)
	}
	return c, nil
}

// checkVersion reports whether the file is a journal that this version knows. An empty
// one is fresh.
func checkVersion(c *sqlite3.Conn) (fresh bool, err error) {
	if err := c.Exec("SAVEPOINT look"); err != nil { // another process may be creating it
		return false, classify(err)
	}
	defer c.Exec("RELEASE look")
	app, err := number(c, "PRAGMA application_id")
	if err != nil {
		return false, err
	}
	v, err := number(c, "PRAGMA user_version")
	if err != nil {
		return false, err
	}
	tables, err := number(c, "SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return false, err
	case app == 0 && v == 0 && tables == 0:
		return true, nil
	case app != application:
		return false, fmt.Errorf("%w: it is another program's database", ErrCorrupt)
	case v > version:
		return false, ErrNewer
	}
	return false, nil
}

// create makes the tables, unless another process was faster.
func create(c *sqlite3.Conn, path string) error {
	return inTransaction(c, func() error {
		fresh, err := checkVersion(c)
		if err != nil || !fresh {
			return err
		}
		if err := roomForLog(path + "-wal"); err != nil {
			return err
		}
		return c.Exec(layout + fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", application, version))
	})
}

// logBytes is how large the write-ahead log is before it is begun anew: a checkpoint is
// due at 500 pages, each with a head of 24 bytes. A program that opens the file reads it.
const logBytes = 512 * (4096 + 24)

// roomForLog fills up the log with zeros, which SQLite takes for its end. A log that has
// to grow at each commit makes the file system write its own journal each time, which
// costs half as much again. The caller has begun a transaction: nobody else writes to it.
func roomForLog(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() >= logBytes {
		return err
	}
	_, err = f.WriteAt(make([]byte, logBytes-info.Size()), info.Size())
	return err
}

// syncDir makes the names of new files last, where the system has that.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}

// inTransaction runs f in a transaction that nobody else writes beside. With an error
// nothing of it stays.
func inTransaction(c *sqlite3.Conn, f func() error) error {
	return between(c, func() error { return c.Exec("BEGIN IMMEDIATE") }, f, func() error { return c.Exec("COMMIT") })
}

func between(c *sqlite3.Conn, begin, f, commit func() error) (err error) {
	if err := begin(); err != nil {
		return classify(err)
	}
	if err = f(); err == nil {
		err = commit()
	}
	if err != nil && !c.GetAutocommit() {
		err = errors.Join(err, c.Exec("ROLLBACK"))
	}
	return classify(err)
}

// number returns the one number that a query has.
func number(c *sqlite3.Conn, query string) (n int64, err error) {
	s, _, err := c.Prepare(query)
	if err != nil {
		return 0, classify(err)
	}
	defer s.Close()
	if s.Step() {
		n = s.ColumnInt64(0)
	}
	return n, classify(s.Err())
}

// classify adds to an error of SQLite what it means here.
func classify(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	if errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.CORRUPT) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// run executes a statement with numbers.
func run(c *sqlite3.Conn, sql string, args ...int64) error {
	s, _, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer s.Close()
	for i, a := range args {
		err = errors.Join(err, s.BindInt64(i+1, a))
	}
	return errors.Join(err, s.Exec())
}

// numbers returns the first column of a query with numbers.
func numbers(c *sqlite3.Conn, sql string, args ...int64) (out []int64, err error) {
	s, _, err := c.Prepare(sql)
	if err != nil {
		return nil, classify(err)
	}
	defer s.Close()
	for i, a := range args {
		err = errors.Join(err, s.BindInt64(i+1, a))
	}
	for err == nil && s.Step() {
		out = append(out, s.ColumnInt64(0))
	}
	return out, classify(errors.Join(err, s.Err()))
}

// closeAll closes a connection and its statements.
func closeAll(c *sqlite3.Conn) error {
	for _, s := range slices.Collect(c.Stmts()) {
		s.Close()
	}
	return c.Close()
}

// scanCall reads a row that has callColumns.
func scanCall(s *sqlite3.Stmt) Call {
	c := Call{
		ID: ID(s.ColumnInt64(0)), first: s.ColumnInt64(1),
		Tool: s.ColumnText(2), Agent: s.ColumnText(3), Model: s.ColumnText(4), Parent: s.ColumnText(5),
		Asked: time.Unix(0, s.ColumnInt64(6)).UTC(),
	}
	if s.ColumnType(7) != sqlite3.NULL {
		c.Started = time.Unix(0, s.ColumnInt64(7)).UTC()
	}
	if s.ColumnType(8) != sqlite3.NULL {
		c.Ended, c.Code, c.Took = true, s.ColumnText(8), time.Duration(s.ColumnInt64(9))
	}
	return c
}
