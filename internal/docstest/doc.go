// Package docstest holds the documents to the truth. It has tests only.
package docstest
