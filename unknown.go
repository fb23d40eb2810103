package toolfall

import (
	"fmt"
	"strings"

	"github.com/toolfall/toolfall/internal/near"
)

// unknown is the error for a name that no tool has, with the nearest names.
func (s *Snapshot) unknown(name string) error {
	if len(name) > 128 {
		name = strings.ToValidUTF8(name[:128], "") + "…"
	}
	text := fmt.Sprintf("unknown tool %q", name)
	if meant := s.Near(name); len(meant) > 0 {
		text += "; did you mean " + strings.Join(meant, " or ") + "?"
	}
	return newError(UnknownTool, text)
}

// Near returns up to three names of tools that are close to name, the closest
// first: what a model may have meant.
func (s *Snapshot) Near(name string) []string {
	return near.Names(name, func(yield func(string) bool) {
		for e := range s.tools.all {
			if !yield(e.Name) {
				return
			}
		}
	})
}
