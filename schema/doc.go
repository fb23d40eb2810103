// Package schema says what the arguments of a tool are, tells a model so as JSON
// Schema, and checks what the model then sends.
//
// A [Spec] describes an object by its properties, in order; [Of] derives one from
// a Go type. [Compile] and [For] make a [Plan] of it, which reads raw bytes in one
// pass: it is the JSON parser, the validator and the decoder at once, so what was
// checked is what is decoded. A schema that somebody else wrote comes in by
// [Parse], is kept byte for byte, and can be enforced as far as it says no more
// than a Spec can.
//
// Every failure is a [*SyntaxError] or an [*ArgsError], whose texts are written for
// a model to act on. [Plan.Repair] mends what models are known to send wrong; it is
// never used unless asked for.
package schema
