package dialect

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// maxName is the longest name that every provider takes: OpenAI, DeepSeek and
// Bedrock say 64, Anthropic's documents say 64 where its errors say 128
// (modelcontextprotocol issue 1345), Gemini says 64 or 128.
const maxName = 64

// wireNames returns the name of each tool in a dialect. A name that is legal
// stays. Of the others each is made legal by itself, and gets a hash of the
// original behind it only if it had to be cut or would be taken for another, so
// it does not depend on the order of the tools.
func wireNames(d Dialect, tools []Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	if d == MCP {
		return names
	}
	return unique(names, legalName)
}

// unique maps names onto legal ones, of which no two are the same. It works in the
// order of the names, so theirs in the list does not matter.
func unique(names []string, legal func(string) string) []string {
	claims := make(map[string]int, len(names)) // by how many names, altered or not
	wire := make(map[string]string, len(names))
	for _, name := range names {
		if _, again := wire[name]; !again {
			wire[name] = legal(name)
			claims[wire[name]]++
		}
	}
	taken := make(map[string]bool, len(names))
	for name, w := range wire {
		if w == name || claims[w] == 1 {
			taken[w] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wire)) {
		if w := wire[name]; w != name && claims[w] > 1 {
			wire[name] = free(w, name, taken)
		}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = wire[name]
	}
	return out
}

// free returns base with a hash of the original behind it that nobody has yet.
func free(base, original string, taken map[string]bool) string {
	for salt := original; ; salt += "\x00" {
		if w := hashed(base, salt); !taken[w] {
			taken[w] = true
			return w
		}
	}
}

// legalName makes a name of letters, digits, underscores and dashes, of which all
// providers take up to maxName; Gemini wants a letter or underscore first.
func legalName(name string) string {
	return legal(name, func(c byte) bool { return c == '_' || c == '-' })
}

// legalKey makes a member name as Anthropic wants it at the top of a schema
// (claude-code issue 79418) and Gemini everywhere.
func legalKey(name string) string {
	return legal(name, func(c byte) bool { return c == '_' })
}

func legal(name string, also func(byte) bool) string {
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() <= maxName; i++ {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		switch {
		case letter || b.Len() > 0 && ('0' <= c && c <= '9' || also(c)):
			b.WriteByte(c)
		case b.Len() == 0 && ('0' <= c && c <= '9' || also(c)):
			b.WriteByte('_')
			b.WriteByte(c)
		default:
			b.WriteByte('_')
		}
	}
	switch {
	case b.Len() == 0:
		return hashed("_", name)
	case b.Len() > maxName:
		return hashed(b.String(), name)
	}
	return b.String()
}

// hashed ends a name with eight digits of the hash of its original.
func hashed(base, original string) string {
	sum := sha256.Sum256([]byte(original))
	return base[:min(len(base), maxName-9)] + "_" + hex.EncodeToString(sum[:4])
}
