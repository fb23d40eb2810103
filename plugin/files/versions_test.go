package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

func bufferedSmall(text []byte) *bufio.Reader {
	return bufio.NewReaderSize(iotest.HalfReader(bytes.NewReader(text)), 16)
}

func TestOldestReadingIsForgottenFirst(t *testing.T) {
	vs := newVersions(2)
	of := func(name string) reading { return reading{place: place{name: name}} }
	vs.put(of("a"), versionOf([]byte("1")))
	vs.put(of("b"), versionOf([]byte("1")))
	vs.put(of("a"), versionOf([]byte("2"))) // read again
	vs.put(of("c"), versionOf([]byte("1")))
	if _, ok := vs.get(of("b")); ok {
		t.Error("b is remembered, which was read longest ago")
	}
	if v, ok := vs.get(of("a")); !ok || v != versionOf([]byte("2")) {
		t.Errorf("a is remembered as %v, %v", v, ok)
	}
	if len(vs.known) != 2 || vs.order.Len() != 2 {
		t.Errorf("%d and %d are remembered, want 2", len(vs.known), vs.order.Len())
	}
}

func TestLongFileIsComparedByLengthAndTime(t *testing.T) {
	v := version{size: 5, time: time.Unix(1, 0)}
	for _, c := range []struct {
		w    version
		want bool
	}{
		{version{size: 5, time: time.Unix(1, 0).UTC()}, true},
		{version{size: 6, time: time.Unix(1, 0)}, false},
		{version{size: 5, time: time.Unix(1, 1)}, false},
		{version{size: 5, time: time.Unix(1, 0), hashed: true}, false}, // it was long, and is short now
	} {
		if got := v.is(c.w); got != c.want {
			t.Errorf("%v.is(%v) = %v", v, c.w, got)
		}
	}
}

func TestLockIsForOneAtATime(t *testing.T) {
	var l locks
	var wg sync.WaitGroup
	n := 0 // the race detector sees a lock that does not hold
	for range 50 {
		wg.Go(func() {
			unlock, err := l.lock(t.Context(), place{name: "A.txt"})
			if err != nil {
				t.Error(err)
				return
			}
			n++
			unlock()
		})
		wg.Go(func() {
			unlock, _ := l.lock(t.Context(), place{name: "a.TXT"}) // may be the same file
			n++
			unlock()
		})
	}
	wg.Wait()
	if n != 100 || len(l.held) != 0 {
		t.Errorf("%d turns were taken, %d locks are kept", n, len(l.held))
	}
}

func TestWaitForALockEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l locks
		unlock, err := l.lock(t.Context(), place{name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := l.lock(ctx, place{name: "a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("lock = %v, want the end of the context", err)
		}
		unlock()
		if len(l.held) != 0 {
			t.Errorf("%d locks are kept", len(l.held))
		}
	})
}
