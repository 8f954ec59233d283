//go:build !unix

package bolt

import (
	"os"
	"time"
)

// lockFile does nothing: on this system bbolt locks the file after it was checked.
func lockFile(*os.File, bool, time.Duration) error { return nil }
