package journal

import (
	"errors"
	"time"
)

// changes are the calls that one transaction is about.
type changes struct {
	w     *writer
	calls map[ID]*change
	order []*change
}

// change is a call as it was and as it becomes.
type change struct {
	Call
	before Call
}

func newChanges(w *writer) *changes { return &changes{w: w, calls: make(map[ID]*change)} }

// apply takes in the next record, and has it found by its call.
func (cs *changes) apply(r Record) error {
	c, err := cs.call(r.Call)
	if err != nil {
		return err
	}
	c.apply(r)
	if c.first == 0 {
		return nil
	}
	s := cs.w.addStory
	return errors.Join(s.BindInt64(1, int64(r.Call)), s.BindInt64(2, r.Seq), s.Exec())
}

// call returns what is known of a call, which is nothing when it is asked anew or when
// its first record is gone.
func (cs *changes) call(id ID) (*change, error) {
	if c := cs.calls[id]; c != nil {
		return c, nil
	}
	known := cs.w.open[id]
	if known == nil {
		read, err := cs.w.load(id)
		if err != nil {
			return nil, err
		}
		known = &read
	}
	c := &change{*known, *known}
	cs.calls[id] = c
	cs.order = append(cs.order, c)
	return c, nil
}

// load reads a call from the file.
func (w *writer) load(id ID) (c Call, err error) {
	s := w.getCall
	if err := s.BindInt64(1, int64(id)); err != nil {
		return c, err
	}
	if s.Step() {
		c = scanCall(s)
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
			ended[keyOf(c.before)]--
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
	w.open[c.ID] = &c
}

func (w *writer) store(c *Call) error {
	s := w.setCall
	err := errors.Join(s.ClearBindings(),
		s.BindInt64(1, int64(c.ID)), s.BindInt64(2, c.first),
		s.BindText(3, c.Tool), s.BindText(4, c.Agent), s.BindText(5, c.Model), s.BindText(6, c.Parent),
		s.BindInt64(7, c.Asked.UnixNano()))
	if !c.Started.IsZero() {
		err = errors.Join(err, s.BindInt64(8, c.Started.UnixNano()))
	}
	if c.Ended {
		err = errors.Join(err, s.BindText(9, c.Code), s.BindInt64(10, int64(c.Took)), s.BindInt(11, classOf(*c)))
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
