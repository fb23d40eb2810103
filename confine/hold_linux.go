//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// held are directories that were made only so that there is something to protect.
// Whoever needs one holds a shared lock on it, in this process or another: removed
// under somebody's sandbox, it would take the protection with it.
type held []*os.File

// placeholder is the mode of such a directory. Nobody else makes one like it, so that
// one which a killed process left behind is known, and goes with its next holder.
const placeholder = fs.ModeDir | fs.ModeSticky | 0o555

// isPlaceholder looks past what the umask took away.
func isPlaceholder(m fs.FileMode) bool { return m|0o555 == placeholder }

// release lets go, and removes what nobody else holds.
func (h held) release() {
	for _, dir := range h {
		if unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			os.Remove(dir.Name()) // only if it is still empty
		}
		dir.Close()
	}
}

// hold returns the path of a protected name and the directories on the way to it.
// Where something on the way is missing, it makes that, and protects it instead.
func hold(dir, name string) (path string, pins []string, made held, err error) {
	if !filepath.IsLocal(name) {
		return "", nil, nil, errors.New("it leads out of its directory")
	}
	at := dir
	for part := range strings.SplitSeq(filepath.Clean(name), "/") {
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return at, pins, nil, nil // nothing can be below a file, as long as it is one
		}
		if at != dir {
			pins = append(pins, at)
		}
		at = filepath.Join(at, part)
		place, err := place(at)
		if err != nil {
			return "", nil, nil, err
		}
		if place != nil {
			return at, pins, held{place}, nil
		}
	}
	return at, pins, nil, nil
}

// maxPlaces is how often a directory is made again that somebody else just removed.
const maxPlaces = 100

// place makes and holds a directory unless something else is there already.
func place(path string) (*os.File, error) {
	for range maxPlaces {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.Mkdir(path, placeholder.Perm()|fs.ModeSticky); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fmt.Errorf("%s is a symbolic link", path)
		case !isPlaceholder(info.Mode()):
			return nil, nil
		}
		if dir := share(path); dir != nil {
			return dir, nil
		}
	}
	return nil, fmt.Errorf("%s: made and removed again and again", path)
}

// share locks a directory, unless it is being removed.
func share(path string) *os.File {
	dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	if unix.Flock(int(dir.Fd()), unix.LOCK_SH) == nil {
		mine, _ := dir.Stat()
		if there, err := os.Lstat(path); err == nil && os.SameFile(mine, there) {
			return dir
		}
	}
	dir.Close()
	return nil
}
