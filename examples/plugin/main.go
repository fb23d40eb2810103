// Command plugin has a plugin whose tools need something that must be closed, and
// shows that nothing of it is left afterwards.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// notes is a plugin with two tools over one notebook.
func notes() toolfall.Plugin {
	return toolfall.Plugin{Name: "notes", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		book := new(notebook)
		s.Cleanup(func() { fmt.Println("closed with", len(book.lines), "notes") })
		_, err := r.Register(s,
			toolfall.Define("add_note", "Write a note down.", book.add),
			toolfall.Define("read_notes", "Read all notes.", book.read))
		return err
	}}
}

type notebook struct {
	mu    sync.Mutex
	lines []string
}

type note struct {
	Text string `json:"text" minLength:"1"`
}

func (b *notebook) add(_ context.Context, n note, _ toolfall.Call) ([]toolfall.Content, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, n.Text)
	return toolfall.Text("noted"), nil
}

func (b *notebook) read(context.Context, struct{}, toolfall.Call) ([]toolfall.Content, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return toolfall.Text(fmt.Sprintf("%q", b.lines)), nil
}

func main() {
	root := scope.New(context.Background(), "plugin")
	defer root.Close()
	reg := toolfall.New()
	attached, err := reg.Attach(root, notes())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	reg.Execute(ctx, toolfall.Call{Name: "add_note", Arguments: []byte(`{"text":"buy milk"}`)})
	fmt.Println(reg.Execute(ctx, toolfall.Call{Name: "read_notes"}).Text())
	attached.Close()
	fmt.Println(reg.Snapshot().Len(), "tools left")
}
