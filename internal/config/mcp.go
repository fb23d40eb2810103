package config

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/mcp"
)

// MCPServer is a server of mcpServers, as .mcp.json has it.
type MCPServer struct {
	Type    string            `json:"type,omitempty" description:"How it is spoken to: over its standard streams." enum:"stdio" default:"stdio"`
	Command string            `json:"command" description:"The program. In it, in args, env and cwd, ${NAME} is a variable of the environment, and ${NAME:-text} one with a default." minLength:"1"`
	Args    []string          `json:"args,omitempty" description:"Its arguments."`
	Env     map[string]string `json:"env,omitempty" description:"Variables that it gets, beside PATH, HOME and the like. It gets no others."`
	Cwd     string            `json:"cwd,omitempty" description:"Where it runs; a relative directory starts at this file."`
	Timeout int               `json:"timeout,omitempty" description:"Seconds that a call of it may take." minimum:"1" maximum:"86400" default:"600"`
}

// readMCPFiles takes in the servers of other programs' files. A file that is not trusted as
// it stands starts nothing: it may have come with the folder, or changed since.
func (c *Config) readMCPFiles() error {
	for _, name := range c.MCPFiles {
		path := settingsPath(c.Path, name)
		if !Trusted(path) {
			c.Notes = append(c.Notes, fmt.Sprintf("%s is not trusted as it stands, so its servers are not started; after reading it, run: toolfall trust %s", path, path))
			continue
		}
		raw, err := readFile(path)
		if err != nil {
			return fmt.Errorf("mcpFiles: %w", err)
		}
		var f struct {
			MCPServers map[string]MCPServer `json:"mcpServers"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("mcpFiles: %s: %w", path, err)
		}
		c.take(path, f.MCPServers)
	}
	return nil
}

// take takes in servers that are spoken to over standard streams, unless there is one of the
// name already. What a file has beside what is known here is another program's business.
func (c *Config) take(path string, servers map[string]MCPServer) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		s := servers[name]
		_, there := c.MCPServers[name]
		switch {
		case there:
			c.Notes = append(c.Notes, fmt.Sprintf("%s: mcpServers.%s does not count: there is one of that name already", path, name))
			continue
		case s.Command == "" || s.Type != "" && s.Type != "stdio":
			c.Notes = append(c.Notes, fmt.Sprintf("%s: mcpServers.%s does not count: only servers over standard streams are spoken to", path, name))
			continue
		}
		if s.Cwd == "" || !filepath.IsAbs(s.Cwd) {
			s.Cwd = filepath.Join(filepath.Dir(path), s.Cwd)
		}
		if c.MCPServers == nil {
			c.MCPServers = make(map[string]MCPServer)
		}
		c.MCPServers[name] = s
	}
}

// servers are the plugins of the servers, sorted by name.
func (c *Config) servers() ([]toolfall.Plugin, error) {
	names := slices.Sorted(maps.Keys(c.MCPServers))
	c.waiting = mcp.NewWait(names...)
	var out []toolfall.Plugin
	for _, name := range names {
		conf, err := c.server(name, c.MCPServers[name])
		if err != nil {
			return nil, err
		}
		out = append(out, mcp.New(conf))
	}
	return out, nil
}

func (c *Config) server(name string, s MCPServer) (conf mcp.Config, err error) {
	conf = mcp.Config{Name: name, Call: time.Duration(s.Timeout) * time.Second, Env: make(map[string]string), Notice: func(n mcp.Notice) {
		if n.Text != "" {
			c.say(fmt.Sprintf("mcpServers.%s: %s", n.Server, n.Text))
		}
		c.waiting.Notice(n)
	}}
	expand := func(text string) string {
		out, missing := expanded(text)
		if missing != "" && err == nil {
			err = fmt.Errorf("mcpServers.%s: the variable %s is not set; ${%s:-text} would have a default", name, missing, missing)
		}
		return out
	}
	conf.Command, conf.Dir = expand(s.Command), expand(s.Cwd)
	for _, arg := range s.Args {
		conf.Args = append(conf.Args, expand(arg))
	}
	for key, value := range s.Env {
		conf.Env[key] = expand(value)
	}
	if c.Path != "" && !filepath.IsAbs(conf.Dir) {
		conf.Dir = filepath.Join(filepath.Dir(c.Path), conf.Dir)
	}
	return conf, err
}

// variable is one in a text, with the default that it may have.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expanded puts variables in their places, and names one that is not there.
func expanded(text string) (out, missing string) {
	out = variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		if value, ok := os.LookupEnv(parts[1]); ok && (value != "" || parts[2] == "") {
			return value
		}
		if parts[2] == "" {
			missing = parts[1]
		}
		return parts[3]
	})
	return out, missing
}

// Ready waits until each MCP server has listed its tools, or could not be started, or ctx
// ends. Nothing else does: what needs none of their tools need not wait for them.
func (c *Config) Ready(ctx context.Context) {
	if c.waiting != nil {
		c.waiting.For(ctx)
	}
}
