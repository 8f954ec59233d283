//go:build !unix

package begin

import "errors"

// freeSpace is not known here.
func freeSpace(string) (uint64, error) {
	return 0, errors.New("free space is not known on this system")
}
