package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/policy"
)

const lineOfFive = "cd src && git log --oneline | head -5; make check && echo done"

// gate measures what deciding and confining cost.
func gate() []contender {
	cs := []contender{
		{group: "a decision", name: "a command of 5 parts, 200 rules", ours: true, setup: decision},
		{group: "a confined /bin/true", name: "floor: exec.Cmd", setup: bareTrue},
		{group: "a confined /bin/true", name: "toolfall, plain", ours: true, setup: confinedTrue(nil, 0)},
		{group: "a confined /bin/true", name: "toolfall, cheap tier", ours: true, setup: confinedTrue(&confine.Policy{Tier: confine.Partial}, 0)},
		{group: "a confined /bin/true", name: "bubblewrap, hardened", setup: bubblewrap},
		{group: "a confined /bin/true", name: "toolfall, full", ours: true, setup: confinedTrue(&confine.Policy{Tier: confine.Full}, 0)},
		{group: "a confined /bin/true", name: "toolfall, full, 15 protected names", ours: true, setup: confinedTrue(&confine.Policy{Tier: confine.Full, Protect: confine.DefaultProtect()}, 0)},
	}
	return append(cs, contender{group: "a confined /bin/true, while we hold 1 GB", name: "toolfall, full", ours: true, setup: confinedTrue(&confine.Policy{Tier: confine.Full}, 1<<30)})
}

func decision() (func(int), func(), error) {
	var rules []policy.Rule
	for i := range 200 {
		command := fmt.Sprintf("tool%c sub%c *", 'a'+i%26, 'a'+i/26)
		rules = append(rules, policy.Rule{Effect: []policy.Effect{policy.Allow, policy.Deny, policy.Ask}[i%3], Tool: "bash", When: policy.When{Command: command}})
	}
	for _, command := range []string{"git *", "make *"} {
		rules = append(rules, policy.Rule{Effect: policy.Allow, Tool: "bash", When: policy.When{Command: command}})
	}
	p, err := policy.New(policy.Config{Rules: rules})
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(map[string]string{"command": lineOfFive})
	if err != nil {
		return nil, nil, err
	}
	return func(n int) {
		for range n {
			p.Decide("bash", raw)
		}
	}, nil, nil
}

func bareTrue() (func(int), func(), error) {
	return func(n int) {
		for range n {
			if err := exec.Command("/bin/true").Run(); err != nil {
				panic(err)
			}
		}
	}, nil, nil
}

// bubblewrap is what it takes to be as strict, as far as it can be.
func bubblewrap() (func(int), func(), error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	args := []string{
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--tmpfs", "/tmp", "--bind", dir, dir,
		"--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", "/bin/true",
	}
	return func(n int) {
		for range n {
			if err := exec.Command(path, args...).Run(); err != nil {
				panic(err)
			}
		}
	}, func() { os.RemoveAll(dir) }, nil
}

// confinedTrue starts it under a policy, through the small helper, while this process
// holds so much memory.
func confinedTrue(p *confine.Policy, hold int) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		dir, err := os.MkdirTemp("", "bench")
		if err != nil {
			return nil, nil, err
		}
		dir, err = filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, nil, err
		}
		helper := filepath.Join(dir, "toolfall-confine")
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", helper, "github.com/toolfall/toolfall/cmd/toolfall-confine")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("%w: %s", err, text)
		}
		work := filepath.Join(dir, "work")
		if err := os.Mkdir(work, 0o755); err != nil {
			return nil, nil, err
		}
		var cell *confine.Cell
		if p != nil {
			policy := *p
			policy.Write = []string{work}
			cell = &confine.Cell{Launcher: confine.New(confine.Config{Helper: helper}), Policy: policy}
		}
		ballast := make([]byte, hold)
		for i := 0; i < len(ballast); i += 4096 {
			ballast[i] = 1
		}
		return func(n int) {
			for range n {
				c, err := cell.Start(confine.Command{Path: "/bin/true", Dir: work})
				if err != nil {
					panic(err)
				}
				c.Wait()
			}
			if len(ballast) > 0 {
				ballast[0]++ // it is held until here
			}
		}, func() { os.RemoveAll(dir) }, nil
	}
}
