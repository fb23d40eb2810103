package files

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// notFound is the error for a text that does not have old_string, with the most
// likely reason.
func notFound(text, from, to string) error {
	const missing = "old_string is not in the file"
	lines, wanted := strings.Split(strings.TrimSuffix(text, "\n"), "\n"), strings.Split(strings.Trim(from, "\r\n"), "\n")
	if text == "" {
		return errors.New(missing + ", which is empty; write_file can fill it")
	}
	if stripped, ok := withoutNumbers(wanted); ok && strings.Contains(text, stripped) {
		return errors.New(missing + ": leave out the line numbers that read_file shows")
	}
	if at, ok := find(lines, wanted, sameWords); ok {
		return fmt.Errorf("%s, but lines %d-%d differ from it in white space alone; the first line that differs is %s",
			missing, at+1, at+len(wanted), firstDifference(lines[at:], wanted, at))
	}
	if at, ok := find(lines, wanted, sameLetters); ok {
		return fmt.Errorf("%s, but lines %d-%d differ from it in case alone; the first line that differs is %s",
			missing, at+1, at+len(wanted), firstDifference(lines[at:], wanted, at))
	}
	if strings.TrimSpace(to) != "" && strings.Contains(text, to) {
		line := 1 + strings.Count(text[:strings.Index(text, to)], "\n")
		return fmt.Errorf("%s, but new_string is, at line %d: has the edit been made already?", missing, line)
	}
	return errors.New(missing + longest(lines, wanted))
}

// maxCompared bounds how many lines are compared to explain one failed edit: a
// text of equal lines would otherwise cost the square of its length.
const maxCompared = 1 << 20

// find looks for the lines wanted, under an equality of lines.
func find(lines, wanted []string, same func(a, b string) bool) (at int, ok bool) {
	budget := maxCompared
	for at := 0; at+len(wanted) <= len(lines) && budget > 0; at++ {
		n := 0
		for n < len(wanted) && budget > 0 && same(lines[at+n], wanted[n]) {
			n++
			budget--
		}
		if n == len(wanted) {
			return at, true
		}
		budget--
	}
	return 0, false
}

func sameWords(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	return a == b || strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

func sameLetters(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// firstDifference tells the first of lines that is not as wanted. The file has
// lines from number at on.
func firstDifference(lines, wanted []string, at int) string {
	for i, line := range lines[:len(wanted)] {
		if line != wanted[i] {
			return fmt.Sprintf("%d: %s, not %s", at+i+1, short(line), short(wanted[i]))
		}
	}
	return fmt.Sprintf("%d: %s", at+1, short(lines[0]))
}

// withoutNumbers takes off the numbers that read_file puts before lines, if
// every line has one.
func withoutNumbers(lines []string) (string, bool) {
	number := regexp.MustCompile(`^ *[0-9]+(\t|→|: )`)
	stripped := make([]string, len(lines))
	for i, line := range lines {
		loc := number.FindStringIndex(line)
		if loc == nil {
			return "", false
		}
		stripped[i] = line[loc[1]:]
	}
	return strings.Join(stripped, "\n"), true
}

// longest tells which of the lines wanted stand in the file in sequence from the
// first one on, and where that ends.
func longest(lines, wanted []string) string {
	best, where, budget := 0, 0, maxCompared
	for at := range lines {
		n := 0
		for n < len(wanted) && at+n < len(lines) && budget > 0 && sameWords(lines[at+n], wanted[n]) {
			n++
			budget--
		}
		if budget--; budget <= 0 {
			break
		}
		if n > best && strings.TrimSpace(wanted[0]) != "" {
			best, where = n, at
		}
	}
	if best == 0 {
		return "; read the file again and copy the text from it exactly"
	}
	next := where + best
	if next >= len(lines) {
		return fmt.Sprintf(": its first line is at line %d, but the file ends after line %d", where+1, next)
	}
	return fmt.Sprintf(": its first line is at line %d, but line %d is %s, not %s", where+1, next+1, short(lines[next]), short(wanted[best]))
}
