package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolfall/toolfall"
)

// maxWait is how long one call may wait for a job, in seconds.
const maxWait = 600

type jobOutputArgs struct {
	Job  string `json:"job" description:"The id of the job, as bash told it."`
	Wait int    `json:"wait,omitempty" minimum:"0" maximum:"600" default:"0" description:"Seconds to wait for the end of the job, if it still runs."`
}

type jobArgs struct {
	Job string `json:"job" description:"The id of the job, as bash told it."`
}

// jobTools are the tools for what bash started in the background.
func (b *bash) jobTools() []toolfall.Definition {
	output := toolfall.Define("job_output", "Read what a command in the background has printed since the last time, and whether it still runs. Waits for its end if asked to.", b.jobOutput)
	output.Hints = toolfall.Hints{Title: "Read a background command", ReadOnly: toolfall.Yes, OpenWorld: toolfall.No}
	output.Timeout = (maxWait + 60) * time.Second
	kill := toolfall.Define("job_kill", "End a command in the background, with all that it started.", b.jobKill)
	kill.Hints = toolfall.Hints{Title: "End a background command", ReadOnly: toolfall.No, Idempotent: toolfall.Yes, OpenWorld: toolfall.No}
	list := toolfall.Define("job_list", "List the commands in the background, and how those ended that are over.", b.jobList)
	list.Hints = toolfall.Hints{Title: "List background commands", ReadOnly: toolfall.Yes, OpenWorld: toolfall.No}
	out := []toolfall.Definition{output, kill, list}
	for i := range out {
		out[i].Claims = func(toolfall.Call) []toolfall.Claim { return nil } // they touch nothing but the jobs
	}
	return out
}

func (b *bash) jobOutput(ctx context.Context, a jobOutputArgs, c toolfall.Call) ([]toolfall.Content, error) {
	j, err := b.jobs.find(c.Agent, a.Job)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	j.waiting++
	j.mu.Unlock()
	j.await(ctx, time.Duration(a.Wait)*time.Second)
	over := j.over()
	j.mu.Lock()
	j.waiting--
	if ctx.Err() == nil {
		j.delivered = j.delivered || over
	}
	j.mu.Unlock()
	if ctx.Err() != nil { // nothing is told: neither the output nor the end counts as delivered
		if over {
			b.notice(j)
		}
		return nil, context.Cause(ctx)
	}
	text := j.fresh(b.keep)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += fmt.Sprintf("[%s: %s]", j.id, j.state())
	if over && j.wholeID != "" {
		text += fmt.Sprintf("\n[read_output {\"id\":\"%s\"} has all of its output]", j.wholeID)
	}
	return toolfall.Text(text), nil
}

func (b *bash) jobKill(_ context.Context, a jobArgs, c toolfall.Call) ([]toolfall.Content, error) {
	j, err := b.jobs.find(c.Agent, a.Job)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	j.delivered = true
	j.mu.Unlock()
	j.kill()
	return toolfall.Text(fmt.Sprintf("[%s: %s]", j.id, j.state())), nil
}

func (b *bash) jobList(_ context.Context, _ struct{}, c toolfall.Call) ([]toolfall.Content, error) {
	all := b.jobs.of(c.Agent)
	if len(all) == 0 {
		return toolfall.Text("[no command was started in the background]"), nil
	}
	var out strings.Builder
	for _, j := range all {
		fmt.Fprintf(&out, "%s: %s: %s\n", j.id, j.state(), firstLine(j.command))
	}
	return toolfall.Text(out.String()), nil
}

// maxCommand is how much is shown of a command, in characters.
const maxCommand = 100

func firstLine(command string) string {
	line, _, more := strings.Cut(strings.TrimSpace(command), "\n")
	if short := []rune(line); len(short) > maxCommand {
		line, more = string(short[:maxCommand]), true
	}
	if more {
		line += " …"
	}
	return clean([]byte(line))
}
