// Command toolfall calls tools through the waterfall.
package main

import (
	"os"

	"github.com/toolfall/toolfall/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
