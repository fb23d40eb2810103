package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/prompt"
	"github.com/toolfall/toolfall/scope"
)

func section(name string, order int, text string) prompt.Section {
	return prompt.Section{Name: name, Order: order, Text: func(context.Context) (string, error) { return text, nil }}
}

func tool(name string) toolfall.Definition {
	return toolfall.Definition{Schema: toolfall.Schema{Name: name}, Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil }}
}

func Example() {
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	reg.Register(root, tool("grep"), tool("bash"))
	p := prompt.New()
	p.Add(root, section("rules", 20, "Ask before you delete."))
	p.Add(root, section("role", 10, "You are a careful engineer."))
	p.Provide(root, prompt.Tools(reg))
	a, _ := p.Assemble(context.Background())
	fmt.Println(a.Text)
	fmt.Println(a.Tools[0].Name, a.Tools[1].Name)
	// Output:
	// You are a careful engineer.
	//
	// Ask before you delete.
	// bash grep
}

func TestSectionsAreJoinedInOrder(t *testing.T) {
	p := prompt.New()
	p.Add(t, section("c", 3, "third\n"))
	p.Add(t, section("a", 1, "first"))
	p.Add(t, section("empty", 2, " \n"))
	p.Add(t, section("b1", 2, "second {{.Secret}}"))
	p.Add(t, section("b2", 2, "\n  also second"))
	a, err := p.Assemble(t.Context())
	want := "first\n\nsecond {{.Secret}}\n\n  also second\n\nthird"
	if err != nil || a.Text != want {
		t.Errorf("Assemble = %q, %v, want %q", a.Text, err, want)
	}
}

func TestAnyOrderWillDo(t *testing.T) {
	p := prompt.New()
	p.Add(t, section("last", math.MaxInt, "last"))
	p.Add(t, section("first", math.MinInt, "first"))
	if a, err := p.Assemble(t.Context()); err != nil || a.Text != "first\n\nlast" {
		t.Errorf("Assemble = %q, %v", a.Text, err)
	}
}

func TestProvidersAreAskedAtEveryAssembly(t *testing.T) {
	reg := toolfall.New()
	p := prompt.New()
	p.Provide(t, prompt.Tools(reg))
	names := func() (ns []string) {
		a, err := p.Assemble(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Tools {
			ns = append(ns, s.Name)
		}
		return ns
	}
	if got := names(); got != nil {
		t.Errorf("tools = %v", got)
	}
	remove, _ := reg.Register(t, tool("b"), tool("a"))
	if got := names(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("tools = %v", got)
	}
	if remove(); names() != nil {
		t.Error("a removed tool is still told")
	}
}

func TestWhatMiddlewareReturnsCounts(t *testing.T) {
	p := prompt.New()
	p.Add(t, section("a", 1, "text"))
	wrap := func(name string) prompt.Middleware {
		return prompt.Middleware{Name: name, Wrap: func(ctx context.Context, next prompt.Handler) (prompt.Assembly, error) {
			a, err := next(ctx)
			a.Text = name + "(" + a.Text + ")"
			return a, err
		}}
	}
	p.Use(t, wrap("outer"))
	remove := p.Use(t, wrap("inner"))
	if a, err := p.Assemble(t.Context()); err != nil || a.Text != "outer(inner(text))" {
		t.Errorf("Assemble = %q, %v", a.Text, err)
	}
	remove()
	if a, _ := p.Assemble(t.Context()); a.Text != "outer(text)" {
		t.Errorf("after the removal: %q", a.Text)
	}
}

func TestAFailingPartIsNamed(t *testing.T) {
	boom := errors.New("boom")
	for want, add := range map[string]func(*prompt.Prompt){
		`section "s": boom`: func(p *prompt.Prompt) {
			p.Add(t, prompt.Section{Name: "s", Text: func(context.Context) (string, error) { return "", boom }})
		},
		`section "nil": internal error`: func(p *prompt.Prompt) { p.Add(t, prompt.Section{Name: "nil"}) },
		`provider "p": internal error: boom`: func(p *prompt.Prompt) {
			p.Provide(t, prompt.Provider{Name: "p", Tools: func(context.Context) ([]toolfall.Schema, error) { panic(boom) }})
		},
		`middleware "m": boom`: func(p *prompt.Prompt) {
			p.Use(t, prompt.Middleware{Name: "m", Wrap: func(context.Context, prompt.Handler) (prompt.Assembly, error) { return prompt.Assembly{}, boom }})
		},
	} {
		p := prompt.New()
		add(p)
		if _, err := p.Assemble(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Assemble = %v, want %s", err, want)
		}
	}
}

func TestPartsGoWithTheirOwner(t *testing.T) {
	p := prompt.New()
	s := scope.New(t.Context(), "owner")
	p.Add(s, section("a", 1, "text"))
	p.Provide(s, prompt.Tools(toolfall.New()))
	s.Close()
	p.Add(s, section("late", 1, "late"))
	if a, err := p.Assemble(t.Context()); err != nil || a.Text != "" {
		t.Errorf("Assemble = %q, %v", a.Text, err)
	}
}

func TestWatchMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := prompt.New()
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			for s := range p.Watch(ctx) {
				got = append(got, fmt.Sprint(s.Revision, s.Sections()))
			}
		}()
		synctest.Wait()
		remove := p.Add(t, section("b", 2, ""))
		p.Add(t, section("a", 1, ""))
		remove()
		remove()
		synctest.Wait()
		cancel()
		<-done
		if want := "[0 [] 1 [b] 2 [a b] 3 [a]]"; fmt.Sprint(got) != want {
			t.Errorf("watched %v, want %s", got, want)
		}
	})
}
