package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// peer is the other side of a connection, line by line.
type peer struct {
	*Conn
	lines *bufio.Reader // what we say
	w     *io.PipeWriter
}

func open(t *testing.T, c Config) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{Open(inR, outW, c), bufio.NewReader(outR), inW}
	t.Cleanup(func() {
		inW.Close()
		p.Close()
	})
	return p
}

func (p *peer) say(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *peer) hear(t *testing.T) (m Message) {
	t.Helper()
	line, err := p.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &m)
	}
	if err != nil {
		t.Error(err)
	}
	return m
}

func none(int64) (any, error) { return map[string]any{"a": "<b>"}, nil }

func TestManyCallsAreAnsweredInAnyOrder(t *testing.T) {
	p := open(t, Config{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			raw, err := p.Call(t.Context(), "m", func(int64) (any, error) { return i, nil }, nil)
			if err != nil || string(raw) != fmt.Sprint(i) {
				t.Errorf("%d is answered with %s, %v", i, raw, err)
			}
		})
	}
	var all []Message
	for range 20 {
		all = append(all, p.hear(t))
	}
	for i := range all {
		m := all[len(all)-1-i]
		p.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.Params)
	}
	wg.Wait()
}

func TestTextsStayAsTheyAre(t *testing.T) {
	p := open(t, Config{})
	go p.Call(t.Context(), "m", none, nil)
	if m := p.hear(t); string(m.Params) != `{"a":"<b>"}` {
		t.Errorf("said %s", m.Params)
	}
}

// Only the call fails whose answer is too long, wherever its number stands.
func TestALineThatIsTooLongFailsItsCallAlone(t *testing.T) {
	p := open(t, Config{MaxLine: 10_000})
	long := strings.Repeat(`"id":7,`, 5000)
	for name, answer := range map[string]string{
		"first": `{"jsonrpc":"2.0","id":%s,"result":"` + strings.ReplaceAll(long, `"`, `\"`) + `"}`,
		"last":  `{"jsonrpc":"2.0","result":"` + strings.ReplaceAll(long, `"`, `\"`) + `","id":%s}`,
	} {
		done := make(chan error)
		go func() { _, err := p.Call(t.Context(), "long", none, nil); done <- err }()
		m := p.hear(t)
		other := make(chan error)
		go func() { _, err := p.Call(t.Context(), "short", none, nil); other <- err }()
		n := p.hear(t)
		p.say(answer, m.ID)
		if err := <-done; !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
		p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, n.ID)
		if err := <-other; err != nil {
			t.Errorf("%s: the other call: %v", name, err)
		}
	}
}

func TestStrayLinesAreTold(t *testing.T) {
	stray := make(chan string, 10)
	p := open(t, Config{Stray: func(line []byte) { stray <- strings.TrimSpace(string(line)) }})
	done := make(chan error)
	go func() { _, err := p.Call(t.Context(), "m", none, nil); done <- err }()
	m := p.hear(t)
	for _, line := range []string{"hello", `{"jsonrpc":"1.0","id":1,"result":1}`, "[1]", `{"jsonrpc":"2.0","id":99,"result":1}`, ""} {
		p.say("%s", line)
	}
	p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	if err := <-done; err != nil || len(stray) != 3 || <-stray != "hello" {
		t.Errorf("%v, %d stray lines", err, len(stray))
	}
}

// The end of a connection ends every call at once, and later ones too.
func TestTheEndEndsEveryCall(t *testing.T) {
	p := open(t, Config{})
	done := make(chan error)
	for range 3 {
		go func() { _, err := p.Call(t.Context(), "m", none, nil); done <- err }()
		p.hear(t)
	}
	p.w.Close()
	for range 3 {
		if err := <-done; !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
	}
	if _, err := p.Call(t.Context(), "m", none, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a later one: %v", err)
	}
	<-p.Done()
}

// A call that is given up returns at once, also when nobody reads what we say.
func TestACallThatIsGivenUpReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		for range queued + 10 { // the queue is full in the end
			go p.Call(ctx, "m", none, nil)
		}
		if _, err := p.Call(ctx, "m", none, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		p.w.Close()
		p.Close() // also with a writer whom nobody reads
	})
}

func TestAGivenUpCallIsToldOf(t *testing.T) {
	p := open(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := p.Call(ctx, "m", none, nil); done <- err }()
	m := p.hear(t)
	cancel()
	<-done
	if n := p.hear(t); n.Method != "notifications/cancelled" || !strings.Contains(string(n.Params), `"requestId":`+string(m.ID)) {
		t.Errorf("told %+v", n)
	}
	p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID) // late, and nobody's
}

func TestRequestsAreAnswered(t *testing.T) {
	p := open(t, Config{Handle: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		if method == "ping" {
			return struct{}{}, nil
		}
		return nil, &Error{Code: MethodNotFound, Message: "no"}
	}})
	p.say(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	if m := p.hear(t); string(m.ID) != `"x"` || string(m.Result) != "{}" {
		t.Errorf("%+v", m)
	}
	p.say(`{"jsonrpc":"2.0","id":2,"method":"other"}`)
	if m := p.hear(t); m.Error == nil || m.Error.Code != MethodNotFound {
		t.Errorf("%+v", m)
	}
}

// A request that the other side gives up is ended, and not answered.
func TestARequestThatIsGivenUpIsNotAnswered(t *testing.T) {
	begun := make(chan struct{})
	p := open(t, Config{Handle: func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
		if method == "long" {
			close(begun)
			<-ctx.Done()
		}
		return "done", nil
	}})
	p.say(`{"jsonrpc":"2.0","id":5,"method":"long"}`)
	<-begun
	p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	p.say(`{"jsonrpc":"2.0","id":6,"method":"short"}`)
	if m := p.hear(t); string(m.ID) != "6" {
		t.Errorf("answered %+v", m)
	}
}

// Whatever comes in, the connection takes it, and the next answer arrives.
func FuzzWhateverComesIn(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte("\x00\xff{}\n[]\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`))
	f.Fuzz(func(t *testing.T, noise []byte) {
		p := open(t, Config{MaxLine: 9000})
		done := make(chan error, 1)
		go func() {
			_, err := p.Call(t.Context(), "m", none, func(json.RawMessage) {})
			done <- err
		}()
		m := p.hear(t)
		go io.Copy(io.Discard, p.lines)
		p.w.Write(append(noise, '\n'))
		p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		<-done // with this answer, or one that the noise had
	})
}
