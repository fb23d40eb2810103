package schema

// wide is an integer of either sign with up to 64 bits of size.
type wide struct {
	size     uint64
	negative bool
}

// signed returns the value. It must fit an int64.
func (w wide) signed() int64 {
	if w.negative {
		return -int64(w.size)
	}
	return int64(w.size)
}

func (w wide) fitsSigned() bool {
	return w.size <= 1<<63-1 || w.negative && w.size == 1<<63
}

// A fate is what a JSON number turned out to be.
type fate uint8

const (
	isInteger  fate = iota // in the range of wide
	isTooLarge             // an integer beyond it
	isFraction
)

// integerOf reads a JSON number as an integer: 10, 10.0 and 1e1 are the same. It
// takes time in the length of the text only, whatever its exponent says.
func integerOf(text []byte) (wide, fate) {
	d, exponent, huge := decompose(text)
	if len(d.digits()) == 0 {
		return wide{}, isInteger
	}
	switch {
	case d.more:
		if exponent < 0 {
			return wide{}, isFraction
		}
		return wide{}, isTooLarge
	case exponent < 0:
		return wide{}, isFraction
	case huge || len(d.digits())+exponent > 20:
		return wide{}, isTooLarge
	}
	w := wide{negative: d.negative}
	for i := range len(d.digits()) + exponent {
		digit := uint64(0)
		if i < d.n {
			digit = uint64(d.buf[i] - '0')
		}
		if w.size > (1<<64-1-digit)/10 {
			return wide{}, isTooLarge
		}
		w.size = w.size*10 + digit
	}
	return w, isInteger
}

// decimal is the significant digits of a number, without zeros at either end.
type decimal struct {
	negative bool
	buf      [24]byte
	n        int
	more     bool // there are more than buf holds
}

func (d *decimal) digits() []byte { return d.buf[:d.n] }

// decompose splits a JSON number into digits and a power of ten. huge says that
// the power is beyond what an int can count with; exponent has its sign then.
func decompose(text []byte) (d decimal, exponent int, huge bool) {
	i := 0
	if i < len(text) && text[i] == '-' {
		d.negative = true
		i++
	}
	zeros, fraction := 0, 0 // zeros seen since the last other digit
	point := false
	for ; i < len(text) && text[i]|0x20 != 'e'; i++ {
		c := text[i]
		if c == '.' {
			point = true
			continue
		}
		if point {
			fraction++
		}
		if c == '0' {
			zeros++
			continue
		}
		if d.n > 0 {
			d.fill(zeros)
		}
		zeros = 0
		d.push(c)
	}
	e, huge := exponentOf(text[i:])
	return d, e + zeros - fraction, huge
}

func (d *decimal) push(c byte) {
	if d.n == len(d.buf) {
		d.more = true
		return
	}
	d.buf[d.n] = c
	d.n++
}

func (d *decimal) fill(zeros int) {
	for range min(zeros, len(d.buf)+1) {
		d.push('0')
	}
}

// exponentOf reads e+10. Beyond nine digits it stands at a billion.
func exponentOf(text []byte) (e int, huge bool) {
	if len(text) == 0 {
		return 0, false
	}
	text = text[1:]
	negative := text[0] == '-'
	if negative || text[0] == '+' {
		text = text[1:]
	}
	for _, c := range text {
		if e = e*10 + int(c-'0'); e >= 1e9 {
			e, huge = 1e9, true
			break
		}
	}
	if negative {
		e = -e
	}
	return e, huge
}
