package journal

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Record is one event of a call. Only the fields of its kind are used.
type Record struct {
	Seq  int64     `json:"seq,omitempty"` // its place in the chain; the journal gives it
	Call ID        `json:"call"`
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"` // when it happened; the time of Append when zero

	// Asked: who wants what.
	Tool   string `json:"tool,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Model  string `json:"model,omitempty"`  // the ID that the model gave the call
	Parent string `json:"parent,omitempty"` // the model's ID of the call that this one is part of

	// Asked has the arguments as they came, Start those that the tool gets, or none where
	// they are the same. What is not
	// JSON becomes a JSON string, and what is longer than 64 KiB its length and hash.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Edits     []string        `json:"edits,omitempty"` // Start: how they were repaired

	// Decision: who let the call go on or refused it, and why. Mark: what the tool has
	// done so far.
	By    string  `json:"by,omitempty"`
	Text  string  `json:"text,omitempty"` // the effect of a decision, or what a mark says
	Rule  string  `json:"rule,omitempty"`
	Done  float64 `json:"done,omitempty"`
	Total float64 `json:"total,omitempty"`

	// Outcome: how it ended.
	Code    string        `json:"code,omitempty"`    // empty for a success
	Content string        `json:"content,omitempty"` // what the model reads, at most 8 KiB of it
	Bytes   int           `json:"bytes,omitempty"`   // how much the content was; its length when zero
	Spill   string        `json:"spill,omitempty"`   // where all of it is kept
	Took    time.Duration `json:"tookNs,omitempty"`  // of the whole call; since Asked when zero
	Stages  []Stage       `json:"stages,omitempty"`
}

// A Stage is a part of the way of a call, and how long it took.
type Stage struct {
	Name string        `json:"name"`
	Took time.Duration `json:"tookNs"`
}

// Kind says what a record is about.
type Kind string

// The kinds of record, in the order in which a call has them.
const (
	Asked     Kind = "asked"
	Decision  Kind = "decision" // any number of them
	Start     Kind = "start"    // the tool is about to run: effects are possible from here on
	Mark      Kind = "mark"     // any number of them
	Outcome   Kind = "outcome"
	Interrupt Kind = "interrupted" // instead of Outcome: the process ended before the call did
)

// Interrupted is the code of a call whose process ended before it did.
const Interrupted = "INTERRUPTED"

func (r Record) check() error {
	if r.Call == 0 {
		return fmt.Errorf("journal: a record without a call; Next gives its ID")
	}
	switch r.Kind {
	case Asked, Decision, Start, Mark, Outcome, Interrupt:
		return nil
	}
	return fmt.Errorf("journal: unknown kind of record %q", r.Kind)
}
