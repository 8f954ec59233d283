//go:build !unix

package begin

import "errors"

// freeSpace is not implemented on this system.
func freeSpace(string) (uint64, error) {
	return 0, errors.New("free space cannot be measured on this system")
}
