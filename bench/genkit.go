package main

import (
	"fmt"
	"os"
	"os/exec"
)

const (
	genkitGroup = "genkit, with a floor of its own"
	genkitCall  = "genkit RunRaw"
)

// genkitRows measures genkit in its own module and process.
func genkitRows() []*row {
	floor := &row{contender: contender{group: genkitGroup, name: floorDispatch}}
	call := &row{contender: contender{group: genkitGroup, name: genkitCall}}
	c := exec.Command("go", "run", ".")
	c.Dir, c.Stderr = "genkit", os.Stderr
	out, err := c.Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &floor.cpu, &call.cpu)
	}
	for _, r := range []*row{floor, call} {
		r.err, r.samples = err, []sample{{cpu: r.cpu}}
	}
	return []*row{floor, call}
}

// genkitTarget compares the two ratios to the two floors.
func genkitTarget(ours string) target {
	return target{text: "genkit ≥ 200 × ours", met: func(f find) (string, bool) {
		floor, call := f(genkitGroup, floorDispatch), f(genkitGroup, genkitCall)
		ourFloor, our := f("dispatch", floorDispatch), f("dispatch", ours)
		if floor == nil || call == nil || ourFloor == nil || our == nil || call.err != nil || our.cpu == 0 {
			return "not measured", false
		}
		x := (call.cpu / floor.cpu) / (our.cpu / ourFloor.cpu)
		return fmt.Sprintf("%.0f ×", x), x >= 200
	}}
}
