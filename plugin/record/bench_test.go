package record_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/plugin/record"
	"github.com/toolfall/toolfall/scope"
)

// discard is a journal that keeps nothing: what is left is the plugin's own cost.
type discard struct{ journal.Journal }

func (discard) Append(context.Context, journal.Durability, ...journal.Record) error { return nil }

func BenchmarkReadOnlyCall(b *testing.B) {
	j, err := journal.Open(filepath.Join(b.TempDir(), "journal.db"), journal.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	for _, row := range []struct {
		name string
		j    journal.Journal
	}{{"not recorded", nil}, {"discarded", discard{j}}, {"recorded", j}} {
		b.Run(row.name, func(b *testing.B) {
			s := scope.New(b.Context(), "bench")
			defer s.Close()
			r := toolfall.New()
			d := toolfall.Define("read", "", func(context.Context, struct {
				Path string `json:"path"`
			}, toolfall.Call) ([]toolfall.Content, error) {
				return toolfall.Text("ok"), nil
			})
			d.Hints.ReadOnly, d.Inline = toolfall.Yes, true
			if _, err := r.Register(s, d); err != nil {
				b.Fatal(err)
			}
			if row.j != nil {
				if _, err := r.Attach(s, record.New(record.Config{Journal: func() (journal.Journal, error) { return row.j, nil }})); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Execute(b.Context(), toolfall.Call{ID: "1", Name: "read", Arguments: []byte(`{"path":"/tmp/x"}`)})
			}
		})
	}
}
