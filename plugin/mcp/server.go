package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/rpc"
	"github.com/toolfall/toolfall/scope"
)

// server keeps a server running, and its tools in the registry.
type server struct {
	Config
	registry *toolfall.Registry
	owner    *scope.Scope
	wake     chan struct{} // somebody needs it now
	listed   chan struct{} // it says that its tools changed

	old    bool   // it is of the legacy era; run's own, as what follows
	told   string // what was registered, as it was listed
	remove func()

	mu      sync.Mutex
	session *session      // nil while it is down
	fault   error         // why it is
	changed chan struct{} // closed when either changes
}

func newServer(c Config, r *toolfall.Registry, s *scope.Scope) *server {
	return &server{
		Config: c, registry: r, owner: s, wake: make(chan struct{}, 1), listed: make(chan struct{}, 1),
		remove: func() {}, changed: make(chan struct{}), fault: errors.New("it is starting"),
	}
}

// The time between two starts grows from one to the other.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second
	settled    = time.Minute // a server that ran for so long begins with the first again
)

// run is the life of the server. It never gives up.
func (v *server) run(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		began := time.Now()
		err := v.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errSilent) {
			continue // it is of the other era: not a fault
		}
		v.set(nil, err)
		v.notice(Notice{Down: true, Text: fmt.Sprintf("it is down: %v", err)})
		if time.Since(began) > settled {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-v.wake:
		case <-ctx.Done():
		}
		timer.Stop()
		pause = min(2*pause, lastPause)
	}
}

// once starts the server and serves until it ends, and returns why.
func (v *server) once(ctx context.Context) error {
	p, err := v.spawn(rpc.Config{Handle: v.hear})
	if err != nil {
		return err
	}
	err = v.serve(ctx, p)
	if said := p.stop(); said != "" && ctx.Err() == nil {
		err = fmt.Errorf("%w (it said: %.300q)", err, said)
	}
	return err
}

func (v *server) serve(ctx context.Context, p *process) error {
	starting, cancel := context.WithTimeoutCause(ctx, v.Start, fmt.Errorf("it did not start within %s", v.Start))
	defer cancel()
	s, err := greet(starting, p.conn, v.old)
	if errors.Is(err, errSilent) {
		v.old = true
	}
	if err == nil {
		v.old = s.era != modern
		err = v.refresh(starting, s)
	}
	if err != nil {
		return err
	}
	v.set(s, nil)
	listening, end := context.WithCancel(ctx)
	defer end()
	v.owner.Go(func(context.Context) { s.listen(listening) })
	return v.watch(ctx, p, s)
}

// debounce is how long a server may go on changing its tools before they are listed.
const debounce = 100 * time.Millisecond

// watch lists anew when the server says so, until it ends.
func (v *server) watch(ctx context.Context, p *process, s *session) error {
	for {
		select {
		case <-v.listed:
			v.relist(ctx, s)
		case <-p.conn.Done():
			return p.conn.Err()
		case <-p.Exited():
			return errors.New("it ended")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// relist waits until the server has changed what it had to, and lists its tools anew.
func (v *server) relist(ctx context.Context, s *session) {
	timer := time.NewTimer(debounce)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	select {
	case <-v.listed:
	default:
	}
	again, cancel := context.WithTimeout(ctx, v.Start)
	defer cancel()
	if err := v.refresh(again, s); err != nil {
		v.notice(Notice{Text: fmt.Sprintf("its tools stay as they were: %v", err)})
	}
}

// hear is told what the server says by itself, or asks.
func (v *server) hear(_ context.Context, method string, _ json.RawMessage) (any, error) {
	switch method {
	case "notifications/tools/list_changed":
		select {
		case v.listed <- struct{}{}:
		default:
		}
		return nil, nil
	case "ping":
		return struct{}{}, nil
	}
	return nil, &rpc.Error{Code: rpc.MethodNotFound, Message: "method not found: " + method}
}

// refresh lists the tools and registers them, unless they are what they were.
func (v *server) refresh(ctx context.Context, s *session) error {
	raw, err := s.list(ctx)
	if err != nil {
		return err
	}
	told, err := json.Marshal(raw)
	if err != nil {
		return err
	}
	if string(told) != v.told {
		ds := v.definitions(raw)
		v.remove()
		remove, err := v.registry.Register(v.owner, ds...)
		if err != nil {
			v.told, v.remove = "", func() {}
			return err
		}
		v.told, v.remove = string(told), remove
		v.notice(Notice{Ready: true, Tools: len(ds)})
		return nil
	}
	v.notice(Notice{Ready: true, Tools: len(raw)})
	return nil
}

// set says whether the server is there.
func (v *server) set(s *session, fault error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.session, v.fault = s, fault
	close(v.changed)
	v.changed = make(chan struct{})
}

// use returns the session, and waits for the server to come up if it is down: a call is
// reason enough to start it now. If that fails the call need not wait for the next time.
func (v *server) use(ctx context.Context) (*session, error) {
	patience, cancel := context.WithTimeout(ctx, v.Start)
	defer cancel()
	for tries := 0; ; tries++ {
		v.mu.Lock()
		s, fault, changed := v.session, v.fault, v.changed
		v.mu.Unlock()
		if s != nil {
			return s, nil
		}
		if tries == 2 {
			return nil, v.down(fault)
		}
		select {
		case v.wake <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-patience.Done():
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, v.down(fault)
		}
	}
}
