package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// Operands returns what a call of a command line depends on beside its text: the
// directory where it runs, and the files that it runs as programs or scripts. Other
// calls depend on nothing.
func (p *Policy) Operands(tool string, arguments json.RawMessage) (dir string, scripts []string) {
	var in input
	if kinds[tool] != runs || p.input.Decode(orObject(arguments), &in) != nil {
		return "", nil
	}
	d := &decision{Policy: p}
	dir = p.resolve(".", orDot(in.Workdir)).real()
	command.Scan(in.Command).Each(func(c *command.Command) {
		words := c.Argv[:1]
		if interprets(c.Name()) {
			words = c.Argv
		}
		for i, w := range words {
			if w.Dynamic() || w.Glob || i == 0 && !strings.Contains(w.Text, "/") || strings.HasPrefix(w.Text, "-") {
				continue
			}
			for _, t := range d.targets(c.Place, dir, w) {
				real := t.real()
				if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() && !slices.Contains(scripts, real) {
					scripts = append(scripts, real)
				}
			}
		}
	})
	slices.Sort(scripts)
	return filepath.Clean(dir), scripts
}
