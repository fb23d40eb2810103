//go:build !linux && !darwin && !windows

package journal

import (
	"errors"
	"os"
)

// lockByte is not to be had here. Sessions cannot be told to have ended, so Open fails
// rather than to mark calls as interrupted that run.
func lockByte(*os.File, int64) (ok bool, err error) { return false, errors.ErrUnsupported }
