package app

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// minAddressSpace is the address space that a process needs for Go's tables, the stacks of its threads
// and its mapped databases. A worker or serve with small databases reserves 2.6 GB.
const minAddressSpace = 4 << 30 // bytes

// checkAddressSpace returns an error if the address space is too small. A later allocation or
// mapping could then end the process in the middle of its work.
func checkAddressSpace() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur >= minAddressSpace {
		return nil // treated as no limit, because it cannot be read
	}
	return fmt.Errorf("%w: the address space of this process is limited to %.1f GB (ulimit -v, or LimitAS= of systemd), and at least %d GB are needed, since databases are mapped into it; remove the limit, and limit memory by GOMEMLIMIT or MemoryMax=",
		ErrRefused, float64(limit.Cur)/1e9, minAddressSpace>>30)
}
