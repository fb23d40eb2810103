package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// Notify tells the other side something.
func (k *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return k.send(ctx, Message{Version: version, Method: method, Params: raw})
}

// Call asks the other side and waits for its answer: a result, or an *Error. When ctx ends
// first it returns at once, and the other side is told. params makes the parameters, of
// which the number of the call may be a part; hear, when not nil, is told of progress.
func (k *Conn) Call(ctx context.Context, method string, params func(id int64) (any, error), hear func(json.RawMessage)) (json.RawMessage, error) {
	id, answer, err := k.register(hear)
	if err != nil {
		return nil, err
	}
	number := strconv.FormatInt(id, 10)
	defer k.forget(number)
	given, err := params(id)
	if err != nil {
		return nil, err
	}
	raw, err := encode(given)
	if err != nil {
		return nil, err
	}
	if err := k.send(ctx, Message{Version: version, ID: json.RawMessage(number), Method: method, Params: raw}); err != nil {
		return nil, err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return nil, k.Err()
		case m.Error != nil:
			return nil, m.Error
		case m.Result == nil: // what answers has one or the other
			return nil, fmt.Errorf("%w: %d bytes may be taken in", ErrTooLong, k.in.most)
		}
		return m.Result, nil
	case <-ctx.Done():
		k.cancel(id)
		return nil, context.Cause(ctx)
	}
}

// cancel tells the other side that nobody waits for an answer any more, if that can be told
// without waiting.
func (k *Conn) cancel(id int64) {
	raw, err := json.Marshal(map[string]any{"requestId": id, "reason": "cancelled"})
	if err != nil {
		return
	}
	text, err := encode(Message{Version: version, Method: "notifications/cancelled", Params: raw})
	if err != nil {
		return
	}
	select {
	case k.queue <- line{text: text}:
	default:
	}
}

// Encode returns JSON in which texts stay as they are.
func Encode(v any) ([]byte, error) {
	raw, err := encode(v)
	return bytes.TrimSuffix(raw, []byte("\n")), err
}

// encode is Encode, as a line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v) // which ends with a newline
	return b.Bytes(), err
}

func (k *Conn) register(hear func(json.RawMessage)) (id int64, answer chan Message, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil {
		return 0, nil, k.Err()
	}
	k.last++
	answer = make(chan Message, 1)
	number := strconv.FormatInt(k.last, 10)
	k.waiting[number] = answer
	if hear != nil {
		k.hearing[number] = hear
	}
	return k.last, answer, nil
}

func (k *Conn) forget(number string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.waiting, number)
	delete(k.hearing, number)
}
