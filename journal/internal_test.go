package journal

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
)

func TestDurationsAreWithinTheirClass(t *testing.T) {
	for d := time.Duration(0); d >= 0 && d < math.MaxInt64/2; d = d*9/8 + 700 {
		got := middle(class(d))
		if off := math.Abs(float64(got - d)); off > 0.032*float64(d)+1000 {
			t.Errorf("the class of %v is around %v", d, got)
		}
	}
	if class(-1) != 0 || middle(class(math.MaxInt64)) <= 0 {
		t.Error("the ends are wrong")
	}
}

// A disk that is full gives an error, and what is written stays whole; when there is
// room again, so does what comes then.
func TestAFullDiskIsAnErrorAndNothingIsHalfWritten(t *testing.T) {
	j, err := Open(filepath.Join(t.TempDir(), "journal.db"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	limit := func(pages string) {
		t.Helper()
		j.lead <- struct{}{}
		defer func() { <-j.lead }()
		if err := j.w.c.Exec("PRAGMA max_page_count=" + pages); err != nil {
			t.Fatal(err)
		}
	}
	call := func(d Durability) error {
		id := j.Next()
		return j.Append(t.Context(), d, Record{Call: id, Kind: Asked, Tool: "t"}, Record{Call: id, Kind: Outcome, Content: strings.Repeat("x", 5000)})
	}
	limit("64")
	good := 0
	for err = call(Durable); err == nil; err = call(Durable) {
		good++
	}
	if !errors.Is(err, sqlite3.FULL) || good == 0 {
		t.Fatalf("after %d calls: %v", good, err)
	}
	if err := call(Fast); err != nil {
		t.Errorf("a record that is queued: %v", err)
	}
	j.catchUp(t.Context())
	if err := call(Fast); !errors.Is(err, sqlite3.FULL) {
		t.Errorf("the Append after one that was lost: %v", err)
	}
	limit("100000")
	if err := call(Durable); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
	head, err := j.Verify(t.Context())
	if err != nil || head.Seq != int64(2*good+2) {
		t.Errorf("Verify = %v, %v; want %d records", head.Seq, err, 2*good+2)
	}
}

// Whatever is appended, it is read back as one record of the same call, within bounds.
func FuzzWhatIsWrittenIsReadBack(f *testing.F) {
	f.Add("bash", `{"command":"ls"}`, "done", "allow", 1.5)
	f.Add("\xff\x00", `{"a":"\ud800"`, strings.Repeat("ä", 9000), "\u2028", math.Inf(1))
	f.Fuzz(func(t *testing.T, tool, arguments, content, text string, done float64) {
		in := &intake{now: time.Now}
		es, err := in.take([]Record{{Call: 1<<32 + 7, Kind: Mark, Tool: tool, Arguments: json.RawMessage(arguments), Content: content, Text: text, Done: done}}, true)
		if err != nil {
			t.Fatal(err)
		}
		r, err := decode(3, 1<<32+7, es[0].body)
		if err != nil {
			t.Fatalf("%s: %v", es[0].body, err)
		}
		if r.Kind != Mark || r.Seq != 3 || !r.Time.Equal(es[0].Time) || r.Bytes != len(content) {
			t.Errorf("%+v is read back", r)
		}
		if len(r.Content) > 4*maxContent || !utf8.ValidString(r.Content) || len(r.Arguments) > 8*maxArguments || len(r.Arguments) > 0 && !json.Valid(r.Arguments) {
			t.Errorf("content of %d bytes and arguments of %d are read back", len(r.Content), len(r.Arguments))
		}
	})
}

// What was changed in the file is an error, and no panic.
func FuzzABodyIsReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"call":"1-7","kind":"mark","time":"2026-01-01T00:00:00Z"}`))
	f.Add([]byte(`{"call":"1-8"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(1, 1<<32+7, body)
		if err == nil && r.Call != 1<<32+7 {
			t.Errorf("%s is read as a record of call %s", body, r.Call)
		}
		var c Call
		c.apply(r)
	})
}

func FuzzIDsAndHeads(f *testing.F) {
	f.Add("7-142")
	f.Add("4:" + strings.Repeat("0f", 32))
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := ParseID(s); err == nil {
			if again, err := ParseID(id.String()); again != id || err != nil {
				t.Errorf("ParseID(%q) = %v, %v", id.String(), again, err)
			}
		}
		if h, err := ParseHead(s); err == nil {
			if again, err := ParseHead(h.String()); again != h || err != nil {
				t.Errorf("ParseHead(%q) = %v, %v", h.String(), again, err)
			}
		}
	})
}
