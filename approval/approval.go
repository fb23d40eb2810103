// Package approval holds the questions that a person has to answer before a call may
// run.
//
// A [Broker] queues them. Whoever asks calls [Broker.Ask] and waits; whoever shows
// questions to people calls [Broker.Serve], reads [Broker.Pending], and answers with
// [Broker.Answer]. The first valid answer wins; a late one, and one to something else
// than what was shown, is refused and says so. Where nobody serves, a question is
// answered at once: unavailable, which is not the same as rejected.
package approval

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"
)

// A Request is a question. Its texts have been escaped for people, its arguments have
// not.
type Request struct {
	ID        string          `json:"id"` // the broker gives it
	CallID    string          `json:"callId,omitempty"`
	Tool      string          `json:"tool"`
	Agent     string          `json:"agent,omitempty"`
	Arguments json.RawMessage `json:"arguments"`        // byte for byte what will run
	Text      string          `json:"text"`             // the call as a person reads it
	Why       string          `json:"why"`              // why it is asked
	Grants    []string        `json:"grants,omitempty"` // the exact rules that an answer for longer saves; none: only once
	Bound     []string        `json:"bound,omitempty"`  // what else must still hold when it runs, such as the identity of a directory
	Asked     time.Time       `json:"asked"`
	Expires   time.Time       `json:"expires"`
	Hash      string          `json:"hash"` // of all that was shown; an answer repeats it
}

// hash binds an answer to what was asked.
func (r Request) hash() string {
	r.Hash, r.ID, r.Asked, r.Expires = "", "", time.Time{}, time.Time{}
	arguments := r.Arguments
	r.Arguments = nil // byte for byte, not as JSON
	raw, err := json.Marshal(r)
	if err != nil {
		return "" // there is nothing in it that JSON does not have
	}
	sum := sha256.Sum256(append(append(raw, 0), arguments...))
	return hex.EncodeToString(sum[:])
}

// An Outcome is how a question ended.
type Outcome string

// The outcomes. The call runs after the first four alone.
const (
	Once        Outcome = "once"        // allowed, this time
	Session     Outcome = "session"     // allowed, and its grants until the program ends
	Project     Outcome = "project"     // allowed, and its grants in this project
	Always      Outcome = "always"      // allowed, and its grants everywhere
	Rejected    Outcome = "rejected"    // a person said no
	Cancelled   Outcome = "cancelled"   // the call was withdrawn
	Expired     Outcome = "expired"     // nobody answered in time
	Unavailable Outcome = "unavailable" // there is nobody to ask
)

// Allows reports whether the call may run.
func (o Outcome) Allows() bool { return o == Once || o.lasts() }

// lasts reports whether grants are saved.
func (o Outcome) lasts() bool { return o == Session || o == Project || o == Always }

// An Answer is what a person said to a question.
type Answer struct {
	ID      string  `json:"id"`
	Hash    string  `json:"hash"` // of the question that was shown
	Outcome Outcome `json:"outcome"`
	Note    string  `json:"note,omitempty"` // told to the model when rejected
	By      string  `json:"by,omitempty"`   // which surface it came from
}

// Why an answer is refused.
var (
	ErrUnknown  = errors.New("there is no such question")
	ErrSettled  = errors.New("the question has been settled already")
	ErrMismatch = errors.New("the answer is to something else than what is asked")
	ErrInvalid  = errors.New("that is no answer to this question")
)

func newID() string { return rand.Text()[:10] }
