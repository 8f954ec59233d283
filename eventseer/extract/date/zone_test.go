package date

import (
	"strings"
	"testing"
)

func FuzzZone(f *testing.F) {
	for _, s := range []string{"23:59 AoE", "UTC+99:99", "gmt-12", "12 pm Pacific/Nowhere time", "T23:59:59-12:00", "25時99分", "±0", "etc/gmt+14", strings.Repeat("1:00 ", 99)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, printed := FirstZone(s)
		if (name == "") != (printed == "") || !strings.Contains(s, printed) {
			t.Fatalf("%q: zone %q printed %q", s, name, printed)
		}
		if name != "" && Location(name) == nil {
			t.Fatalf("%q: zone %q has no clock", s, name)
		}
		if m := FirstTimeOfDay(s); m.LastSecond() < 0 || m.LastSecond() > wholeDay {
			t.Fatalf("%q: %d seconds", s, m.seconds)
		}
	})
}
