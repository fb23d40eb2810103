package policy

import (
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// rules are those of one effect, in their order. Those on commands are found by the
// program that they name.
type rules struct {
	all     []*rule
	byName  map[string][]*rule // on commands whose program is plain
	anyName []*rule            // on commands, whatever the program
}

// with returns the rules and one more, and leaves r as it is.
func (r rules) with(one *rule) rules {
	out := rules{all: append(r.all[:len(r.all):len(r.all)], one), byName: r.byName, anyName: r.anyName}
	switch {
	case one.command == nil:
	case one.command.first == "":
		out.anyName = append(r.anyName[:len(r.anyName):len(r.anyName)], one)
	default:
		out.byName = make(map[string][]*rule, len(r.byName)+1)
		for name, list := range r.byName {
			out.byName[name] = list
		}
		list := out.byName[one.command.first]
		out.byName[one.command.first] = append(list[:len(list):len(list)], one)
	}
	return out
}

// about are the rules on commands that could be of a program.
func (r *rules) about(name string) [2][]*rule { return [2][]*rule{r.byName[name], r.anyName} }

// tightening are the rules that deny or ask and could be of a command: by its word, by
// the name of its program, and by what its word would be without quotes. The denying
// ones come first.
func (p *Policy) tightening(c *command.Command) (out [][]*rule) {
	word, _, _ := strings.Cut(c.Argv[0].Text, " ")
	name := word[strings.LastIndexByte(word, '/')+1:]
	for _, r := range []*rules{&p.deny, &p.ask} {
		out = append(out, r.byName[word], r.anyName)
		if name != word {
			out = append(out, r.byName[name])
		}
	}
	return out
}
