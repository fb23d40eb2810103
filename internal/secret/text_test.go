package secret

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSecretsInTextAreMasked(t *testing.T) {
	for in, want := range map[string]string{
		"export API_KEY=abc123; make":                                               "export API_KEY=[redacted]; make",
		"PGPASSWORD='a b c' psql":                                                   "PGPASSWORD='[redacted]' psql",
		`curl -H "Authorization: Bearer abc.def-123"`:                               `curl -H "Authorization: Bearer [redacted]"`,
		"Bearer aGVsbG8gd29ybGQ":                                                    "Bearer [redacted]",
		"Basic dXNlcjpwYXNz\nnext":                                                  "Basic [redacted]\nnext",
		"basic authentication failed":                                               "basic authentication failed",
		"git clone https://me:hunter2@example.com/x":                                "git clone https://me:[redacted]@example.com/x",
		"https://example.com:8080/a@b":                                              "https://example.com:8080/a@b",
		"login --password hunter2 --verbose":                                        "login --password [redacted] --verbose",
		"login --password=hunter2 --verbose":                                        "login --password=[redacted] --verbose",
		"login --token --verbose":                                                   "login --token --verbose",
		"echo $TOKEN; X_TOKEN=$TOKEN run":                                           "echo $TOKEN; X_TOKEN=$TOKEN run",
		"password: hunter2\nuser: me":                                               "password: [redacted]\nuser: me",
		`{"api_key": "abc", "n": 1}`:                                                `{"api_key": "[redacted]", "n": 1}`,
		`{\"api_key\": \"abc\", \"n\": 1}`:                                          `{\"api_key\": \"[redacted]\", \"n\": 1}`,
		"x sk-abcdefghijklmnopqrstuv0123 y":                                         "x [redacted] y",
		"ghp_0123456789abcdefghijABCDEFGHIJ012345":                                  "[redacted]",
		"id AKIAIOSFODNN7EXAMPLE.":                                                  "id [redacted]",
		"a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1":                             "a [redacted]",
		"risk-assessment and task-oriented-programming":                             "risk-assessment and task-oriented-programming",
		"main.go:12: monkey := keyboard":                                            "main.go:12: monkey := keyboard",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest": "[redacted]\nrest",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb":                                "[redacted]",
		"-----BEGIN CERTIFICATE-----\nMII":                                          "-----BEGIN CERTIFICATE-----\nMII",
		"":                                                                          "", "=": "=", "TOKEN=": "TOKEN=", "token:": "token:", "--key ": "--key ",
	} {
		got := Text(in)
		if got != want {
			t.Errorf("Text(%q)\n got %q\nwant %q", in, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("Text(%q) = %q the second time", got, again)
		}
	}
}

func TestSecretsInJSONAreMasked(t *testing.T) {
	for in, want := range map[string]string{
		`{"path":"a","limit":1}`:                     `{"path":"a","limit":1}`,
		`{"password":"x","user":"me"}`:               `{"password":"[redacted]","user":"me"}`,
		`{"passw\u006frd" : "x"}`:                    `{"passw\u006frd" : "[redacted]"}`,
		`{"secret":{"a":[1,"}"]},"b":2}`:             `{"secret":"[redacted]","b":2}`,
		`{"token":12.5e3 , "b":true}`:                `{"token":"[redacted]" , "b":true}`,
		`{"auth":true,"oauth":null}`:                 `{"auth":true,"oauth":null}`,
		`{"a":[{"apiKey":"x"},"y"]}`:                 `{"a":[{"apiKey":"[redacted]"},"y"]}`,
		`{"command":"TOKEN=\"a b\" make <x>"}`:       `{"command":"TOKEN=\"[redacted]\" make <x>"}`,
		`{"argv":["run","--token","abc","--n","1"]}`: `{"argv":["run","--token","[redacted]","--n","1"]}`,
		`{"argv":["--token"],"path":"abc"}`:          `{"argv":["--token"],"path":"abc"}`,
		`{"password":"x"`:                            `"{\"password\":\"[redacted]\""`,
		`"Bearer abcdefgh1"`:                         `"Bearer [redacted]"`,
	} {
		if got := string(JSON([]byte(in), Text)); got != want {
			t.Errorf("JSON(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

func FuzzMaskedTextKeepsNoSecret(f *testing.F) {
	f.Add("make", "; done")
	f.Add("--x=y ", "\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
		in := before + " \n" + token + "\n" + after
		if got := Text(in); strings.Contains(got, token) {
			t.Errorf("Text(%q) = %q", in, got)
		}
		raw, _ := json.Marshal(map[string]any{before: []string{in}})
		if got := JSON(raw, Text); !json.Valid(got) || strings.Contains(string(got), token) {
			t.Errorf("JSON(%s) = %s", raw, got)
		}
	})
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("main.go:12: x := call(a, b) // see https://example.com\n", 150)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Text(s)
	}
}
