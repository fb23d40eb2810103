package policy

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolfall/toolfall/policy/command"
)

// A pathPattern matches absolute paths, and all below what it matches.
type pathPattern struct {
	globs []string
	fold  bool // without regard to case: file systems differ, and denying must not
}

// compilePath reads a pattern as .gitignore has it, with anchors: // is the root of
// the file system, ~/ the home directory, / the directory of the file that holds the
// rule, and all else is relative to dir. A name alone matches at any depth.
func compilePath(text string, effect Effect, dir, base, home string) *pathPattern {
	p := &pathPattern{fold: effect != Allow}
	anchor, rest := dir, text
	relative := false
	switch {
	case strings.HasPrefix(text, "//"):
		anchor, rest = "/", text[2:]
	case text == "~" || strings.HasPrefix(text, "~/"):
		anchor, rest = home, strings.TrimPrefix(text[1:], "/")
	case strings.HasPrefix(text, "/"):
		anchor, rest = base, text[1:]
	case strings.HasPrefix(text, "./"):
		rest = text[2:]
	default:
		relative = true
	}
	rest = strings.TrimSuffix(rest, "/")
	anchor = escapeGlob(filepath.ToSlash(anchor))
	p.globs = []string{slashed(anchor, rest)}
	segment := strings.TrimSuffix(rest, "/**")
	if relative && !strings.Contains(segment, "/") && (segment == rest || effect != Allow) {
		p.globs = append(p.globs, slashed(anchor, "**/"+rest))
	}
	if p.fold {
		for i, g := range p.globs {
			p.globs[i] = strings.ToLower(g)
		}
	}
	return p
}

func slashed(anchor, rest string) string {
	if rest == "" {
		return anchor
	}
	return strings.TrimSuffix(anchor, "/") + "/" + rest
}

// escapeGlob keeps the characters of a directory's name from being wildcards.
func escapeGlob(path string) string { return globEscapes.Replace(path) }

var globEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)

// matches reports whether the pattern is of path or of a directory above it.
func (p *pathPattern) matches(path string) bool {
	path = filepath.ToSlash(path)
	if p.fold {
		path = strings.ToLower(path)
	}
	for _, g := range p.globs {
		for at := path; ; {
			if ok, err := doublestar.Match(g, at); ok && err == nil {
				return true
			}
			i := strings.LastIndexByte(at, '/')
			if i <= 0 {
				break
			}
			at = at[:i]
		}
	}
	return false
}

// A target is a file that a call names: as it is written, and where its links lead.
type target struct {
	shown  string
	path   string // absolute, as it is spelt
	spelt  string // the same without dots
	unsure bool   // there may be others
}

// real is the path through links. The file system is asked each time.
func (t target) real() string { return follow(t.path) }

// resolve finds what a path means from a directory.
func (p *Policy) resolve(dir, path string) target {
	t := target{shown: path}
	switch {
	case strings.HasPrefix(path, command.Home):
		path = p.home + path[len(command.Home):]
		t.shown = "~" + t.shown[len(command.Home):]
	case !filepath.IsAbs(path):
		path = p.absolute(dir) + "/" + path // what .. means depends on links
	}
	t.path, t.spelt = path, filepath.Clean(path)
	return t
}

// absolute is a directory, which may be relative to the first root.
func (p *Policy) absolute(dir string) string {
	switch {
	case strings.HasPrefix(dir, command.Home):
		return p.home + dir[len(command.Home):]
	case filepath.IsAbs(dir):
		return dir
	}
	return p.dir + "/" + dir
}

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// follow resolves the links of a path as far as it exists.
func follow(path string) string { return followed(path, maxLinks) }

func followed(path string, links int) string {
	rest := ""
	for at := path; ; {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if to, err := os.Readlink(at); err == nil && links > 0 { // a link to what is not there yet
			if !filepath.IsAbs(to) {
				up, _ := filepath.Split(at)
				to = up + to
			}
			return followed(to+"/"+rest, links-1)
		}
		up, name := filepath.Split(strings.TrimRightFunc(at, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })) // which leaves .. alone
		if name == "" || up == "" {
			return filepath.Clean(path)
		}
		rest = filepath.Join(name, rest)
		at = up
	}
}

// inside reports whether a file is in one of the roots, by its spelling and by its
// links.
func (p *Policy) inside(t target) bool {
	return !t.unsure && within(p.roots, t.spelt) && within(p.realRoots, t.real())
}

// within reports whether path is one of the directories or below one.
func within(dirs []string, path string) bool {
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path, dir); ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator))) {
			return true
		}
	}
	return false
}
