package files

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// version is what a file was when it was read. The content decides; of a file
// too long to be hashed, its length and its time do.
type version struct {
	size   int64
	time   time.Time
	sum    [sha256.Size]byte
	hashed bool
}

// versionOf is the version of a file that has this content.
func versionOf(data []byte) version {
	return version{size: int64(len(data)), sum: sha256.Sum256(data), hashed: true}
}

// is reports whether v and w are versions of one content.
func (v version) is(w version) bool {
	if v.hashed && w.hashed {
		return v.sum == w.sum
	}
	return v.hashed == w.hashed && v.size == w.size && v.time.Equal(w.time)
}

// summer finds the version of a file while it streams by. It is an io.Writer.
type summer struct {
	info fs.FileInfo // from the opened handle, before it was read
	hash hash.Hash   // nil for a file that is too long
	seen int64
}

func newSummer(info fs.FileInfo, limit int64) *summer {
	s := &summer{info: info}
	if info.Size() <= limit {
		s.hash = sha256.New()
	}
	return s
}

func (s *summer) Write(b []byte) (int, error) {
	s.seen += int64(len(b))
	if s.hash != nil {
		s.hash.Write(b)
	}
	return len(b), nil
}

// version is what has streamed by, which was the whole file if it is hashed.
func (s *summer) version() version {
	v := version{size: s.info.Size(), time: s.info.ModTime()}
	if s.hash != nil {
		v.size, v.hashed = s.seen, true
		s.hash.Sum(v.sum[:0])
	}
	return v
}

// maxVersions is how many files are remembered. What was read longest ago is
// forgotten first, and must then be read again before it is changed.
const maxVersions = 10_000

// reading is one file as one agent knows it: what one has read does not vouch
// for another.
type reading struct {
	agent string
	place place
}

// versions remembers what was read last.
type versions struct {
	mu    sync.Mutex
	limit int
	known map[reading]*list.Element
	order *list.List // of remembered, the newest first
}

type remembered struct {
	reading
	version
}

func newVersions(limit int) *versions {
	return &versions{limit: limit, known: make(map[reading]*list.Element), order: list.New()}
}

func (vs *versions) put(r reading, v version) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if e := vs.known[r]; e != nil {
		e.Value = remembered{r, v}
		vs.order.MoveToFront(e)
		return
	}
	vs.known[r] = vs.order.PushFront(remembered{r, v})
	if vs.order.Len() > vs.limit {
		oldest := vs.order.Remove(vs.order.Back()).(remembered)
		delete(vs.known, oldest.reading)
	}
}

func (vs *versions) get(r reading) (version, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	e := vs.known[r]
	if e == nil {
		return version{}, false
	}
	return e.Value.(remembered).version, true
}

// remember notes that the agent has read p.
func (t *tools) remember(agent string, p place, s *summer) {
	if known, err := p.real(); err == nil {
		t.versions.put(reading{agent, known}, s.version())
	}
}

// vouched refuses a change of p by an agent that does not know what it changes:
// now is the version on disk.
func (t *tools) vouched(agent string, p place, now version) error {
	known, ok := t.versions.get(reading{agent, p})
	switch {
	case !ok && t.AllowUnread:
		return nil
	case !ok:
		return toolfall.NewError(Unread, fmt.Errorf("%s exists and was not read yet; read it with read_file first", p))
	case !known.is(now):
		return p.changed()
	}
	return nil
}

func (p place) changed() error {
	return toolfall.NewError(Changed, fmt.Errorf("%s has changed since it was read; read it again with read_file", p))
}

func (p place) appeared() error {
	return toolfall.NewError(Changed, fmt.Errorf("%s was created by someone else just now; read it with read_file first", p))
}
