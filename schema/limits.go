package schema

import (
	"strconv"
	"unicode/utf8"
)

// Each method of limits reports whether it found a violation.

func (l *limits) text(p *pass, s []byte) bool {
	before := p.total
	if l.minLength != nil || l.maxLength != nil {
		n := utf8.RuneCount(s)
		if l.minLength != nil && n < *l.minLength {
			p.violation("must have at least "+count(*l.minLength, "character"), "it has "+strconv.Itoa(n))
		}
		if l.maxLength != nil && n > *l.maxLength {
			p.violation("must have at most "+count(*l.maxLength, "character"), "it has "+strconv.Itoa(n))
		}
	}
	if l.pattern != nil && !l.pattern.Match(s) {
		p.violation("must match the pattern "+clip(l.pattern.String(), 200), "got "+quote(clip(string(s), 40)))
	}
	if l.format != nil && !l.format.fits(s) {
		p.violation("must be "+l.format.wanted, "got "+quote(clip(string(s), 40)))
	}
	return p.total > before
}

// number checks a number, which is value exactly when exact says so.
func (l *limits) number(p *pass, text []byte, value int64, exact bool) bool {
	before := p.total
	if l.minimum != nil && below(text, value, exact, *l.minimum) {
		p.violation("must be at least "+string(appendNumber(nil, *l.minimum)), "got "+clip(string(text), 40))
	}
	if l.maximum != nil && above(text, value, exact, *l.maximum) {
		p.violation("must be at most "+string(appendNumber(nil, *l.maximum)), "got "+clip(string(text), 40))
	}
	return p.total > before
}

func (l *limits) items(p *pass, n int) {
	if l.minItems != nil && n < *l.minItems {
		p.violation("must have at least "+count(*l.minItems, "item"), "it has "+strconv.Itoa(n))
	}
	if l.maxItems != nil && n > *l.maxItems {
		p.violation("must have at most "+count(*l.maxItems, "item"), "it has "+strconv.Itoa(n))
	}
}

// below and above compare exactly where both sides are small integers, and as
// floats elsewhere.
func below(text []byte, value int64, exact bool, limit float64) bool {
	if exact && small(limit) {
		return value < int64(limit)
	}
	f, _ := strconv.ParseFloat(string(text), 64)
	return f < limit
}

func above(text []byte, value int64, exact bool, limit float64) bool {
	if exact && small(limit) {
		return value > int64(limit)
	}
	f, _ := strconv.ParseFloat(string(text), 64)
	return f > limit
}

// small reports whether f is an integer that an int64 holds.
func small(f float64) bool { return f >= -1<<62 && f <= 1<<62 && f == float64(int64(f)) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
