package toolfall

import (
	"path/filepath"
	"strings"
)

// A Claim is something that a call touches. Two calls may run side by side where none
// of their claims conflict.
type Claim struct {
	Resource string // "path", "exec", "net" or a tool's own; empty for everything there is
	Key      string // which: an absolute path, a host; empty for all of the resource
	Write    bool   // it may change, so that nobody else may look at the same time
}

// Path is the resource whose keys are files, and directories with all that is in them.
const Path = "path"

// ReadPath and WritePath claim the file or the tree of that name, which must be
// absolute. Links in it should have been followed: two names of one file do not conflict.
func ReadPath(path string) Claim { return Claim{Resource: Path, Key: filepath.Clean(path)} }

// WritePath is [ReadPath] of what may change.
func WritePath(path string) Claim {
	return Claim{Resource: Path, Key: filepath.Clean(path), Write: true}
}

// Alone claims everything: the call runs beside no other that claims anything.
func Alone() []Claim { return []Claim{{Write: true}} }

// Shared claims to look at everything and to change nothing.
func Shared() []Claim { return []Claim{{}} }

// Conflicts reports whether two calls with these claims must not overlap.
func (c Claim) Conflicts(o Claim) bool {
	switch {
	case !c.Write && !o.Write:
		return false
	case c.Resource == "" || o.Resource == "":
		return true
	case c.Resource != o.Resource:
		return false
	case c.Key == "" || o.Key == "" || c.Key == o.Key:
		return true
	case c.Resource == Path:
		return contains(c.Key, o.Key) || contains(o.Key, c.Key)
	}
	return false
}

// contains reports whether path is in the directory dir. Both are clean.
func contains(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (strings.HasSuffix(dir, string(filepath.Separator)) || rest != "" && rest[0] == filepath.Separator)
}

// Claims returns what the call is going to touch, by the definition of its tool. A tool
// that declares nothing is alone, unless it is hinted to read only; so is a call before
// admission. A call to a name that no tool has touches nothing.
func (c Call) Claims() (claims []Claim) {
	if c.admitted == nil || !c.admitted.covers(c) {
		return Alone()
	}
	e := c.admitted.entry
	switch {
	case e == nil:
		return nil
	case e.Claims != nil:
		defer func() {
			if recover() != nil {
				claims = Alone()
			}
		}()
		return e.Claims(c)
	case e.Hints.ReadOnly == Yes:
		return Shared()
	}
	return Alone()
}
