package journal

import (
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// stored is a call as it is in the file.
type stored struct{ Call }

// changes are the calls that one transaction is about.
type changes struct {
	w     *writer
	calls map[ID]*change
	order []*change
}

// change is a call as it was and as it becomes.
type change struct {
	Call
	before stored
}

func newChanges(w *writer) *changes { return &changes{w: w, calls: make(map[ID]*change)} }

// call returns what is known of the call of e, which is nothing when it is asked anew or
// when its first record is gone.
func (cs *changes) call(e *entry) (*change, error) {
	if c := cs.calls[e.Call]; c != nil {
		return c, nil
	}
	before, ok := cs.w.open[e.Call]
	if !ok {
		var err error
		if before, err = cs.w.load(e.Call); err != nil {
			return nil, err
		}
	}
	c := &change{before.Call, before}
	cs.calls[e.Call] = c
	cs.order = append(cs.order, c)
	return c, nil
}

// load reads a call from the file.
func (w *writer) load(id ID) (c stored, err error) {
	s := w.getCall
	if err := s.BindInt64(1, int64(id)); err != nil {
		return c, err
	}
	if s.Step() {
		c.Call = scanCall(s)
	}
	return c, errors.Join(s.Err(), s.Reset())
}

// write puts the calls into their table, and counts those that ended.
func (cs *changes) write() error {
	ended := map[tallyKey]int64{}
	for _, c := range cs.order {
		if c.first == 0 {
			continue
		}
		if err := cs.w.store(&c.Call); err != nil {
			return err
		}
		if c.before.Ended {
			ended[keyOf(c.before.Call)]--
		}
		if c.Ended {
			ended[keyOf(c.Call)]++
		}
		cs.w.remember(c.Call)
	}
	for k, n := range ended {
		if n == 0 {
			continue
		}
		if err := cs.w.count(k, n); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps a call that has not ended, for its next record.
func (w *writer) remember(c Call) {
	switch {
	case c.Ended:
		delete(w.open, c.ID)
		return
	case len(w.open) >= maxOpen:
		clear(w.open)
	}
	w.open[c.ID] = stored{c}
}

func (w *writer) store(c *Call) error {
	s := w.setCall
	err := errors.Join(s.ClearBindings(),
		s.BindInt64(1, int64(c.ID)), s.BindInt64(2, c.first), s.BindInt64(3, c.last),
		s.BindText(4, c.Tool), s.BindText(5, c.Agent), s.BindText(6, c.Model), s.BindText(7, c.Parent),
		s.BindInt64(8, c.Asked.UnixNano()))
	if !c.Started.IsZero() {
		err = errors.Join(err, s.BindInt64(9, c.Started.UnixNano()))
	}
	if c.Ended {
		err = errors.Join(err, s.BindText(10, c.Code), s.BindInt64(11, int64(c.Took)), s.BindInt(12, classOf(*c)))
	}
	return errors.Join(err, s.Exec())
}

// tallyKey is what a call that has ended is counted under.
type tallyKey struct {
	hour       int64
	tool, code string
	class      int
}

func keyOf(c Call) tallyKey {
	return tallyKey{c.Asked.UnixNano() / int64(time.Hour), c.Tool, c.Code, classOf(c)}
}

func (w *writer) count(k tallyKey, n int64) error {
	s := w.addTally
	return errors.Join(s.BindInt64(1, k.hour), s.BindText(2, k.tool), s.BindText(3, k.code), s.BindInt(4, k.class), s.BindInt64(5, n), s.Exec())
}

// scanCall reads a row that has callColumns.
func scanCall(s *sqlite3.Stmt) Call {
	c := Call{
		ID: ID(s.ColumnInt64(0)), first: s.ColumnInt64(1), last: s.ColumnInt64(2),
		Tool: s.ColumnText(3), Agent: s.ColumnText(4), Model: s.ColumnText(5), Parent: s.ColumnText(6),
		Asked: time.Unix(0, s.ColumnInt64(7)).UTC(),
	}
	if s.ColumnType(8) != sqlite3.NULL {
		c.Started = time.Unix(0, s.ColumnInt64(8)).UTC()
	}
	if s.ColumnType(9) != sqlite3.NULL {
		c.Ended, c.Code, c.Took = true, s.ColumnText(9), time.Duration(s.ColumnInt64(10))
	}
	return c
}
