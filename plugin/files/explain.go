package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/toolfall/toolfall"
)

// explain tells the model what err means for p. It never shows where on the host
// the root is.
func (p place) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case escapes(err):
		return p.leadsOut()
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: a part of this path that should be a directory is a file", p)
	case errors.Is(err, fs.ErrNotExist):
		return p.missing()
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied: the user that runs the tools may not do this", p)
	}
	return fmt.Errorf("%s: %w", p, reason(err))
}

// reason strips from err the operation and the path, which is the host's.
func reason(err error) error {
	var inPath *fs.PathError
	var inLink *os.LinkError
	var inCall *os.SyscallError
	switch {
	case errors.As(err, &inPath):
		return reason(inPath.Err)
	case errors.As(err, &inLink):
		return reason(inLink.Err)
	case errors.As(err, &inCall):
		return inCall.Err
	}
	return err
}

// escapes reports whether err is the refusal of os.Root, which has no sentinel.
func escapes(err error) bool { return reason(err).Error() == "path escapes from parent" }

// leadsOut is the refusal of a path whose links do not stay inside. An absolute
// link counts as leading out wherever it points, as for os.Root.
func (p place) leadsOut() error {
	return toolfall.NewError(Outside, fmt.Errorf(
		"%s passes a symbolic link that is absolute or leads out of the allowed directory; only relative links that stay inside are followed", p))
}

// missing explains that there is nothing at p, and what there is instead.
func (p place) missing() error {
	if _, err := os.Stat(p.in.spellings[0]); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the allowed directory itself no longer exists", p)
	}
	for dir := path.Dir(p.name); dir != "."; dir = path.Dir(dir) {
		if _, err := p.in.Lstat(dir); err == nil {
			break
		}
		if _, err := p.in.Lstat(path.Dir(dir)); err == nil {
			return fmt.Errorf("%s does not exist: there is no directory %s%s", p, place{p.in, dir}, place{p.in, dir}.near())
		}
	}
	return fmt.Errorf("%s does not exist%s", p, p.near())
}

// maxNear is how many names of a directory are compared with a missing one.
const maxNear = 2000

// near suggests names beside p that p may have been meant to be.
func (p place) near() string {
	dir := place{p.in, path.Dir(p.name)}
	d, err := dir.in.OpenFile(dir.name, os.O_RDONLY|directoryOnly, 0)
	if err != nil {
		return ""
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxNear) // fewer names make fewer suggestions
	found := nearest(path.Base(p.name), names)
	for i, name := range found {
		found[i] = dir.join(name).String()
	}
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(found, " or ") + "?"
}

// nearest returns up to three of names that are close to want.
func nearest(want string, names []string) []string {
	limit := 1 + len(want)/4
	cost := make(map[string]int)
	var found []string
	for _, name := range names {
		d := distance(strings.ToLower(want), strings.ToLower(name), limit)
		if d > limit && stem(want) == stem(name) {
			d = limit
		}
		if d <= limit {
			cost[name] = d
			found = append(found, name)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(cost[a], cost[b]), strings.Compare(a, b))
	})
	return found[:min(3, len(found))]
}

// stem is a name without its extension and its case.
func stem(name string) string { return strings.ToLower(strings.TrimSuffix(name, path.Ext(name))) }

// distance is the number of single-byte edits from a to b, or more than limit
// when it is more than that.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edit := diagonal
			if a[i] != b[j] {
				edit = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], edit
		}
	}
	return row[len(b)]
}
