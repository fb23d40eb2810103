package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/plugin/sandbox"
)

// Sandboxed reports whether processes are started in a sandbox.
func (c *Config) Sandboxed() bool {
	return c.Sandbox.Mode == "required" || c.Sandbox.Mode == "auto" && runtime.GOOS == "linux"
}

var networks = map[string]confine.NetMode{"none": confine.NetNone, "proxy": confine.NetProxy, "host": confine.NetHost}

// cell makes the plugin that confines.
func (c *Config) cell() (toolfall.Plugin, error) {
	mode, ok := networks[c.Sandbox.Network]
	if !ok {
		return toolfall.Plugin{}, fmt.Errorf("unknown sandbox.network %q", c.Sandbox.Network)
	}
	launcher, err := c.launcher()
	if err != nil {
		return toolfall.Plugin{}, err
	}
	hide := c.absolute(c.Sandbox.Hide)
	if dir, err := stateDir(); err == nil {
		hide = append(hide, dir)
	}
	var over func(confine.Policy) (confine.Policy, error)
	if c.over {
		over = c.lay
	}
	return sandbox.New(sandbox.Config{
		Over:     over,
		Home:     c.home(),
		Env:      settings(),
		Launcher: launcher,
		Roots:    c.Roots, Write: c.absolute(c.Sandbox.Write), Hide: hide, Protect: c.Sandbox.Protect,
		Net: confine.Net{Mode: mode, Allow: c.Sandbox.Allow, Deny: c.Sandbox.Deny},
	}), nil
}

// home is the directory that commands of this project have as their home, so that what
// they cache is there the next time; empty when it cannot be made.
func (c *Config) home() string {
	state, err := stateDir()
	if err != nil {
		return ""
	}
	project, err := filepath.Abs(c.Roots[0])
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(project))
	dir := filepath.Join(state, "home", hex.EncodeToString(sum[:8]))
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	return real
}

// settings let commands read of the user's home what they need to work as usual: who
// commits, and the modules that have been fetched.
func settings() (env []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for name, path := range map[string]string{"GIT_CONFIG_GLOBAL": ".gitconfig", "GOMODCACHE": "go/pkg/mod"} {
		if path = filepath.Join(home, filepath.FromSlash(path)); os.Getenv(name) == "" {
			if _, err := os.Stat(path); err == nil {
				env = append(env, name+"="+path)
			}
		}
	}
	slices.Sort(env)
	return env
}

// lay makes the overlay.
func (c *Config) lay(p confine.Policy) (confine.Policy, error) {
	dir, err := stateDir()
	if err != nil {
		return p, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return p, fmt.Errorf("overlay: %w", err)
	}
	if c.overlay, err = confine.NewOverlay(dir, p); err != nil {
		return p, err
	}
	return c.overlay.Policy(p), nil
}

// Over returns the overlay of the opened configuration, or nil when commands run on
// the roots themselves. Whoever opened it must call Drop on it.
func (c *Config) Over() *confine.Overlay { return c.overlay }

// absolute resolves paths of the file, in which ~ is the home directory.
func (c *Config) absolute(paths []string) []string {
	var out []string
	for _, path := range paths {
		if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
			path = filepath.Join(home, strings.TrimPrefix(path, "~"))
		}
		out = append(out, settingsPath(c.Path, path))
	}
	return out
}
