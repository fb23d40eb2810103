package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/toolfall/toolfall/journal"
)

// childEnv makes this test binary a program that writes into a journal: its value is
// the file, and how many calls each writer makes.
const childEnv = "TOOLFALL_JOURNAL_CHILD"

func TestMain(m *testing.M) {
	if file, n, ok := strings.Cut(os.Getenv(childEnv), "|"); ok {
		os.Exit(child(file, n))
	}
	os.Exit(m.Run())
}

// child makes calls and says on standard output what was acknowledged: a call, and how
// many records it has by then.
func child(file, n string) int {
	j, err := journal.Open(file, journal.Config{})
	if err != nil {
		fmt.Println("fault", err)
		return 1
	}
	each := 0
	fmt.Sscan(n, &each)
	fmt.Println("open")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range each {
				if err := call(j); err != nil {
					fmt.Println("fault", err)
				}
			}
		})
	}
	wg.Wait()
	if err := j.Close(); err != nil {
		fmt.Println("fault", err)
	}
	fmt.Println("closed")
	return 0
}

func call(j journal.Journal) error {
	ctx, id := context.Background(), j.Next()
	for _, step := range []struct {
		d       journal.Durability
		total   int
		records []journal.Record
	}{
		{journal.Durable, 3, []journal.Record{
			{Call: id, Kind: journal.Asked, Tool: "bash", Arguments: json.RawMessage(`{"command":"make"}`)},
			{Call: id, Kind: journal.Decision, By: "permission", Text: "allow", Rule: "Bash(make *)"},
			{Call: id, Kind: journal.Start}}},
		{journal.Fast, 0, []journal.Record{{Call: id, Kind: journal.Mark, Text: "half"}}},
		{journal.Durable, 5, []journal.Record{{Call: id, Kind: journal.Outcome, Content: strings.Repeat("line\n", 50)}}},
	} {
		if err := j.Append(ctx, step.d, step.records...); err != nil {
			return err
		}
		if step.total > 0 {
			fmt.Printf("%s %d\n", id, step.total)
		}
	}
	return nil
}
