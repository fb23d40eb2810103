package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/shell"
	"github.com/toolfall/toolfall/scope"
)

// startup compares the whole command with a program that does nothing.
func startup() []contender {
	return []contender{
		{group: "start-up", name: "floor: a bare hello", setup: program(`package main
import "os"
func main() { os.Stdout.WriteString("hi\n") }
`)},
		{group: "start-up", name: "toolfall version", ours: true, setup: program("", "version")},
		{group: "start-up", name: "toolfall call list_dir", ours: true, setup: program("", "call", "list_dir")},
	}
}

// program builds a program, or the command when there is no source, and runs it.
func program(source string, args ...string) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		dir, err := os.MkdirTemp("", "bench")
		if err != nil {
			return nil, nil, err
		}
		binary, from := filepath.Join(dir, "program"), "github.com/toolfall/toolfall/cmd/toolfall"
		if source != "" {
			from = filepath.Join(dir, "main.go")
			if err := os.WriteFile(from, []byte(source), 0o600); err != nil {
				return nil, nil, err
			}
		}
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, from)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Dir = ".." // the product's own module
		if text, err := build.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("build: %w: %s", err, text)
		}
		return func(n int) {
			for range n {
				c := exec.Command(binary, args...)
				c.Dir = dir
				if err := c.Run(); err != nil {
					panic(err)
				}
			}
		}, func() { os.RemoveAll(dir) }, nil
	}
}

const flood = "head -c 100000000 /dev/zero"

// process compares the tool bash with what runs a command and no more.
func process() []contender {
	return []contender{
		{group: "a short command", name: "floor: exec.Cmd, bash -c 'echo hi'", setup: plainly("echo hi")},
		{group: "a short command", name: "toolfall: bash, echo hi", ours: true, setup: throughTheTool("echo hi")},
		{group: "100 MB of output", name: "floor: exec.Cmd, read and discarded", setup: discarded},
		{group: "100 MB of output", name: "toolfall: bash", ours: true, setup: throughTheTool(flood)},
	}
}

func plainly(command string) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		return func(n int) {
			for range n {
				if _, err := exec.Command("bash", "--noprofile", "--norc", "-c", command).Output(); err != nil {
					panic(err)
				}
			}
		}, nil, nil
	}
}

func runQuietly(command string) {
	if err := exec.Command("bash", "--noprofile", "--norc", "-c", command).Run(); err != nil {
		panic(err)
	}
}

func discarded() (func(int), func(), error) {
	return func(n int) {
		for range n {
			c := exec.Command("bash", "--noprofile", "--norc", "-c", flood)
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				panic(err)
			}
			buffer := make([]byte, 64<<10)
			for err == nil {
				_, err = out.Read(buffer)
			}
			c.Wait()
		}
	}, nil, nil
}

func throughTheTool(command string) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		s := scope.New(context.Background(), "bench")
		reg := toolfall.New()
		if _, err := reg.Attach(s, shell.New(shell.Config{})); err != nil {
			return nil, nil, err
		}
		raw, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			return nil, nil, err
		}
		return func(n int) {
			for range n {
				if r := reg.Execute(context.Background(), toolfall.Call{Name: "bash", Arguments: raw}); r.IsError {
					panic(r.Err)
				}
			}
		}, func() { s.Close() }, nil
	}
}
