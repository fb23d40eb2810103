// Package rpc speaks JSON-RPC 2.0 over lines of text, as MCP does on standard streams.
//
// A [Conn] has one reader and one writer, and many callers who wait. What it passes on it
// does not decode: parameters and results stay the bytes that they are.
package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Message is what one line holds: a request, a notification, which has no ID, or an
// answer, which has no Method.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// version is the only one there is.
const version = "2.0"

// Error is an answer that is none.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The codes of JSON-RPC that are used here.
const (
	MethodNotFound = -32601
	InvalidParams  = -32602
)

// Error tells code and message.
func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

// parse reads a line. It is not ok for one that is no message, such as a banner that a
// program prints where it should not.
func parse(line []byte) (m Message, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil || m.Version != version {
		return m, false
	}
	return m, m.Method != "" || len(m.ID) > 0 && (m.Result != nil || m.Error != nil)
}
