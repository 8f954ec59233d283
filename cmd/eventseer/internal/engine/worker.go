package engine

import (
	"errors"
	"fmt"

	"eventseer/crawler/cluster"
)

// WorkerFlags are the flags of `worker`.
type WorkerFlags struct {
	Sim    string
	Record string
}

// VersionHint says what to do about another version.
func VersionHint(err error) error {
	if errors.Is(err, cluster.ErrVersion) {
		return fmt.Errorf("%w; install the same program on all machines, then start the crawlers again", err)
	}
	return err
}
