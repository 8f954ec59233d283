package main

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/eventseer/eventseer/internal/nightly"
)

var recallLine = regexp.MustCompile(`(\d+) of (\d+) events of the built-in web found`)

// TestDemoFindsTheCalls demands the share of the built-in web's events.
func TestDemoFindsTheCalls(t *testing.T) {
	t.Parallel()
	seeds := 2
	if nightly.Enabled() {
		seeds = 5
	}
	for seed := 1; seed <= seeds; seed++ {
		code, stdout, stderr := runCaptured(t, "demo", "--no-serve", "--quiet", "--seed", fmt.Sprint(seed))
		m := recallLine.FindStringSubmatch(stdout)
		if code != 0 || m == nil {
			t.Fatalf("seed %d: exit %d\n%s%s", seed, code, stdout, stderr)
		}
		found, _ := strconv.ParseFloat(m[1], 64)
		all, _ := strconv.ParseFloat(m[2], 64)
		if found < 0.9*all {
			t.Errorf("seed %d: %v of %v events found, want nine in ten", seed, found, all)
		}
	}
}
