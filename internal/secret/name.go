// Package secret knows what should not be shown or kept: it tells secrets by the names
// of what holds them, and by their own shapes.
package secret

import "strings"

// Name reports whether a part of a name says that the value is a secret. It
// compares whole parts, so that KEYBOARD and MONKEY_ISLAND are not KEY.
func Name(name string) bool {
	if !hints(name) {
		return false
	}
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

// hints reports whether a name has one of the syllables that every secret part has. It
// is what nearly all names fail, and costs nothing.
func hints(name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		switch string([]byte{name[i] | 0x20, name[i+1] | 0x20, name[i+2] | 0x20}) {
		case "key", "tok", "sec", "pas", "aut", "coo", "cre":
			return true
		}
	}
	return false
}
