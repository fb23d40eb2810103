package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/cli"
)

func TestMain(m *testing.M) {
	confine.Main()
	testscript.Main(m, map[string]func(){
		"toolfall": func() { os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// Each script shows one promise of the command, with the real binary.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}
