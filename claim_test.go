package toolfall_test

import (
	"context"
	"slices"
	"testing"

	"github.com/toolfall/toolfall"
)

func TestClaimsConflict(t *testing.T) {
	for _, row := range []struct {
		name string
		a, b toolfall.Claim
		want bool
	}{
		{"two who look", toolfall.ReadPath("/a"), toolfall.ReadPath("/a"), false},
		{"who looks at what another changes", toolfall.ReadPath("/a"), toolfall.WritePath("/a"), true},
		{"a file in a directory", toolfall.ReadPath("/a"), toolfall.WritePath("/a/b/c"), true},
		{"a directory around a file", toolfall.WritePath("/a"), toolfall.ReadPath("/a/b"), true},
		{"a name that begins alike", toolfall.WritePath("/a"), toolfall.ReadPath("/ab"), false},
		{"the same after cleaning", toolfall.WritePath("/a/../b"), toolfall.ReadPath("/b/."), true},
		{"the root", toolfall.WritePath("/"), toolfall.ReadPath("/a"), true},
		{"two resources", toolfall.Claim{Resource: "net", Key: "/a", Write: true}, toolfall.WritePath("/a"), false},
		{"two hosts", toolfall.Claim{Resource: "net", Key: "a", Write: true}, toolfall.Claim{Resource: "net", Key: "b", Write: true}, false},
		{"all of a resource", toolfall.Claim{Resource: "net", Write: true}, toolfall.Claim{Resource: "net", Key: "b"}, true},
		{"everything", toolfall.Alone()[0], toolfall.ReadPath("/a"), true},
		{"a look at everything, and a change", toolfall.Shared()[0], toolfall.WritePath("/a"), true},
		{"a look at everything, and another", toolfall.Shared()[0], toolfall.ReadPath("/a"), false},
	} {
		if got := row.a.Conflicts(row.b); got != row.want {
			t.Errorf("%s: %v.Conflicts(%v) = %v, want %v", row.name, row.a, row.b, got, row.want)
		}
		if got := row.b.Conflicts(row.a); got != row.want {
			t.Errorf("%s, turned round: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestWhatAToolClaimsByDefault(t *testing.T) {
	claims := func(d toolfall.Definition, arguments string) (got []toolfall.Claim) {
		r := toolfall.New()
		d.Name, d.Execute = "t", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil }
		if _, err := r.Register(t, d); err != nil {
			t.Fatal(err)
		}
		r.Use(t, toolfall.Middleware{Name: "look", Stage: toolfall.Contain, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			got = c.Claims()
			return next(ctx, c)
		}})
		r.Execute(t.Context(), toolfall.Call{Name: "t"})
		return got
	}
	reads := toolfall.Definition{Schema: toolfall.Schema{Hints: toolfall.Hints{ReadOnly: toolfall.Yes}}}
	for _, row := range []struct {
		name string
		d    toolfall.Definition
		want []toolfall.Claim
	}{
		{"nothing declared", toolfall.Definition{}, toolfall.Alone()},
		{"hinted to read", reads, toolfall.Shared()},
		{"declared", toolfall.Definition{Claims: func(toolfall.Call) []toolfall.Claim { return []toolfall.Claim{toolfall.ReadPath("/x")} }}, []toolfall.Claim{toolfall.ReadPath("/x")}},
		{"declared to touch nothing", toolfall.Definition{Claims: func(toolfall.Call) []toolfall.Claim { return nil }}, nil},
		{"a declaration that panics", toolfall.Definition{Claims: func(toolfall.Call) []toolfall.Claim { panic("no") }}, toolfall.Alone()},
	} {
		if got := claims(row.d, `{}`); !slices.Equal(got, row.want) {
			t.Errorf("%s: claims %v, want %v", row.name, got, row.want)
		}
	}
	if got := (toolfall.Call{Name: "t"}).Claims(); !slices.Equal(got, toolfall.Alone()) {
		t.Errorf("before admission: %v", got)
	}
}
