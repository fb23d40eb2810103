package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/plugin/record"
	"github.com/toolfall/toolfall/scope"
)

// JournalPath is the file in which calls are recorded.
func JournalPath() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "journal.db"), err
}

// recorder makes the plugin that records calls. The journal is opened with the first of
// them, since many commands make none.
func (c *Config) recorder(s *scope.Scope) (toolfall.Plugin, error) {
	conf := journal.Config{MaxAge: time.Duration(c.Journal.MaxDays) * 24 * time.Hour, MaxBytes: int64(c.Journal.MaxMB) << 20}
	for _, pattern := range c.Journal.Redact {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return toolfall.Plugin{}, fmt.Errorf("journal.redact %q: %w", pattern, err)
		}
		conf.Redact = append(conf.Redact, re)
	}
	path, err := JournalPath()
	if err != nil {
		return toolfall.Plugin{}, err
	}
	o := &opener{path: path, config: conf, say: c.say}
	s.Cleanup(o.close)
	var once sync.Once
	return record.New(record.Config{Journal: o.open, Required: c.Journal.Required, Failed: func(err error) {
		once.Do(func() { c.say(err.Error()) }) // each further call would say the same
	}}), nil
}

// say tells a person of trouble that stops nothing.
func (c *Config) say(text string) { fmt.Fprintln(c.logTo, "toolfall:", escape.Line(text)) }

// opener opens a journal when it is first asked for.
type opener struct {
	path   string
	config journal.Config
	say    func(string)

	mu      sync.Mutex
	journal *journal.SQLite
	err     error
}

func (o *opener) open() (journal.Journal, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.journal == nil && o.err == nil {
		o.journal, o.err = o.make()
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.journal, nil
}

// make opens the file, and begins anew beside one that is damaged.
func (o *opener) make() (*journal.SQLite, error) {
	j, err := journal.Open(o.path, o.config)
	if !errors.Is(err, journal.ErrCorrupt) {
		return j, err
	}
	to, moved := journal.SetAside(o.path)
	if moved != nil {
		return nil, errors.Join(err, moved)
	}
	o.say(fmt.Sprintf("%v; it is %s now, and a new one begins", err, to))
	return journal.Open(o.path, o.config)
}

func (o *opener) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.journal != nil {
		if err := o.journal.Close(); err != nil {
			o.say(fmt.Sprintf("the journal: %v", err))
		}
	}
}
