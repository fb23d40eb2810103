package cli

import (
	"fmt"
	"io"
	"os"
)

// maxInput bounds what is read from standard input or a file at once. Admission
// has a smaller bound, which it tells better.
const maxInput = 64 << 20

// input returns the JSON that an argument stands for: itself, or standard input
// where it is "-".
func (a *app) input(argument string) ([]byte, error) {
	if argument != "-" {
		return []byte(argument), nil
	}
	return readAll(a.stdin, "standard input")
}

// file returns the contents of a file, or of standard input where it is "-".
func (a *app) file(name string) ([]byte, error) {
	if name == "-" {
		return readAll(a.stdin, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(raw) > maxInput {
		return nil, fmt.Errorf("read %s: more than %d bytes", name, maxInput)
	}
	return raw, nil
}
