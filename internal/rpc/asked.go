package rpc

import (
	"context"
	"encoding/json"
	"errors"
)

type idKey struct{}

// ID is the number that the other side gave the request whose handler has the context.
func ID(ctx context.Context) json.RawMessage {
	id, _ := ctx.Value(idKey{}).(json.RawMessage)
	return id
}

// usualAsked is how many requests of the other side are answered at a time.
const usualAsked = 16

// ask has a request answered, unless there are too many.
func (k *Conn) ask(m Message) {
	select {
	case k.asked <- struct{}{}:
		k.begin(m)
	default:
		if text, err := encode(Message{Version: version, ID: m.ID, Error: &Error{Code: -32603, Message: "too many requests at a time"}}); err == nil {
			select {
			case k.queue <- line{text: text}:
			default:
			}
		}
	}
}

// begin has a request answered, unless the connection has ended.
func (k *Conn) begin(m Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(k.ctx, idKey{}, m.ID))
	k.asking[string(m.ID)] = cancel
	k.ended.Add(1)
	k.answering.Add(1)
	k.answers.Add(1)
	go k.answer(ctx, cancel, m) // ends with its handler, whose context ends with the connection
}

// answer answers a request, unless the other side has given it up.
func (k *Conn) answer(ctx context.Context, cancel context.CancelFunc, m Message) {
	defer k.ended.Done()
	defer k.answering.Done()
	defer k.answers.Done()
	defer func() { <-k.asked }()
	defer cancel()
	out := Message{Version: version, ID: m.ID}
	result, err := k.handle(ctx, m)
	if err == nil {
		out.Result, err = encode(result)
	}
	if err != nil {
		var own *Error
		if !errors.As(err, &own) {
			own = &Error{Code: -32603, Message: err.Error()}
		}
		out.Result, out.Error = nil, own
	}
	k.mu.Lock()
	delete(k.asking, string(m.ID))
	k.mu.Unlock()
	if ctx.Err() == nil {
		k.send(k.ctx, out)
	}
}

func (k *Conn) handle(ctx context.Context, m Message) (any, error) {
	if k.config.Handle == nil {
		return nil, &Error{Code: MethodNotFound, Message: "method not found: " + m.Method}
	}
	return k.config.Handle(ctx, m.Method, m.Params)
}
