package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// unsaid drops the keywords that the dialect does not have, and says in words
// what they demand.
func (w *walk) unsaid(v *value) {
	if w.keywords == nil {
		return
	}
	var words, gone []string
	for _, m := range v.members {
		if slices.Contains(w.keywords, m.name) {
			continue
		}
		gone = append(gone, m.name)
		if s := inWords(m.name, m.value); s != "" {
			words = append(words, s)
		}
	}
	v.drop(gone...)
	say(v, words...)
}

// say adds sentences to the description.
func say(v *value, sentences ...string) {
	if len(sentences) == 0 {
		return
	}
	if old := strings.TrimSpace(v.get("description").str()); old != "" {
		sentences = append([]string{old}, sentences...)
	}
	v.set("description", text(strings.Join(sentences, " ")))
}

// phrases are what keywords demand, in words.
var phrases = map[string]string{
	"default":          "Default: %s.",
	"examples":         "Examples: %s.",
	"pattern":          "Must match %s.",
	"minLength":        "Length at least %s.",
	"maxLength":        "Length at most %s.",
	"exclusiveMinimum": "More than %s.",
	"exclusiveMaximum": "Less than %s.",
	"enum":             "One of %s.",
}

// silent are the keywords that demand nothing.
var silent = []string{
	"deprecated", "readOnly", "writeOnly", "nullable", "contentEncoding", "contentMediaType", "propertyOrdering",
}

// inWords says what a keyword demands, or nothing when it demands nothing.
func inWords(keyword string, v *value) string {
	const longest = 200
	if slices.Contains(silent, keyword) || strings.HasPrefix(keyword, "x-") || strings.HasPrefix(keyword, "$") {
		return ""
	}
	shown := v.String()
	if len(shown) > longest {
		shown = strings.ToValidUTF8(shown[:longest], "") + "…"
	}
	if phrase, ok := phrases[keyword]; ok {
		return fmt.Sprintf(phrase, shown)
	}
	return fmt.Sprintf("JSON Schema %s: %s.", keyword, shown)
}

// needs says in words that members must be there.
func needs(names []string) string { return "Needs " + strings.Join(names, " and ") + "." }
