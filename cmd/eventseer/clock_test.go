package main

import (
	"testing"
	"time"
)

func TestClockFrom(t *testing.T) {
	real := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return real }
	for value, want := range map[string]time.Time{
		"":                          real,
		"2018-10-01":                time.Date(2018, 10, 1, 0, 0, 0, 0, time.UTC),
		"2018-10-01T12:00:00+02:00": time.Date(2018, 10, 1, 10, 0, 0, 0, time.UTC),
	} {
		now, err := clockFrom(value, clock)
		if err != nil || !now().Equal(want) {
			t.Errorf("%q: %v, want %v", value, err, want)
			continue
		}
		real = real.Add(time.Hour)
		if value != "" && !now().Equal(want.Add(time.Hour)) {
			t.Errorf("%q stands still at %s", value, now())
		}
		real = real.Add(-time.Hour)
	}
	for _, value := range []string{"yesterday", "2018-13-01", "1538388000"} {
		if _, err := clockFrom(value, clock); err == nil {
			t.Errorf("%q is taken for a time", value)
		}
	}
}
