package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

// release is the version that a release build sets with -ldflags.
var release string

// build tells which program this is.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (a *app) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		OnUsageError: usageError,
		Action: func(_ context.Context, c *cli.Command) error {
			b := thisBuild()
			if c.Bool("json") {
				return writeJSON(a.stdout, b)
			}
			commit := ""
			if b.Commit != "" {
				commit = " (" + b.Commit[:min(12, len(b.Commit))] + ")"
			}
			_, err := fmt.Fprintf(a.stdout, "toolfall %s%s %s %s\n", b.Version, commit, b.Go, b.Platform)
			return err
		},
	}
}

func thisBuild() build {
	b := build{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
