package files

import (
	"context"
	"strings"
	"sync"
)

// locks lets one change at a time at each file. The zero value is ready.
type locks struct {
	mu   sync.Mutex
	held map[lockKey]*turn
}

type lockKey struct {
	in   *root
	name string
}

// turn is the right to change one file. Who has sent into taken has it.
type turn struct {
	taken chan struct{} // holds one
	users int           // who has it or waits for it; locks.mu guards it
}

// lock waits for the turn at p, or for the end of ctx. Names that differ in case
// alone share a turn, since on some systems they are one file.
func (l *locks) lock(ctx context.Context, p place) (unlock func(), err error) {
	key := lockKey{p.in, strings.ToLower(p.name)}
	t := l.enter(key)
	select {
	case t.taken <- struct{}{}:
		return func() {
			<-t.taken
			l.leave(key, t)
		}, nil
	case <-ctx.Done():
		l.leave(key, t)
		return nil, ctx.Err()
	}
}

func (l *locks) enter(key lockKey) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = make(map[lockKey]*turn)
	}
	t := l.held[key]
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		l.held[key] = t
	}
	t.users++
	return t
}

func (l *locks) leave(key lockKey, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(l.held, key)
	}
}
