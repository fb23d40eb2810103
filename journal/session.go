package journal

import (
	"errors"
	"os"
	"time"
)

// session is one process that has the journal open to write. For as long as it lives it
// holds a lock on the byte of its number in a file beside the journal: the system lets
// go of that whatever the process dies of, and nobody else's number is mistaken for it,
// as happens with the numbers of processes.
type session struct {
	id   int64
	file *os.File
}

// livesIn is the file with the locks of the sessions.
func livesIn(path string) string { return path + "-live" }

// openSession takes the next number. Nobody sees it before the lock is held.
func openSession(path string, w *writer, now time.Time) (s session, err error) {
	if s.file, err = os.OpenFile(livesIn(path), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return s, err
	}
	err = inTransaction(w.c, func() error {
		newest, err := number(w.c, "SELECT coalesce(max(id), 0) FROM session")
		if err != nil {
			return err
		}
		s.id = newest + 1
		if ok, err := lockByte(s.file, s.id); err != nil || !ok {
			return errors.Join(errors.New("cannot lock "+livesIn(path)), err)
		}
		return run(w.c, "INSERT INTO session VALUES(?, ?, ?, NULL)", s.id, int64(os.Getpid()), now.UnixNano())
	})
	if err != nil {
		s.file.Close()
	}
	return s, err
}

// close lets go of the lock.
func (s session) close() error { return s.file.Close() }

// endSession interrupts what has not ended, and says that the session is over.
func (w *writer) endSession(s session, now time.Time) error {
	return w.relaxed(func() error { return w.bury(s.id, now) })
}

// interruptGone does the same for sessions whose process is gone without a word.
func (w *writer) interruptGone(own session, now time.Time) error {
	ids, err := numbers(w.c, "SELECT id FROM session WHERE closed IS NULL AND id <> ?", own.id)
	if err != nil || len(ids) == 0 {
		return err
	}
	return w.relaxed(func() error {
		for _, id := range ids {
			if alive(own.file.Name(), id) {
				continue
			}
			if err := w.bury(id, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// bury adds a record for each call of a session that has not ended, in a transaction.
func (w *writer) bury(session int64, now time.Time) error {
	if err := w.showAll(); err != nil {
		return err
	}
	ids, err := numbers(w.c, "SELECT id FROM call WHERE id BETWEEN ? AND ? AND code IS NULL", session<<32, (session+1)<<32-1)
	if err != nil {
		return err
	}
	entries := make([]entry, len(ids))
	for i, id := range ids {
		entries[i].Record = Record{Call: ID(id), Kind: Interrupt, Time: now}
		w.in.encode(&entries[i])
	}
	if len(entries) > 0 {
		if err := errors.Join(w.add(entries), w.showAll()); err != nil {
			return err
		}
	}
	return run(w.c, "UPDATE session SET closed = ? WHERE id = ? AND closed IS NULL", now.UnixNano(), session)
}

// alive reports whether a session holds its lock. Where that cannot be found out, it
// is taken to live.
func alive(file string, id int64) bool {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close() // which lets go of the lock as well
	free, err := lockByte(f, id)
	return err != nil || !free
}

// pulse tells whether sessions live, and asks once about each.
type pulse struct {
	file  string
	own   int64
	lives map[int64]bool
}

// feel marks a call that has not ended and never will.
func (p *pulse) feel(c *Call) {
	id := c.ID.session()
	if c.Ended || id == p.own {
		return
	}
	lives, known := p.lives[id]
	if !known {
		if p.lives == nil {
			p.lives = map[int64]bool{}
		}
		lives = alive(p.file, id)
		p.lives[id] = lives
	}
	if !lives {
		c.Ended, c.Code = true, Interrupted
	}
}
