package toolfall

import (
	"context"
	"slices"
	"strings"
)

// RepairArguments returns a middleware for the stage Repair that mends what
// models are known to send wrong: a trailing comma, a code fence, a number as
// text, null for what is optional. It is off unless it is used, and never touches
// a call that would be admitted as it is, one to a tool that checks its arguments
// itself, or one to a tool with NoRepair. See [schema.Plan.Repair] for the rules:
// an edit is kept only if the whole then fits the schema.
//
// Observers outside see what the model sent. The edits are in the Result's
// Record, and one line behind the content tells the model of them.
func RepairArguments(r *Registry) Middleware {
	return Middleware{Name: "repair", Stage: Repair, Wrap: func(ctx context.Context, c Call, next Handler) Result {
		fixed, edits := r.mend(c)
		if edits == nil {
			return next(ctx, c)
		}
		c.Arguments = fixed
		Tell(ctx, Report{Kind: ReportedNote, By: "repair", Text: strings.Join(edits, "; ")})
		res := next(ctx, c)
		if res.Record != nil {
			record := *res.Record
			record.Edits = edits
			res.Record = &record
		}
		note := "note: the arguments were repaired: " + strings.Join(edits, "; ")
		res.Content = append(slices.Clip(res.Content), Content{Type: TypeText, Text: note})
		return res
	}}
}

// mend returns arguments that will be admitted and how they differ from those of
// c, or no edits when there is nothing that may or can be mended.
func (r *Registry) mend(c Call) (fixed []byte, edits []string) {
	s := r.Snapshot()
	d, ok := s.Get(c.Name)
	if !ok || d.plan == nil || d.NoRepair || len(c.Arguments) > s.config.maxArguments() || d.plan.Check(c.Arguments) == nil {
		return nil, nil
	}
	fixed, edits, ok = d.plan.Repair(c.Arguments)
	if !ok {
		return nil, nil
	}
	return fixed, edits
}
