// Command toolfall-confine sets up a sandbox and starts a command in it. It is what
// toolfall starts for each confined command, when it lies beside it: it does what
// toolfall itself would do, and is smaller, so it starts sooner.
package main

import (
	"fmt"
	"os"

	"github.com/toolfall/toolfall/confine"
)

func main() {
	confine.Main()
	fmt.Fprintln(os.Stderr, "toolfall-confine is started by toolfall")
	os.Exit(2)
}
