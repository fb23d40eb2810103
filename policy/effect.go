// Package policy says whether a call may run: by rules, by the mode, and by what the
// call would do.
//
// A [Policy] is compiled from rules, its own and those of other programs' files
// ([ParseClaude], [ParseCodex], [ParseGemini]). [Policy.Decide] looks at a call and
// gives a [Decision]: the effect, and for each thing the call would do the rule or
// the reason behind it. Deny beats ask, and ask beats allow, in whatever order the
// rules stand. Deny and ask match more than is certain, allow less; what cannot be
// seen through is asked about at most.
//
// Nothing here runs anything or asks anybody; the file system is only read to see
// through symbolic links.
package policy

import "fmt"

// An Effect is what becomes of a call.
type Effect int

// The effects, from the mildest.
const (
	None  Effect = iota // nothing is said
	Allow               // it runs
	Ask                 // a person decides
	Deny                // it does not run
)

// String returns the effect as rules write it.
func (e Effect) String() string {
	switch e {
	case None:
		return "none"
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return fmt.Sprintf("effect %d", int(e))
}

// MarshalText writes the effect as rules do.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads an effect.
func (e *Effect) UnmarshalText(text []byte) error {
	for _, known := range []Effect{Allow, Ask, Deny} {
		if known.String() == string(text) {
			*e = known
			return nil
		}
	}
	return fmt.Errorf("unknown effect %q; want allow, ask or deny", text)
}

// A Mode says what becomes of calls that no rule speaks of.
type Mode string

// The modes.
const (
	Default     Mode = "default"     // what only reads runs, the rest is asked
	AcceptEdits Mode = "acceptEdits" // edits inside the roots run too
	Plan        Mode = "plan"        // only what is proven to read runs
	DontAsk     Mode = "dontAsk"     // what would be asked is denied
	Bypass      Mode = "bypass"      // all runs but what a rule denies or asks about
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Default, AcceptEdits, Plan, DontAsk, Bypass} }

// ParseMode returns the mode of that name, also as Claude Code calls it.
func ParseMode(name string) (Mode, error) {
	if name == "bypassPermissions" {
		return Bypass, nil
	}
	for _, m := range Modes() {
		if string(m) == name {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown mode %q; want one of default, acceptEdits, plan, dontAsk, bypass", name)
}
