package shell

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/spill"
)

// job is a command in the background. It belongs to the agent that started it.
type job struct {
	id, agent, command string
	process            *process
	out                *ring
	whole              *spill.Writer // all that it prints
	began              time.Time
	stop               context.CancelFunc
	ended              chan struct{} // closed when nothing of it is left, after ending is set
	ending             ending
	wholeID            string // of what was kept, after ended

	mu        sync.Mutex
	killed    bool
	told      int64 // how much its agent has been given
	waiting   int   // calls that wait for its end
	delivered bool  // its end was told to its agent
	noticed   bool  // its end was told to [Config.Done]
}

// jobBuffer is how much of a job's output is held, in bytes.
const jobBuffer = 256 << 10

// Done is the end of a job.
type Done struct {
	Agent, Job, Command string
	State               string // such as "exit status 0"
	Took                time.Duration
}

// begin starts a command in the background, as the context says how.
func (b *bash) begin(ctx context.Context, agent, dir, command string) (*job, error) {
	j := &job{agent: agent, command: command, out: newRing(jobBuffer), whole: spill.To(ctx), began: time.Now(), ended: make(chan struct{})}
	if err := b.jobs.admit(j); err != nil {
		j.whole.Drop()
		return nil, err
	}
	args := append(b.args[:len(b.args):len(b.args)], command)
	p, err := start(ctx, confine.Command{Path: b.shell, Args: args, Dir: dir, Env: b.env}, io.MultiWriter(j.out, j.whole))
	if err != nil {
		j.whole.Drop()
		b.jobs.forget(j)
		return nil, err
	}
	j.process = p
	var lives context.Context
	lives, j.stop = context.WithCancel(b.owner.Context())
	b.owner.Go(func(context.Context) { b.follow(lives, j) })
	return j, nil
}

// follow waits until nothing of a job is left: it ends by itself, is killed, lives too
// long, or its owner is closed.
func (b *bash) follow(ctx context.Context, j *job) {
	defer j.stop()
	j.ending = j.process.wait(ctx, b.life)
	if _, lost, _ := j.out.since(0); lost > 0 {
		j.wholeID = j.whole.Keep()
	} else {
		j.whole.Drop()
	}
	b.jobs.release(j)
	close(j.ended)
	b.notice(j)
}

// notice tells of the end of a job, unless its agent knows already or a call is about to
// tell it. It does so once.
func (b *bash) notice(j *job) {
	j.mu.Lock()
	tell := !j.delivered && !j.noticed && j.waiting == 0
	j.noticed = j.noticed || tell
	j.mu.Unlock()
	if tell && b.done != nil {
		b.done(Done{j.agent, j.id, j.command, j.state(), j.ending.took})
	}
}

// over reports whether nothing of the job is left.
func (j *job) over() bool {
	select {
	case <-j.ended:
		return true
	default:
		return false
	}
}

// state says in a few words what the job is doing, or how it ended.
func (j *job) state() string {
	if !j.over() {
		return fmt.Sprintf("running for %s", time.Since(j.began).Round(time.Second))
	}
	j.mu.Lock()
	killed := j.killed
	j.mu.Unlock()
	e := j.ending
	switch {
	case killed:
		return "killed"
	case e.timedOut:
		return fmt.Sprintf("killed after %s, which is as long as a job may live", e.limit)
	case e.Signal != nil:
		return "ended by " + signalName(e.Signal)
	}
	return fmt.Sprintf("exit status %d", e.Exit)
}

// kill ends the job and waits until nothing of it is left.
func (j *job) kill() {
	j.mu.Lock()
	j.killed = j.killed || !j.over()
	j.mu.Unlock()
	j.stop()
	<-j.ended
}

// fresh returns what the job has printed since its agent was last given something, cut to
// its ends if it is more than so many bytes.
func (j *job) fresh(most int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, lost, next := j.out.since(j.told)
	j.told = next
	text := clean(raw)
	var b strings.Builder
	if lost > 0 {
		fmt.Fprintf(&b, "[… %d bytes of earlier output are gone from here …]\n", lost)
	}
	if len(text) <= most {
		b.WriteString(text)
		return b.String()
	}
	head, tail := spill.Ends(text, most/2, most/2)
	fmt.Fprintf(&b, "%s\n[… %d bytes left out …]\n%s", strings.TrimSuffix(head, "\n"), len(text)-len(head)-len(tail), tail)
	return b.String()
}

// await waits for the end of the job, for some time.
func (j *job) await(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-j.ended:
	case <-timer.C:
	case <-ctx.Done():
	}
}
