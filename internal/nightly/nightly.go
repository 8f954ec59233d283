// Package nightly marks tests that take too long to run for every commit.
package nightly

import (
	"os"
	"testing"
)

// Variable is set to 1 by .ci/nightly.
const Variable = "EVENTSEER_NIGHTLY"

// SkipUnlessNightly skips a test unless Variable is 1. For each such test there must be a shorter one that always
// runs.
func SkipUnlessNightly(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip("a long test: run it with .ci/nightly")
	}
}

// Enabled reports whether Variable is 1, so that long tests run.
func Enabled() bool { return os.Getenv(Variable) == "1" }
