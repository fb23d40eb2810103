//go:build unix

package journal_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall/journal"
)

// crashes is how many processes are killed. TOOLFALL_JOURNAL_CRASHES=500 kills more.
func crashes() int {
	if n, err := strconv.Atoi(os.Getenv("TOOLFALL_JOURNAL_CRASHES")); err == nil {
		return n
	}
	return 20
}

// A process that writes is killed at random points: from before it has the file open to
// after hundreds of calls. Every few times it gets a new file.
func TestAcknowledgedRecordsSurviveAKill(t *testing.T) {
	file, seen := "", 0
	for i := range crashes() {
		if i%8 == 0 {
			file = filepath.Join(t.TempDir(), "journal.db")
		}
		r := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
		acknowledged := kill(t, file, r)
		seen += len(acknowledged)
		survived(t, file, acknowledged)
	}
	if seen == 0 {
		t.Error("nothing was acknowledged before a kill: this showed nothing")
	}
	t.Logf("%d kills, %d acknowledged calls, none lost", crashes(), seen)
}

// kill runs a child and kills it after a while, or after some acknowledgements. It
// returns how many records each call has at the least.
func kill(t *testing.T, file string, r *rand.Rand) map[string]int {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+file+"|100000")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	after := 1 + r.IntN(300)
	if r.IntN(2) == 0 {
		time.AfterFunc(time.Duration(r.Int64N(150e6)), func() { c.Process.Kill() })
		after = 1 << 30
	}
	acknowledged := map[string]int{}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			break
		}
		id, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case id == "fault":
			t.Errorf("the child failed: %s", line)
		case n != "":
			acknowledged[id], _ = strconv.Atoi(n)
		}
		if after--; after == 0 {
			c.Process.Kill()
		}
	}
	c.Wait()
	return acknowledged
}

func survived(t *testing.T, file string, acknowledged map[string]int) {
	t.Helper()
	j, err := journal.Open(file, journal.Config{})
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	defer j.Close()
	if _, err := j.Verify(t.Context()); err != nil {
		t.Errorf("after a kill: %v", err)
	}
	for text, least := range acknowledged {
		id, err := journal.ParseID(text)
		if err != nil {
			t.Fatal(err)
		}
		if all, err := j.Records(t.Context(), id); err != nil || len(all) < least {
			t.Errorf("call %s has %d records, %v; %d were acknowledged", id, len(all), err, least)
		}
	}
	ended(t, j, acknowledged)
}

// ended checks that every call has an end, and that those without an outcome are
// interrupted, by a record of their own.
func ended(t *testing.T, j journal.Journal, acknowledged map[string]int) {
	t.Helper()
	for c, err := range j.Calls(t.Context(), journal.Filter{}) {
		if err != nil || !c.Ended || c.Started.IsZero() || c.Code != "" && c.Code != journal.Interrupted {
			t.Fatalf("call %+v, %v", c, err)
		}
		if c.Code == "" {
			continue
		}
		if acknowledged[fmt.Sprint(c.ID)] == 5 {
			t.Errorf("call %s is interrupted, though its outcome was acknowledged", c.ID)
		}
		if all, err := j.Records(t.Context(), c.ID); err != nil || all[len(all)-1].Kind != journal.Interrupt {
			t.Errorf("call %s ends with %+v, %v", c.ID, all, err)
		}
	}
}

// Several processes write into one file at once, and all start with none.
func TestProcessesShareAJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	const processes, each = 4, 15
	var all []*exec.Cmd
	var outs []*strings.Builder
	for range processes {
		c, out := exec.Command(os.Args[0]), &strings.Builder{}
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d", childEnv, file, each))
		c.Stdout, c.Stderr = out, os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all, outs = append(all, c), append(outs, out)
	}
	for i, c := range all {
		if err := c.Wait(); err != nil || strings.Contains(outs[i].String(), "fault") {
			t.Errorf("process %d: %v: %.300s", i, err, outs[i])
		}
	}
	j := open(t, file, journal.Config{})
	if _, err := j.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	tallies, err := j.Stats(t.Context(), journal.Filter{})
	if want := int64(processes * 6 * each); err != nil || len(tallies) != 1 || tallies[0].Calls != want || tallies[0].Errors != 0 {
		t.Errorf("Stats = %+v, %v; want %d calls without errors", tallies, err, want)
	}
}
