package confine

// An Attempt is something hostile that was really tried from inside the sandbox.
type Attempt struct {
	Row     string `json:"row"` // of the list of attacks in docs/design
	Name    string `json:"name"`
	Blocked bool   `json:"blocked"`
	Detail  string `json:"detail,omitempty"` // what the kernel said
}

// A Matrix is what became of all attempts.
type Matrix struct {
	Tier     Tier      `json:"tier"` // Full when all were blocked, None when nothing could be started
	Attempts []Attempt `json:"attempts"`
	Reason   string    `json:"reason,omitempty"` // why the tier is not Full
}
