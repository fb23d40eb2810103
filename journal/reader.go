package journal

import (
	"context"
	"errors"
	"iter"
	"os"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// reader is a connection that only reads: it waits for no writer and holds none up.
type reader struct {
	c     *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt // the ones in use, by their SQL
}

// maxStatements is how many statements are kept: there are few forms of query.
const maxStatements = 64

func connectReader(path string) (*sqlite3.Conn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	c, err := connect(path, sqlite3.OPEN_READONLY, "PRAGMA query_only=ON; PRAGMA trusted_schema=OFF;")
	if err != nil {
		return nil, err
	}
	fresh, err := checkVersion(c)
	if err == nil && fresh {
		err = ErrCorrupt
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// openReader opens the connection for reads, once. Nobody else reads meanwhile.
func (j *SQLite) openReader() error {
	if j.r != nil {
		return nil
	}
	c, err := connectReader(j.path)
	if err == nil {
		j.r = &reader{c: c, stmts: map[string]*sqlite3.Stmt{}}
	}
	return err
}

func (r *reader) close() error { return closeAll(r.c) }

// statement returns the statement of a query, with its arguments: numbers and texts.
func (r *reader) statement(sql string, args []any) (*sqlite3.Stmt, error) {
	s := r.stmts[sql]
	if s == nil {
		var err error
		if s, _, err = r.c.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return nil, classify(err)
		}
		if len(r.stmts) >= maxStatements {
			for _, old := range r.stmts {
				old.Close()
			}
			clear(r.stmts)
		}
		r.stmts[sql] = s
	}
	var err error
	for i, a := range args {
		switch a := a.(type) {
		case int64:
			err = errors.Join(err, s.BindInt64(i+1, a))
		case string:
			err = errors.Join(err, s.BindText(i+1, a))
		}
	}
	return s, err
}

// query hands each row to f, which must be quick: nobody else reads meanwhile. What is
// queued is read as well, since it is written first.
func (j *SQLite) query(ctx context.Context, sql string, args []any, f func(*sqlite3.Stmt)) error {
	j.reads.Lock()
	defer j.reads.Unlock()
	if err := j.closedError(ctx); err != nil { // asked under the lock that Close takes after
		return err
	}
	if err := j.openReader(); err != nil {
		return err
	}
	s, err := j.r.statement(sql, args)
	if err != nil {
		return err
	}
	j.r.c.SetInterrupt(ctx)
	for s.Step() {
		f(s)
	}
	err = s.Err()
	j.r.c.SetInterrupt(context.Background())
	return classify(errors.Join(err, s.Reset(), ctx.Err()))
}

// pageOf is how many rows are read at a time: few at first, since most look at few.
func pageOf(round int) int64 {
	if round == 0 {
		return 32
	}
	return 512
}

// Calls implements [Journal].
func (j *SQLite) Calls(ctx context.Context, f Filter) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		if err := j.catchUp(ctx); err != nil {
			yield(Call{}, err)
			return
		}
		p := pulse{file: livesIn(j.path), own: j.session.id}
		var before *Call
		for round := 0; ; round++ {
			calls, err := j.page(ctx, f, before, pageOf(round))
			if err != nil {
				yield(Call{}, err)
				return
			}
			for _, c := range calls {
				p.feel(&c)
				if f.matches(c) && !yield(c, nil) {
					return
				}
			}
			if int64(len(calls)) < pageOf(round) {
				return
			}
			before = &calls[len(calls)-1]
		}
	}
}

// page reads the next calls before one, the newest first.
func (j *SQLite) page(ctx context.Context, f Filter, before *Call, n int64) (calls []Call, err error) {
	where, args := f.where()
	if before != nil {
		where = append(where, "(asked, id) < (?, ?)")
		args = append(args, before.Asked.UnixNano(), int64(before.ID))
	}
	sql := "SELECT " + callColumns + " FROM call"
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	err = j.query(ctx, sql+" ORDER BY asked DESC, id DESC LIMIT ?", append(args, n), func(s *sqlite3.Stmt) {
		calls = append(calls, scanCall(s))
	})
	return calls, err
}

// story is a query for the records of a call.
const story = "SELECT seq, record.call, body FROM story JOIN record USING(seq) WHERE story.call = ? ORDER BY seq"

// Records implements [Journal].
func (j *SQLite) Records(ctx context.Context, id ID) (out []Record, err error) {
	if err := j.catchUp(ctx); err != nil {
		return nil, err
	}
	var bad error
	err = j.query(ctx, story, []any{int64(id)}, func(s *sqlite3.Stmt) {
		r, err := decode(s.ColumnInt64(0), ID(s.ColumnInt64(1)), s.ColumnRawText(2))
		bad = errors.Join(bad, err)
		out = append(out, r)
	})
	switch {
	case err != nil || bad != nil:
		return nil, errors.Join(err, bad)
	case len(out) == 0:
		return nil, ErrUnknown
	}
	return out, nil
}

// All implements [Journal].
func (j *SQLite) All(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		err := j.catchUp(ctx)
		for n := pageOf(1); err == nil; {
			var page []Record
			var bad error
			err = j.query(ctx, "SELECT seq, call, body FROM record WHERE seq > ? ORDER BY seq LIMIT ?", []any{after, n}, func(s *sqlite3.Stmt) {
				r, err := decode(s.ColumnInt64(0), ID(s.ColumnInt64(1)), s.ColumnRawText(2))
				bad = errors.Join(bad, err)
				page = append(page, r)
			})
			if err = errors.Join(err, bad); err != nil {
				break
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if int64(len(page)) < n {
				return
			}
			after = page[len(page)-1].Seq
		}
		yield(Record{}, err)
	}
}

// catchUp writes and lists what is queued, so that whoever appended something reads it.
func (j *SQLite) catchUp(ctx context.Context) error {
	if err := j.closedError(ctx); err != nil || j.config.ReadOnly {
		return err
	}
	select {
	case j.lead <- struct{}{}:
	case <-j.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-j.lead }()
	j.commit()
	return j.w.show()
}
