package schema_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/toolfall/toolfall/schema"
)

// Hostile arguments must not take more than linear memory, in any of our readers.
func TestMemoryIsLinearInTheText(t *testing.T) {
	type args struct {
		List []struct {
			A string `json:"a,omitempty"`
		} `json:"list,omitempty" maxItems:"1000"`
		Any  any        `json:"any,omitempty"`
		Deep [][]string `json:"deep,omitempty"`
	}
	p, err := schema.For[args]()
	if err != nil {
		t.Fatal(err)
	}
	const n = 200_000
	var keys strings.Builder
	for i := range n / 4 {
		keys.WriteString(`,"k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i%11) + string(rune('0'+i%10)) + `":0`)
	}
	for name, raw := range map[string]string{
		"items beyond the limit":  `{"list":[` + strings.Repeat("{},", n) + `{}]}`,
		"violations":              `{"deep":[` + strings.Repeat("[1],", n) + `[]]}`,
		"nested as far as it may": `{"any":` + strings.Repeat("[", 60) + strings.Repeat("1,", n) + "1" + strings.Repeat("]", 60) + `}`,
		"members that repeat":     `{"z":1` + keys.String() + `}`,
		"never closed":            `{"deep":` + strings.Repeat("[", n),
		"one long string":         `{"any":"` + strings.Repeat(`\u00e4`, n) + `"}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v args
		p.Decode([]byte(raw), &v)
		p.Canonical([]byte(raw))
		p.Repair([]byte(raw))
		runtime.ReadMemStats(&after)
		if taken := (after.TotalAlloc - before.TotalAlloc) / uint64(len(raw)); taken > 400 {
			t.Errorf("%s: %d bytes of memory for each byte of text", name, taken)
		}
	}
}
