//go:build unix

package confine_test

import (
	"context"
	"fmt"
	"os"

	"github.com/toolfall/toolfall/confine"
)

// A middleware says how, and a tool below it starts.
func ExampleWith() {
	ctx := confine.With(context.Background(), &confine.Cell{}) // or a Launcher and a Policy

	p, err := confine.From(ctx).Start(confine.Command{Path: "/bin/sh", Args: []string{"-c", "echo hello; exit 3"}, Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Wait().Exit, p.Report().Tier)
	// Output:
	// hello
	// 3 none
}

// A project's settings can take away, and never give.
func ExamplePolicy_Tighten() {
	user := confine.Policy{Tier: confine.Full, Write: []string{"/home/me/project"}}
	project := confine.Policy{Write: []string{"/home/me/project/build", "/etc"}, Net: confine.Net{Mode: confine.NetHost}}

	p := user.Tighten(project)
	fmt.Println(p.Tier, p.Write, p.Net.Mode == confine.NetNone)
	// Output:
	// full [/home/me/project/build] true
}
