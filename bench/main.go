// Command bench measures Toolfall beside other libraries, on the same work in one
// run, and writes what came out as a page of Markdown.
//
//	go run . -o RESULTS.md            everything
//	go run . -group dispatch -quick   one group, roughly
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

func main() {
	out := flag.String("o", "", "write the page to this `file` instead of standard output")
	only := flag.String("group", "", "measure only the groups that begin with `name`")
	quick := flag.Bool("quick", false, "measure roughly")
	flag.Parse()
	passes, budget := 7, 100*time.Millisecond
	if *quick {
		passes, budget = 3, 20*time.Millisecond
	}
	var page bytes.Buffer
	header(&page, passes)
	rows := run(*only, passes, budget)
	writeTargets(&page, rows, *only)
	writeRows(&page, rows)
	if *out == "" {
		os.Stdout.Write(page.Bytes())
		return
	}
	if err := os.WriteFile(*out, page.Bytes(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the groups in turn.
func run(only string, passes int, budget time.Duration) []*row {
	var rows []*row
	groups := map[string][]contender{}
	var order []string
	for _, list := range [][]contender{dispatch(), arguments(), scale(), parallel(), startup(), process(), gate(), recording()} {
		for _, c := range list {
			if groups[c.group] == nil {
				order = append(order, c.group)
			}
			groups[c.group] = append(groups[c.group], c)
		}
	}
	for _, group := range order {
		if !strings.HasPrefix(group, only) {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring", group)
		rows = append(rows, measure(groups[group], passes, budget)...)
		if group == "dispatch" {
			rows = append(rows, genkitRows()...)
		}
	}
	return rows
}

func header(w *bytes.Buffer, passes int) {
	fmt.Fprintf(w, "# Results\n\nWritten by `make bench` on %s, %s, %s/%s, %d cores", time.Now().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if raw, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, model, ok := strings.Cut(string(raw), "model name\t: "); ok {
			model, _, _ = strings.Cut(model, "\n")
			fmt.Fprintf(w, ", %s", model)
		}
	}
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		fmt.Fprintf(w, ", at %s", bytes.TrimSpace(commit))
	}
	fmt.Fprintf(w, ".\nMedians of %d interleaved passes. Times are CPU time of the whole process, with that of collecting garbage,\nand of the processes it started. Machines differ and neighbours are noisy: read the ratios, and those as ± 1.4 ×.\n", passes)
}

func writeTargets(w *bytes.Buffer, rows []*row, only string) {
	f := func(group, name string) *row {
		for _, r := range rows {
			if r.group == group && r.name == name && len(r.samples) > 0 {
				return r
			}
		}
		return nil
	}
	w.WriteString("\n## Targets\n\n| target | reached | | where it is missed, the limit |\n|---|---|---|---|\n")
	for _, t := range targets() {
		reached, ok := t.met(f)
		if reached == "not measured" && only != "" {
			continue
		}
		mark, why := "yes", ""
		if !ok {
			mark, why = "**no**", t.why
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", t.text, reached, mark, why)
	}
}

func writeRows(w *bytes.Buffer, rows []*row) {
	group := ""
	var floor *row
	for _, r := range rows {
		if r.group != group {
			group, floor = r.group, r
			fmt.Fprintf(w, "\n## %s\n\n| | CPU | × first | wall | allocations | bytes |\n|---|---:|---:|---:|---:|---:|\n", group)
		}
		if r.err != nil {
			fmt.Fprintf(w, "| %s | left out: %v | | | | |\n", r.name, r.err)
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %.2f | %s | %.1f | %.0f |\n", r.name, nanos(r.cpu), r.cpu/max(floor.cpu, 1), nanos(r.wall), r.allocs, r.heap)
	}
}
