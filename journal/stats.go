package journal

import (
	"context"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// hours returns the whole hours that the filter is about, if it is about whole hours.
func (f Filter) hours() (from, to int64, ok bool) {
	from, to = 0, 1<<62/int64(time.Hour)
	if !f.Since.IsZero() {
		from = f.Since.UnixNano() / int64(time.Hour)
	}
	if !f.Until.IsZero() {
		to = f.Until.UnixNano() / int64(time.Hour)
	}
	whole := func(t time.Time) bool { return t.IsZero() || t.UnixNano()%int64(time.Hour) == 0 }
	return from, to, whole(f.Since) && whole(f.Until)
}

// Stats implements [Journal]. It adds up running totals where the filter is by tool,
// code and whole hours alone, and reads each call that it is about otherwise.
func (j *SQLite) Stats(ctx context.Context, f Filter) ([]Tally, error) {
	cs := counters{}
	from, to, whole := f.hours()
	if !whole || f.Agent != "" {
		for c, err := range j.Calls(ctx, f) {
			if err != nil {
				return nil, err
			}
			if c.Ended {
				cs.addCall(c)
			}
		}
		return cs.tallies(), nil
	}
	if err := j.catchUp(ctx); err != nil {
		return nil, err
	}
	err := j.query(ctx, "SELECT tool, code, class, sum(n) FROM tally WHERE hour >= ? AND hour < ? GROUP BY tool, code, class",
		[]any{from, to}, func(s *sqlite3.Stmt) {
			tool, code := s.ColumnText(0), s.ColumnText(1)
			if n := s.ColumnInt64(3); n > 0 && (f.Tool == "" || f.Tool == tool) && (f.Code == "" || f.Code == code) {
				cs.add(tool, code, s.ColumnInt(2), n)
			}
		})
	return cs.tallies(), err
}
