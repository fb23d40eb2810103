package journal

import (
	"fmt"
	"strconv"
	"strings"
)

// An ID names a call in its journal: the number of the session that made the call, and
// the number of the call in it. It is written as 7-142.
type ID uint64

func newID(session uint32, number uint64) ID {
	if number>>32 != 0 {
		return 0 // no call; Append refuses it
	}
	return ID(uint64(session)<<32 | number)
}

func (id ID) session() int64 { return int64(id >> 32) }

// String returns the ID as [ParseID] reads it.
func (id ID) String() string { return string(id.append(nil)) }

func (id ID) append(b []byte) []byte {
	b = strconv.AppendUint(b, uint64(id)>>32, 10)
	return strconv.AppendUint(append(b, '-'), uint64(uint32(id)), 10)
}

// ParseID reads what [ID.String] wrote.
func ParseID(s string) (ID, error) {
	a, b, _ := strings.Cut(s, "-")
	session, err := strconv.ParseUint(a, 10, 31)
	number, err2 := strconv.ParseUint(b, 10, 32)
	if err != nil || err2 != nil {
		return 0, fmt.Errorf("bad call ID %q: want two numbers, such as 7-142", s)
	}
	return newID(uint32(session), number), nil
}

// MarshalText returns what String does.
func (id ID) MarshalText() ([]byte, error) { return id.append(nil), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}
