package files

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/toolfall/toolfall"
)

// claiming declares that a tool touches the path in its arguments, and nothing else.
func (t *tools) claiming(write bool, d toolfall.Definition) toolfall.Definition {
	d.Claims = func(c toolfall.Call) []toolfall.Claim {
		var args struct{ Path, Pattern string }
		if json.Unmarshal(c.Arguments, &args) != nil {
			return toolfall.Alone()
		}
		if c.Name == "glob" && (filepath.IsAbs(args.Pattern) || strings.Contains(args.Pattern, "..")) {
			return []toolfall.Claim{{Resource: toolfall.Path}} // it begins elsewhere
		}
		return []toolfall.Claim{{Resource: toolfall.Path, Key: t.claimed(args.Path), Write: write}}
	}
	return d
}

// claimed is the one name of what a path leads to, with its links followed, also those
// on the way to the root. What leads outside is refused when the tool runs: there the
// path as it was given will do.
func (t *tools) claimed(given string) string {
	p, err := t.place(given)
	if err != nil {
		return filepath.Clean(given)
	}
	if real, err := p.real(); err == nil {
		p = real
	}
	dir := p.in.spellings[len(p.in.spellings)-1] // the resolved one, where it is another
	return filepath.FromSlash(path.Join(filepath.ToSlash(dir), p.name))
}
