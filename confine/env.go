package confine

import "strings"

// Tmp and Home are where a confined command finds its own temporary directory and home.
const (
	Tmp  = "/tmp"
	Home = "/tmp/home"
)

// unsafeEnv are the variables that make programs load or run something, or that lead
// to what a sandbox does not have.
var unsafeEnv = []string{
	"BASH_ENV", "ENV", "PROMPT_COMMAND", "NODE_OPTIONS", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF",
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST",
	"HOME", "TMPDIR", "TMP", "TEMP",
}

// environment is what a confined command gets: a home and a temporary directory of its
// own, and where the proxy is, in place of what would lead outside.
func environment(env []string, p Policy) []string {
	var out []string
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "LD_") && !strings.HasPrefix(name, "BASH_FUNC_") && !allowed(name, unsafeEnv) && !proxyName(name) {
			out = append(out, pair)
		}
	}
	out = append(out, "HOME="+Home, "TMPDIR="+Tmp)
	if p.Net.Mode == NetProxy {
		out = append(out, ProxyEnv()...)
	}
	return append(out, p.Env...)
}

func proxyName(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), "_proxy")
}
