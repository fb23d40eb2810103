package confine

import "os"

// A Report says what a process was held to.
type Report struct {
	Tier    Tier     `json:"tier"`
	Missing []string `json:"missing,omitempty"` // classes that nothing is held back of, such as "hidden files"
}

// Report says what the process was held to. It never changes.
func (p *Process) Report() Report { return p.report }

// report is what the tier of a policy enforces of it.
func (p Policy) report() Report {
	switch p.Tier {
	case Full:
		r := Report{Tier: Full}
		if p.Limits.Processes > 0 && os.Getuid() == 0 {
			r.Missing = []string{"number of processes"} // the kernel does not count those of root
		}
		return r
	case Partial:
		return Report{Tier: Partial, Missing: []string{"hidden files", "protected names", "other processes", "attributes of files", "limits"}}
	default:
		return Report{Tier: None, Missing: []string{"files", "hidden files", "protected names", "network", "other processes", "system calls", "limits"}}
	}
}
