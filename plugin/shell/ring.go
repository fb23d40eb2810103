package shell

import "sync"

// ring is the last of what a job has printed. It is written by one goroutine and read
// by others.
type ring struct {
	mu    sync.Mutex
	kept  []byte // the last bytes, at most size
	size  int
	total int64 // bytes ever
}

func newRing(size int) *ring { return &ring{size: size} }

// Write takes p in. It never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	if n > r.size {
		p = p[n-r.size:]
	}
	r.kept = append(r.kept, p...)
	if over := len(r.kept) - r.size; over > r.size { // not at each write, so that little is moved
		r.kept = append(r.kept[:0], r.kept[over:]...)
	}
	return n, nil
}

// since returns what was written from an offset on, how much of that is not there any
// more, and where the next begins.
func (r *ring) since(from int64) (text []byte, lost, next int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.kept[max(0, len(r.kept)-r.size):]
	first := r.total - int64(len(kept))
	if from < first {
		lost, from = first-from, first
	}
	return append([]byte(nil), kept[from-first:]...), lost, r.total
}
