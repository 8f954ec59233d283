package nightly_test

import (
	"testing"

	"github.com/eventseer/eventseer/internal/nightly"
)

func TestOnly(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv(nightly.Variable, value)
		ran := false
		t.Run(value, func(t *testing.T) {
			nightly.SkipUnlessNightly(t)
			ran = true
		})
		if ran != want {
			t.Errorf("%s=%q: ran is %v, want %v", nightly.Variable, value, ran, want)
		}
	}
}
