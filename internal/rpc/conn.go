package rpc

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Handler answers what the other side asks. A notification has no answer. The context of a
// request ends when the other side gives it up, which then gets no answer.
type Handler func(ctx context.Context, method string, params json.RawMessage) (result any, err error)

// Config sets up a Conn.
type Config struct {
	Handle Handler // of requests and notifications; nil refuses all requests

	// Linger is how long requests of the other side may go on, and be answered, when its
	// stream has ended: it may have said all that it has to say.
	Linger time.Duration

	Asked   int // how many requests of the other side are answered at a time; 16 when zero
	MaxLine int // the longest line that is taken in, in bytes; MaxLine when zero

	// Stray is told of lines that are no messages. Nil: nobody.
	Stray func(line []byte)
}

// ErrClosed is in the error of a call whose connection ended before its answer came: what
// became of it nobody knows.
var ErrClosed = errors.New("the connection ended")

// ErrTooLong is in the error of a call whose answer is too long.
var ErrTooLong = errors.New("the answer is too long")

// Conn is one connection. Its methods may be called from many goroutines.
type Conn struct {
	config Config
	in     *lines
	out    io.WriteCloser
	ctx    context.Context // of what the other side asks; ends with the connection
	end    context.CancelCauseFunc
	queue  chan line // to be written
	asked  chan struct{}
	ended  sync.WaitGroup

	closing   sync.Once
	answers   sync.WaitGroup
	answering sync.WaitGroup // those of ended that answer requests, and the writer

	mu      sync.Mutex
	last    int64
	waiting map[string]chan Message // by the number of the call
	hearing map[string]func(json.RawMessage)
	asking  map[string]context.CancelFunc // requests of the other side that are being answered
}

// line is one to be written, or with no text a place in the queue.
type line struct {
	text    []byte
	reached chan struct{} // closed when that is reached
}

// queued is how many lines may wait to be written.
const queued = 64

// Open begins to speak. Close must be called; it closes out, and whoever owns the other end
// of in must close that for the reader to end.
func Open(in io.Reader, out io.WriteCloser, c Config) *Conn {
	k := &Conn{
		config: c, in: &lines{bufio.NewReaderSize(in, 64<<10), max(cmp.Or(c.MaxLine, MaxLine), 2*edge)}, out: out, queue: make(chan line, queued), asked: make(chan struct{}, cmp.Or(c.Asked, usualAsked)),
		waiting: make(map[string]chan Message), hearing: make(map[string]func(json.RawMessage)), asking: make(map[string]context.CancelFunc),
	}
	k.ctx, k.end = context.WithCancelCause(context.Background())
	k.ended.Add(2)
	k.answering.Add(1)
	go k.read()  // until in ends
	go k.write() // until the connection does
	return k
}

// Done is closed when the connection has ended.
func (k *Conn) Done() <-chan struct{} { return k.ctx.Done() }

// Err says why it has.
func (k *Conn) Err() error { return context.Cause(k.ctx) }

// Close ends the connection and waits for its goroutines.
func (k *Conn) Close() {
	k.fail(ErrClosed)
	k.ended.Wait()
}

// abortTime bounds how long Abort waits: a stream that cannot be closed may hold a writer up.
const abortTime = 10 * time.Second

// Abort ends the connection and waits for what answers requests, but not for the reader,
// whose stream is not ours to end.
func (k *Conn) Abort() {
	k.fail(ErrClosed)
	done := make(chan struct{})
	go func() { // ends with the program at the latest
		k.answering.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(abortTime):
	}
}

// fail ends the connection: everybody who waits is told at once.
func (k *Conn) fail(err error) {
	k.end(err)
	k.closing.Do(func() { k.out.Close() }) // which lets a writer go whom nobody reads
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, answer := range k.waiting {
		close(answer)
		delete(k.waiting, id)
	}
}

func (k *Conn) write() {
	defer k.ended.Done()
	defer k.answering.Done()
	for {
		select {
		case next := <-k.queue:
			if next.reached != nil {
				close(next.reached)
				continue
			}
			if _, err := k.out.Write(next.text); err != nil {
				k.fail(fmt.Errorf("%w: %w", ErrClosed, err))
				return
			}
		case <-k.ctx.Done():
			return
		}
	}
}

func (k *Conn) read() {
	defer k.ended.Done()
	for {
		line, whole, err := k.in.next()
		if err != nil {
			k.linger()
			k.fail(fmt.Errorf("%w: %w", ErrClosed, err))
			return
		}
		if !whole {
			k.deliver(answered(line), Message{})
			continue
		}
		m, ok := parse(line)
		switch {
		case !ok:
			if k.config.Stray != nil && len(bytes.TrimSpace(line)) > 0 {
				k.config.Stray(line)
			}
		case m.Method == "":
			k.deliver(string(m.ID), m)
		case len(m.ID) == 0:
			k.notified(m)
		default:
			k.ask(m)
		}
	}
}

// linger waits until what was asked is answered, and that is written, for some time.
func (k *Conn) linger() {
	if k.config.Linger <= 0 {
		return
	}
	answered := make(chan struct{})
	go func() { // the reader begins no more, so that this ends with the connection
		k.answers.Wait()
		reached := make(chan struct{})
		select {
		case k.queue <- line{reached: reached}:
			select {
			case <-reached:
			case <-k.ctx.Done():
			}
		case <-k.ctx.Done():
		}
		close(answered)
	}()
	timer := time.NewTimer(k.config.Linger)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	case <-k.ctx.Done():
	}
}

// deliver gives an answer to the call that waits for it. One that nobody waits for any more
// is dropped.
func (k *Conn) deliver(id string, m Message) {
	k.mu.Lock()
	answer := k.waiting[id]
	delete(k.waiting, id)
	k.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// progressToken is what a notification of progress names its call by.
type progressToken struct {
	Token json.RawMessage `json:"progressToken"`
}

// notified hears a notification: progress in the goroutine that reads, so that it comes in
// order and before the answer.
func (k *Conn) notified(m Message) {
	switch m.Method {
	case "notifications/cancelled":
		var c struct {
			Request json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &c) == nil {
			k.mu.Lock()
			cancel := k.asking[string(c.Request)]
			k.mu.Unlock()
			if cancel != nil {
				cancel()
			}
		}
		return
	case "notifications/progress":
		var p progressToken
		if json.Unmarshal(m.Params, &p) == nil {
			k.mu.Lock()
			hear := k.hearing[string(p.Token)]
			k.mu.Unlock()
			if hear != nil {
				hear(m.Params)
			}
		}
		return
	}
	if k.config.Handle != nil {
		k.config.Handle(k.ctx, m.Method, m.Params)
	}
}

func (k *Conn) send(ctx context.Context, m Message) error {
	text, err := encode(m)
	if err != nil {
		return err
	}
	select {
	case k.queue <- line{text: text}:
		return nil
	case <-k.ctx.Done():
		return k.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
