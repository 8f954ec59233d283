//go:build !unix

package registry

import "os"

// lockStateFile does nothing: this system has no locks on files that end with the process.
func lockStateFile(*os.File) error { return nil }
