//go:build !linux

package confine

import "io/fs"

func isWhiteout(fs.FileInfo) bool { return false }

func isOpaque(string) bool { return false }
