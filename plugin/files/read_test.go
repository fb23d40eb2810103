package files_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
)

func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadNumbersLines(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\n\n\tthree")
	s.equal(s.ok("read_file", args{"path": "a.txt"}), "     1\tone\n     2\t\n     3\t\tthree\n")
}

func TestReadPagesAndSaysHowToGoOn(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", numbers(1, 5000))
	got := s.ok("read_file", args{"path": "a.txt"})
	if lines := strings.Split(got, "\n"); len(lines) != 2003 || lines[1999] != "  2000\tline 2000" {
		t.Errorf("%d lines, the 2000th %q", len(lines), lines[1999])
	}
	if want := "[lines 1-2000 of 5000; go on with offset 2001]\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the end is %q, want %q", got[len(got)-60:], want)
	}
	s.equal(s.ok("read_file", args{"path": "a.txt", "offset": 2001, "limit": 2}),
		"  2001\tline 2001\n  2002\tline 2002\n\n[lines 2001-2002 of 5000; go on with offset 2003]\n")
	s.equal(s.ok("read_file", args{"path": "a.txt", "offset": 5000}), "  5000\tline 5000\n")
	s.fails("read_file", args{"path": "a.txt", "offset": 5001}, "offset 5001 is past the end: a.txt has 5000 lines")
}

func TestReadIsBoundedInBytes(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", strings.Repeat(strings.Repeat("x", 999)+"\n", 1000))
	got := s.ok("read_file", args{"path": "a.txt"})
	if len(got) > 256<<10+200 || !strings.Contains(got, "(256.0 KiB are returned at most); go on with offset 261]") {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-120:])
	}
	next := s.ok("read_file", args{"path": "a.txt", "offset": 261})
	if !strings.HasPrefix(next, "   261\t") {
		t.Errorf("the next page begins with %q", next[:20])
	}
}

func TestLongLineIsCutBetweenCharacters(t *testing.T) {
	s := open(t, files.Config{MaxLine: 5})
	s.put("a.txt", "äöüß€uro and more\nfive!\nsechs!\n")
	s.equal(s.ok("read_file", args{"path": "a.txt"}),
		"     1\täöüß€… [cut here: this line has 23 bytes]\n     2\tfive!\n     3\tsechs… [cut here: this line has 6 bytes]\n")
}

func TestReadKeepsCarriageReturns(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\r\ntwo\r\n")
	s.equal(s.ok("read_file", args{"path": "a.txt"}), "     1\tone\r\n     2\ttwo\r\n")
}

func TestEmptyFileSaysSo(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "")
	s.equal(s.ok("read_file", args{"path": "a.txt"}), "a.txt is empty (0 bytes)")
}

func TestWhatIsNotTextIsRefused(t *testing.T) {
	s := open(t, files.Config{})
	for content, want := range map[string]string{
		"abc\x00def":                          "looks like binary data, 7 bytes",
		"%PDF-1.7\n":                          "looks like a PDF document",
		"\x1f\x8b\x08":                        "looks like gzip data",
		"\xff\xfea\x00b\x00":                  "looks like UTF-16 text",
		"fine\nbroken \xff\xfe\n":             "line 2 is not valid UTF-8",
		numbers(1, 2000)[:12000] + "\n\x00\n": "has a NUL byte",
	} {
		s.put("a.bin", content)
		s.fails("read_file", args{"path": "a.bin"}, "a.bin is not a text file", want)
	}
}

func TestMissingFileSuggestsNames(t *testing.T) {
	s := open(t, files.Config{})
	s.put("src/Config.go", "x")
	s.put("src/config_test.go", "x")
	s.put("docs/readme.md", "x")
	s.fails("read_file", args{"path": "src/confg.go"}, "src/confg.go does not exist; did you mean src/Config.go?")
	s.fails("read_file", args{"path": "docs/README.txt"}, "did you mean docs/readme.md?")
	s.fails("read_file", args{"path": "sr/deep/config.go"}, "there is no directory sr; did you mean src?")
	s.fails("read_file", args{"path": "src"}, "src is a directory, not a file; list_dir lists it")
	s.fails("read_file", args{"path": "src/Config.go/x"}, "a part of this path that should be a directory is a file")
	s.fails("read_file", args{"path": "a\x00b"}, "NUL")
	s.fails("list_dir", args{"path": "src/Config.go"}, "is a file, not a directory")
}

func TestImageComesAsAnImage(t *testing.T) {
	s := open(t, files.Config{MaxImage: 2000})
	picture := image.NewGray(image.Rect(0, 0, 8, 8))
	var asPNG, asJPEG, asGIF bytes.Buffer
	if png.Encode(&asPNG, picture) != nil || jpeg.Encode(&asJPEG, picture, nil) != nil || gif.Encode(&asGIF, picture, nil) != nil {
		t.Fatal("cannot encode")
	}
	for mimeType, data := range map[string]string{
		"image/png": asPNG.String(), "image/jpeg": asJPEG.String(), "image/gif": asGIF.String(), "image/webp": webp(),
	} {
		s.put("misnamed.txt", data) // the bytes decide
		r := s.call("read_file", args{"path": "misnamed.txt"})
		if len(r.Content) != 2 || r.Content[1].Type != toolfall.TypeImage ||
			r.Content[1].MIMEType != mimeType || string(r.Content[1].Data) != data {
			t.Errorf("%s came as %v %q", mimeType, r.IsError, r.Text())
		}
	}
	s.put("big.png", asPNG.String()+strings.Repeat("x", 2000))
	s.fails("read_file", args{"path": "big.png"}, "at most 2000 bytes can be returned")
}

// webp is the beginning of a WebP file, as far as its container.
func webp() string {
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 12)...)
	return string(append(b, "WEBPVP8 \x00\x00\x00\x00"...))
}

// A file is paged without holding more than a page of it, however long it is.
func TestHugeFileIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 256 MB")
	}
	s := open(t, files.Config{})
	f, err := os.Create(filepath.Join(s.dir, "huge.txt"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	line := strings.Repeat("x", 1023) + "\n"
	for range 256 << 10 {
		w.WriteString(line)
	}
	w.WriteString("the end\n")
	if w.Flush() != nil || f.Close() != nil {
		t.Skip("no room for 256 MB")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := s.ok("read_file", args{"path": "huge.txt", "offset": 256 << 10, "limit": 1})
	s.ok("grep", args{"path": "huge.txt", "pattern": "the end"})
	runtime.ReadMemStats(&after)
	s.equal(got, "262144\t"+line+"\n[lines 262144-262144 of a file of 256.0 MiB; go on with offset 262145]\n")
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated for a page of a huge file", used)
	}
}
