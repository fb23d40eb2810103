//go:build !unix

package shell

import "os"

func signalName(os.Signal) string { return "" }
