package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/policy"
)

// maxShown is the longest text, in bytes, that a person can be expected to read
// before saying "always".
const maxShown = 4000

// question makes the request for a call.
func (g *gate) question(c toolfall.Call, d *policy.Decision, why string) approval.Request {
	q := approval.Request{
		CallID: c.ID, Tool: escape.Line(c.Name), Agent: escape.Line(c.Agent), Arguments: c.Arguments,
		Text: shown(c), Why: escape.Line(why), Bound: bound(c, g.current()),
	}
	if len(q.Text) <= maxShown && g.Save != nil {
		for _, r := range d.Grants {
			q.Grants = append(q.Grants, escape.Line(r.String()))
		}
	}
	return q
}

// shown is a call as a person reads it: a command as it is, anything else as its
// arguments.
func shown(c toolfall.Call) string {
	var in struct{ Command *string }
	if (c.Name == "bash" || c.Name == "shell") && json.Unmarshal(c.Arguments, &in) == nil && in.Command != nil {
		var members map[string]json.RawMessage
		json.Unmarshal(c.Arguments, &members)
		text := escape.Strict(*in.Command)
		if dir, ok := members["workdir"]; ok {
			text += "\nin " + escape.Line(string(dir))
		}
		if string(members["background"]) == "true" {
			text += "\nin the background"
		}
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, c.Arguments, "", "  ") != nil {
		return escape.Strict(c.Name + " " + string(c.Arguments))
	}
	return escape.Strict(c.Name + " " + b.String())
}

// bound names what an approval depends on beside the arguments: the directory where a
// command runs, and the scripts that it names.
func bound(c toolfall.Call, p *policy.Policy) []string {
	dir, files := p.Operands(c.Name, c.Arguments)
	var out []string
	if dir != "" {
		out = append(out, identity(dir))
	}
	for _, file := range files {
		out = append(out, digest(file))
	}
	return out
}

// maxScript is how much of a script is looked at.
const maxScript = 16 << 20

// digest is what is in a file.
func digest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return path + " unreadable"
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(f, maxScript+1)); err != nil || n > maxScript {
		return fmt.Sprintf("%s %d bytes and more", path, n)
	}
	return path + " sha256:" + hex.EncodeToString(h.Sum(nil))
}
