package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/diff"
)

const writeDescription = `Write a file whole: create it, with the directories above it, or replace all of its content. ` +
	`An existing file must have been read with read_file first, and not have changed since. ` +
	`The file is replaced at once or not at all, and keeps its mode. To change a part of a file, use edit_file.`

type writeArgs struct {
	Path    string `json:"path" description:"the file: relative to the working directory, or absolute" minLength:"1"`
	Content string `json:"content" description:"all that the file is to hold"`
}

func (t *tools) writeFile(ctx context.Context, a writeArgs, c toolfall.Call) ([]toolfall.Content, error) {
	p, unlock, err := t.claim(ctx, a.Path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	data := []byte(a.Content)
	_, err = p.in.Lstat(p.name)
	var said string
	if errors.Is(err, fs.ErrNotExist) {
		said, err = p.create(ctx, data)
	} else {
		said, err = t.overwrite(ctx, p, data, c.Agent)
	}
	if err != nil {
		return nil, err
	}
	t.wrote(c.Agent, p, data)
	return toolfall.Text(said), nil
}

// claim finds the file that a path leads to, through links, and waits for the
// turn to change it.
func (t *tools) claim(ctx context.Context, given string) (p place, unlock func(), err error) {
	p, err = t.place(given)
	if err == nil {
		p, err = p.real()
	}
	if err != nil {
		return place{}, nil, err
	}
	unlock, err = t.locks.lock(ctx, p)
	return p, unlock, err
}

// wrote notes that the agent knows the file that it has written.
func (t *tools) wrote(agent string, p place, data []byte) {
	v := versionOf(data)
	if v.size > t.MaxFile { // such a file is compared by its length and its time
		info, err := p.in.Lstat(p.name)
		if err != nil {
			return
		}
		v = version{size: info.Size(), time: info.ModTime()}
	}
	t.versions.put(reading{agent, p}, v)
}

func (p place) create(ctx context.Context, data []byte) (said string, err error) {
	undo, err := p.makeParents()
	if err != nil {
		return "", err
	}
	if err := p.publish(ctx, data, nil); err != nil {
		undo()
		return "", err
	}
	return fmt.Sprintf("created %s (%s)", p, size(int64(len(data)))), nil
}

// overwrite replaces a file that the agent knows.
func (t *tools) overwrite(ctx context.Context, p place, data []byte, agent string) (said string, err error) {
	was, err := t.current(ctx, p, agent)
	if err != nil {
		return "", err
	}
	if err := p.publish(ctx, data, was.info); err != nil {
		return "", err
	}
	said = fmt.Sprintf("overwrote %s (%s, was %s)", p, size(int64(len(data))), size(was.info.Size()))
	if was.known && notText(was.data[:min(len(was.data), headSize)]) == "" {
		said += "\n" + diff.Unified(p.String(), string(was.data), string(data))
	}
	return said, nil
}

// state is a file as it is on disk, and as the agent that changes it knows it.
type state struct {
	info  fs.FileInfo
	data  []byte
	known bool // data is the content; not that of a file longer than MaxFile
}

// current reads the file that is to be changed, and refuses if it is not what the
// agent has read. It opens the file for writing too, so that what the user may
// not write is not replaced either.
func (t *tools) current(ctx context.Context, p place, agent string) (state, error) {
	f, info, err := t.open(p, os.O_RDWR)
	if err != nil {
		return state{}, err
	}
	defer f.Close()
	s := state{info: info}
	sum := newSummer(info, t.MaxFile)
	if s.known = sum.hash != nil; s.known {
		if s.data, err = t.content(ctx, p, io.TeeReader(f, sum)); err != nil {
			return state{}, err
		}
	}
	return s, t.vouched(agent, p, sum.version())
}
