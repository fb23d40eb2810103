package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/toolfall/toolfall/internal/secret"
)

// An entry is a record on its way into a journal.
type entry struct {
	Record
	body []byte // what is written, or nil as long as nobody needed it
}

// intake makes entries of records.
type intake struct {
	now      func() time.Time
	patterns []*regexp.Regexp
}

// take returns the records as entries that no caller can change any more, in bounded
// memory. With encode they are ready to be written; otherwise whoever writes them does
// the rest, since the caller is in a hurry.
func (in *intake) take(records []Record, encode bool) ([]entry, error) {
	es := make([]entry, len(records))
	for i, r := range records {
		if err := r.check(); err != nil {
			return nil, err
		}
		if r.Time.IsZero() {
			r.Time = in.now()
		}
		r.Seq, r.Arguments = 0, in.arguments(r.Arguments)
		es[i].Record = r.bounded()
		if encode {
			in.encode(&es[i])
		}
	}
	return es, nil
}

// encode makes the body of an entry, without secrets.
func (in *intake) encode(e *entry) {
	if e.body != nil {
		return
	}
	e.Time = plain(e.Time)
	e.Record = e.redacted(in.mask)
	body, err := json.Marshal(e.Record)
	if err != nil { // a float that JSON does not have
		e.Done, e.Total = 0, 0
		body, err = json.Marshal(e.Record)
	}
	if err != nil {
		body = fmt.Appendf(nil, `{"call":%q,"kind":%q,"time":%q}`, e.Call, e.Kind, e.Time.Format(time.RFC3339Nano))
	}
	e.body = body
}

// mask hides secrets in a text.
func (in *intake) mask(s string) string {
	s = secret.Text(s)
	for _, p := range in.patterns {
		s = p.ReplaceAllLiteralString(s, secret.Mask)
	}
	return s
}

// redacted hides the secrets in all that a model, a tool or a person wrote, and cuts
// what was kept longer for that purpose.
func (r Record) redacted(mask func(string) string) Record {
	if len(r.Arguments) > 0 {
		r.Arguments = secret.JSON(r.Arguments, mask)
	}
	for _, s := range []*string{&r.Tool, &r.Agent, &r.Model, &r.Parent, &r.By, &r.Text, &r.Rule, &r.Code, &r.Spill} {
		if *s != "" {
			*s = clip(mask(*s), maxText)
		}
	}
	for i, e := range r.Edits {
		r.Edits[i] = mask(e)
	}
	r.Content = headAndTail(mask(r.Content), maxContent)
	return r
}

// hash returns what the chain has for a record: all that is stored of it, on top of
// the hash of the one before.
func hash(before [32]byte, seq int64, call ID, body []byte) (sum [32]byte) {
	h := sha256.New()
	var fixed [48]byte
	copy(fixed[:], before[:])
	binary.BigEndian.PutUint64(fixed[32:], uint64(seq))
	binary.BigEndian.PutUint64(fixed[40:], uint64(call))
	h.Write(fixed[:])
	h.Write(body)
	h.Sum(sum[:0])
	return sum
}

// decode reads a body back.
func decode(seq int64, call ID, body []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(body, &r); err != nil {
		return Record{}, &TamperedError{Seq: seq, Why: "it is not a record: " + err.Error()}
	}
	if r.Call != call {
		return Record{}, &TamperedError{Seq: seq, Why: "it is of another call than its row says"}
	}
	r.Seq, r.Time = seq, plain(r.Time)
	return r, nil
}

// omitted stands for arguments that are too long to keep.
type omitted struct {
	Omitted struct {
		Bytes  int    `json:"bytes"`
		SHA256 string `json:"sha256"` // of the arguments with their secrets masked
	} `json:"omitted"`
}

// arguments bounds what is kept of arguments. Long ones are masked before they are
// hashed: a hash of few unknown bytes would give them away.
func (in *intake) arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) <= maxArguments {
		return raw
	}
	var o omitted
	sum := sha256.Sum256(secret.JSON(raw, in.mask))
	o.Omitted.Bytes, o.Omitted.SHA256 = len(raw), hex.EncodeToString(sum[:])
	out, _ := json.Marshal(o)
	return out
}
