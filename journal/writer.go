package journal

import (
	"errors"
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// writer is the connection that writes. Whoever leads uses it, nobody else.
type writer struct {
	c  *sqlite3.Conn
	in *intake

	tail, anchor, addRecord, getCall, setCall, addTally *sqlite3.Stmt

	newest int64         // the Seq up to which open is what the file says
	open   map[ID]stored // calls that have not ended, as they are in the file
	since  int           // how many records were written since the last prune
}

// maxOpen is how many calls are kept in memory. The others are read when they end.
const maxOpen = 16384

const callColumns = "id, first, last, tool, agent, model, parent, asked, started, code, took"

func openWriter(path string, in *intake) (*writer, error) {
	c, err := connect(path, sqlite3.OPEN_READWRITE, "PRAGMA trusted_schema=OFF;")
	if err != nil {
		return nil, err
	}
	w := &writer{c: c, in: in, open: map[ID]stored{}}
	if err := w.prepare(); err != nil {
		return nil, errors.Join(err, closeAll(c))
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Chmod(path+suffix, 0o600) // the directory may be one that others see into
	}
	return w, nil
}

func (w *writer) prepare() error {
	fresh, err := checkVersion(w.c) // before anything is changed: it may not be ours
	if err == nil {
		err = classify(w.c.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"))
	}
	if err == nil && fresh {
		err = create(w.c)
	}
	if err != nil {
		return err
	}
	for _, p := range []struct {
		to  **sqlite3.Stmt
		sql string
	}{
		{&w.tail, "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1"},
		{&w.anchor, "SELECT seq, hash FROM anchor"},
		{&w.addRecord, "INSERT INTO record(seq, call, back, body, hash) VALUES(?, ?, ?, ?, ?)"},
		{&w.getCall, "SELECT " + callColumns + " FROM call WHERE id = ?"},
		{&w.setCall, "INSERT INTO call(" + callColumns + ", class) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET " +
			"last = excluded.last, started = excluded.started, code = excluded.code, took = excluded.took, class = excluded.class"},
		{&w.addTally, "INSERT INTO tally VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n"},
	} {
		if *p.to, _, err = w.c.PrepareFlags(p.sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return classify(err)
		}
	}
	return nil
}

func (w *writer) close() error { return closeAll(w.c) }

// write puts entries into the file, all or none of them.
func (w *writer) write(entries []entry) (err error) {
	defer func() {
		if v := recover(); v != nil { // out of memory in SQLite
			err = errors.Join(fmt.Errorf("panic: %v", v), w.c.Exec("ROLLBACK"))
		}
		if err != nil {
			clear(w.open) // what it says may not be in the file
		}
	}()
	for i := range entries {
		w.in.encode(&entries[i])
	}
	w.since += len(entries)
	return inTransaction(w.c, func() error { return w.add(entries) })
}

// add puts entries at the end of the chain, and then writes each call that they are of
// once.
func (w *writer) add(entries []entry) error {
	head, err := w.head()
	if err != nil {
		return err
	}
	changes := newChanges(w)
	for i := range entries {
		e := &entries[i]
		c, err := changes.call(e)
		if err != nil {
			return err
		}
		back := c.last
		head.Seq++
		head.Hash = hash(head.Hash, head.Seq, e.Call, e.body)
		e.Seq = head.Seq
		if err := w.insert(head, back, e); err != nil {
			return err
		}
		c.apply(e.Record)
	}
	w.newest = head.Seq
	return changes.write()
}

// head returns the end of the chain as it is now. Where another process has written,
// what is known of calls may not hold any more.
func (w *writer) head() (h Head, err error) {
	for _, s := range []*sqlite3.Stmt{w.tail, w.anchor} {
		if s.Step() {
			h.Seq = s.ColumnInt64(0)
			copy(h.Hash[:], s.ColumnRawBlob(1))
		}
		if err = errors.Join(s.Err(), s.Reset()); err != nil || h.Seq > 0 {
			break
		}
	}
	if h.Seq != w.newest {
		clear(w.open)
	}
	return h, err
}

func (w *writer) insert(h Head, back int64, e *entry) error {
	s := w.addRecord
	return errors.Join(s.BindInt64(1, h.Seq), s.BindInt64(2, int64(e.Call)), s.BindInt64(3, back), s.BindRawText(4, e.body), s.BindBlob(5, h.Hash[:]), s.Exec())
}
