package command

import "strings"

// surprising are the options by which a program that people take for a reader runs
// another, or writes a file: a rule that allows the program by its first words is not
// a rule that allows these. Long ones may be given short, as far as here.
var surprising = map[string][]string{
	"git":  {"--outp", "--ext-d", "--op", "--upload-p", "--recei", "--exec="},
	"sort": {"-o", "--ou", "--comp"},
	"rg":   {"--pre", "--hostname-bin"},
	"ag":   {"--pager"},
	"tree": {"-o"},
	"date": {"-s", "--s"},
	"man":  {"-P", "--pager", "-H", "--html"},
	"tar":  {"--to-command", "--to-c", "--checkpoint-a", "--use-c", "-I", "--info-script", "--new-volume-script", "-F", "--rsh-command", "--rmt-command"},
	"less": {"+", "-o", "-O", "--log-file", "--LOG-FILE"},
	"ssh":  {"-o", "-F"}, "scp": {"-o", "-F", "-S"}, "rsync": {"-e", "--rsh", "--rsync-path"},
	"yq": {"-i", "--in"}, "xxd": {"-r"},
}

// surprises reports whether a command is given such an option.
func surprises(c *Command) bool {
	options := surprising[c.Name()]
	for _, w := range c.Argv[1:] {
		if w.Text == "--" {
			return false
		}
		for _, option := range options {
			if strings.HasPrefix(w.Text, option) || short(option, w.Text) {
				return true
			}
		}
	}
	// -O is a pager to git grep, and an order to git diff
	return c.Name() == "git" && len(c.Argv) > 1 && c.Argv[1].Text == "grep" && has(c.Argv[2:], "O")
}

// short reports whether a group of short options has one.
func short(option, word string) bool {
	return len(option) == 2 && option[0] == '-' && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, option[1:])
}

func has(words []Word, letter string) bool {
	for _, w := range words {
		if short("-"+letter, w.Text) {
			return true
		}
	}
	return false
}
