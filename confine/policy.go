// Package confine starts child processes, says what they may touch, and ends them with
// all that they started.
//
// A [Cell] is a [Launcher] and a [Policy]; a middleware puts one into the context of a
// call ([With]), and whatever starts a process below it takes it from there ([From]).
// Without one a process is started plainly: in a session of its own, and ended as a
// tree as far as its children can be found.
//
// On Linux a confined process has its own users, mounts, processes, network, and
// devices; all but the directories it may write in is read-only; secrets are hidden;
// it has no capabilities and cannot make system calls that would undo that. The
// process that sets this up is this program itself, started again: [Main] must be the
// first call of its main function. What cannot be enforced is an error, never a
// process that runs without it.
package confine

import (
	"errors"
	"fmt"
	"slices"
)

// A Tier is how much of a policy is enforced.
type Tier int

// The tiers.
const (
	None    Tier = iota // nothing but a session of its own
	Partial             // writing files and opening sockets: for commands that are known to read
	Full                // all of it
)

// String returns the tier's name.
func (t Tier) String() string {
	switch t {
	case None:
		return "none"
	case Partial:
		return "partial"
	case Full:
		return "full"
	}
	return fmt.Sprintf("tier %d", int(t))
}

// ErrUnavailable is in the error of a start whose tier is not to be had here.
var ErrUnavailable = errors.New("the sandbox is not available")

// A Policy says what a process may touch. The zero value is no sandbox.
type Policy struct {
	Tier     Tier     `json:"tier"`     // what must be enforced
	Write    []string `json:"write"`    // directories it may write in; their paths are absolute and free of links
	ReadOnly []string `json:"readOnly"` // parts of those that it may not write in
	Hide     []string `json:"hide"`     // files that are empty to it, and directories that are
	Protect  []string `json:"protect"`  // names in each Write directory that stay as they are, present or not
	Net      Net      `json:"net"`
	Limits   Limits   `json:"limits"`
	Home     string   `json:"home,omitempty"`    // a directory that is the command's home, and stays; private and empty without
	Env      []string `json:"env,omitempty"`     // variables that are set beside the command's own
	Overlay  string   `json:"overlay,omitempty"` // a directory that takes what changes in Write; see NewOverlay
}

// A NetMode is how a process reaches the network.
type NetMode int

// The modes of the network, from the strictest.
const (
	NetNone  NetMode = iota // not at all
	NetProxy                // the hosts that are allowed, through a proxy
	NetHost                 // as any process does
)

// Net says which hosts a process reaches.
type Net struct {
	Mode  NetMode  `json:"mode"`
	Allow []string `json:"allow,omitempty"` // host, *.host or host:port; none is none
	Deny  []string `json:"deny,omitempty"`  // beats Allow
}

// Limits are what one process may use; zero is no limit.
type Limits struct {
	CPU       uint64 `json:"cpu,omitempty"`       // seconds
	Memory    uint64 `json:"memory,omitempty"`    // bytes of address space
	FileSize  uint64 `json:"fileSize,omitempty"`  // bytes
	OpenFiles uint64 `json:"openFiles,omitempty"` // descriptors
	Processes uint64 `json:"processes,omitempty"` // of the user; not enforced for root
}

// Tighten returns what both policies permit: a layer can take away, and never give.
func (p Policy) Tighten(by Policy) Policy {
	out := p
	out.Tier = max(p.Tier, by.Tier)
	if by.Write != nil {
		out.Write = inBoth(p.Write, by.Write)
	}
	out.ReadOnly = joined(p.ReadOnly, by.ReadOnly)
	out.Hide = joined(p.Hide, by.Hide)
	out.Protect = joined(p.Protect, by.Protect)
	out.Net = p.Net.tighten(by.Net)
	out.Limits = Limits{
		CPU: lower(p.Limits.CPU, by.Limits.CPU), Memory: lower(p.Limits.Memory, by.Limits.Memory),
		FileSize: lower(p.Limits.FileSize, by.Limits.FileSize), OpenFiles: lower(p.Limits.OpenFiles, by.Limits.OpenFiles),
		Processes: lower(p.Limits.Processes, by.Limits.Processes),
	}
	return out
}

func (n Net) tighten(by Net) Net {
	out := Net{Mode: min(n.Mode, by.Mode), Deny: joined(n.Deny, by.Deny)}
	switch {
	case out.Mode != NetProxy:
	case n.Mode != NetProxy:
		out.Allow = by.Allow
	case by.Mode != NetProxy:
		out.Allow = n.Allow
	default:
		out.Allow = joined(within(by.Allow, n.Allow), within(n.Allow, by.Allow))
	}
	return out
}

// within are the hosts that others reach too.
func within(hosts, others []string) (out []string) {
	for _, host := range hosts {
		if slices.Contains(others, host) || reaches(others, host) {
			out = append(out, host)
		}
	}
	return out
}

func lower(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func joined(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// inBoth are the directories that are in both: of one inside another the inner.
func inBoth(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		for _, y := range b {
			switch {
			case x == y || below(x, y):
				out = append(out, x)
			case below(y, x):
				out = append(out, y)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// below reports whether path is inside dir.
func below(path, dir string) bool {
	return len(path) > len(dir) && path[:len(dir)] == dir && (path[len(dir)] == '/' || dir == "/")
}

// MarshalText writes the tier's name.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a tier's name.
func (t *Tier) UnmarshalText(text []byte) error {
	for _, known := range []Tier{None, Partial, Full} {
		if known.String() == string(text) {
			*t = known
			return nil
		}
	}
	return fmt.Errorf("unknown tier %q", text)
}
