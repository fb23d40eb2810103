package spill_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
	"github.com/toolfall/toolfall/toolfalltest"
)

// stand is a registry with the plugin and a tool, say, that returns content.
type stand struct {
	*toolfall.Registry
	content []toolfall.Content
}

func newStand(t *testing.T, c spill.Config) *stand {
	t.Helper()
	s := new(stand)
	say := toolfall.Plugin{Name: "say", Attach: func(o *scope.Scope, r *toolfall.Registry) error {
		_, err := r.Register(o, toolfall.Definition{Schema: toolfall.Schema{Name: "say"}, Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return s.content, nil
		}})
		return err
	}}
	s.Registry = toolfalltest.Attach(t, spill.New(c), say)
	return s
}

func (s *stand) say(t *testing.T, texts ...string) toolfall.Result {
	t.Helper()
	s.content = nil
	for _, text := range texts {
		s.content = append(s.content, toolfall.Text(text)...)
	}
	return s.Execute(t.Context(), toolfall.Call{Name: "say"})
}

func (s *stand) read(t *testing.T, arguments string, agent ...string) string {
	t.Helper()
	return s.Execute(t.Context(), toolfall.Call{Name: "read_output", Arguments: []byte(arguments), Agent: strings.Join(agent, "")}).Text()
}

var note = regexp.MustCompile(`\[… (\d+) bytes, (\d+) lines left out; read_output \{"id":"(out_[a-z2-7]{10})","offset":(\d+)\} reads on …\]`)

// numbered is a text of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestShortResultsStayAsTheyAre(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir()})
	if r := s.say(t, "é\r\n\tok"); r.Text() != "é\r\n\tok" {
		t.Errorf("%q", r.Text())
	}
}

// What was left out is there: head, the lines that read_output gives, and tail are all.
func TestTheWholeCanBeReadOn(t *testing.T) {
	dir := t.TempDir()
	s := newStand(t, spill.Config{Dir: dir})
	whole := numbered(20_000)
	got := s.say(t, whole).Text()
	m := note.FindStringSubmatch(got)
	if m == nil || len(got) > 24<<10 {
		t.Fatalf("%d bytes: %.300q", len(got), got)
	}
	head, tail, _ := strings.Cut(got, m[0])
	if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, strings.TrimPrefix(tail, "\n")) || len(tail) < 8<<10 || len(head) < 8<<10 {
		t.Errorf("the ends are %.100q and %.100q", head, tail)
	}
	next := fmt.Sprintf("line %s\n", m[4])
	if page := s.read(t, fmt.Sprintf(`{"id":"%s","offset":%s,"limit":2}`, m[3], m[4])); !strings.HasPrefix(page, next) || strings.Count(page, "\n") != 2 || !strings.HasPrefix(strings.TrimPrefix(whole, head), next) {
		t.Errorf("the first page begins with %.100q, want %q", page, next)
	}
	var all strings.Builder
	for offset := 1; ; {
		page := s.read(t, fmt.Sprintf(`{"id":"%s","offset":%d}`, m[3], offset))
		if len(page) > 24<<10 {
			t.Fatalf("a page of %d bytes", len(page))
		}
		text, end, _ := strings.Cut(page, "[")
		all.WriteString(text)
		if strings.HasPrefix(end, "the end") {
			break
		}
		if _, err := fmt.Sscanf(end, "… more from line %d on", &offset); err != nil {
			t.Fatalf("%.100q", end)
		}
	}
	if got := all.String(); got != whole+"\n" {
		t.Errorf("the pages have %d bytes, the whole %d", len(got), len(whole))
	}
}

func TestWhatWasKeptCanBeSearched(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir()})
	id := note.FindStringSubmatch(s.say(t, numbered(20_000)).Text())[3]
	for arguments, want := range map[string]string{
		`"pattern":"^line 1999[89]$"`:           "19998: line 19998\n19999: line 19999\n[the end]",
		`"pattern":"7$","offset":100,"limit":1`: "107: line 107\n[… more from line 117 on …]",
		`"pattern":"nothing"`:                   "[no line from 1 to 20001 matches]",
		`"offset":99999`:                        "[the output ends with line 20001]",
		`"pattern":"("`:                         "Error: pattern: error parsing regexp: missing closing ): `(`",
	} {
		if got := s.read(t, fmt.Sprintf(`{"id":"%s",%s}`, id, arguments)); got != want {
			t.Errorf("%s: %.200q, want %q", arguments, got, want)
		}
	}
}

// What one agent has seen is not another's to read, and an id leads nowhere else.
func TestAnOutputIsItsAgents(t *testing.T) {
	dir := t.TempDir()
	s := newStand(t, spill.Config{Dir: filepath.Join(dir, "kept")})
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := note.FindStringSubmatch(s.say(t, numbered(20_000)).Text())[3]
	for _, given := range []string{id, "../../secret", "out_aaaaaaaaaa", id + "/..", ""} {
		if got := s.read(t, fmt.Sprintf(`{"id":"%s"}`, given), "other"); !strings.HasPrefix(got, "Error: ") {
			t.Errorf("%q: %.100q", given, got)
		}
	}
}

func TestWhatIsKeptIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	s := newStand(t, spill.Config{Dir: dir})
	s.say(t, numbered(20_000))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A disk that fails costs the whole, never the call.
func TestADiskThatFailsCostsNoCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/dev/full", ""} {
		s := newStand(t, spill.Config{Dir: dir})
		r := s.say(t, numbered(20_000))
		if got := r.Text(); r.IsError || !strings.Contains(got, "lines left out …") || !strings.HasSuffix(got, "line 20000\n") {
			t.Errorf("%q: %.100q", dir, got)
		}
	}
}

func TestEscapesAreForTheFileAlone(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir()})
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m":                "red",
		"\x1b]0;title\x07a\x1b]8;;x\x1b\\b": "ab",
		"a\x00b\x7fc\u009bd":                "abcd",
		"bell\a, \x1b(Bascii":               "bell, ascii",
		"\xff\xfe":                          "\uFFFD\uFFFD",
		"hidden\U000E0041\U000E0042":        "hidden",
		"\x1b[":                             "",
		"a\x1b":                             "a",
	} {
		if got := s.say(t, text).Text(); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	dir := t.TempDir()
	s = newStand(t, spill.Config{Dir: dir})
	s.say(t, "\x1b[31m"+numbered(20_000))
	kept, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	if raw, err := os.ReadFile(kept[0]); err != nil || !strings.HasPrefix(string(raw), "\x1b[31mline 1\n") {
		t.Errorf("%v: the file begins with %.20q", err, raw)
	}
}

// However the text lies in blocks, the model reads no more than the budget.
func TestManyBlocksKeepTheBudget(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir(), Budget: 8 << 10})
	for name, sizes := range map[string][]int{
		"one large":         {100_000},
		"a small and large": {10, 100_000},
		"two large":         {50_000, 60_000},
		"many":              slicesOf(1000, 500),
		"very many":         slicesOf(30_000, 1),
		"just over":         {8<<10 + 1},
	} {
		var blocks []string
		for i, n := range sizes {
			blocks = append(blocks, strings.Repeat(string(rune('a'+i%26)), n))
		}
		r := s.say(t, blocks...)
		total := 0
		for _, c := range r.Content {
			total += len(c.Text)
		}
		if total > 8<<10 || total < 4<<10 || !note.MatchString(r.Text()) {
			t.Errorf("%s: %d bytes in %d blocks", name, total, len(r.Content))
		}
		if sizes[0] == 10 && r.Content[0].Text != "aaaaaaaaaa" {
			t.Errorf("%s: the small block is %.20q", name, r.Content[0].Text)
		}
	}
}

func slicesOf(n, size int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = size
	}
	return out
}

// The line that a note names is the first that is missing, in whichever block.
func TestTheNoteOfALaterBlockNamesItsLine(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir(), Budget: 4 << 10})
	r := s.say(t, "one\ntwo", numbered(5000))
	head, _, _ := strings.Cut(r.Content[1].Text, "\n[…")
	last := head[strings.LastIndexByte(head, '\n')+1:]
	m := note.FindStringSubmatch(r.Text())
	page := s.read(t, fmt.Sprintf(`{"id":"%s","offset":%s,"limit":1}`, m[3], m[4]))
	var before, after int
	fmt.Sscanf(last, "line %d", &before)
	fmt.Sscanf(page, "line %d", &after)
	if before == 0 || after != before+1 {
		t.Errorf("after %q comes %q", last, page)
	}
}

// A value for programs stays whole; what the model reads of it is cut.
func TestValuesForProgramsStayWhole(t *testing.T) {
	s := newStand(t, spill.Config{Dir: t.TempDir(), Budget: 4 << 10})
	value := strings.Repeat("x", 100_000)
	for _, read := range [][]toolfall.Content{nil, toolfall.Text("short")} {
		content, err := toolfall.JSON(value, read...)
		if err != nil {
			t.Fatal(err)
		}
		s.content = content
		r := s.Execute(t.Context(), toolfall.Call{Name: "say"})
		if len(r.Structured) != 100_002 || len(r.Text()) > 4<<10 || len(r.Content) != 1 {
			t.Errorf("%d bytes of value, and %d blocks of %d bytes", len(r.Structured), len(r.Content), len(r.Text()))
		}
	}
}

func TestImagesAreBounded(t *testing.T) {
	s := newStand(t, spill.Config{MaxData: 100})
	s.content = []toolfall.Content{toolfall.Image(make([]byte, 60), "image/png"), toolfall.Image(make([]byte, 60), "image/png"), toolfall.Image(make([]byte, 30), "image/png")}
	r := s.Execute(t.Context(), toolfall.Call{Name: "say"})
	if len(r.Content[0].Data) != 60 || r.Content[1].Text != "[image of 60 bytes left out: a result may have 100]" || len(r.Content[2].Data) != 30 {
		t.Errorf("%+v", r.Content)
	}
}

func TestOtherBudgetsAreForToolsThatBoundThemselves(t *testing.T) {
	s := newStand(t, spill.Config{Tools: map[string]int{"say": 1 << 20}})
	if got := s.say(t, numbered(20_000)).Text(); got != numbered(20_000) {
		t.Errorf("%d bytes", len(got))
	}
}

// What is old goes, and what there is too much of, the oldest first.
func TestTheStoreIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := spill.Config{Dir: dir, MaxTotal: 250_000, MaxAge: time.Hour}
	var ids []string
	for i := range 4 {
		s := newStand(t, c) // each is another program
		ids = append(ids, note.FindStringSubmatch(s.say(t, strings.Repeat("x", 100_000)).Text())[3])
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(filepath.Join(dir, "main", ids[i]), at, at); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "main", ids[3]), old, old); err != nil {
		t.Fatal(err)
	}
	s := newStand(t, c)
	s.say(t, strings.Repeat("x", 100_000))
	for i, want := range []bool{false, true, true, false} {
		if got := s.read(t, fmt.Sprintf(`{"id":"%s","limit":1}`, ids[i])); strings.HasPrefix(got, "Error") == want {
			t.Errorf("output %d: %.80q", i, got)
		}
	}
}

// A writer keeps what it can of an endless output, in little memory.
func TestAWriterKeepsTheBeginning(t *testing.T) {
	dir := t.TempDir()
	s := newStand(t, spill.Config{Dir: dir, MaxFile: 1 << 20})
	var id string
	if _, err := s.Register(t, toolfall.Definition{Schema: toolfall.Schema{Name: "pour"}, Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
		w := spill.To(ctx)
		for range 100 {
			if n, err := w.Write(make([]byte, 64<<10)); n != 64<<10 || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
		}
		id = w.Keep()
		short := spill.To(ctx)
		short.Write([]byte("never mind"))
		short.Drop()
		return nil, nil
	}}); err != nil {
		t.Fatal(err)
	}
	s.Execute(t.Context(), toolfall.Call{Name: "pour", Agent: "a"})
	kept, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	if len(kept) != 1 || filepath.Base(kept[0]) != id {
		t.Fatalf("kept %v, not %s", kept, id)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Size() != 1<<20 {
		t.Errorf("%v, %v", info.Size(), err)
	}
	var none *spill.Writer
	none.Write([]byte("x"))
	if none.Drop(); none.Keep() != "" || spill.To(t.Context()) != nil {
		t.Error("a writer where nothing is kept does something")
	}
}

func TestABudgetThatHoldsNoNoteIsRefused(t *testing.T) {
	r := toolfall.New()
	sc := scope.New(t.Context(), "test")
	defer sc.Close()
	if _, err := r.Attach(sc, spill.New(spill.Config{Budget: 10})); err == nil {
		t.Error("it was attached")
	}
}

// Whatever a tool returns, the model gets valid text within the budget, whose ends are
// those of the cleaned whole.
func FuzzBound(f *testing.F) {
	f.Add("a\x1b[31mb\n", 5000, 2048)
	f.Add("é", 3000, 1024)
	f.Add("\xe2\x82", 4000, 1500)
	f.Fuzz(func(t *testing.T, part string, times, budget int) {
		if times < 0 || times > 1<<14 || budget < 1024 || budget > 1<<16 || len(part)*times > 1<<20 {
			t.Skip()
		}
		text := strings.Repeat(part, times)
		s := newStand(t, spill.Config{Budget: budget})
		got := s.say(t, text).Text()
		if !utf8.ValidString(got) || len(got) > budget && strings.Contains(got, "left out") || spill.Clean(got) != got {
			t.Errorf("%d bytes, budget %d: %.100q", len(got), budget, got)
		}
		head, tail := spill.Ends(spill.Clean(text), budget/2, budget/2)
		if clean := spill.Clean(text); !strings.HasPrefix(clean, head) || !strings.HasSuffix(clean, tail) || !utf8.ValidString(head) || !utf8.ValidString(tail) {
			t.Errorf("ends %.50q %.50q", head, tail)
		}
	})
}
