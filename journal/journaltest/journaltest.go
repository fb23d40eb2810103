// Package journaltest is the contract of every [journal.Journal], as tests. Whoever
// writes another kind of journal runs it against that.
package journaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall/journal"
)

// Run tests the journals that open returns, which must be empty and take their time
// from the clock.
func Run(t *testing.T, open func(t *testing.T) journal.Journal) {
	for name, test := range map[string]func(*testing.T, journal.Journal){
		"a story comes back as it was told":       story,
		"calls are listed the newest first":       listed,
		"a filter has every field fit":            filtered,
		"what runs is not ended":                  running,
		"sums are those of the calls":             summed,
		"secrets are masked":                      masked,
		"what is long is cut":                     cut,
		"what is wrong is refused":                refused,
		"the chain verifies and heads are in it":  verified,
		"many writers lose and mix nothing":       concurrent,
		"an iteration may be left, and may write": left,
		"a closed journal says so":                closed,
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t)
			defer j.Close()
			test(t, j)
		})
	}
}

// Tell appends the whole story of a call of tool, and returns its ID.
func Tell(t testing.TB, j journal.Journal, tool, agent, code string) journal.ID {
	t.Helper()
	id := j.Next()
	appended(t, j, journal.Durable,
		journal.Record{Call: id, Kind: journal.Asked, Tool: tool, Agent: agent, Arguments: json.RawMessage(`{"n":1}`)},
		journal.Record{Call: id, Kind: journal.Decision, By: "permission", Text: "allow", Rule: "Bash(*)"},
		journal.Record{Call: id, Kind: journal.Start, Arguments: json.RawMessage(`{"n":2}`)})
	appended(t, j, journal.Durable, journal.Record{Call: id, Kind: journal.Outcome, Code: code, Content: "done", Took: time.Millisecond})
	return id
}

func appended(t testing.TB, j journal.Journal, d journal.Durability, records ...journal.Record) {
	t.Helper()
	if err := j.Append(t.Context(), d, records...); err != nil {
		t.Fatal(err)
	}
}

func calls(t testing.TB, j journal.Journal, f journal.Filter) (all []journal.Call) {
	t.Helper()
	for c, err := range j.Calls(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func records(t testing.TB, j journal.Journal, id journal.ID) []journal.Record {
	t.Helper()
	all, err := j.Records(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func story(t *testing.T, j journal.Journal) {
	at := time.Now().Add(-time.Minute)
	id := j.Next()
	want := []journal.Record{
		{Call: id, Kind: journal.Asked, Time: at, Tool: "bash", Agent: "main", Model: "toolu_1", Parent: "toolu_0", Arguments: json.RawMessage(`{"command":"ls"}`)},
		{Call: id, Kind: journal.Decision, Time: at.Add(1), By: "permission", Text: "allow", Rule: "Bash(ls *)"},
		{Call: id, Kind: journal.Start, Time: at.Add(2), Arguments: json.RawMessage(`{"command":"ls","cwd":"/"}`), Edits: []string{"added cwd"}},
		{Call: id, Kind: journal.Mark, Time: at.Add(3), Text: "files", Done: 1, Total: 2.5},
		{Call: id, Kind: journal.Outcome, Time: at.Add(4), Code: "TOOL_ERROR", Content: "no <such> dir", Bytes: 100, Spill: "spill/1", Took: 7,
			Stages: []journal.Stage{{Name: "permission", Took: 3}, {Name: "tool", Took: 4}}},
	}
	appended(t, j, journal.Fast, want...)
	got := records(t, j, id)
	for i := range want {
		want[i].Seq, want[i].Time = int64(i+1), time.Unix(0, want[i].Time.UnixNano()).UTC()
	}
	if !equal(got, want) {
		t.Errorf("Records = %s\nwant %s", text(got), text(want))
	}
	c := journal.Call{ID: id, Tool: "bash", Agent: "main", Model: "toolu_1", Parent: "toolu_0", Asked: want[0].Time, Started: want[2].Time, Ended: true, Code: "TOOL_ERROR", Took: 7}
	if all := calls(t, j, journal.Filter{}); len(all) != 1 || text(all[0]) != text(c) {
		t.Errorf("Calls = %s, want %s", text(all), text(c))
	}
}

func text(v any) string {
	raw, err := json.Marshal(v)
	return fmt.Sprint(string(raw), err)
}

func equal(a, b any) bool { return text(a) == text(b) }

func listed(t *testing.T, j journal.Journal) {
	var want []journal.ID
	start := time.Now()
	for i := range 40 { // more than one page
		id := j.Next()
		want = append([]journal.ID{id}, want...)
		appended(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t", Time: start.Add(time.Duration(i) * time.Second)})
	}
	early := j.Next()
	appended(t, j, journal.Durable, journal.Record{Call: early, Kind: journal.Asked, Tool: "t", Time: start.Add(-time.Hour)})
	want = append(want, early)
	var got []journal.ID
	for _, c := range calls(t, j, journal.Filter{Tool: "t"}) {
		got = append(got, c.ID)
	}
	if !equal(got, want) {
		t.Errorf("Calls = %v, want %v", got, want)
	}
}

func filtered(t *testing.T, j journal.Journal) {
	a := Tell(t, j, "a", "x", "")
	b := Tell(t, j, "b", "x", "DENIED")
	c := Tell(t, j, "a", "y", "DENIED")
	at := map[journal.ID]time.Time{}
	for _, call := range calls(t, j, journal.Filter{}) {
		at[call.ID] = call.Asked
	}
	for _, test := range []struct {
		f    journal.Filter
		want []journal.ID
	}{
		{journal.Filter{Tool: "a"}, []journal.ID{c, a}},
		{journal.Filter{Agent: "x"}, []journal.ID{b, a}},
		{journal.Filter{Code: "DENIED"}, []journal.ID{c, b}},
		{journal.Filter{Tool: "a", Code: "DENIED"}, []journal.ID{c}},
		{journal.Filter{Tool: "a", Agent: "x", Code: "DENIED"}, nil},
		{journal.Filter{Since: at[b]}, []journal.ID{c, b}},
		{journal.Filter{Since: at[a], Until: at[c]}, []journal.ID{b, a}},
		{journal.Filter{Tool: "A"}, nil},
	} {
		var got []journal.ID
		for _, call := range calls(t, j, test.f) {
			got = append(got, call.ID)
		}
		if !equal(got, test.want) {
			t.Errorf("Calls(%+v) = %v, want %v", test.f, got, test.want)
		}
	}
}

func running(t *testing.T, j journal.Journal) {
	id := j.Next()
	appended(t, j, journal.Durable, journal.Record{Call: id, Kind: journal.Asked, Tool: "t"})
	if c := calls(t, j, journal.Filter{})[0]; c.Ended || !c.Started.IsZero() {
		t.Errorf("a call that was asked is %s", text(c))
	}
	appended(t, j, journal.Durable, journal.Record{Call: id, Kind: journal.Start})
	if c := calls(t, j, journal.Filter{})[0]; c.Ended || c.Started.IsZero() {
		t.Errorf("a call that started is %s", text(c))
	}
	appended(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Outcome, Code: "X"}, journal.Record{Call: id, Kind: journal.Outcome}, journal.Record{Call: id, Kind: journal.Mark, Text: "late"})
	if c := calls(t, j, journal.Filter{})[0]; !c.Ended || c.Code != "X" {
		t.Errorf("a call that ended twice is %s, want the first end", text(c))
	}
	if n := len(records(t, j, id)); n != 5 {
		t.Errorf("there are %d records, want 5: what comes late is kept", n)
	}
}

func summed(t *testing.T, j journal.Journal) {
	for i := range 100 {
		id := j.Next()
		code := ""
		if i%10 == 0 {
			code = "TIMEOUT"
		}
		appended(t, j, journal.Fast, journal.Record{Call: id, Kind: journal.Asked, Tool: "t", Agent: "x"},
			journal.Record{Call: id, Kind: journal.Outcome, Code: code, Took: time.Duration(i+1) * time.Millisecond})
	}
	Tell(t, j, "u", "", "")
	appended(t, j, journal.Durable, journal.Record{Call: j.Next(), Kind: journal.Asked, Tool: "running"})
	for _, f := range []journal.Filter{{Tool: "t"}, {Agent: "x"}, {Tool: "t", Since: time.Now().Add(-time.Minute)}} {
		all, err := j.Stats(t.Context(), f)
		if err != nil || len(all) != 1 {
			t.Fatalf("Stats(%+v) = %+v, %v", f, all, err)
		}
		got := all[0]
		if got.Tool != "t" || got.Calls != 100 || got.Errors != 10 || got.Codes["TIMEOUT"] != 10 || len(got.Codes) != 1 {
			t.Errorf("Stats(%+v) = %+v", f, got)
		}
		for _, q := range []struct{ got, want time.Duration }{{got.P50, 50e6}, {got.P95, 95e6}, {got.P99, 99e6}} {
			if off := float64(q.got-q.want) / float64(q.want); off < -0.033 || off > 0.033 {
				t.Errorf("Stats(%+v) has the quantile %v, want about %v", f, q.got, q.want)
			}
		}
	}
	if all, err := j.Stats(t.Context(), journal.Filter{}); err != nil || len(all) != 2 || all[1].Tool != "u" || all[1].Calls != 1 {
		t.Errorf("Stats = %+v, %v; want t and u", all, err)
	}
	if all, err := j.Stats(t.Context(), journal.Filter{Code: "TIMEOUT"}); err != nil || len(all) != 1 || all[0].Calls != 10 {
		t.Errorf("Stats of a code = %+v, %v", all, err)
	}
}

func masked(t *testing.T, j journal.Journal) {
	id := j.Next()
	appended(t, j, journal.Fast,
		journal.Record{Call: id, Kind: journal.Asked, Tool: "bash", Arguments: json.RawMessage(`{"command":"TOKEN=hunter2 make","password":"hunter2"}`)},
		journal.Record{Call: id, Kind: journal.Start, Arguments: json.RawMessage(`{"password":hunter2}`)},
		journal.Record{Call: id, Kind: journal.Mark, Text: "curl -H 'Authorization: Bearer hunter2hunter2'"},
		journal.Record{Call: id, Kind: journal.Outcome, Content: strings.Repeat("x", 8<<10-70) + "\nAPI_KEY=hunter2" + strings.Repeat(" y", 20<<10), Spill: "https://me:hunter2@host"})
	if got := text(records(t, j, id)); strings.Contains(got, "hunter") || !strings.Contains(got, "[redacted]") {
		t.Errorf("the journal has %.400s", got)
	}
}

func cut(t *testing.T, j journal.Journal) {
	id := j.Next()
	long := strings.Repeat("ä", 1<<20)
	raw, _ := json.Marshal(map[string]string{"text": long})
	appended(t, j, journal.Durable,
		journal.Record{Call: id, Kind: journal.Asked, Tool: "t", Arguments: raw, Agent: long},
		journal.Record{Call: id, Kind: journal.Decision, Rule: long},
		journal.Record{Call: id, Kind: journal.Start, Arguments: json.RawMessage("broken " + long[:1000])},
		journal.Record{Call: id, Kind: journal.Outcome, Content: "head" + long + "tail", Stages: make([]journal.Stage, 1000), Edits: make([]string, 1000)})
	all := records(t, j, id)
	if n := len(text(all)); n > 64<<10 {
		t.Errorf("%d bytes are kept", n)
	}
	if got := string(all[0].Arguments); !strings.Contains(got, fmt.Sprint(`"bytes":`, len(raw))) || !strings.Contains(got, `"sha256":"`) {
		t.Errorf("long arguments are kept as %.200s", got)
	}
	if got := string(all[2].Arguments); !json.Valid([]byte(got)) || !strings.Contains(got, "broken") {
		t.Errorf("arguments that are no JSON are kept as %.200s", got)
	}
	got := all[3]
	if !strings.HasPrefix(got.Content, "head") || !strings.HasSuffix(got.Content, "tail") || len(got.Content) > 8<<10 || got.Bytes != len(long)+8 {
		t.Errorf("long content has %d bytes and %.20q…, and tells of %d", len(got.Content), got.Content, got.Bytes)
	}
}

func refused(t *testing.T, j journal.Journal) {
	for _, r := range []journal.Record{{Kind: journal.Asked}, {Call: j.Next()}, {Call: j.Next(), Kind: "other"}} {
		if err := j.Append(t.Context(), journal.Durable, r); err == nil {
			t.Errorf("Append(%+v) does not fail", r)
		}
	}
	if _, err := j.Records(t.Context(), j.Next()); !errors.Is(err, journal.ErrUnknown) {
		t.Errorf("Records of no call: %v, want %v", err, journal.ErrUnknown)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range j.Calls(ctx, journal.Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Calls with a context that ended: %v", err)
		}
	}
}

func verified(t *testing.T, j journal.Journal) {
	Tell(t, j, "t", "", "")
	first, err := j.Verify(t.Context())
	if err != nil || first.Seq != 4 {
		t.Fatalf("Verify = %v, %v", first, err)
	}
	Tell(t, j, "t", "", "")
	read, err := journal.ParseHead(first.String())
	if err != nil || read != first {
		t.Errorf("ParseHead(%q) = %v, %v", first, read, err)
	}
	if second, err := j.Verify(t.Context(), first); err != nil || second.Seq != 8 {
		t.Errorf("Verify = %v, %v", second, err)
	}
	wrong := first
	wrong.Hash[3]++
	var tampered *journal.TamperedError
	if _, err := j.Verify(t.Context(), wrong); !errors.As(err, &tampered) || tampered.Seq != 4 {
		t.Errorf("Verify with another head: %v", err)
	}
	if _, err := j.Verify(t.Context(), journal.Head{Seq: 100}); !errors.As(err, &tampered) {
		t.Errorf("Verify with a head that is missing: %v", err)
	}
}

func left(t *testing.T, j journal.Journal) {
	for range 3 {
		Tell(t, j, "t", "", "")
	}
	for c, err := range j.Calls(t.Context(), journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		appended(t, j, journal.Durable, journal.Record{Call: c.ID, Kind: journal.Mark, Text: "seen"})
		if n := len(records(t, j, c.ID)); n != 5 {
			t.Errorf("in an iteration there are %d records, want 5", n)
		}
		break
	}
	for range j.All(t.Context(), 0) {
		break
	}
	Tell(t, j, "t", "", "")
	if n := len(calls(t, j, journal.Filter{})); n != 4 {
		t.Errorf("there are %d calls, want 4", n)
	}
}

func closed(t *testing.T, j journal.Journal) {
	id := Tell(t, j, "t", "", "")
	for range 2 {
		if err := j.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	_, errRecords := j.Records(t.Context(), id)
	_, errStats := j.Stats(t.Context(), journal.Filter{})
	_, errVerify := j.Verify(t.Context())
	for _, err := range []error{errRecords, errStats, errVerify, j.Append(t.Context(), journal.Fast, journal.Record{Call: id, Kind: journal.Mark})} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("a method of a closed journal returns %v, want %v", err, journal.ErrClosed)
		}
	}
}
