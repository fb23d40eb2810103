package journal

import "errors"

// show brings the lists up to the newest record. A crash takes nothing along that would
// not follow from the records again, so that it waits for no disk.
func (w *writer) show() error {
	if len(w.pending) == 0 {
		return nil
	}
	return w.relaxed(w.showAll)
}

// relaxed runs f in a transaction that a loss of power may take back.
func (w *writer) relaxed(f func() error) error {
	if err := w.c.Exec("PRAGMA synchronous=NORMAL"); err != nil {
		return err
	}
	err := inTransaction(w.c, f)
	if err != nil {
		clear(w.open) // what it says may not be listed
		w.pending = nil
		w.shown = -1
	}
	return errors.Join(err, w.c.Exec("PRAGMA synchronous=FULL"))
}

// showAll is show inside of a transaction.
func (w *writer) showAll() error {
	for {
		records, err := w.unshown()
		if err != nil || len(records) == 0 {
			w.pending = nil
			return err
		}
		changes := newChanges(w)
		for _, r := range records {
			if err := changes.apply(r); err != nil {
				return err
			}
		}
		if err := changes.write(); err != nil {
			return err
		}
		w.shown = records[len(records)-1].Seq
		if err := run(w.c, "UPDATE anchor SET shown = ?", w.shown); err != nil {
			return err
		}
	}
}

// showMost is how many records are read at a time.
const showMost = 1024

// unshown returns the next records that are not in the lists: those in memory, if no
// other process has written or listed any, and otherwise what the file has.
func (w *writer) unshown() ([]Record, error) {
	head, err := w.head()
	if err != nil {
		return nil, err
	}
	shown, err := number(w.c, "SELECT shown FROM anchor")
	if err != nil {
		return nil, err
	}
	if shown != w.shown {
		clear(w.open)
	}
	if n := len(w.pending); n > 0 && w.pending[0].Seq == shown+1 && w.pending[n-1].Seq == head.Seq && int64(n) == head.Seq-shown {
		return w.pending, nil
	}
	if head.Seq <= shown {
		return nil, nil
	}
	return w.readAfter(shown)
}

func (w *writer) readAfter(seq int64) (out []Record, err error) {
	s, _, err := w.c.Prepare("SELECT seq, call, body FROM record WHERE seq > ? ORDER BY seq LIMIT ?")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	err = errors.Join(s.BindInt64(1, seq), s.BindInt64(2, showMost))
	for err == nil && s.Step() {
		var r Record
		r, err = decode(s.ColumnInt64(0), ID(s.ColumnInt64(1)), s.ColumnRawText(2))
		out = append(out, r)
	}
	return out, errors.Join(err, s.Err())
}

// listed is what the lists show of a record.
func (e *entry) listed() Record {
	return Record{
		Seq: e.Seq, Call: e.Call, Kind: e.Kind, Time: e.Time, Tool: e.Tool, Agent: e.Agent, Model: e.Model, Parent: e.Parent, Code: e.Code, Took: e.Took,
	}
}
