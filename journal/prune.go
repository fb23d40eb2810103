package journal

import "time"

// pruneEvery is after how many records the oldest are looked at, and pruneMost how many
// of them go at once at the most: more than come in, and a bounded stop for whoever
// commits.
const (
	pruneEvery = 512
	pruneMost  = 2 * pruneEvery

	// pruneSessions is for processes that never write so much.
	pruneSessions = 64
)

func (w *writer) pruneIsDue() bool { return w.since >= pruneEvery }

// prune takes away the oldest records where they are too old or too many. A call goes
// with its first record; what is left of it then goes in its turn, and is not shown.
// The anchor keeps the place where the chain goes on.
func (w *writer) prune(c Config) error {
	rounds := 1 + w.since/pruneEvery
	w.since = 0
	for range rounds {
		if more, err := w.pruneOnce(c); err != nil || !more {
			return err
		}
	}
	return nil
}

func (w *writer) pruneOnce(c Config) (more bool, err error) {
	err = w.relaxed(func() error {
		if err := w.showAll(); err != nil { // what is not listed would look like the rest of a call that went
			return err
		}
		last, err := w.lastToGo(c)
		if err != nil || last == 0 {
			return err
		}
		more = true
		clear(w.open) // a call that still runs may go too
		for _, sql := range []string{
			"UPDATE anchor SET (seq, hash) = (SELECT seq, hash FROM record WHERE seq = ?)",
			"DELETE FROM story WHERE call IN (SELECT call FROM record WHERE seq <= ?)",
			"DELETE FROM call WHERE id IN (SELECT call FROM record WHERE seq <= ?1) AND first <= ?1",
			"DELETE FROM record WHERE seq <= ?",
		} {
			if err := run(w.c, sql, last); err != nil {
				return err
			}
		}
		return nil
	})
	return more, err
}

// lastToGo returns up to which record the chain is to be cut now, or 0. The newest
// record always stays.
func (w *writer) lastToGo(c Config) (last int64, err error) {
	oldest, err := number(w.c, "SELECT min(seq) FROM record")
	if err != nil || oldest == 0 {
		return 0, err
	}
	newest, err := number(w.c, "SELECT max(seq) FROM record")
	if err != nil {
		return 0, err
	}
	most := min(oldest+pruneMost, newest) - 1
	if c.MaxAge > 0 {
		if last, err = w.olderThan(c.Now().Add(-c.MaxAge), most); err != nil {
			return 0, err
		}
	}
	share, err := w.excess(c.MaxBytes)
	if err != nil {
		return 0, err
	}
	tooMany := int64(share * float64(newest-oldest+1))
	last = min(max(last, oldest+tooMany-1), most)
	if last < oldest {
		return 0, nil
	}
	return last, nil
}

// olderThan returns the record before the first one up to most whose call was asked at
// t or later. Calls are not recorded in quite the order in which they were asked.
func (w *writer) olderThan(t time.Time, most int64) (int64, error) {
	first, err := numbers(w.c, "SELECT seq FROM record JOIN call ON id = call WHERE seq <= ? AND asked >= ? ORDER BY seq LIMIT 1", most, t.UnixNano())
	if err != nil || len(first) == 0 {
		return most, err
	}
	return first[0] - 1, nil
}

// excess returns which share of what is kept is more than most bytes. Room that was
// freed is used again; the file does not shrink.
func (w *writer) excess(most int64) (share float64, err error) {
	if most < 0 {
		return 0, nil
	}
	pages, err := number(w.c, "SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count)")
	if err != nil {
		return 0, err
	}
	size, err := number(w.c, "PRAGMA page_size")
	used := pages * size
	if err != nil || used <= most {
		return 0, err
	}
	return float64(used-most) / float64(used), nil
}
