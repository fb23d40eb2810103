// Command plugin attaches a plugin, and shows that nothing is left once it closes.
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
		var book notebook
		s.Cleanup(func() { fmt.Println("closed with", len(book.lines), "notes") })
		add := toolfall.Define("add_note", "Write a note down.", book.add)
		_, err := r.Register(s, add, toolfall.Define("read_notes", "Read all notes.", book.read))
		return err
	}}
}

type note struct {
	Text string `json:"text" minLength:"1"`
}

type notebook struct {
	mu    sync.Mutex
	lines []string
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
	reg.Execute(root.Context(), toolfall.Call{Name: "add_note", Arguments: []byte(`{"text":"buy milk"}`)})
	fmt.Println(reg.Execute(root.Context(), toolfall.Call{Name: "read_notes"}).Text())
	attached.Close()
	fmt.Println(reg.Snapshot().Len(), "tools left")
}
