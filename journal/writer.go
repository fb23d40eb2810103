package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// writer is the connection that writes. Whoever leads uses it, nobody else.
type writer struct {
	c  *sqlite3.Conn
	in *intake

	begin, commit, tail, anchor, addRecord, addStory, getCall, setCall, addTally *sqlite3.Stmt

	pending []Record     // the newest ones, as far as the lists do not show them
	shown   int64        // the Seq up to which this writer has brought the lists
	open    map[ID]*Call // calls that have not ended, as they are listed then
	since   int          // how many records were written since the last prune
}

// maxOpen is how many calls are kept in memory. The others are read when they end.
const maxOpen = 16384

const callColumns = "id, first, tool, agent, model, parent, asked, started, code, took"

func openWriter(path string, in *intake) (*writer, error) {
	c, err := connect(path, sqlite3.OPEN_READWRITE, "PRAGMA trusted_schema=OFF;")
	if err != nil {
		return nil, err
	}
	w := &writer{c: c, in: in, open: map[ID]*Call{}}
	if err := w.prepare(path); err != nil {
		return nil, errors.Join(err, closeAll(c))
	}
	if _, err := c.FileControl("main", sqlite3.FCNTL_PERSIST_WAL, true); err != nil {
		return nil, errors.Join(err, closeAll(c))
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Chmod(path+suffix, 0o600) // the directory may be one that others see into
	}
	return w, nil
}

func (w *writer) prepare(path string) error {
	fresh, err := checkVersion(w.c) // before anything is changed: it may not be ours
	if err == nil {
		err = classify(w.c.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=500;"))
	}
	if err == nil && fresh {
		err = create(w.c, path)
		syncDir(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	for _, p := range []struct {
		to  **sqlite3.Stmt
		sql string
	}{
		{&w.begin, "BEGIN IMMEDIATE"},
		{&w.commit, "COMMIT"},
		{&w.tail, "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1"},
		{&w.anchor, "SELECT seq, hash, shown FROM anchor"},
		{&w.addRecord, "INSERT INTO record(seq, call, body, hash) VALUES(?, ?, ?, ?)"},
		{&w.addStory, "INSERT INTO story VALUES(?, ?)"},
		{&w.getCall, "SELECT " + callColumns + " FROM call WHERE id = ?"},
		{&w.setCall, "INSERT INTO call(" + callColumns + ", class) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET " +
			"started = excluded.started, code = excluded.code, took = excluded.took, class = excluded.class"},
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
	}()
	for i := range entries {
		w.in.encode(&entries[i])
	}
	return between(w.c, w.begin.Exec, func() error { return w.add(entries) }, w.commit.Exec)
}

// add puts entries at the end of the chain.
func (w *writer) add(entries []entry) error {
	head, err := w.head()
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		head.Seq++
		head.Hash = hash(head.Hash, head.Seq, e.Call, e.body)
		e.Seq = head.Seq
		if err := w.insert(head, e); err != nil {
			return err
		}
	}
	for _, e := range entries {
		w.pending = append(w.pending, e.listed())
	}
	w.since += len(entries)
	return nil
}

// head returns the end of the chain as it is now: another process may have written.
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
	return h, err
}

func (w *writer) insert(h Head, e *entry) error {
	s := w.addRecord
	return errors.Join(s.BindInt64(1, h.Seq), s.BindInt64(2, int64(e.Call)), s.BindRawText(3, e.body), s.BindBlob(4, h.Hash[:]), s.Exec())
}
