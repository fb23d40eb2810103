package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A file that is found upward from the current directory may have come with a
// repository. Until its owner trusts it, as it stands, it can only tighten: what it
// says that would widen anything does not count. A file that is named is trusted.

// stateDir is where Toolfall keeps what a person has decided.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "toolfall"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home directory: %w", err)
	}
	return filepath.Join(home, ".local", "state", "toolfall"), nil
}

// ApprovalsDir is where programs that ask listen for answers.
func ApprovalsDir() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "ask"), err
}

// trusts is the file of what is trusted: from the path to the hash of the content.
func trusts() (path string, known map[string]string, err error) {
	dir, err := stateDir()
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "trusted.json")
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, map[string]string{}, nil
	case err != nil:
		return "", nil, fmt.Errorf("read what is trusted: %w", err)
	}
	if err := json.Unmarshal(raw, &known); err != nil || known == nil {
		return "", nil, fmt.Errorf("%s: %w", path, errors.Join(err, errors.New("want an object of paths and hashes")))
	}
	return path, known, nil
}

// Trusted reports whether the file at path is trusted as it stands.
func Trusted(path string) bool {
	abs, hash, err := fingerprint(path)
	if err != nil {
		return false
	}
	_, known, err := trusts()
	return err == nil && known[abs] == hash
}

// Trust lets the file at path count in full until it changes.
func Trust(path string) error {
	abs, hash, err := fingerprint(path)
	if err != nil {
		return err
	}
	store, known, err := trusts()
	if err != nil {
		return err
	}
	known[abs] = hash
	raw, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(store), 0o700); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	next := store + ".new"
	if err := os.WriteFile(next, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	return os.Rename(next, store)
}

// fingerprint is the real path of a file and the hash of it, and of the other files
// that it names.
func fingerprint(path string) (abs, hash string, err error) {
	if abs, err = filepath.Abs(path); err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", "", fmt.Errorf("trust %s: %w", path, err)
	}
	raw, err := readFile(abs)
	if err != nil {
		return "", "", err
	}
	h := sha256.New()
	h.Write(raw)
	f := defaults()
	if _, err := decode(raw, &f); err == nil {
		for _, name := range f.Permission.Settings {
			other, err := os.ReadFile(settingsPath(abs, name))
			fmt.Fprintf(h, "\x00%s %v\x00", name, err == nil)
			h.Write(bytes.Clone(other))
		}
	}
	return abs, hex.EncodeToString(h.Sum(nil)), nil
}

// settingsPath is where a file named in the configuration is.
func settingsPath(config, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(config), name)
}

// restrict takes back what a file that is not trusted would widen.
func (c *Config) restrict() {
	d := defaults()
	dir := filepath.Dir(c.Path)
	var roots []string
	for _, root := range c.Roots {
		if below(dir, root) {
			roots = append(roots, root)
		}
	}
	if len(roots) < len(c.Roots) {
		c.ignored("roots outside its directory")
		if c.Roots = roots; len(roots) == 0 {
			c.Roots = []string{dir}
		}
	}
	if c.Files.AllowHardLinks {
		c.Files.AllowHardLinks = false
		c.ignored("files.allowHardLinks")
	}
	if c.Shell.Persistent || c.Shell.Jobs > d.Shell.Jobs || c.Shell.JobTime > d.Shell.JobTime {
		c.Shell.Persistent, c.Shell.Jobs, c.Shell.JobTime = false, min(c.Shell.Jobs, d.Shell.Jobs), min(c.Shell.JobTime, d.Shell.JobTime)
		c.ignored("shell.persistent, and more jobs than usual")
	}
	if len(c.Shell.AllowEnv) > 0 {
		c.Shell.AllowEnv = nil
		c.ignored("shell.allowEnv")
	}
	if len(c.MCPServers)+len(c.MCPFiles) > 0 {
		c.MCPServers, c.MCPFiles = nil, nil
		c.ignored("mcpServers and mcpFiles")
	}
	c.restrictJournal(d.Journal)
	if c.Telemetry.Endpoint != "" || c.Telemetry.Content {
		c.Telemetry.Endpoint, c.Telemetry.Content = "", false
		c.ignored("telemetry.endpoint and content")
	}
	if m := c.Permission.Mode; m == "acceptEdits" || m == "bypass" {
		c.Permission.Mode = d.Permission.Mode
		c.ignored("permission.mode " + m)
	}
	if c.Sandbox.Mode == "off" || c.Sandbox.Network != d.Sandbox.Network || len(c.Sandbox.Allow)+len(c.Sandbox.Write) > 0 {
		hide, protect, deny := c.Sandbox.Hide, c.Sandbox.Protect, c.Sandbox.Deny
		c.Sandbox = d.Sandbox
		c.Sandbox.Hide, c.Sandbox.Protect, c.Sandbox.Deny = hide, protect, deny
		c.ignored("sandbox.mode off, network, allow and write")
	}
	c.restrictLimits()
	c.restrictRules()
}

// below reports whether a root is in a directory, by its name and by where its links
// lead: a repository can bring a link to anywhere.
func below(dir, root string) bool {
	rel, err := filepath.Rel(dir, root)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	from, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	to, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	rel, err = filepath.Rel(from, to)
	return err == nil && filepath.IsLocal(rel)
}

func (c *Config) restrictRules() {
	var kept []Rule
	for _, r := range c.Permission.Rules {
		if r.Effect != "allow" {
			kept = append(kept, r)
		}
	}
	if len(kept) < len(c.Permission.Rules) {
		c.Permission.Rules = kept
		c.ignored("rules that allow")
	}
}

func (c *Config) ignored(what string) {
	if len(c.Notes) == 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s is not trusted, so it can only tighten; after reading it, run: toolfall trust %s", c.Path, c.Path))
	}
	c.Notes = append(c.Notes, c.Path+": "+what+" do not count")
}

// restrictJournal has everything recorded as usual.
func (c *Config) restrictJournal(d Journal) {
	j := &c.Journal
	if !j.Enabled || j.MaxDays < d.MaxDays || j.MaxMB != d.MaxMB {
		j.Enabled, j.MaxDays, j.MaxMB = true, max(j.MaxDays, d.MaxDays), d.MaxMB
		c.ignored("journal.enabled false, and less than usual")
	}
	if len(j.Redact) > 0 { // a pattern such as .* would leave nothing of what was done
		j.Redact = nil
		c.ignored("journal.redact")
	}
}
