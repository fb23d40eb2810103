package journal

import (
	"context"
	"errors"

	"github.com/ncruces/go-sqlite3"
)

// Verify implements [Journal]. It also checks that the list of calls and the sums are
// what the records make them. It reads everything, as it stands when it begins, and
// holds up nobody.
func (j *SQLite) Verify(ctx context.Context, known ...Head) (Head, error) {
	if err := j.catchUp(ctx); err != nil {
		return Head{}, err
	}
	c, err := connectReader(j.path)
	if err != nil {
		return Head{}, err
	}
	defer closeAll(c)
	c.SetInterrupt(ctx)
	if err := c.Exec("BEGIN"); err != nil {
		return Head{}, classify(err)
	}
	v := verifier{c: c, known: known}
	if err := errors.Join(v.chain(), ctx.Err()); err != nil {
		return Head{}, err
	}
	return v.head, errors.Join(v.calls(), v.lost(), v.tally(), ctx.Err())
}

// verifier goes through a journal within one transaction.
type verifier struct {
	c     *sqlite3.Conn
	known []Head
	head  Head
	sums  map[tallyKey]int64 // the tally as the calls make it

	shown         int64 // the Seq up to which the lists are to be right
	records, told int   // how many records there are up to it, and how many belong to a call
}

// rows hands each row of a query to f, until that fails.
func (v *verifier) rows(sql string, f func(*sqlite3.Stmt) error) error {
	s, _, err := v.c.Prepare(sql)
	if err != nil {
		return classify(err)
	}
	defer s.Close()
	for s.Step() {
		if err := f(s); err != nil {
			return err
		}
	}
	return classify(s.Err())
}

// chain follows the hashes from the anchor on.
func (v *verifier) chain() error {
	err := v.rows("SELECT seq, hash, shown FROM anchor", func(s *sqlite3.Stmt) error {
		v.head.Seq, v.shown = s.ColumnInt64(0), s.ColumnInt64(2)
		copy(v.head.Hash[:], s.ColumnRawBlob(1))
		return nil
	})
	if err != nil {
		return err
	}
	err = v.rows("SELECT seq, call, body, hash FROM record ORDER BY seq", func(s *sqlite3.Stmt) error {
		return v.next(s.ColumnInt64(0), ID(s.ColumnInt64(1)), s.ColumnRawText(2), s.ColumnRawBlob(3))
	})
	if err != nil {
		return err
	}
	return v.reached()
}

// next checks the next record of the chain.
func (v *verifier) next(seq int64, call ID, body, sum []byte) error {
	next := Head{Seq: v.head.Seq + 1}
	if seq != next.Seq {
		return &TamperedError{Seq: next.Seq, Why: "it is missing"}
	}
	next.Hash = hash(v.head.Hash, seq, call, body)
	if string(next.Hash[:]) != string(sum) {
		return &TamperedError{Seq: seq, Why: "it is not what was written, or something before it is not"}
	}
	v.head = next
	if seq <= v.shown {
		v.records++
	}
	return v.compare(next)
}

// reached checks that the chain goes as far as it was known to.
func (v *verifier) reached() error {
	for _, h := range v.known {
		if h.Seq > v.head.Seq {
			return &TamperedError{Seq: h.Seq, Why: "it is missing, and was there when its head was noted"}
		}
	}
	return nil
}

// compare checks a place in the chain against the heads that were noted.
func (v *verifier) compare(h Head) error {
	for _, k := range v.known {
		if k.Seq == h.Seq && k.Hash != h.Hash {
			return &TamperedError{Seq: h.Seq, Why: "the chain up to it is not the one whose head was noted"}
		}
	}
	return nil
}

// calls checks that each call is what its records add up to, and counts them.
func (v *verifier) calls() error {
	v.sums = map[tallyKey]int64{}
	records, _, err := v.c.Prepare(story)
	if err != nil {
		return classify(err)
	}
	defer records.Close()
	return v.rows("SELECT "+callColumns+" FROM call", func(s *sqlite3.Stmt) error {
		got, want := scanCall(s), Call{}
		if err := records.BindInt64(1, int64(got.ID)); err != nil {
			return err
		}
		for records.Step() {
			r, err := decode(records.ColumnInt64(0), got.ID, records.ColumnRawText(2))
			if err != nil {
				return err
			}
			want.apply(r)
			v.told++
		}
		if err := errors.Join(records.Err(), records.Reset()); err != nil {
			return err
		}
		if got != want {
			return &TamperedError{Call: got.ID, Why: "the list of calls does not show what its records say"}
		}
		if got.Ended {
			v.sums[keyOf(got)]++
		}
		return nil
	})
}

// lost looks for records that no list leads to although their call is there, and for
// calls that are in no list although their first record is there.
func (v *verifier) lost() error {
	err := v.rows("SELECT seq, call, body FROM record WHERE seq <= (SELECT shown FROM anchor) AND call NOT IN (SELECT id FROM call)", func(s *sqlite3.Stmt) error {
		v.told++
		r, err := decode(s.ColumnInt64(0), ID(s.ColumnInt64(1)), s.ColumnRawText(2))
		if err == nil && r.Kind == Asked {
			err = &TamperedError{Call: r.Call, Why: "it is missing in the list of calls"}
		}
		return err
	})
	if err == nil && v.told != v.records {
		err = &TamperedError{Why: "some records are not shown with their call"}
	}
	return err
}

// tally checks the sums.
func (v *verifier) tally() error {
	err := v.rows("SELECT hour, tool, code, class, n FROM tally WHERE n <> 0", func(s *sqlite3.Stmt) error {
		k := tallyKey{s.ColumnInt64(0), s.ColumnText(1), s.ColumnText(2), s.ColumnInt(3)}
		if v.sums[k] != s.ColumnInt64(4) {
			return &TamperedError{Why: "the sums are not those of the calls"}
		}
		delete(v.sums, k)
		return nil
	})
	if err == nil && len(v.sums) > 0 {
		err = &TamperedError{Why: "the sums leave out calls"}
	}
	return err
}
