package journal

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"
)

// A Tally sums up the calls of one tool. Its durations are within 3.2 % of the true
// ones, for they come from counts in classes.
type Tally struct {
	Tool   string           `json:"tool"`
	Calls  int64            `json:"calls"`
	Errors int64            `json:"errors"` // those with a code, interrupted ones too
	Codes  map[string]int64 `json:"codes,omitempty"`

	// Of the calls that were not interrupted; 0 when there are none.
	P50 time.Duration `json:"p50Ns"`
	P95 time.Duration `json:"p95Ns"`
	P99 time.Duration `json:"p99Ns"`
}

// unknown is the class of a call whose duration nobody knows.
const unknown = -1

// classBits is how finely an octave of durations is divided: in 16 classes.
const classBits = 4

// class returns the class of a duration: below 16 µs each microsecond is one, above
// that each sixteenth of an octave.
func class(took time.Duration) int {
	us := uint64(max(0, took.Microseconds()))
	shift := bits.Len64(us) - classBits - 1
	if shift <= 0 {
		return int(us)
	}
	return shift<<classBits + int(us>>shift)
}

// middle returns the duration in the middle of a class.
func middle(class int) time.Duration {
	shift := class>>classBits - 1
	if shift <= 0 {
		return time.Duration(class)*time.Microsecond + 500*time.Nanosecond
	}
	low := uint64(class-shift<<classBits) << shift
	return time.Duration(min(low+1<<shift/2, math.MaxInt64/1000)) * time.Microsecond
}

// counter gathers what makes a Tally.
type counter struct {
	Tally
	classes map[int]int64
}

// counters are those of all tools.
type counters map[string]*counter

func (cs counters) add(tool, code string, class int, n int64) {
	c := cs[tool]
	if c == nil {
		c = &counter{Tally: Tally{Tool: tool}, classes: map[int]int64{}}
		cs[tool] = c
	}
	c.Calls += n
	if code != "" {
		c.Errors += n
		if c.Codes == nil {
			c.Codes = map[string]int64{}
		}
		c.Codes[code] += n
	}
	if class != unknown {
		c.classes[class] += n
	}
}

// addCall counts a call that has ended.
func (cs counters) addCall(c Call) { cs.add(c.Tool, c.Code, classOf(c), 1) }

func classOf(c Call) int {
	if c.Code == Interrupted {
		return unknown
	}
	return class(c.Took)
}

// tallies returns the sums, sorted by tool.
func (cs counters) tallies() []Tally {
	out := make([]Tally, 0, len(cs))
	for _, c := range cs {
		c.P50, c.P95, c.P99 = c.quantile(0.50), c.quantile(0.95), c.quantile(0.99)
		out = append(out, c.Tally)
	}
	slices.SortFunc(out, func(a, b Tally) int { return cmp.Compare(a.Tool, b.Tool) })
	return out
}

// quantile returns the duration that the fraction q of the calls did not exceed.
func (c *counter) quantile(q float64) time.Duration {
	all, sum := make([]int, 0, len(c.classes)), int64(0)
	for k, n := range c.classes {
		all, sum = append(all, k), sum+n
	}
	slices.Sort(all)
	rank := int64(math.Ceil(q * float64(sum)))
	for _, k := range all {
		if rank -= c.classes[k]; rank <= 0 {
			return middle(k)
		}
	}
	return 0
}
