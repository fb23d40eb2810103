package spill

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// store is the directory of what was kept: a directory for each agent, so that what one
// has seen is not another's to read, and in it a file for each output.
type store struct {
	Config
	once sync.Once // tidy runs at the first output that is kept
}

func newStore(c Config) *store { return &store{Config: c} }

// name is what the files are called. It is told to the model and comes back from it.
var name = regexp.MustCompile(`^out_[a-z2-7]{10}$`)

func newName() string { return "out_" + strings.ToLower(rand.Text()[:10]) }

// room is the directory of an agent, below that of the store.
func room(agent string) string {
	if agent == "" {
		return "main"
	}
	sum := sha256.Sum256([]byte(agent))
	return "agent-" + hex.EncodeToString(sum[:8])
}

// root opens the directory of the store, and makes it if it must.
func (s *store) root() (*os.Root, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(s.Dir)
}

// create makes the file of a new output.
func (s *store) create(agent string) (id string, f *os.File, err error) {
	if s.Dir == "" {
		return "", nil, errors.New("nothing is kept")
	}
	root, err := s.root()
	if err != nil {
		return "", nil, err
	}
	defer root.Close()
	s.once.Do(func() { s.tidy(root, time.Now()) })
	dir := room(agent)
	if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", nil, err
	}
	id = newName()
	f, err = root.OpenFile(dir+"/"+id, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return id, f, err
}

func (s *store) remove(agent, id string) {
	if root, err := s.root(); err == nil {
		defer root.Close()
		root.Remove(room(agent) + "/" + id)
	}
}

// open opens an output that the agent was told of.
func (s *store) open(agent, id string) (*os.File, error) {
	if !name.MatchString(id) {
		return nil, fmt.Errorf("%q is not the id of an output: it is out_ and ten characters, as the line that says what was left out has it", id)
	}
	root, err := os.OpenRoot(s.Dir)
	if err == nil {
		defer root.Close()
		var f *os.File
		if f, err = root.Open(room(agent) + "/" + id); err == nil {
			return f, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no output %s: it is another agent's, or was removed to make room", id)
	}
	return nil, fmt.Errorf("output %s cannot be read", id)
}

// kept is a file of the store.
type kept struct {
	path string
	size int64
	made time.Time
}

// tidy removes what is too old, and of the rest the oldest until it is small enough.
// Whatever fails is left for the next time.
func (s *store) tidy(root *os.Root, now time.Time) {
	var files []kept
	fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil && name.MatchString(d.Name()) {
			files = append(files, kept{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(files, func(a, b kept) int { return cmp.Compare(b.made.UnixNano(), a.made.UnixNano()) })
	var total int64
	for _, f := range files {
		total += f.size
		if total > s.MaxTotal || now.Sub(f.made) > s.MaxAge {
			root.Remove(f.path)
		}
	}
}

type key struct{}

// keeping is the store, and for whom it keeps.
type keeping struct {
	store *store
	agent string
}

func (s *store) with(ctx context.Context, agent string) context.Context {
	if s.Dir == "" {
		return ctx
	}
	return context.WithValue(ctx, key{}, keeping{s, agent})
}
