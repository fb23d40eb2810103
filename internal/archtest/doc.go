// Package archtest holds the house to its plan: it knows the floor of every room
// and reads the imports of every file. It has tests only.
package archtest
