package views

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

func TestCountdown(t *testing.T) {
	oslo := time.FixedZone("Oslo", 3600)
	for _, c := range []struct {
		date    eventseer.Date
		instant string
		now     string
		zone    *time.Location
		want    string
	}{
		{"2026-11-29", "", "2026-11-22T10:00:00Z", time.UTC, "in 7 days"},
		{"2026-11-24", "", "2026-11-22T23:59:00Z", time.UTC, "in 2 days"},
		{"2026-11-23", "", "2026-11-22T00:00:00Z", time.UTC, "tomorrow"},
		{"2026-11-23", "", "2026-11-22T23:30:00Z", oslo, "today"},
		{"2026-11-22", "", "2026-11-22T23:00:00Z", time.UTC, "today"},
		{"2026-11-22", "", "2026-11-23T01:00:00Z", time.UTC, "in 10 hours"}, // still open somewhere
		{"2026-11-22", "", "2026-11-23T13:00:00Z", time.UTC, "just past"},
		{"2026-11-28", "2026-11-29T11:59:59Z", "2026-11-22T10:00:00Z", time.UTC, "in 7 days"},
		{"2026-11-22", "2026-11-23T11:59:59Z", "2026-11-22T10:00:00Z", time.UTC, "in 25 hours"},
	} {
		now, _ := time.Parse(time.RFC3339, c.now)
		d := eventseer.Deadline{Kind: eventseer.Submission, Date: c.date, TZ: "AoE"}
		if c.instant != "" {
			d.Instant, _ = time.Parse(time.RFC3339, c.instant)
		}
		if got := NewWhenIn(d, now, c.zone).In; got != c.want {
			t.Errorf("%s %s at %s: %q, want %q", c.date, c.instant, c.now, got, c.want)
		}
	}
}

func TestStamp(t *testing.T) {
	now := time.Date(2027, 1, 10, 9, 0, 0, 0, time.UTC)
	for at, want := range map[time.Duration]string{
		0: "just now", -90 * time.Second: "just now", 90 * time.Second: "just now", -5 * time.Minute: "5 minutes ago", 5 * time.Minute: "in 5 minutes",
		-47 * time.Hour: "47 hours ago", 47 * time.Hour: "in 47 hours", -49 * time.Hour: "2 days ago", 120 * time.Hour: "in 5 days",
	} {
		if got := NewTimeStamp(now.Add(at), now).Ago; got != want {
			t.Errorf("%v: %q, want %q", at, got, want)
		}
	}
}
