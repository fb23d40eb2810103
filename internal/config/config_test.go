package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/toolfall/toolfall/scope"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolfall.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWithoutAFileTheDefaultsHold(t *testing.T) {
	c, err := Load(Options{Dir: t.TempDir()})
	if err != nil || c.Path != "" || c.Files.MaxLines != 2000 || !c.Shell.Enabled {
		t.Errorf("Load = %+v, %v", c, err)
	}
}

// The schema tells defaults; they must be those that hold.
func TestToldDefaultsAreTheRealOnes(t *testing.T) {
	s, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Default    json.RawMessage
		Properties map[string]schema
	}
	var told schema
	if err := json.Unmarshal([]byte(s), &told); err != nil {
		t.Fatal(err)
	}
	c := &Config{File: defaults()}
	values, err := c.Values()
	if err != nil || len(values) < 10 {
		t.Fatalf("Values() = %v, %v", values, err)
	}
	for _, v := range values {
		at := told
		for name := range strings.SplitSeq(v.Key, ".") {
			at = at.Properties[name]
		}
		want := at.Default
		if want != nil && string(want) != string(v.Value) {
			t.Errorf("%s is %s, and the schema tells %s", v.Key, v.Value, want)
		}
	}
}

func TestFileIsFoundUpwardAndItsRootsStartThere(t *testing.T) {
	path := write(t, "roots: [sub, /abs]\nshell:\n  timeout: 5\n  allowEnv: [A_TOKEN]\n")
	deep := filepath.Join(filepath.Dir(path), "a", "b")
	os.MkdirAll(deep, 0o755)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := Trust(path); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Options{Dir: deep})
	if err != nil {
		t.Fatal(err)
	}
	if c.Path != path || c.Roots[0] != filepath.Join(filepath.Dir(path), "sub") || c.Roots[1] != "/abs" || c.Shell.Timeout != 5 || c.Shell.MaxTimeout != 600 {
		t.Errorf("Load = %+v", c)
	}
	values, _ := c.Values()
	sources := map[string]string{}
	for _, v := range values {
		sources[v.Key] = v.Source
	}
	if sources["shell.timeout"] != path+":3" || sources["shell.maxOutput"] != "default" {
		t.Errorf("sources = %v", sources)
	}
	if c, _ = Load(Options{Dir: deep, Roots: []string{"x"}}); c.Roots[0] != "x" || c.sources["roots"] != "--root" {
		t.Errorf("with --root: %+v", c)
	}
}

func TestFaultsAreToldWithTheirLines(t *testing.T) {
	for text, want := range map[string]string{
		"shel:\n  timeout: 5\n":           `:1: unknown key "shel"; did you mean "shell"?`,
		"shell:\n  timeuot: 5\n":          `:2: unknown key "shell.timeuot"; did you mean "timeout"?`,
		"files:\n  maxLines: many\n":      `:2: "files.maxLines" must be an integer (got the string "many")`,
		"shell:\n  timeout: 601\n":        `:2: "shell.timeout" must be at most 600 (got 601)`,
		"roots:\n  - a\n  - 7\n":          `:3: "roots[1]" must be a string (got the number 7)`,
		"repair: true\nrepair: false\n":   `:2: "repair" is there twice`,
		"repair: [\n":                     `line 1: did not find expected node content`,
		"- a\n":                           `must be an object`,
		"a: 1\n---\nb: 2\n":               `only one YAML document`,
		"limits: &l\n  maxArguments: 1\n": `:2: "limits.maxArguments" must be at least 1024 (got 1)`,
		"zzz: 1\n":                        `known here are roots, repair, files, shell, limits`,
	} {
		_, err := Load(Options{File: write(t, text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: Load = %v, want %q in it", text, err, want)
		}
	}
}

func TestEmptyFilesAreFine(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "null\n", "{}\n"} {
		if c, err := Load(Options{File: write(t, text)}); err != nil || c.Files.MaxLines != 2000 {
			t.Errorf("%q: Load = %v", text, err)
		}
	}
}

func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 8 {
		b.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [")
		b.WriteString(strings.Repeat("*a"+string(rune('0'+i))+",", 10) + "x]\n")
	}
	b.WriteString("roots: *a8\n")
	if _, err := Load(Options{File: write(t, b.String())}); err == nil {
		t.Error("a bomb was read")
	}
}

func TestMissingAndOddFilesAreErrors(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "none.yaml"), dir} {
		if _, err := Load(Options{File: file}); err == nil {
			t.Errorf("Load(%s) went well", file)
		}
	}
}

func TestOpenAttachesWhatIsOn(t *testing.T) {
	c, err := Load(Options{File: write(t, "shell:\n  enabled: false\nrepair: true\nsandbox: {mode: off}\n"), Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	s := scope.New(t.Context(), "test")
	r, err := c.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var chain []string
	for _, m := range r.Snapshot().Chain() {
		chain = append(chain, m.Name)
	}
	if _, ok := r.Snapshot().Get("bash"); ok || slices.Contains(chain, "sandbox") || !slices.Contains(chain, "repair") || !slices.Contains(chain, "permission") {
		t.Errorf("bash %v, the chain is %v", ok, chain)
	}
	if s.Close(); r.Snapshot().Len() != 0 {
		t.Error("something outlived the scope")
	}
	c.Roots = []string{filepath.Join(t.TempDir(), "none")}
	s = scope.New(t.Context(), "test")
	defer s.Close()
	if _, err := c.Open(s, nil); err == nil {
		t.Error("a missing root was opened")
	}
}

// F10, U10, X3: a file that came with a repository can tighten, and nothing else.
func TestAnUntrustedFileOnlyTightens(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	text := `roots: [sub, /etc]
shell: {allowEnv: [A_TOKEN], persistent: true, jobs: 99}
files: {allowHardLinks: true}
telemetry: {endpoint: "http://collector.example", content: true, log: json}
permission:
  mode: bypass
  rules:
    - {effect: allow, tool: bash}
    - {effect: deny, tool: write_file}
`
	path := write(t, text)
	load := func() *Config {
		t.Helper()
		c, err := Load(Options{Dir: filepath.Dir(path)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := load()
	if len(c.Roots) != 1 || c.Shell.AllowEnv != nil || c.Files.AllowHardLinks || c.Permission.Mode != "default" ||
		len(c.Permission.Rules) != 1 || c.Permission.Rules[0].Effect != "deny" || len(c.Notes) != 8 || c.Shell.Persistent || c.Shell.Jobs != 8 ||
		c.Telemetry != (Telemetry{Log: "json"}) {
		t.Errorf("untrusted: %+v\n%q", c.File, c.Notes)
	}
	if err := Trust(path); err != nil {
		t.Fatal(err)
	}
	if c = load(); len(c.Roots) != 2 || len(c.Permission.Rules) != 2 || len(c.Notes) != 0 {
		t.Errorf("trusted: %+v\n%q", c.File, c.Notes)
	}
	os.WriteFile(path, []byte(text+"    - {effect: allow, tool: web_fetch}\n"), 0o644)
	if c = load(); len(c.Permission.Rules) != 1 {
		t.Errorf("changed since it was trusted: %+v", c.Permission.Rules)
	}
	if c, err := Load(Options{File: path}); err != nil || len(c.Permission.Rules) != 3 {
		t.Errorf("named: %+v, %v", c, err)
	}
}

// F2: a link that came with a repository does not make a root of what it leads to.
func TestAnUntrustedRootThatIsALink(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := write(t, "roots: [out]\n")
	out := filepath.Join(filepath.Dir(path), "out")
	if err := os.Symlink(t.TempDir(), out); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Options{Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Roots) != 1 || c.Roots[0] == out || len(c.Notes) == 0 {
		t.Errorf("roots are %v, with the notes %q", c.Roots, c.Notes)
	}
}

// Of an untrusted file no limit counts that is looser than the default.
func TestAnUntrustedFileLoosensNoLimit(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	load := func(text string) *Config {
		t.Helper()
		c, err := Load(Options{Dir: filepath.Dir(write(t, text))})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := load(`roots: ["."]
limits:
  maxArguments: 1073741824
  timeout: 0
  loop: {remind: 0, refuse: 50}
  retry: {attempts: 5}
  tools: [{tool: "*", timeout: 86400, concurrent: 1}]
`)
	d := defaultLimits()
	d.Tools = []ToolLimits{{Tool: "*", Timeout: d.Timeout, Concurrent: 1}}
	if !reflect.DeepEqual(c.Limits, d) || len(c.Notes) != 2 {
		t.Errorf("looser: %+v\n%q", c.Limits, c.Notes)
	}
	c = load("roots: [.]\nlimits: {timeout: 5, loop: {remind: 2, refuse: 2}, agent: {calls: 3}}\n")
	if l := c.Limits; l.Timeout != 5 || l.Loop.Refuse != 2 || l.Agent.Calls != 3 || len(c.Notes) != 0 {
		t.Errorf("tighter: %+v\n%q", l, c.Notes)
	}
}
