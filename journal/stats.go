package journal

import (
	"context"
	"strings"
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
// code and whole hours alone, and counts the calls that it is about otherwise, which
// takes as long as there are many. A call that was interrupted counts once that is
// recorded, which the next Open to write sees to.
func (j *SQLite) Stats(ctx context.Context, f Filter) ([]Tally, error) {
	if err := j.catchUp(ctx); err != nil {
		return nil, err
	}
	cs := counters{}
	sql, args := f.sums()
	err := j.query(ctx, sql, args, func(s *sqlite3.Stmt) {
		if n := s.ColumnInt64(3); n > 0 {
			cs.add(s.ColumnText(0), s.ColumnText(1), s.ColumnInt(2), n)
		}
	})
	return cs.tallies(), err
}

// sums returns the query for what the filter is about.
func (f Filter) sums() (sql string, args []any) {
	from, to, whole := f.hours()
	if !whole || f.Agent != "" {
		where, args := f.where()
		return "SELECT tool, code, class, 1 FROM call WHERE " + strings.Join(append(where, "code IS NOT NULL"), " AND "), args
	}
	sql, args = "SELECT tool, code, class, sum(n) FROM tally WHERE hour >= ? AND hour < ?", []any{from, to}
	if f.Tool != "" {
		sql, args = sql+" AND tool = ?", append(args, f.Tool)
	}
	if f.Code != "" {
		sql, args = sql+" AND code = ?", append(args, f.Code)
	}
	return sql + " GROUP BY tool, code, class", args
}
