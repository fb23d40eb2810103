// Package config turns toolfall.yaml into a registry with its plugins. It is the
// one room that knows every plugin.
//
// [Load] looks for the file from the current directory up to the root of the file
// system, or does without one, and keeps for every value where it came from. A file is checked as strictly as the arguments of a call, against
// the schema that editors complete it from. [Config.Open] attaches what the
// values say.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/plugin/mcp"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/schedule"
)

// names are the files that are looked for, the first one first.
var names = [...]string{"toolfall.yaml", "toolfall.yml"}

// maxFile is the largest configuration, in bytes.
const maxFile = 1 << 20

// Options say where a configuration comes from.
type Options struct {
	File  string   // the file to read; looked for when empty
	Dir   string   // where to begin to look, upward; the current directory when empty
	Roots []string // instead of the file's, relative to the current directory

	Mode  string   // instead of the file's permission mode
	Allow []string // further rules that allow, as Claude Code writes them

	// Overlay has commands run on a copy of the roots; see [Config.Over].
	Overlay bool

	Log io.Writer // where trouble is told, and lines about calls if the file asks for them; nowhere when nil

	Unrecorded bool // keep no record of calls, whatever the file says

	// Single says that a person makes one call, so files may be changed that were
	// not read before: there is no call before.
	Single bool
}

// Config is the values in force.
type Config struct {
	File
	Path    string   // of the file that was read; empty when there is none
	Notes   []string // what of the file does not count, and why
	single  bool
	trusted bool // what the file says may widen what is allowed
	over    bool
	logTo   io.Writer

	unrecorded bool
	overlay    *confine.Overlay

	policy    *policy.Policy // without what was granted since
	scheduler *schedule.Scheduler
	waiting   *mcp.Wait
	allow     []string
	hidden    func(path string) bool // files that are not listed, by the policy
	named     []string               // files of other programs, from the command line
	sources   map[string]string
}

// Load reads the configuration. Without a file the defaults hold. What is wrong
// with a file is told with its lines.
func Load(o Options) (*Config, error) {
	c := &Config{File: defaults(), single: o.Single, sources: make(map[string]string)}
	path, err := find(o)
	if err != nil {
		return nil, err
	}
	if path != "" {
		if err := c.read(path); err != nil {
			return nil, err
		}
		if c.trusted = o.File != "" || Trusted(path); !c.trusted {
			c.restrict()
		}
	}
	if err := c.readMCPFiles(); err != nil {
		return nil, err
	}
	if o.Mode != "" {
		if _, err := policy.ParseMode(o.Mode); err != nil {
			return nil, err
		}
		c.Permission.Mode, c.sources["permission.mode"] = o.Mode, "--mode"
	}
	c.allow, c.over, c.logTo, c.unrecorded = o.Allow, o.Overlay, o.Log, o.Unrecorded
	if c.logTo == nil {
		c.logTo = io.Discard
	}
	if c.over && !c.Sandboxed() {
		return nil, errors.New("an overlay needs the sandbox, which is off")
	}
	if len(o.Roots) > 0 {
		c.Roots = o.Roots
		c.sources["roots"] = "--root"
	}
	return c, nil
}

// find returns the path of the file, or nothing.
func find(o Options) (string, error) {
	if o.File != "" {
		return o.File, nil
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", names[0], err)
	}
	for {
		for _, name := range names {
			path := filepath.Join(dir, name)
			switch info, err := os.Stat(path); {
			case err == nil && info.Mode().IsRegular():
				return path, nil
			case err != nil && !errors.Is(err, fs.ErrNotExist):
				return "", fmt.Errorf("config: %w", err) // it may hold a rule: going on without it would be wrong
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// read takes in a file.
func (c *Config) read(path string) error {
	raw, err := readFile(path)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	c.Path = path
	lines, err := decode(raw, &c.File)
	if err != nil {
		return located(path, err)
	}
	for key, line := range lines {
		c.sources[key] = fmt.Sprintf("%s:%d", path, line)
	}
	if _, said := lines["roots"]; said {
		for i, root := range c.Roots {
			if !filepath.IsAbs(root) {
				c.Roots[i] = filepath.Join(filepath.Dir(path), root)
			}
		}
	}
	return nil
}

// located puts the path before each fault: file:line, as editors and terminals
// know it.
func located(path string, err error) error {
	fs, ok := err.(faults)
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	told := make([]string, len(fs))
	for i, f := range fs {
		told[i] = fmt.Sprintf("%s:%d: %s", path, max(f.line, 1), f.problem)
	}
	return errors.New(strings.Join(told, "\n"))
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return raw, err
}
