package mcp

import (
	"os"
	"slices"
	"strings"
)

// given are the variables that every server gets of the program's own: what programs need
// to find others, files and their language. Secrets are not among them: a server gets those
// that its configuration names.
var given = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
}

// environment is what a server gets.
func environment(own map[string]string) (out []string) {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if _, named := own[name]; named || !slices.Contains(given, strings.ToUpper(name)) && !strings.HasPrefix(name, "LC_") {
			continue
		}
		out = append(out, pair)
	}
	for name, value := range own {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// stderr keeps the last of what a server says beside the protocol. One goroutine writes it.
type stderr struct{ kept []byte }

// maxStderr is how much is kept, in bytes.
const maxStderr = 8 << 10

func (e *stderr) Write(p []byte) (int, error) {
	e.kept = append(e.kept, p...)
	if over := len(e.kept) - maxStderr; over > 0 {
		e.kept = append(e.kept[:0], e.kept[over:]...)
	}
	return len(p), nil
}

// last is its last line with something in it.
func (e *stderr) last() string {
	text := strings.TrimSpace(string(e.kept))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
