package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
)

// fate is what a random call does.
type fate struct {
	Took    int      `json:"took"`
	Paths   []string `json:"paths"`
	Writes  []bool   `json:"writes"`
	Does    string   `json:"does"` // at the end
	Refused bool     `json:"refused"`
}

// judge looks on: it knows what runs, and what was decided.
type judge struct {
	mu      sync.Mutex
	t       *testing.T
	width   int
	running map[string][]toolfall.Claim
	decided []string
}

func (j *judge) enter(id string, claims []toolfall.Claim) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for other, theirs := range j.running {
		if conflict(claims, theirs) {
			j.t.Errorf("%s runs beside %s, and they conflict: %v and %v", id, other, claims, theirs)
		}
	}
	j.running[id] = claims
	if len(j.running) > j.width {
		j.t.Errorf("%d run at once, and %d may", len(j.running), j.width)
	}
}

func (j *judge) leave(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.running, id)
}

func (f fate) claims() []toolfall.Claim {
	out := make([]toolfall.Claim, 0, len(f.Paths))
	for i, path := range f.Paths {
		out = append(out, toolfall.Claim{Resource: toolfall.Path, Key: path, Write: f.Writes[i]})
	}
	return out
}

func randomFate(r *rand.Rand) fate {
	f := fate{Took: r.IntN(20), Does: []string{"returns", "returns", "fails", "panics", "exits", "stays"}[r.IntN(6)], Refused: r.IntN(8) == 0}
	for range r.IntN(3) {
		f.Paths = append(f.Paths, []string{"/a", "/a/b", "/a/b/c", "/d", "/", "/e"}[r.IntN(6)])
		f.Writes = append(f.Writes, r.IntN(3) == 0)
	}
	return f
}

// Whatever calls come, and whatever becomes of them: one result each, in their order;
// no conflict overlaps; decisions keep the order; nothing is left running.
func TestAnyBatchKeepsThePromises(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			j := &judge{t: t, width: 1 + r.IntN(6), running: make(map[string][]toolfall.Claim)}
			reg, s := j.registry(t)
			var cs []toolfall.Call
			for i := range r.IntN(30) {
				raw, err := json.Marshal(randomFate(r))
				if err != nil {
					t.Fatal(err)
				}
				cs = append(cs, toolfall.Call{ID: fmt.Sprintf("%03d", i), Name: "do", Arguments: raw})
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if r.IntN(2) == 0 {
				time.AfterFunc(time.Duration(r.IntN(60))*time.Millisecond, cancel)
			}
			rs := s.ExecuteAll(ctx, cs)
			j.settle(cs, rs)
			if reg.Snapshot().Len() != 1 {
				t.Error("the registry changed")
			}
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func (j *judge) registry(t *testing.T) (*toolfall.Registry, *Scheduler) {
	reg := toolfall.New()
	s, err := New(t, reg, Config{Width: j.width})
	if err != nil {
		t.Fatal(err)
	}
	reg.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: j.decide})
	d := toolfall.Definition{Schema: toolfall.Schema{Name: "do"}, Execute: j.execute, Claims: func(c toolfall.Call) []toolfall.Claim { return fateOf(c).claims() }}
	if _, err := reg.Register(t, d); err != nil {
		t.Fatal(err)
	}
	return reg, s
}

func fateOf(c toolfall.Call) (f fate) {
	if err := json.Unmarshal(c.Arguments, &f); err != nil {
		panic(err)
	}
	return f
}

func (j *judge) decide(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	j.mu.Lock()
	j.decided = append(j.decided, c.ID)
	j.mu.Unlock()
	if fateOf(c).Refused {
		return toolfall.Fail(toolfall.ErrDenied)
	}
	return next(ctx, c)
}

func (j *judge) execute(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
	f := fateOf(c)
	j.enter(c.ID, f.claims())
	defer j.leave(c.ID)
	timer := time.NewTimer(time.Duration(f.Took) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		if f.Does != "stays" {
			return nil, ctx.Err()
		}
		<-timer.C // it ignores its context for a while
	}
	switch f.Does {
	case "fails":
		return nil, errors.New("it failed")
	case "panics":
		panic("it panicked")
	case "exits":
		runtime.Goexit()
	}
	return toolfall.Text(c.ID), nil
}

func (j *judge) settle(cs []toolfall.Call, rs []toolfall.Result) {
	if len(rs) != len(cs) {
		j.t.Fatalf("%d results of %d calls", len(rs), len(cs))
	}
	last := ""
	for i, r := range rs {
		if r.CallID != cs[i].ID || r.Content == nil {
			j.t.Errorf("result %d is %+v", i, r)
		}
	}
	for _, id := range j.decided {
		if id <= last {
			j.t.Errorf("decided in the order %s", strings.Join(j.decided, " "))
			break
		}
		last = id
	}
	if len(j.running) > 0 {
		j.t.Errorf("%v still run", j.running)
	}
}
