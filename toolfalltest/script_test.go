package toolfalltest_test

import (
	"context"
	"flag"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/toolfalltest"
)

var update = flag.Bool("update", false, "write what came of the scripts into them")

func TestScripts(t *testing.T) { toolfalltest.Run(t, "testdata/*.txtar", *update) }

func TestBrokenScriptsAreErrors(t *testing.T) {
	for _, text := range []string{
		"-- tools --\nx nothing\n",
		"-- chain --\nnowhere x pass\n",
		"-- chain --\ndecide x nothing\n",
		"-- call --\nno json\n",
		"-- tools --\nbad/name echo\n",
	} {
		if _, err := toolfalltest.Play(t, txtar.Parse([]byte(text))); err == nil {
			t.Errorf("%q was played", text)
		}
	}
}

func TestAttachIsForTheLengthOfATest(t *testing.T) {
	var reg *toolfall.Registry
	t.Run("inner", func(t *testing.T) {
		reg = toolfalltest.Attach(t, toolfall.Plugin{Name: "p", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
			_, err := r.Register(s, toolfalltest.Tool(new(toolfalltest.Trace), "echo", "echo", ""))
			return err
		}})
		if r := reg.Execute(context.Background(), toolfall.Call{Name: "echo"}); r.Text() != "{}" {
			t.Errorf("read %q", r.Text())
		}
	})
	if reg.Snapshot().Len() != 0 {
		t.Error("the plugin outlived its test")
	}
}
