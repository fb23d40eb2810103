package confine

import "strings"

// Scrub returns the environment without the variables that look like secrets by
// their names, except those in allow.
func Scrub(env, allow []string) []string {
	kept := make([]string, 0, len(env))
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if !secret(name) || allowed(name, allow) {
			kept = append(kept, pair)
		}
	}
	return kept
}

func allowed(name string, allow []string) bool {
	for _, a := range allow {
		if a == name {
			return true
		}
	}
	return false
}

// secret reports whether a part of the name says that the value is a secret. It
// compares whole parts, so that KEYBOARD and MONKEY_ISLAND are not KEY.
func secret(name string) bool {
	for _, part := range parts(name) {
		if secretPart(part) {
			return true
		}
	}
	return false
}

// parts splits a name at whatever is not a letter, and where a capital follows a
// small letter, and returns the parts in capitals.
func parts(name string) []string {
	var ps []string
	start := 0
	cut := func(end int) {
		if end > start {
			ps = append(ps, strings.ToUpper(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c|0x20 < 'a' || c|0x20 > 'z':
			cut(i)
			start = i + 1
		case i > start && 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z':
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return ps
}

// secretWords are parts that say it by themselves, in the singular.
var secretWords = map[string]bool{
	"KEY": true, "TOKEN": true, "SECRET": true, "PASS": true, "AUTH": true, "OAUTH": true, "COOKIE": true,
	"CREDENTIAL": true, "CRED": true, "PASSWORD": true, "PASSWD": true, "PASSPHRASE": true, "PASSCODE": true,
	"APIKEY": true, "ACCESSKEY": true, "SECRETKEY": true, "PRIVATEKEY": true, "SSHKEY": true, "AUTHKEY": true, "SIGNINGKEY": true,
}

// secretEndings are what longer parts end with: PGPASSWORD, ACCESSTOKEN.
var secretEndings = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "CREDENTIAL", "APIKEY", "COOKIE"}

func secretPart(part string) bool {
	single := strings.TrimSuffix(part, "S")
	if secretWords[part] || secretWords[single] {
		return true
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(part, ending) || strings.HasSuffix(single, ending) {
			return true
		}
	}
	return false
}
