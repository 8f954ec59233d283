package engine

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

// TestPatternsCompile: patterns are compiled when they are first used, so an invalid one
// would stop a process that already runs.
func TestPatternsCompile(t *testing.T) {
	if err := pattern.Check(); err != nil {
		t.Error(err)
	}
}
