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

// trial has the sandbox attacked before it is relied on: once for each start of the
// machine, and again when it cannot be known whether that was done.
func trial(l *confine.Launcher) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	path, key := filepath.Join(dir, "probe.json"), circumstances()
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
	for _, path := range []string{self, filepath.Join(filepath.Dir(self), "toolfall-confine")} {
		if info, err := os.Stat(path); err == nil {
			key += fmt.Sprintf(" %s %d %d", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return key
}
