package confine

import (
	"strings"

	"github.com/toolfall/toolfall/internal/secret"
)

// Scrub returns the environment without the variables that look like secrets by
// their names, except those in allow.
func Scrub(env, allow []string) []string {
	kept := make([]string, 0, len(env))
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if !secret.Name(name) || allowed(name, allow) {
			kept = append(kept, pair)
		}
	}
	return kept
}

func allowed(name string, allow []string) bool {
	for _, a := range allow {
		if a == name {
			return true
		}
	}
	return false
}
