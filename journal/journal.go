// Package journal records what became of every call: what was asked and by whom, what
// was decided and by which rule, what ran, and how it ended. Records are only ever
// added; a chain of hashes over them shows a change afterwards.
//
// A call's story is a row of [Record] values, from Asked to Outcome, under an [ID] that
// [Journal.Next] gives. Append them in the order in which they happen: what was asked
// and decided with the Start, durably, before anything has an effect; the Outcome,
// durably, before anyone is told of it. For calls that only read, [Fast] is enough.
// [Call] is what the records of one call add up to, and [Tally] what the calls of one
// tool do.
//
// [Open] keeps a journal in an SQLite file that several processes may share, [Memory]
// keeps the last records in memory. Both pass journal/journaltest.
package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Journal keeps the records of calls. All its methods may be called from many
// goroutines at once.
type Journal interface {
	// Next returns an ID that no other call of this journal has or will have.
	Next() ID

	// Append adds records, in this order and behind all that were added before. With
	// Durable it returns when they cannot be lost any more, with Fast when they are in a
	// bounded queue that is written soon. An error means that they may be missing; where
	// ctx ended, they may be there all the same. What Fast could not write in the end,
	// the next Append or Close tells.
	Append(ctx context.Context, d Durability, records ...Record) error

	// Calls yields the calls that f is about, the newest first.
	Calls(ctx context.Context, f Filter) iter.Seq2[Call, error]

	// Records returns the records of one call, in order, or [ErrUnknown].
	Records(ctx context.Context, id ID) ([]Record, error)

	// All yields every record with a Seq above after, in the order of the chain.
	All(ctx context.Context, after int64) iter.Seq2[Record, error]

	// Stats sums up the calls that f is about and that have ended, tool by tool.
	Stats(ctx context.Context, f Filter) ([]Tally, error)

	// Verify checks that nothing was changed since it was written, as far as the chain
	// tells, and that each known head is in it. It returns the newest head, or a
	// [*TamperedError].
	Verify(ctx context.Context, known ...Head) (Head, error)

	// Close writes what is queued. Calls that have not ended are interrupted then.
	Close() error
}

// Durability says when Append returns.
type Durability int

const (
	// Fast returns once the records are queued. They are written in a moment, and no
	// later than the next Durable ones; a kill before that takes them along.
	Fast Durability = iota

	// Durable returns once the records and all before them are on the disk, as far as
	// the disk tells the truth: neither a kill nor a loss of power takes them back.
	Durable
)

// Errors to ask for with errors.Is.
var (
	ErrClosed   = errors.New("the journal is closed")
	ErrUnknown  = errors.New("the journal has no such call")
	ErrReadOnly = errors.New("the journal is open for reading only")
	ErrCorrupt  = errors.New("the file is not a journal, or damaged")
	ErrNewer    = errors.New("the journal was made by a newer version of toolfall")
)

// A Head is a place in the chain. Whoever noted one elsewhere can show later that
// nothing up to it was changed; the chain alone, which has no key, does not hold out
// against somebody who writes all of it anew from some point on.
type Head struct {
	Seq  int64
	Hash [32]byte
}

// String returns the head as [ParseHead] reads it.
func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Seq, h.Hash) }

// ParseHead reads what [Head.String] wrote.
func ParseHead(s string) (h Head, err error) {
	seq, sum, _ := strings.Cut(s, ":")
	h.Seq, err = strconv.ParseInt(seq, 10, 64)
	raw, hexErr := hex.DecodeString(sum)
	if err != nil || hexErr != nil || len(raw) != len(h.Hash) || h.Seq < 0 {
		return Head{}, fmt.Errorf("bad head %q: want a number, a colon and 64 hexadecimal digits", s)
	}
	copy(h.Hash[:], raw)
	return h, nil
}

// A TamperedError says where the journal is not as it was written.
type TamperedError struct {
	Seq  int64 // the first record that does not fit, or 0
	Call ID    // the call that is not what its records say, or 0
	Why  string
}

// Error tells the place and the reason.
func (e *TamperedError) Error() string {
	switch {
	case e.Seq != 0:
		return fmt.Sprintf("record %d: %s", e.Seq, e.Why)
	case e.Call != 0:
		return fmt.Sprintf("call %s: %s", e.Call, e.Why)
	}
	return e.Why
}
