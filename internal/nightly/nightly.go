// Package nightly marks tests that are too long for the suite of every commit.
package nightly

import (
	"os"
	"testing"
)

// Variable is set to 1 by .ci/nightly.
const Variable = "EVENTSEER_NIGHTLY"

// Only skips a test unless Variable is 1. What it proves needs a shorter case that
// always runs.
func Only(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip("a long proof: run by .ci/nightly")
	}
}

// Enabled reports whether Variable is 1: the long proofs run.
func Enabled() bool { return os.Getenv(Variable) == "1" }
