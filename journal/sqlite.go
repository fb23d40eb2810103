package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
)

// Config sets up a journal. The zero value is what most programs want.
type Config struct {
	ReadOnly bool             // look only: no session, no writes, and no file is made
	Redact   []*regexp.Regexp // what matches is masked, beside what looks like a secret anyway
	MaxAge   time.Duration    // calls older than that go; 90 days when zero, never when negative
	MaxBytes int64            // the oldest calls go when more is in use; 1 GiB when zero, never when negative
	Now      func() time.Time // time.Now when nil
}

func (c Config) withDefaults() Config {
	if c.MaxAge == 0 {
		c.MaxAge = 90 * 24 * time.Hour
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 30
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// SQLite is a journal in an SQLite file. Several processes may have the same file open:
// each writes under its own session, and one waits while another commits.
type SQLite struct {
	path    string
	config  Config
	in      intake
	session session
	number  atomic.Uint64 // of the newest call of the session

	mu     sync.Mutex // guards the fields below
	next   *group     // what waits for the next commit; never nil
	closed bool
	lost   error // what became of records whose Append had returned

	lead    chan struct{} // whoever has put a value in commits; nobody else uses the next two
	w       *writer
	crowded bool // several waited for the last commit

	kick   chan struct{} // tells the flusher that something waits
	quit   chan struct{} // closed by Close; ends the flusher
	flush  sync.WaitGroup
	reads  sync.Mutex // held for one page of rows
	r      *reader
	closer sync.Once
	fault  error // what Close returns
}

var _ Journal = (*SQLite)(nil)

// Open opens the journal in the file path, or makes one, which none but its owner can
// read. Calls of processes that are gone are marked as interrupted. What is no journal
// is an [ErrCorrupt], and stays as it is; [SetAside] makes room for a new one.
func Open(path string, c Config) (*SQLite, error) {
	j, err := open(path, c.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	return j, nil
}

func open(path string, c Config) (*SQLite, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	j := &SQLite{
		path: path, config: c, in: intake{c.Now, c.Redact},
		next: newGroup(), lead: make(chan struct{}, 1), kick: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	if c.ReadOnly {
		return j, j.openReadOnly()
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	if j.w, err = openWriter(path, &j.in); err != nil {
		return nil, err
	}
	if err := j.begin(); err != nil {
		j.w.close()
		return nil, err
	}
	j.flush.Go(j.flushSoon)
	return j, nil
}

// openReadOnly also lists what a process that was killed had no time to list, as far as
// it may.
func (j *SQLite) openReadOnly() error {
	if err := j.openReader(); err != nil {
		return err
	}
	behind, err := number(j.r.c, "SELECT coalesce(max(seq), 0) > (SELECT shown FROM anchor) FROM record")
	if err != nil || behind == 0 {
		return err
	}
	if w, err := openWriter(j.path, &j.in); err == nil {
		w.relaxed(w.showAll)
		w.close()
	}
	return nil
}

// begin opens the session, and does what is due at the start of one.
func (j *SQLite) begin() (err error) {
	if j.session, err = openSession(j.path, j.w, j.in.now()); err != nil {
		return err
	}
	err = j.w.interruptGone(j.session, j.in.now())
	if err == nil && j.session.id%pruneSessions == 0 {
		err = j.w.prune(j.config)
	}
	if err != nil {
		j.session.close()
	}
	return err
}

// prepareFile makes the file and its directory, for their owner alone.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Next implements [Journal].
func (j *SQLite) Next() ID { return newID(uint32(j.session.id), j.number.Add(1)) }

// Close implements [Journal].
func (j *SQLite) Close() error {
	j.closer.Do(func() { j.fault = j.close() })
	return j.fault
}

func (j *SQLite) close() (err error) {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	if !j.config.ReadOnly {
		close(j.quit)
		j.flush.Wait()
		j.lead <- struct{}{} // for ever: nobody commits any more
		j.commit()
		err = errors.Join(j.lost, j.w.endSession(j.session, j.in.now()), j.w.close())
		j.session.close()
	}
	j.reads.Lock()
	defer j.reads.Unlock()
	if j.r != nil {
		err = errors.Join(err, j.r.close())
		j.r = nil
	}
	return err
}

// SetAside renames the file path, which must be one that [Open] finds corrupt, and what
// belongs to it, so that a new journal can begin there. It returns the new name.
func SetAside(path string) (to string, err error) {
	j, err := Open(path, Config{ReadOnly: true})
	if err == nil {
		j.Close()
		return "", fmt.Errorf("set aside %s: it is a journal", path)
	}
	if !errors.Is(err, ErrCorrupt) {
		return "", err
	}
	to = path + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if err := os.Rename(path+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return to, nil
}

// closedError is what a method of a closed journal returns.
func (j *SQLite) closedError(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	return ctx.Err()
}
