//go:build !unix

package bolt

import (
	"os"
	"time"
)

// lockFile leaves locking to bbolt: a file is checked before it is locked.
func lockFile(*os.File, bool, time.Duration) error { return nil }
