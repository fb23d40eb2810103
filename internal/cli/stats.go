package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/journal"
)

func (a *app) statsCommand() *cli.Command {
	return &cli.Command{
		Name: "stats", Usage: "sum up the calls, tool by tool",
		Description:  "How many calls each tool had, how many of them failed and with which codes, and how long they took:\nhalf of them at most the time under P50, and so on; within 3.2 %. Times count by the hour.",
		Flags:        append(filterFlags(), &cli.BoolFlag{Name: "json", Usage: "print a JSON object for each tool"}),
		OnUsageError: usageError, Action: a.stats,
	}
}

func (a *app) stats(ctx context.Context, c *cli.Command) error {
	return a.looking(c, func(j *journal.SQLite, f journal.Filter) error {
		f.Since, f.Until = f.Since.Truncate(time.Hour), f.Until.Truncate(time.Hour) // whole hours are summed up already
		tallies, err := j.Stats(ctx, f)
		if err != nil {
			return err
		}
		slices.SortStableFunc(tallies, func(x, y journal.Tally) int { return cmp.Compare(y.Calls, x.Calls) })
		if !c.Bool("json") {
			return a.chart(tallies)
		}
		for _, t := range tallies {
			if err := writeJSON(a.stdout, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// chartWidth is how many characters the longest bar has.
const chartWidth = 20

// chart prints the tallies as a table, on a terminal with a bar for the calls of each.
func (a *app) chart(tallies []journal.Tally) error {
	terminal := isTerminal(a.stdout)
	most := int64(1)
	for _, t := range tallies {
		most = max(most, t.Calls)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tCALLS\tERRORS\tP50\tP95\tP99\tCODES")
	for _, t := range tallies {
		bar := ""
		if terminal {
			bar = " " + strings.Repeat("█", int(max(1, t.Calls*chartWidth/most)))
		}
		fmt.Fprintf(w, "%s\t%d%s\t%d\t%s\t%s\t%s\t%s\n", escape.Line(t.Tool), t.Calls, bar, t.Errors, brief(t.P50), brief(t.P95), brief(t.P99), escape.Line(codes(t)))
	}
	return w.Flush()
}

// codes are those with which calls failed, the most frequent first.
func codes(t journal.Tally) string {
	names := slices.SortedFunc(maps.Keys(t.Codes), func(x, y string) int {
		return cmp.Or(cmp.Compare(t.Codes[y], t.Codes[x]), cmp.Compare(x, y))
	})
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s %d", name, t.Codes[name]))
	}
	return strings.Join(out, ", ")
}
