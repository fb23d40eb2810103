package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/plugin/mcp"
)

func (a *app) mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "start the MCP servers that are configured, and list what they have",
		Description: "Servers are named under mcpServers in toolfall.yaml, in the form that .mcp.json has:\n\n" +
			"  mcpServers:\n" +
			"    memory: {command: npx, args: [-y, \"@modelcontextprotocol/server-memory\"]}\n\n" +
			"Their tools are called as mcp__SERVER__TOOL, by the same rules as any other. A file that came with a\n" +
			"folder starts nothing before it is trusted: toolfall trust toolfall.yaml. The exit status is 1 when a\n" +
			"server could not be started.",
		OnUsageError: usageError, Action: a.mcp,
	}
}

func (a *app) mcp(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() > 0 {
		return a.unknownCommand(c)
	}
	conf, err := a.load(c)
	if err != nil {
		return err
	}
	reg, done, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tTOOLS\tCOMMAND")
	worst := exitOK
	for _, name := range slices.Sorted(maps.Keys(conf.MCPServers)) {
		s, n := conf.MCPServers[name], toolsOf(reg.Snapshot().Schemas(), name)
		state := fmt.Sprint(n)
		if n == 0 {
			state, worst = "none", exitTool
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", escape.Line(name), state, escape.Line(strings.Join(append([]string{s.Command}, s.Args...), " ")))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return exitWith(worst)
}

// toolsOf counts the tools of a server.
func toolsOf(all []toolfall.Schema, server string) (n int) {
	for _, s := range all {
		if strings.HasPrefix(s.Name, mcp.Prefix(server)) {
			n++
		}
	}
	return n
}
