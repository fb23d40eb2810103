package prompt

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolfall/toolfall"
)

// Assemble asks every section and provider, and joins what they say: the sections
// in ascending order with blank lines between them, without those that have
// nothing to say, and the tools one provider after the other. A part that fails
// or panics fails the assembly, and the error names it.
func (p *Prompt) Assemble(ctx context.Context) (Assembly, error) {
	s := p.now.Load()
	next := Handler(s.assemble)
	for _, m := range slices.Backward(s.middleware) {
		inner := next
		next = func(ctx context.Context) (Assembly, error) {
			return guard("middleware", m.Name, func() (Assembly, error) { return m.Wrap(ctx, inner) })
		}
	}
	return next(ctx)
}

func (s *Snapshot) assemble(ctx context.Context) (a Assembly, err error) {
	var texts []string
	for _, e := range s.sections {
		text, err := guard("section", e.Name, func() (string, error) { return e.Text(ctx) })
		if err != nil {
			return Assembly{}, err
		}
		if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	a.Text = strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\uFFFD")
	for _, e := range s.providers {
		tools, err := guard("provider", e.Name, func() ([]toolfall.Schema, error) { return e.Tools(ctx) })
		if err != nil {
			return Assembly{}, err
		}
		a.Tools = append(a.Tools, tools...)
	}
	return a, nil
}

// guard calls one part and names it in its error.
func guard[T any](kind, name string, call func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &toolfall.PanicError{Value: r, Stack: debug.Stack()}
		}
		if err != nil {
			err = fmt.Errorf("prompt: %s %q: %w", kind, name, err)
		}
	}()
	return call()
}
