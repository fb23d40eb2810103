//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// overlay lays a directory that takes all changes over each that is writable. What is
// below stays as it is.
func (h *inside) overlay(tree int) error {
	if tree < 0 {
		return nil
	}
	const at = Tmp + "/.overlay"
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	if err := move(tree, at); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	for _, dir := range h.Policy.Write { // in the order of NewOverlay
		parts := filepath.Join(at, layerName(dir))
		options := "lowerdir=" + escapeOption(dir) + ",upperdir=" + parts + "/up,workdir=" + parts + "/work,userxattr"
		if err := unix.Mount("overlay", dir, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
			return fmt.Errorf("overlay %s: %w", dir, err)
		}
	}
	if err := unix.Unmount(at, unix.MNT_DETACH); err != nil { // the overlays hold it; the command cannot reach it
		return err
	}
	return os.Remove(at)
}

// escapeOption writes a path as an option of overlayfs has it.
func escapeOption(path string) string {
	var out []byte
	for i := range len(path) {
		if c := path[i]; c == '\\' || c == ':' || c == ',' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
