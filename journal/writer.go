package journal

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// writer is the connection that writes. Whoever leads uses it, nobody else.
type writer struct {
	c  *sqlite3.Conn
	in *intake

	tail, anchor, addRecord, addCall, getCall, setCall *sqlite3.Stmt

	open  map[ID]*Call // calls that have not ended, as they are in the file
	since int          // how many records were written since the last prune
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
		{&w.addRecord, "INSERT INTO record(seq, call, body, hash) VALUES(?, ?, ?, ?)"},
		{&w.getCall, "SELECT " + callColumns + " FROM call WHERE id = ?"},
		{&w.addCall, "INSERT INTO call(" + callColumns + ") VALUES(?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL) ON CONFLICT DO NOTHING"},
		{&w.setCall, "UPDATE call SET started = ?2, code = ?3, took = ?4, class = ?5 WHERE id = ?1"},
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

// add puts entries at the end of the chain.
func (w *writer) add(entries []entry) error {
	head, err := w.head()
	if err != nil {
		return err
	}
	changed := make(map[ID]*Call, len(entries))
	for i := range entries {
		e := &entries[i]
		head.Seq++
		head.Hash = hash(head.Hash, head.Seq, e.Call, e.body)
		if err := w.insert(head, e); err != nil {
			return err
		}
		e.Seq = head.Seq
		c, err := w.call(e)
		if err != nil {
			return err
		}
		if c.apply(e.Record) && e.Kind != Asked {
			changed[c.ID] = c
		}
	}
	for _, c := range changed {
		if err := w.update(c); err != nil {
			return err
		}
	}
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

// call returns what is known of the call of e. One that is asked anew gets its row.
func (w *writer) call(e *entry) (*Call, error) {
	if c := w.open[e.Call]; c != nil {
		return c, nil
	}
	if len(w.open) >= maxOpen {
		clear(w.open)
	}
	if e.Kind == Asked {
		added, err := w.newCall(e)
		if added || err != nil {
			c := &Call{}
			w.open[e.Call] = c
			return c, err
		}
	}
	s := w.getCall
	if err := s.BindInt64(1, int64(e.Call)); err != nil {
		return nil, err
	}
	c := &Call{}
	if s.Step() {
		*c = scanCall(s)
		w.open[e.Call] = c
	}
	return c, errors.Join(s.Err(), s.Reset())
}

// newCall adds the row of a call, unless there is one.
func (w *writer) newCall(e *entry) (added bool, err error) {
	s := w.addCall
	err = errors.Join(s.BindInt64(1, int64(e.Call)), s.BindInt64(2, e.Seq), s.BindText(3, e.Tool), s.BindText(4, e.Agent),
		s.BindText(5, e.Model), s.BindText(6, e.Parent), s.BindInt64(7, e.Time.UnixNano()), s.Exec())
	return w.c.Changes() > 0, err
}

// update writes what changed of a call.
func (w *writer) update(c *Call) error {
	s := w.setCall
	err := errors.Join(s.ClearBindings(), s.BindInt64(1, int64(c.ID)))
	if !c.Started.IsZero() {
		err = errors.Join(err, s.BindInt64(2, c.Started.UnixNano()))
	}
	if c.Ended {
		err = errors.Join(err, s.BindText(3, c.Code), s.BindInt64(4, int64(c.Took)), s.BindInt(5, classOf(*c)))
		delete(w.open, c.ID)
	}
	return errors.Join(err, s.Exec())
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
