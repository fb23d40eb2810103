package secret

import "strings"

// shape is how the tokens of one service begin, and how many bytes follow at least.
type shape struct {
	prefix string
	least  int
}

// shapes are of services that publish how their tokens look.
var shapes = []shape{
	{"sk-", 16}, {"sk_live_", 10}, {"sk_test_", 10}, {"rk_live_", 10}, // OpenAI, Anthropic, Stripe
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20}, // GitHub
	{"glpat-", 16}, {"glptt-", 16}, // GitLab
	{"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xapp-", 10}, // Slack
	{"AKIA", 16}, {"ASIA", 16}, // AWS
	{"AIza", 30}, {"ya29.", 20}, // Google
	{"npm_", 30}, {"pypi-", 30}, {"hf_", 20}, {"dop_v1_", 30}, {"SG.", 30}, {"shpat_", 20},
	{"eyJ", 30}, // a JSON Web Token: {" in base64
}

// knownToken returns the length of the token that s begins with, or 0.
func knownToken(s string) int {
	if strings.IndexByte("sgxAynpehdSr", s[0]) < 0 {
		return 0
	}
	for _, t := range shapes {
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
