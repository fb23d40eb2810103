package command

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes what an analysis found: the commands with their words, what they
// start in brackets, then files and reasons.
func shown(a *Analysis) string {
	var b strings.Builder
	writeAll(&b, a.Commands)
	for _, x := range a.Accesses {
		fmt.Fprintf(&b, " %s%s", map[bool]string{true: ">", false: "<"}[x.Write], visible(x.Path.Text))
	}
	if len(a.Opaque) > 0 {
		fmt.Fprintf(&b, " # %s", strings.Join(a.Opaque, "; "))
	}
	return strings.TrimSpace(b.String())
}

func writeAll(b *strings.Builder, cs []*Command) {
	for i, c := range cs {
		if i > 0 {
			b.WriteString("; ")
		}
		for _, name := range c.Assigns {
			b.WriteString(name + "= ")
		}
		for j, w := range c.Argv {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(visible(w.Text))
		}
		if where := strings.Join(c.Place.Dirs, "|"); where != "." && where != "" {
			fmt.Fprintf(b, "@%s", visible(where))
		}
		if c.Place.Lost {
			b.WriteString("@?")
		}
		if len(c.Inner) > 0 {
			b.WriteString(" [")
			writeAll(b, c.Inner)
			b.WriteString("]")
		}
	}
}

func visible(s string) string {
	return strings.NewReplacer(Unknown, "§", Home, "~", " ", "␣", "\n", "␤").Replace(s)
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"git status", "git status"},
		{"S1: a && b; c | d & e\nf", "S1: a; b; c; d; e; f"},
		{"echo $(rm x) `curl y`", "rm x; curl y; echo § §"},
		{"diff <(a) >(rm b)", "a; rm b; diff § §"},
		{"cat <<EOF\n$(rm x)\nEOF", "rm x; cat"},
		{"cat <<'EOF'\n$(rm x)\nEOF", "cat"},
		{"ls # note\nrm x", "ls; rm x"},
		{"r\\\nm x", "rm x"},
		{"echo x > f >> g 2>&1 < h <> i >| j &> k", "echo x >f >g <h >i <i >j >k"},
		{"A=1 LC_ALL=C rm x", "A= LC_ALL= rm x"},
		{"PATH=/x; ls", "ls # it sets the variable PATH"},
		{"x=1; ls $x", "ls §"},
		{"export PATH=/x", "# it sets the variable PATH"},
		{"timeout -s KILL 5 nice -n 3 rm x", "timeout -s KILL 5 nice -n 3 rm x [nice -n 3 rm x [rm x]]"},
		{"sudo -u a X=1 rm x", "sudo -u a X=1 rm x [X= rm x]"},
		{"env -i A=b rm x", "env -i A=b rm x [A= rm x]"},
		{"env -S 'rm x'", "env -S rm␣x [rm x] # env is told to split a text into a command"},
		{"echo a | xargs rm", "echo a; xargs rm [rm §]"},
		{`\rm x`, "rm x"},
		{"r''m \"x y\"", "rm x␣y"},
		{`$'\x72\155' x`, "rm x"},
		{"{rm,-f} x; r{m,n}", "rm -f x; rm rn"},
		{"bash -c 'a; b'", "bash -c a;␣b [a; b]"},
		{"sh -lc 'a'", "sh -lc a [a] # sh is started in a way that reads more than its text"},
		{`bash -c "$X"`, "bash -c § [§@?] # it runs a script that is only known when it runs"},
		{"bash x.sh", "bash x.sh # bash runs a script that is not in the text"},
		{"eval 'rm x'", "eval rm␣x [rm x] # it uses eval"},
		{"command eval rm x", "command eval rm x [eval rm x [rm x]] # it uses eval"},
		{"trap 'rm x' EXIT", "trap rm␣x EXIT [rm x] # it sets a trap"},
		{"find . -exec rm {} ;", "find . -exec rm {} [rm {}@?]"},
		{`find . -exec rm {} \;`, "find . -exec rm {} ; [rm {}@?]"},
		{"cd a && b; c", "cd a; b@a; c@a"},
		{"cd a; b", "cd a; b@.|a"},
		{"(cd a); b", "cd a; b"},
		{"cd $X; b", "cd §; b@?"},
		{"for f in a b; do rm $f; done", "rm §"},
		{"while a; do cd ..; b; done", "a@.|..@?; cd ..@.|..@?; b@.|..|..|../..@?"},
		{"if a; then b; elif c; then d; else e; fi", "a; b; c; d; e"},
		{"f() { rm x; }; f", "rm x@?; f # it defines a function"},
		{"case $x in a) b;; *) c;; esac", "b; c"},
		{"echo ${x@P} ${!y}", "echo § § # it has an expansion that can run what a variable holds"},
		{"echo $((1 + 2))", "echo §"},
		{"echo $((x))", "echo § # it has shell arithmetic or a construct that is not looked into"},
		{"((a[$(rm x)]))", "rm x # it has shell arithmetic or a construct that is not looked into; it has an expansion that can run what a variable holds"},
		{"[[ -v a[$(x)] ]]", "x # it tests a variable by name"},
		{"printf -v 'a[$(x)]' y", "printf -v a[$(x)] y # it may set a variable by name"},
		{"git status\u200b; ls", "git status\u200b; ls # it has the invisible character U+200B"},
		{"a\rb", "a b # it has the invisible character U+000D"},
		{"rm x &&& echo", "rm x@?; echo@? # it does not parse"},
		{"echo 'unclosed", "echo unclosed@? # it does not parse"},
		{"cat ~/x $HOME/y ~root/z '~/w'", "cat ~/x ~/y §~root/z ~/w"},
		{"time git status", "git status"},
		{"! a", "a"},
		{"coproc a", "a # it starts a coprocess"},
	} {
		if got := shown(Scan(c.line)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	for name, line := range map[string]string{
		"long":  strings.Repeat("echo a;", 2000),
		"parts": strings.Repeat("echo a;", 60),
		"deep":  strings.Repeat("timeout 1 ", 20) + "rm x",
		"nest":  strings.Repeat("echo $(", 300) + strings.Repeat(")", 300),
		"brace": strings.Repeat("{a,b}", 30),
		"range": "echo {1..100000000}",
	} {
		if a := Scan(line); len(a.Opaque) == 0 {
			t.Errorf("%s: nothing is opaque", name)
		}
	}
}
