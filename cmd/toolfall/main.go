// Command toolfall calls tools through the waterfall.
package main

import (
	"os"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/cli"
)

func main() {
	confine.Main() // this program also sets up the sandboxes that it starts
	os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
