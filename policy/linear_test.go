package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a line costs grows with its length, not with the square of it: allocations
// stand for work.
func TestCostIsLinear(t *testing.T) {
	p, err := New(Config{Roots: []string{t.TempDir()}, Rules: claude(t, Deny, "Bash(rm *)", "Bash(a * b * c)")})
	if err != nil {
		t.Fatal(err)
	}
	cost := func(line string) float64 {
		args, _ := json.Marshal(map[string]string{"command": line})
		return testing.AllocsPerRun(1, func() { p.Decide("bash", args) })
	}
	repeat := func(left, middle, right string) func(int) string {
		return func(n int) string { return strings.Repeat(left, n) + middle + strings.Repeat(right, n) }
	}
	for name, shape := range map[string]struct {
		line func(int) string
		n    int
	}{
		"commands":              {repeat("echo a;", "", ""), 100},
		"words":                 {repeat("a ", "", ""), 1000},
		"quotes":                {repeat(`"a"`, "", ""), 500},
		"substitutions":         {repeat("echo $(", "a", ")"), 10},
		"subshells":             {repeat("(", "a", ")"), 10},
		"loops":                 {repeat("while :;do ", "cd x", ";done"), 4},
		"loops to other places": {repeat("while cd a;do cd b;", "cd x", ";done"), 4},
		"branches":              {repeat("if cd a;then cd b;else ", "cd x", ";fi"), 20},
		"cases":                 {repeat("case x in x) cd a;;y) ", "cd b", ";;esac"), 20},
		"arithmetic":            {repeat("$((", "1", "))"), 10},
		"wrappers":              {repeat("timeout 1 ", "a", ""), 100},
		"unknown wrappers":      {repeat("su ", "a", ""), 100},
		"finds":                 {repeat("find . -exec ", "a", ""), 50},
		"git":                   {repeat("git -c a=b -x ", "a", ""), 50},
		"bisect":                {repeat("git bisect run ", "a", ""), 50},
		"braces":                {repeat("{a,b} ", "", ""), 100},
		"too long":              {repeat("echo a;", "", ""), 2300},
		"here-documents":        {repeat("cat <<E\nx\nE\n", "", ""), 50},
		"redirections":          {repeat(">a ", "", ""), 100},
	} {
		small, large := cost(shape.line(shape.n)), cost(shape.line(4*shape.n))
		if large > 6*small+2000 {
			t.Errorf("%s: four times the line costs %.0f allocations, not about four times %.0f", name, large, small)
		}
	}
}
