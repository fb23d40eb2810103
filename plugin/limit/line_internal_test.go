package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// customer is somebody who stood in line.
type customer struct {
	came, served, gone time.Duration
	left               bool
}

// Whatever comes, goes and gives up when it likes: there are never more than there are
// places, those who stay are served in the order in which they came, and nobody is
// forgotten.
func TestALineIsFirstComeFirstServed(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			places := 1 + rnd.IntN(4)
			l, start := newLine(places, 1000), time.Now()
			customers := make([]customer, 40)
			var all sync.WaitGroup
			for i := range customers {
				c := &customers[i]
				// No two come at once, so that it is known who was first.
				c.came = time.Duration(rnd.IntN(500))*time.Millisecond + time.Duration(i)*time.Microsecond
				stay, patience := time.Duration(rnd.IntN(100))*time.Millisecond, time.Hour
				if rnd.IntN(3) == 0 {
					patience = time.Duration(rnd.IntN(200))*time.Millisecond + time.Duration(i)*time.Nanosecond
				}
				all.Go(func() {
					time.Sleep(c.came)
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					if err := l.enter(ctx); err != nil {
						c.left = true
						return
					}
					c.served = time.Since(start)
					time.Sleep(stay)
					c.gone = time.Since(start)
					l.leave()
				})
			}
			all.Wait()
			check(t, seed, customers, places)
			if l.free != places || l.waiting.Len() != 0 {
				t.Errorf("seed %d: %d of %d places are free, %d wait", seed, l.free, places, l.waiting.Len())
			}
		})
	}
}

func check(t *testing.T, seed uint64, customers []customer, places int) {
	t.Helper()
	served := slices.DeleteFunc(customers, func(c customer) bool { return c.left })
	slices.SortFunc(served, func(a, b customer) int { return int(a.came - b.came) })
	if !slices.IsSortedFunc(served, func(a, b customer) int { return int(a.served - b.served) }) {
		t.Errorf("seed %d: not first come, first served: %+v", seed, served)
	}
	for _, c := range served {
		inside := 0
		for _, o := range served {
			if o.served <= c.served && c.served < o.gone {
				inside++
			}
		}
		if inside > places {
			t.Errorf("seed %d: %d in %d places", seed, inside, places)
		}
	}
}

// The place that is handed over in the moment in which its owner gives up is not lost.
func TestAPlaceIsNotLostToOneWhoGivesUp(t *testing.T) {
	l := newLine(1, 10)
	l.enter(t.Context())
	turn := make(chan struct{})
	e := l.waiting.PushBack(turn)
	l.leave() // hands the place over
	l.forgo(e, turn)
	if l.free != 1 || l.waiting.Len() != 0 {
		t.Errorf("%d places are free, %d wait", l.free, l.waiting.Len())
	}
}

// Bodies begin and end in any order, and no list keeps them.
func TestWhatHasEndedIsNotKept(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	g := &guard{watch: new(Watch), grace: time.Hour}
	var running []*body
	for range 2000 {
		if len(running) == 0 || rnd.IntN(2) == 0 {
			running = append(running, &body{ctx: t.Context()})
			g.begin(running[len(running)-1])
		} else {
			i := rnd.IntN(len(running))
			g.end(running[i])
			running = slices.Delete(running, i, i+1)
		}
		kept := 0
		for b := g.first; b != nil; b = b.next {
			kept++
		}
		if kept != len(running) {
			t.Fatalf("%d are kept, %d run", kept, len(running))
		}
	}
}

func TestALineIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(1, 1)
		l.enter(t.Context())
		go l.enter(t.Context())
		synctest.Wait()
		if err := l.enter(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("enter = %v", err)
		}
		l.leave()
		synctest.Wait()
		l.leave()
	})
}

func TestNamesAreForgottenInTheEnd(t *testing.T) {
	var r recent[int]
	first := r.get("0")
	for i := range 3 * maxKept {
		r.get(string(rune(i + 1000)))
		if r.get("0") != first {
			t.Fatal("what is in use was forgotten")
		}
	}
	if len(r.known) != maxKept || r.order.Len() != maxKept {
		t.Errorf("%d and %d are kept", len(r.known), r.order.Len())
	}
	var gs gates
	for i := range 3 * maxKept {
		name := string(rune(i + 1000))
		gs.give(name, gs.take(name, Pace{Concurrent: 1}))
	}
	if len(gs.open) > maxKept {
		t.Errorf("%d gates are kept", len(gs.open))
	}
}

func TestRepeatsAreCounted(t *testing.T) {
	for text, want := range map[string]struct{ n, turns int }{
		"A":             {1, 1},
		"AA":            {2, 1},
		"AAAAA":         {5, 1},
		"BAAA":          {3, 1},
		"AAABA":         {2, 2}, // A B A
		"ABAB":          {2, 2},
		"ABABA":         {3, 2},
		"ABABABABA":     {5, 2},
		"ABCABCABCABCA": {5, 3},
		"ABCDABCDA":     {3, 4},
		"ABCDEABCDEA":   {1, 1}, // five in turn are work
		"XYABABA":       {3, 2},
		"ABACADA":       {2, 2},
	} {
		var past []*turn
		for i := range len(text) - 1 {
			past = append(past, &turn{uint64(text[i]), 0, true})
		}
		now := &turn{call: uint64(text[len(text)-1])}
		if rep := repeats(past, now); rep.n != want.n || rep.turns != want.turns {
			t.Errorf("%s: %d in %d turns, want %d in %d", text, rep.n, rep.turns, want.n, want.turns)
		}
	}
}

// Calls that run side by side repeat each other before their results are there.
func TestCallsSideBySideRepeatEachOther(t *testing.T) {
	h := new(history)
	for i := range 4 {
		if _, rep := h.begin(7, 5, 20, time.Hour); rep.n != i+1 {
			t.Errorf("call %d is the %d. time", i+1, rep.n)
		}
	}
	if now, rep := h.begin(7, 5, 20, time.Hour); now != nil || rep.n != 5 {
		t.Errorf("the fifth goes on: %v", rep)
	}
}
