package permission

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/policy"
)

// A Store keeps grants in a file of the user's, not in the project: a repository must
// not be able to grant anything.
type Store struct {
	Path    string // of the file
	Project string // the directory that project grants are for
}

// A Grant is a rule that a person has allowed for longer.
type Grant struct {
	ID      string      `json:"id"`
	Project string      `json:"project,omitempty"` // empty: everywhere
	Rule    policy.Rule `json:"rule"`
	Granted time.Time   `json:"granted"`
}

type grants struct {
	Version int     `json:"version"`
	Grants  []Grant `json:"grants"`
}

// maxStore is the largest file, in bytes.
const maxStore = 4 << 20

// List returns all grants, those of other projects too. A file that is not there
// holds none; one that cannot be read is an error, not none.
func (s Store) List() ([]Grant, error) {
	info, err := os.Stat(s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("grants: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxStore:
		return nil, fmt.Errorf("grants: %s is not a file of grants", s.Path)
	}
	raw, err := os.ReadFile(s.Path)
	if err != nil {
		return nil, fmt.Errorf("grants: %w", err)
	}
	var file grants
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil || file.Version != 1 {
		return nil, fmt.Errorf("grants: %s is not a file of grants: %w", s.Path, errors.Join(err, errors.New("want version 1")))
	}
	for _, g := range file.Grants {
		if g.Rule.Effect != policy.Allow {
			return nil, fmt.Errorf("grants: %s: grant %s does not allow", s.Path, g.ID)
		}
	}
	return file.Grants, nil
}

// Rules returns the rules of the grants that hold in the project.
func (s Store) Rules() ([]policy.Rule, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	var rules []policy.Rule
	for _, g := range all {
		if g.Project == "" || g.Project == s.Project {
			g.Rule.Source = "grant " + g.ID
			rules = append(rules, g.Rule)
		}
	}
	return rules, nil
}

// Save adds rules for the project, or for everywhere.
func (s Store) Save(o approval.Outcome, rules []policy.Rule) error {
	return s.update(func(all []Grant) ([]Grant, error) {
		for _, r := range rules {
			g := Grant{ID: rand.Text()[:8], Rule: r, Granted: time.Now().UTC().Truncate(time.Second)}
			if o == approval.Project {
				g.Project = s.Project
			}
			all = append(all, g)
		}
		return all, nil
	})
}

// Revoke takes a grant away.
func (s Store) Revoke(id string) error {
	return s.update(func(all []Grant) ([]Grant, error) {
		i := slices.IndexFunc(all, func(g Grant) bool { return g.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no grant %q", id)
		}
		return slices.Delete(all, i, i+1), nil
	})
}

// update rewrites the file, at once or not at all, and alone.
func (s Store) update(change func([]Grant) ([]Grant, error)) error {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	unlock, err := lock(s.Path + ".lock")
	if err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	defer unlock()
	all, err := s.List()
	if err != nil {
		return err
	}
	if all, err = change(all); err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	raw, err := json.MarshalIndent(grants{1, all}, "", "  ")
	if err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	return replace(s.Path, append(raw, '\n'))
}

func replace(path string, raw []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".grants-*")
	if err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("grants: %w", err)
	}
	return nil
}
