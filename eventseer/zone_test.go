package eventseer

import (
	"testing"
	"time"
)

func TestZone(t *testing.T) {
	now := time.Date(2027, 1, 10, 9, 0, 0, 0, time.UTC)
	for tz, want := range map[string]string{
		"AoE": "-1200", "+02:00": "+0200", "UTC+3": "+0300", "UTC-05:30": "-0530", "UTC": "+0000", "Europe/Oslo": "+0100", "Etc/GMT+12": "-1200",
	} {
		if zone := Zone(tz); zone == nil || now.In(zone).Format("-0700") != want {
			t.Errorf("Zone(%q) = %v, want %s", tz, zone, want)
		}
	}
	for _, tz := range []string{"", "Local", "Nowhere/City", "../passwd", "UTC+15", "+99:00"} {
		if zone := Zone(tz); zone != nil {
			t.Errorf("Zone(%q) = %v", tz, zone)
		}
	}
}
