package secret

import "strings"

// shape is how the tokens of one service begin, and how many bytes follow at least.
type shape struct {
	prefix string
	least  int
}

// shapes are of services that publish how their tokens look, by the first byte.
var shapes = [128][]shape{
	's': {{"sk-", 16}, {"sk_live_", 10}, {"sk_test_", 10}, {"shpat_", 20}}, // OpenAI, Anthropic, Stripe, Shopify
	'r': {{"rk_live_", 10}},
	'g': {
		{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20},
		{"glpat-", 16}, {"glptt-", 16}, // GitLab
	},
	'x': {{"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xapp-", 10}}, // Slack
	'A': {{"AKIA", 16}, {"ASIA", 16}, {"AIza", 30}},                                                 // AWS, Google
	'y': {{"ya29.", 20}},
	'n': {{"npm_", 30}},
	'p': {{"pypi-", 30}},
	'h': {{"hf_", 20}},
	'd': {{"dop_v1_", 30}},
	'S': {{"SG.", 30}},
	'e': {{"eyJ", 30}}, // a JSON Web Token: {" in base64
}

// knownToken returns the length of the token that s begins with, or 0.
func knownToken(s string) int {
	for _, t := range shapes[s[0]&127] {
		if !strings.HasPrefix(s, t.prefix) {
			continue
		}
		n := run(s[len(t.prefix):], func(c byte) bool { return wordByte(c) || c == '-' || c == '.' })
		if n >= t.least && random(s[len(t.prefix):len(t.prefix)+n]) {
			return len(t.prefix) + n
		}
	}
	return 0
}
