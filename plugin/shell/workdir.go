package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// realRoots returns the roots as absolute paths without symbolic links.
func realRoots(roots []string) ([]string, error) {
	if len(roots) == 0 {
		roots = []string{"."}
	}
	real := make([]string, len(roots))
	for i, root := range roots {
		path, err := filepath.Abs(root)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return nil, fmt.Errorf("root %s: %w", root, plain(err))
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("root %s: not a directory", root)
		}
		real[i] = path
	}
	return real, nil
}

// directory returns where a command is to run. The command itself may go
// elsewhere; that the call starts inside is a courtesy to the model, which then
// sees the tree that it was told of.
func (b *bash) directory(name string) (string, error) {
	if name == "" {
		return b.roots[0], nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.roots[0], path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("workdir %q: %w", name, plain(err))
	}
	if !b.inside(real) {
		return "", fmt.Errorf("workdir %q: outside the allowed directories", name)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", fmt.Errorf("workdir %q: not a directory", name)
	}
	return real, nil
}

func (b *bash) inside(path string) bool {
	for _, root := range b.roots {
		if rel, err := filepath.Rel(root, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// plain drops the path from an error of the file system: the model knows what it
// asked for, and is not told where that is on the host.
func plain(err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such directory")
	case errors.As(err, &at):
		return at.Err
	}
	return err
}
