package spill

import (
	"context"
	"os"

	"github.com/toolfall/toolfall"
)

// A Writer takes the whole of an output as it comes, whatever becomes of the disk. What
// is short is only held. The methods of a nil Writer do nothing.
type Writer struct {
	ctx   context.Context // of the call, which is told where its output is
	store *store
	agent string
	held  []byte // until there is a file
	file  *os.File
	id    string
	size  int64 // of the file
	lost  bool  // the file does not have the beginning
}

// holdSize is how much a Writer holds before it makes a file.
const holdSize = 32 << 10

// To returns a Writer for an output of the call that ctx is of, or nil when outputs are
// not kept. Keep or Drop must end it.
func To(ctx context.Context) *Writer {
	if k, ok := ctx.Value(key{}).(keeping); ok {
		return k.store.writer(ctx, k.agent)
	}
	return nil
}

func (s *store) writer(ctx context.Context, agent string) *Writer {
	return &Writer{ctx: ctx, store: s, agent: agent}
}

// Write takes p in, as far as there is room for it. It never fails.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	if w == nil || w.lost {
		return n, nil
	}
	if w.file == nil && len(w.held)+n <= holdSize {
		w.held = append(w.held, p...)
		return n, nil
	}
	if w.begin() {
		w.write(p)
	}
	return n, nil
}

// begin makes the file, and writes what was held.
func (w *Writer) begin() bool {
	if w.file != nil {
		return true
	}
	var err error
	if w.id, w.file, err = w.store.create(w.agent); err != nil {
		w.lost, w.held = true, nil
		return false
	}
	w.write(w.held)
	w.held = nil
	return !w.lost
}

// write writes up to the largest size. When that fails the file is as long as it is:
// what it has is the beginning.
func (w *Writer) write(p []byte) {
	if room := w.store.MaxFile - w.size; int64(len(p)) > room {
		p = p[:room]
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	if err != nil && w.size == 0 {
		w.Drop()
		w.lost = true
	}
}

// Keep ends the Writer, and returns the id under which read_output finds what was
// written, or nothing if it could not be kept.
func (w *Writer) Keep() (id string) {
	if w == nil || w.lost || !w.begin() {
		return ""
	}
	if w.file.Close() != nil {
		return ""
	}
	toolfall.Tell(w.ctx, toolfall.Report{Kind: toolfall.ReportedKept, By: Name, Text: w.id})
	return w.id
}

// Drop ends the Writer, and keeps nothing.
func (w *Writer) Drop() {
	if w == nil {
		return
	}
	w.held = nil
	if w.file != nil {
		w.file.Close()
		w.store.remove(w.agent, w.id)
		w.file, w.lost = nil, true
	}
}
