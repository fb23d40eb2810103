package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolfall/toolfall/confine"
)

// tried is what a probe of the sandbox found, and under which circumstances: it holds
// until the machine is started anew, or the program or its user is another one.
type tried struct {
	Key    string       `json:"key"`
	Tier   confine.Tier `json:"tier"`
	Reason string       `json:"reason,omitempty"`
}

// launcher is the way of starting that the file names. By default the program sets the
// sandbox up itself, and where the system does not let it, has bubblewrap do that.
func (c *Config) launcher() (*confine.Launcher, error) { return Launcher(c.Sandbox.Backend) }

// Launcher returns the way of starting processes of that name: native, bubblewrap, or
// auto, which is native as long as that holds.
func Launcher(backend string) (*confine.Launcher, error) {
	bwrap := confine.Bubblewrap()
	var second *confine.Launcher
	if bwrap != "" {
		second = confine.New(confine.Config{Bubblewrap: bwrap, Trial: trial("bubblewrap")})
	}
	switch {
	case backend == "bubblewrap" && second == nil:
		return nil, fmt.Errorf("%w: sandbox.backend is bubblewrap, and bwrap is not installed", confine.ErrUnavailable)
	case backend == "bubblewrap":
		return second, nil
	case backend == "native":
		second = nil
	case backend != "auto":
		return nil, fmt.Errorf("unknown sandbox backend %q: it is auto, native or bubblewrap", backend)
	}
	return confine.New(confine.Config{Trial: trial("native"), Else: second}), nil
}

// trial has the sandbox attacked before it is relied on: once for each start of the
// machine, and again when it cannot be known whether that was done.
func trial(backend string) func(*confine.Launcher) error {
	return func(l *confine.Launcher) error { return try(l, backend) }
}

func try(l *confine.Launcher, backend string) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	path, key := filepath.Join(dir, "probe-"+backend+".json"), circumstances()
	var t tried
	if raw, err := os.ReadFile(path); err != nil || json.Unmarshal(raw, &t) != nil || key == "" || t.Key != key || t.Tier != confine.Full {
		m := l.Probe()
		t = tried{key, m.Tier, m.Reason}
		if raw, err := json.Marshal(t); err == nil && os.MkdirAll(dir, 0o700) == nil {
			os.WriteFile(path, raw, 0o600) // a courtesy to the next start
		}
	}
	if t.Tier != confine.Full {
		return errors.New(strings.Join([]string{"an attempt from inside was not held back (" + t.Reason + ")", "toolfall sandbox check tells more", "sandbox.mode off does without"}, "; "))
	}
	return nil
}

// circumstances names what the outcome of a probe depends on, or nothing where that
// cannot be found out.
func circumstances() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	key := fmt.Sprintf("%s %d", strings.TrimSpace(string(boot)), os.Getuid())
	for _, path := range []string{self, filepath.Join(filepath.Dir(self), "toolfall-confine"), confine.Bubblewrap()} {
		if info, err := os.Stat(path); err == nil {
			key += fmt.Sprintf(" %s %d %d", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return key
}
