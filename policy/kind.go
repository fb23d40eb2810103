package policy

// A kind is what the calls of a tool do.
type kind int

const (
	other   kind = iota // nobody knows
	reads               // a file or directory, which an argument names
	edits               // a file, which an argument names
	runs                // a command line
	visits              // a URL
	asks                // nothing before a person has been asked by the tool itself
	recalls             // what its caller's own calls have put out
	recants             // what its caller has started
)

// kinds are those of the tools that are known, ours and by the names others have for
// the same.
var kinds = map[string]kind{
	"read_file": reads, "list_dir": reads, "glob": reads, "grep": reads,
	"write_file": edits, "edit_file": edits,
	"bash": runs, stays: runs, "web_fetch": visits,
	"enter_plan_mode": asks, "exit_plan_mode": asks,
	"read_output": recalls, "job_output": recalls, "job_list": recalls, "job_kill": recants,
}

// stays is the tool that runs commands in a shell that stays: what a line of it means
// depends on the lines before. A rule that denies or asks about bash is about it too.
const stays = "shell"

// theirs are the tools that other programs' names stand for.
var theirs = map[string][]string{
	"Bash":         {"bash"},
	"Read":         {"read_file", "list_dir", "glob", "grep"},
	"Edit":         {"edit_file", "write_file"},
	"MultiEdit":    {"edit_file"},
	"Write":        {"write_file"},
	"NotebookEdit": {},
	"NotebookRead": {},
	"LS":           {"list_dir"},
	"Glob":         {"glob"},
	"Grep":         {"grep"},
	"WebFetch":     {"web_fetch"},
	"WebSearch":    {"web_search"},
	"TodoWrite":    {},
	"Task":         {}, "Agent": {}, "Skill": {}, "Cd": {}, "ExitPlanMode": {"exit_plan_mode"},

	"run_shell_command": {"bash"}, "replace": {"edit_file"}, "read_many_files": {"read_file"}, "list_directory": {"list_dir"},
	"search_file_content": {"grep"}, "google_web_search": {"web_search"},
}

// concerns reports whether a rule on paths is about reading, or about writing.
func (r *rule) concerns(write bool) bool {
	for tool, k := range kinds {
		if (k == edits) == write && (k == edits || k == reads) && r.names(tool) {
			return true
		}
	}
	// What may not be read may not be written either.
	return write && r.Effect == Deny && r.names("read_file")
}
