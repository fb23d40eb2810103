package main

import (
	"fmt"
	"os"
	"sync"
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

// sandboxed reports whether commands can be confined here.
var sandboxed = sync.OnceValue(func() bool { return confine.New(confine.Config{}).Probe().Tier == confine.Full })

// condition is what scripts may ask of the machine.
func condition(name string) (bool, error) {
	if name != "sandbox" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return sandboxed(), nil
}

// Each script shows one promise of the command, with the real binary.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition:           condition,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}
