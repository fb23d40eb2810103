// Package toolfall is the tool layer of an LLM agent: one registry of everything
// a model may call, and one waterfall that every call passes through.
//
// A [Registry] holds [Definition]s, which say what a tool is and run it, and
// [Middleware], which stands around every call in four stages: what observes,
// what rewrites, what decides, what contains. [Registry.Execute] takes one
// [Call] and always gives back one [Result]: whatever goes wrong on the way is
// told in it. Everything registered has an [Owner] and goes when the owner does.
// Reads are snapshots: a [Snapshot] never changes, and [Registry.Watch] yields
// each one in turn.
package toolfall
