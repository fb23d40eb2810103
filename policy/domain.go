package policy

import (
	"net/url"
	"strings"
)

// hostOf returns the host of an http or https URL in small letters, or nothing.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// domain reports whether a host fits a pattern: a leading *. is any host below it, a
// * elsewhere stays in one label, and * alone is every host.
func domain(pattern, host string) bool {
	pattern = strings.TrimSuffix(strings.ToLower(pattern), ".")
	if host == "" {
		return false
	}
	if pattern == "*" {
		return true
	}
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		labels, n := strings.Split(host, "."), strings.Count(below, ".")+1
		return len(labels) > n && domain(below, strings.Join(labels[len(labels)-n:], "."))
	}
	want, got := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !glob(want[i], got[i]) {
			return false
		}
	}
	return true
}
