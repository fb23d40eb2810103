//go:build !linux || !(amd64 || arm64)

package confine

import (
	"fmt"
	"runtime"
)

// Main does nothing: there is no sandbox on this system.
func Main() {}

// Launcher starts confined processes, of which there are none on this system.
type Launcher struct{ Config }

// Config sets up a Launcher.
type Config struct {
	Helper     string                // not used here
	Bubblewrap string                // not used here
	Trial      func(*Launcher) error // not used here
	Else       *Launcher             // not used here
}

// Bubblewrap returns nothing: it is for Linux.
func Bubblewrap() string { return "" }

// New returns a launcher that cannot confine anything.
func New(c Config) *Launcher { return &Launcher{c} }

func (l *Launcher) start(Policy, Command) (*Process, error) {
	return nil, fmt.Errorf("%w on %s/%s", ErrUnavailable, runtime.GOOS, runtime.GOARCH)
}

// Probe reports that there is nothing to probe.
func (l *Launcher) Probe() Matrix {
	return Matrix{Tier: None, Reason: fmt.Sprintf("%v on %s/%s", ErrUnavailable, runtime.GOOS, runtime.GOARCH)}
}
