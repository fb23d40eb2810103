package files

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"strings"
)

// ignores is the rules of one .gitignore file, and of those above it. It never
// changes.
type ignores struct {
	above *ignores
	base  string // the directory that the rules are about
	rules []rule
}

// rule is one line of a .gitignore file.
type rule struct {
	parts   []string // the pattern, split at its slashes
	name    bool     // it is about the last part of a path alone
	literal bool     // and has nothing to be interpreted in it
	dir     bool     // it is about directories alone
	negated bool     // what it matches is not ignored
}

const (
	maxIgnoreFile = 1 << 20 // bytes of one .gitignore file that are read
	maxRules      = 10_000  // of one .gitignore file
)

// parseIgnores reads the rules of a .gitignore file about the directory base. What
// git does not take for a pattern is no rule here either.
func parseIgnores(above *ignores, base string, r io.Reader) *ignores {
	g := &ignores{above: above, base: base}
	lines := bufio.NewScanner(io.LimitReader(r, maxIgnoreFile))
	lines.Buffer(nil, maxIgnoreFile+1)
	for first := true; lines.Scan() && len(g.rules) < maxRules; first = false {
		line := lines.Bytes()
		if first {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if rule, ok := parseRule(string(line)); ok {
			g.rules = append(g.rules, rule)
		}
	}
	return g
}

// parseRule reads one line, whose end the scanner has taken off.
func parseRule(line string) (rule, bool) {
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	line = trimSpaces(line)
	var r rule
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dir = strings.CutSuffix(line, "/")
	if line == "" {
		return rule{}, false
	}
	r.name = !strings.Contains(line, "/")
	r.parts = strings.Split(strings.TrimPrefix(line, "/"), "/")
	for i, part := range r.parts {
		if len(part) > 2 && strings.Trim(part, "*") == "" {
			r.parts[i] = "**" // more stars say no more
		}
	}
	r.literal = r.name && !strings.ContainsAny(line, `*?[\`)
	return r, true
}

// trimSpaces takes off the spaces at the end that no backslash keeps.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' && i+1 < len(line) {
			i++
			end = i + 1
		} else if line[i] != ' ' {
			end = i + 1
		}
	}
	return line[:end]
}

// match reports whether the entry at name, a path below the root, is ignored.
// The rules of the deepest directory count before those above, and in one file the
// last before the first. Whether a directory above name is ignored is for the
// caller to know.
func (g *ignores) match(name string, isDir bool) bool {
	for ; g != nil; g = g.above {
		below := name
		if g.base != "." {
			below = name[len(g.base)+1:]
		}
		for i := len(g.rules) - 1; i >= 0; i-- {
			if r := &g.rules[i]; r.match(below, isDir) {
				return !r.negated
			}
		}
	}
	return false
}

func (r *rule) match(below string, isDir bool) bool {
	switch {
	case r.dir && !isDir:
		return false
	case r.literal:
		return path.Base(below) == r.parts[0]
	case r.name:
		return matchPart(r.parts[0], path.Base(below))
	}
	return matchParts(r.parts, strings.Split(below, "/"))
}

// matchParts matches a path with a pattern in which a part "**" stands for any
// number of directories, and as the last part for all that is below. When a part
// does not fit, only the latest "**" has to take in more: an earlier one could win
// nothing by it. So the work is at most the product of the two lengths.
func matchParts(pattern, parts []string) bool {
	p, s := 0, 0
	retry, taken := -1, 0
	for s < len(parts) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			if p == len(pattern)-1 {
				return true
			}
			retry, taken = p, s
			p++
		case p < len(pattern) && matchPart(pattern[p], parts[s]):
			p++
			s++
		case retry >= 0:
			taken++
			p, s = retry+1, taken
		default:
			return false
		}
	}
	return p == len(pattern)
}
