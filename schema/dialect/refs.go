package dialect

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// turns are how many references deep a schema is followed, tried one after the
// other until the result is within the bounds.
var turns = []int{maxDepth, 8, 4, 2, 1, 0}

// inlined returns a copy of a schema in which references are replaced by what they
// point to, as deep as the bounds allow. Providers differ on which references they
// follow, and some follow none (gemini-cli issue 13326). The inliner knows what was
// cut.
func inlined(v *value) (out *value, in *inliner, err error) {
	for _, most := range turns {
		in = &inliner{root: v, most: most}
		if out, err = in.inline(v, nil, 0); !errors.Is(err, errBig) && !errors.Is(err, errDeep) {
			break
		}
	}
	return out, in, err
}

type inliner struct {
	root    *value
	most    int // references deep
	schemas int
	bytes   int
	cut     bool // a reference was not followed
}

func (in *inliner) full() bool { return in.schemas > maxNodes || in.bytes > maxBytes }

// inline copies a schema. Within are the references that are being followed: at
// the second turn of one, a schema that contains itself ends.
func (in *inliner) inline(v *value, within []string, depth int) (*value, error) {
	in.schemas++
	switch {
	case depth > maxDepth:
		return nil, errDeep
	case in.full():
		return nil, errBig
	case v.kind != objectKind:
		return v, nil
	case reference(v) != "":
		return in.follow(v, within, depth)
	}
	c := object()
	for _, m := range v.members {
		if holders[m.name].place == apart || slices.Contains(references, m.name) {
			continue
		}
		in.bytes += len(m.name)
		if holders[m.name].form == 0 {
			in.bytes += m.value.size()
		}
		c.members = append(c.members, m)
	}
	err := c.children(func(child *value, at spot) (*value, error) {
		in.bytes += len(at.name)
		return in.inline(child, within, depth+1)
	})
	return c, err
}

// size is about how many bytes a value takes.
func (v *value) size() int {
	n := len(v.raw) + 2
	for _, m := range v.members {
		n += len(m.name) + m.value.size()
	}
	for _, item := range v.items {
		n += item.size()
	}
	return n
}

var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// reference returns what a schema refers to, or nothing.
func reference(v *value) string {
	for _, keyword := range references {
		if ref := v.get(keyword).str(); ref != "" {
			return ref
		}
	}
	return ""
}

// follow returns what a reference points to, with what stands beside it.
func (in *inliner) follow(v *value, within []string, depth int) (*value, error) {
	ref := reference(v)
	target, err := in.lookup(ref)
	if err != nil {
		return nil, err
	}
	beside := v.without(references...)
	if slices.Contains(within, ref) || len(within) >= in.most {
		in.cut = true
		return in.inline(in.outline(target, beside), within, depth+1)
	}
	if len(beside.members) > 0 {
		target, _ = conjoin(target, beside)
	}
	return in.inline(target, append(within[:len(within):len(within)], ref), depth+1)
}

// outline is what is still said of a schema that is not followed any more.
func (in *inliner) outline(target, beside *value) *value {
	out := object()
	if t := target.get("type"); t != nil {
		out.set("type", t)
	}
	if d := target.get("description"); d != nil && in.most > 0 {
		out.set("description", d)
	}
	for _, m := range beside.members {
		out.set(m.name, m.value)
	}
	return out
}

// lookup finds what a reference points to in the schema itself: by JSON Pointer or
// by anchor. Nothing is fetched: MCP forbids it (specification 2026-07-28, JSON
// Schema usage), and so does sense.
func (in *inliner) lookup(ref string) (*value, error) {
	rest := strings.TrimPrefix(ref, strings.TrimSuffix(in.root.get("$id").str(), "#"))
	fragment, ok := strings.CutPrefix(rest, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	var v *value
	switch {
	case !ok && rest != "":
		return nil, fmt.Errorf("the reference %q leads out of the schema", ref)
	case fragment == "":
		return in.root, nil
	case fragment[0] == '/':
		v = in.root.at(fragment)
	default:
		v = in.root.anchored(fragment)
	}
	if v == nil {
		return nil, fmt.Errorf("the reference %q points to nothing", ref)
	}
	return v, nil
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// at resolves a JSON Pointer, RFC 6901; nil is nothing there.
func (v *value) at(pointer string) *value {
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescapePointer.Replace(part)
		next := v.get(part)
		if i, err := strconv.Atoi(part); err == nil && v.kind == array && 0 <= i && i < len(v.items) {
			next = v.items[i]
		}
		if next == nil {
			return nil
		}
		v = next
	}
	return v
}

// anchored finds the schema that has a name of its own; nil is no such one.
func (v *value) anchored(name string) (found *value) {
	if v.kind != objectKind {
		return nil
	}
	if v.get("$anchor").str() == name || v.get("$dynamicAnchor").str() == name || v.get("$id").str() == "#"+name {
		return v
	}
	shallow := v.without()
	shallow.children(func(child *value, _ spot) (*value, error) {
		if found == nil {
			found = child.anchored(name)
		}
		return child, nil
	})
	return found
}
