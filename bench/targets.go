package main

import (
	"fmt"
	"strings"
)

// A target is what we want to reach, in one run beside what it is measured by.
type target struct {
	text string
	met  func(f find) (reached string, ok bool)
	why  string // what the limit is, where it is missed
}

// find returns a row by its group and name.
type find func(group, name string) *row

const (
	floorDispatch = "floor: json.Unmarshal + call"
	floorDecode   = "floor: encoding/json, decode"
	usual         = "any + santhosh + decode"
)

// ratio is a target on the CPU time of one row over that of another.
func ratio(text string, limit float64, group, name, overGroup, over, why string) target {
	return target{text: text, why: why, met: func(f find) (string, bool) {
		a, b := f(group, name), f(overGroup, over)
		if a == nil || b == nil || b.cpu == 0 || a.cpu == 0 {
			return "not measured", false
		}
		x := a.cpu / b.cpu
		return fmt.Sprintf("%.2f ×", x), x <= limit
	}}
}

// wall is a target on the time that passes, where what is measured starts processes
// whose children are not all accounted to it.
func wall(text string, limit float64, group, name, overGroup, over, why string) target {
	return target{text: text, why: why, met: func(f find) (string, bool) {
		a, b := f(group, name), f(overGroup, over)
		if a == nil || b == nil || b.wall == 0 {
			return "not measured", false
		}
		x := a.wall / b.wall
		return fmt.Sprintf("%.2f × (time passed)", x), x <= limit
	}}
}

// times is a target on how many times longer another one takes.
func times(text string, atLeast float64, group, slow, fast, why string) target {
	return target{text: text, why: why, met: func(f find) (string, bool) {
		a, b := f(group, slow), f(group, fast)
		if a == nil || b == nil || b.cpu == 0 || a.cpu == 0 {
			return "not measured", false
		}
		x := a.cpu / b.cpu
		return fmt.Sprintf("%.0f ×", x), x >= atLeast
	}}
}

// atMost is a target on the CPU time of a row.
func atMost(text string, ns float64, group, name, why string) target {
	return target{text: text, why: why, met: func(f find) (string, bool) {
		r := f(group, name)
		if r == nil || len(r.samples) == 0 {
			return "not measured", false
		}
		return nanos(r.cpu), r.cpu <= ns
	}}
}

// few is a target on allocations.
func few(text string, n float64, group, name string) target {
	return target{text: text, met: func(f find) (string, bool) {
		r := f(group, name)
		if r == nil || len(r.samples) == 0 {
			return "not measured", false
		}
		return fmt.Sprintf("%.1f", r.allocs), r.allocs < n+0.5
	}}
}

const copies = "A layer copies the Call and the Result by value, some 200 bytes each way, and guards against a panic; that is the limit of values instead of pointers."

func targets() []target {
	inline := func(n int) string { return fmt.Sprintf("toolfall, inline, %d layers", n) }
	ts := []target{
		ratio("validated call, 0 layers ≤ 0.35 × the floor", 0.35, "dispatch", inline(0), "dispatch", floorDispatch, "Decoding is two thirds of it; the rest is admission, the guard and the copies of Call and Result."),
		ratio("validated call, 5 layers ≤ 0.40 × the floor", 0.40, "dispatch", inline(5), "dispatch", floorDispatch, copies),
		few("≤ 3 allocations", 3, "dispatch", inline(5)),
		{text: "a layer ≤ 12 ns", why: copies, met: func(f find) (string, bool) {
			a, b := f("dispatch", inline(10)), f("dispatch", inline(0))
			if a == nil || b == nil {
				return "not measured", false
			}
			x := (a.cpu - b.cpu) / 10
			return nanos(x), x <= 12
		}},
		ratio("own goroutine, 0 layers (the default; no target)", 9, "dispatch", "toolfall, own goroutine, 0 layers", "dispatch", floorDispatch, ""),
		times("mcp-go HandleMessage ≥ 70 × ours", 70, "dispatch", "mcp-go HandleMessage", inline(0), "what it costs beside the floor moves with the machine; ours would have to be at 0.35 × the floor"),
		genkitTarget(inline(0)),
		times("go-sdk in memory ≥ 1,000 × ours", 1000, "dispatch", "go-sdk, in memory", inline(0), "what it costs beside the floor moves with the machine; the target was set where it stood at 500 × and more"),
	}
	for _, c := range []struct {
		name    string
		atLeast float64
	}{{"A", 15}, {"B", 15}, {"C", 8}} {
		g := "arguments " + c.name
		ts = append(ts,
			ratio(c.name+": check + decode ≤ 0.30 × encoding/json", 0.30, g, "toolfall: check + decode", g, floorDecode, "20 KB of text with 2,500 escapes: it is scanned, unescaped into a buffer, and copied into a string of its own"),
			times(fmt.Sprintf("%s: any + santhosh + decode ≥ %.0f × ours", c.name, c.atLeast), c.atLeast, g, usual, "toolfall: check + decode", "both sides read the same 20 KB of text, see the line above; at 0.27 × encoding/json it would be met"),
			ratio(c.name+": check ≤ 0.5 × json.Valid", 0.5, g, "toolfall: check", g, "json.Valid", "a fixed cost of some 40 ns for the pooled pass, which short texts feel, and a bit set and a path for each object"),
			few(c.name+": check, 0 allocations", 0, g, "toolfall: check"))
	}
	ts = append(append(ts, parallelTargets()...), recordTargets()...)
	return append(ts,
		atMost("3 violations rendered ≤ 4 µs", 4000, "arguments B", "toolfall: 3 violations, rendered", "two thirds of it is building texts: a path, a sentence and a hint for each, 29 allocations"),
		atMost("10,000 tools in one batch ≤ 10 ms", 10e6, "scale 10000", "register all in one batch", "each tool's parameters are parsed to refuse what is not JSON, and an entry is allocated"),
		atMost("10,000 tools singly ≤ 50 ms", 50e6, "scale 10000", "register one by one", "a Snapshot, a channel, a block and a list for each"),
		atMost("cached list ≤ 10 ns", 10, "scale 1000", "list, cached", ""),
		atMost("list after a change at 1,000 tools ≤ 0.5 ms", 0.5e6, "scale 1000", "one change, and list", ""),
		ratio("look-up under churn ≤ 1.1 × quiet, 1,000 tools", 1.1, "scale 1000", "look up, 100 changes a second", "scale 1000", "look up, quiet", ""),
		ratio("look-up flat: 100,000 tools ≤ 1.1 × 10 tools", 1.1, "scale 100000", "look up, quiet", "scale 10", "look up, quiet", "1,024 names in turn, each a chain of five reads in memory; with 100,000 tools they miss the caches"),
		ratio("toolfall version ≤ 2 × a bare hello", 2, "start-up", "toolfall version", "start-up", "floor: a bare hello", "the packages that are linked: YAML, HTTP and TLS for hooks, Starlark and TOML for others' rules; twice the page faults of a bare program"),
		ratio("a safe exec ≤ 1.3 × a plain one", 1.3, "a short command", "toolfall: bash, echo hi", "a short command", "floor: exec.Cmd, bash -c 'echo hi'", "a look through /proc for what the command left behind"),
		ratio("100 MB captured ≤ 2 × discarded", 2, "100 MB of output", "toolfall: bash", "100 MB of output", "floor: exec.Cmd, read and discarded", ""),
		atMost("a decision on 5 parts with 200 rules ≤ 50 µs", 50_000, "a decision", "a command of 5 parts, 200 rules", "half of it is bash's grammar, the rest looking through links and the words of each part"),
		wall("confined, all layers ≤ 1.2 × bubblewrap", 1.2, "a confined /bin/true", "toolfall, full", "a confined /bin/true", "bubblewrap, hardened", "the start of the helper, a Go program"),
		wall("confined while we hold 1 GB ≤ 1.3 × without", 1.3, "a confined /bin/true, while we hold 1 GB", "toolfall, full", "a confined /bin/true", "toolfall, full", "a large program has the helper forked by a small one, which is one more start; forked by itself it took 4 ×"),
		ratio("cheap tier ≤ 1.3 × bare exec", 1.3, "a confined /bin/true", "toolfall, cheap tier", "a confined /bin/true", "floor: exec.Cmd", "a thread of its own for each start, and a look through /proc for what is left"),
		target{text: "100 MB captured ≤ 1 MB of memory more than discarded", met: func(f find) (string, bool) {
			a, b := f("100 MB of output", "toolfall: bash"), f("100 MB of output", "floor: exec.Cmd, read and discarded")
			if a == nil || b == nil {
				return "not measured", false
			}
			return fmt.Sprintf("%.0f KB allocated", (a.heap-b.heap)/1000), a.heap-b.heap <= 1e6
		}},
	)
}

// nanos writes nanoseconds the way people read them.
func nanos(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if x >= unit.size {
			return strings.TrimSuffix(fmt.Sprintf("%.3g", x/unit.size), ".") + " " + unit.name
		}
	}
	return fmt.Sprintf("%.3g ns", x)
}
