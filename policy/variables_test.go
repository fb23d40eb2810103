package policy

import (
	"testing"
)

func TestVariablesThatDecideWhatRuns(t *testing.T) {
	p, err := New(Config{Roots: []string{workspace(t)}, Rules: claude(t, Allow, "Bash(git *)", "Bash(echo *)", "Bash(npm run *)")})
	if err != nil {
		t.Fatal(err)
	}
	decideAll(t, p, []row{
		{"S8 an exported setting of npm", "export npm_config_script_shell=./x; npm run a", "ask"},
		{"S8 a setting of npm", "npm_config_script_shell=./x; npm run a", "ask"},
		{"S8 printf counts into a variable", "printf '%5n' PATH; git log", "ask"},
	})
}
