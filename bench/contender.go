package main

import (
	"runtime"
	"slices"
	"syscall"
	"time"
)

// A contender does one piece of work.
type contender struct {
	group string
	name  string
	setup func() (run func(n int), done func(), err error) // run does the work n times
	ours  bool
}

// A row is what was measured, for one operation.
type row struct {
	contender
	cpu, wall    float64 // nanoseconds, medians over the passes
	allocs, heap float64
	err          error
	samples      []sample
}

type sample struct{ cpu, wall, allocs, bytes float64 }

// measure runs the contenders of a group in turn, pass after pass, so that a
// neighbour on the machine disturbs all of them alike.
func measure(cs []contender, passes int, budget time.Duration) []*row {
	rows := make([]*row, len(cs))
	runs := make([]func(int), len(cs))
	counts := make([]int, len(cs))
	for i, c := range cs {
		rows[i] = &row{contender: c}
		run, done, err := c.setup()
		if err != nil {
			rows[i].err = err
			continue
		}
		if done != nil {
			defer done()
		}
		runs[i], counts[i] = run, calibrate(run, budget)
	}
	for range passes {
		for i, run := range runs {
			if run != nil {
				rows[i].samples = append(rows[i].samples, take(run, counts[i]))
			}
		}
	}
	for _, r := range rows {
		r.settle()
	}
	return rows
}

// calibrate finds how often the work fits into the budget.
func calibrate(run func(int), budget time.Duration) int {
	for n := 1; ; n *= 4 {
		start := time.Now()
		run(n)
		if took := time.Since(start); took > budget/8 || n > 1<<28 {
			return max(1, int(float64(n)*float64(budget)/float64(max(took, 1))))
		}
	}
}

func take(run func(int), n int) sample {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, wall := cpuTime(), time.Now()
	run(n)
	tookWall, tookCPU := time.Since(wall), cpuTime()-cpu
	runtime.ReadMemStats(&after)
	per := func(x float64) float64 { return x / float64(n) }
	return sample{
		cpu: per(float64(tookCPU)), wall: per(float64(tookWall)),
		allocs: per(float64(after.Mallocs - before.Mallocs)), bytes: per(float64(after.TotalAlloc - before.TotalAlloc)),
	}
}

// cpuTime is what this process and those that it has waited for have used, on all
// cores.
func cpuTime() time.Duration {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}

func (r *row) settle() {
	if len(r.samples) == 0 {
		return
	}
	median := func(of func(sample) float64) float64 {
		xs := make([]float64, len(r.samples))
		for i, s := range r.samples {
			xs[i] = of(s)
		}
		slices.Sort(xs)
		return xs[len(xs)/2]
	}
	r.cpu = median(func(s sample) float64 { return s.cpu })
	r.wall = median(func(s sample) float64 { return s.wall })
	r.allocs = median(func(s sample) float64 { return s.allocs })
	r.heap = median(func(s sample) float64 { return s.bytes })
}
