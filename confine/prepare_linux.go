//go:build amd64 || arm64

package confine

import (
	"fmt"
	"path/filepath"
	"slices"
)

// prepare resolves what a policy names, and makes what is to be protected and is not
// there yet. The caller releases what is held.
func prepare(p Policy, c Command) (s setup, held held, err error) {
	if err := p.sound(); err != nil {
		return s, nil, err
	}
	s = setup{Policy: p, Path: c.Path, Name: c.name(), Args: c.Args, Dir: c.Dir, Env: environment(c.Env, p)}
	for _, path := range p.Hide {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			s.Hide = append(s.Hide, real)
		}
	}
	for _, dir := range p.Write {
		for _, name := range p.fixed(dir) {
			path, pins, dir, err := hold(dir, name)
			held = append(held, dir...)
			if err != nil {
				held.release()
				return s, nil, fmt.Errorf("protect %s: %w", name, err)
			}
			s.Locks = append(s.Locks, path)
			s.Pins = append(s.Pins, pins...)
		}
	}
	slices.Sort(s.Pins) // the outer ones first
	s.Pins = slices.Compact(s.Pins)
	slices.Sort(s.Locks)
	s.Locks = slices.Compact(s.Locks)
	return s, held, nil
}

// fixed are the names in a writable directory that stay as they are.
func (p Policy) fixed(dir string) []string {
	names := slices.Clone(p.Protect)
	for _, path := range p.ReadOnly {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			names = append(names, rel)
		}
	}
	return names
}

// sound reports a directory that cannot be given to a command without giving it all:
// the root, what the kernel shows there, and a link, which may lead there.
func (p Policy) sound() error {
	for _, dir := range p.Write {
		real, err := filepath.EvalSymlinks(dir)
		switch {
		case err != nil:
			return fmt.Errorf("write in %s: %w", dir, err)
		case !filepath.IsAbs(dir) || real != dir:
			return fmt.Errorf("write in %s: not the directory's own path", dir)
		case dir == "/" || slices.ContainsFunc([]string{"/dev", "/proc", "/sys"}, func(own string) bool { return dir == own || below(dir, own) }):
			return fmt.Errorf("write in %s: it leaves nothing to protect", dir)
		}
	}
	return nil
}
