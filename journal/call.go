package journal

import "time"

// A Call is what the records of one call add up to.
type Call struct {
	ID      ID            `json:"id"`
	Tool    string        `json:"tool"`
	Agent   string        `json:"agent,omitempty"`
	Model   string        `json:"model,omitempty"`
	Parent  string        `json:"parent,omitempty"`
	Asked   time.Time     `json:"asked"`
	Started time.Time     `json:"started,omitzero"` // zero for a call that had no effect
	Ended   bool          `json:"ended"`            // false while it runs
	Code    string        `json:"code,omitempty"`   // why it failed; [Interrupted] when nobody knows
	Took    time.Duration `json:"tookNs,omitempty"`

	first int64 // the Seq of its first record
}

// apply takes in the next record of the call. A call that was asked before the oldest
// record that is kept stays empty.
func (c *Call) apply(r Record) {
	switch {
	case r.Kind == Asked && c.first == 0:
		c.ID, c.first = r.Call, r.Seq
		c.Tool, c.Agent, c.Model, c.Parent, c.Asked = r.Tool, r.Agent, r.Model, r.Parent, plain(r.Time)
	case c.first == 0:
	case r.Kind == Start && c.Started.IsZero():
		c.Started = plain(r.Time)
	case r.Kind == Outcome && (!c.Ended || c.Code == Interrupted):
		c.Ended, c.Code, c.Took = true, r.Code, r.Took
		if c.Took <= 0 {
			c.Took = max(0, plain(r.Time).Sub(c.Asked))
		}
	case r.Kind == Interrupt && !c.Ended:
		c.Ended, c.Code = true, Interrupted
	}
}

// plain is a time as it comes back from the journal.
func plain(t time.Time) time.Time { return time.Unix(0, t.UnixNano()).UTC() }

// A Filter says which calls are meant: those that fit every field that is set.
type Filter struct {
	Tool, Agent, Code string
	Since, Until      time.Time // asked at or after Since, and before Until
}

func (f Filter) matches(c Call) bool {
	return (f.Tool == "" || f.Tool == c.Tool) &&
		(f.Agent == "" || f.Agent == c.Agent) &&
		(f.Code == "" || f.Code == c.Code) &&
		!c.Asked.Before(f.Since) && (f.Until.IsZero() || c.Asked.Before(f.Until))
}

// where returns the filter as SQL. A call that has not ended passes for every code, as
// it may turn out to be interrupted.
func (f Filter) where() (where []string, args []any) {
	add := func(sql string, arg any) { where, args = append(where, sql), append(args, arg) }
	if f.Tool != "" {
		add("tool = ?", f.Tool)
	}
	if f.Agent != "" {
		add("agent = ?", f.Agent)
	}
	if f.Code != "" {
		add("(code = ? OR code IS NULL)", f.Code)
	}
	if !f.Since.IsZero() {
		add("asked >= ?", f.Since.UnixNano())
	}
	if !f.Until.IsZero() {
		add("asked < ?", f.Until.UnixNano())
	}
	return where, args
}
