package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// jobs are the commands in the background, of all agents.
type jobs struct {
	most int // that an agent may have running

	mu   sync.Mutex
	last int // the number of the newest
	all  map[string]*job
	runs map[string]int // jobs that run, by agent
}

// maxEnded is how many jobs of all agents are remembered after their end.
const maxEnded = 64

func newJobs(most int) *jobs {
	return &jobs{most: most, all: make(map[string]*job), runs: make(map[string]int)}
}

// admit gives a job its id and its place among those that run. It keeps the place until
// it is released.
func (t *jobs) admit(j *job) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs[j.agent] >= t.most {
		return fmt.Errorf("%d commands run in the background already, which is as many as may; end one with job_kill, or wait for one with job_output", t.most)
	}
	t.runs[j.agent]++
	t.last++
	j.id = fmt.Sprintf("job_%d", t.last)
	t.all[j.id] = j
	t.trim()
	return nil
}

// trim forgets the oldest jobs that have ended, of more than are remembered.
func (t *jobs) trim() {
	var ended []*job
	for _, j := range t.all {
		if j.over() {
			ended = append(ended, j)
		}
	}
	slices.SortFunc(ended, func(a, b *job) int { return a.began.Compare(b.began) })
	for len(ended) > maxEnded {
		delete(t.all, ended[0].id)
		ended = ended[1:]
	}
}

// release gives up the place of a job of which nothing is left.
func (t *jobs) release(j *job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs[j.agent]--; t.runs[j.agent] == 0 {
		delete(t.runs, j.agent)
	}
}

// forget takes out a job that was never started.
func (t *jobs) forget(j *job) {
	t.release(j)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, j.id)
}

// find returns a job of an agent.
func (t *jobs) find(agent, id string) (*job, error) {
	t.mu.Lock()
	j := t.all[id]
	t.mu.Unlock()
	if j != nil && j.agent == agent {
		return j, nil
	}
	var names []string
	for _, own := range t.of(agent) {
		names = append(names, own.id)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no job %q; none was started", id)
	}
	return nil, fmt.Errorf("there is no job %q; there are %s", id, strings.Join(names, ", "))
}

// of returns the jobs of an agent, the oldest first.
func (t *jobs) of(agent string) []*job {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*job
	for _, j := range t.all {
		if j.agent == agent {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b *job) int { return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.id, b.id)) })
	return out
}
