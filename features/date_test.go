package features

import "testing"

func TestDates(t *testing.T) {
	for _, tt := range []struct {
		text       string
		dates, due int
	}{
		{"12 May 2026", 1, 0},
		{"May 12, 2026", 1, 0},
		{"on 12th May", 1, 0},
		{"May 2026", 0, 0},
		{"2026-05-01", 1, 0},
		{"1/5/2026 and 01.05.2026", 2, 0},
		{"version 1.2.3 of 10.11.12", 0, 0},
		{"June 3-5, 2027", 1, 0},
		{"2026年5月1日", 1, 0},
		{"12 de mayo de 2026", 0, 0}, // too short to tell that it is Spanish
		{"Submission deadline: 12 May 2026", 1, 1},
		{"12 May 2026: papers due", 1, 1},
		{"papers are due 12 May 2026, talks 3 June 2026", 2, 2},
		{"deadline is near as a b c d e f g h k l m n o p q r s 12 May 2026", 1, 0},
		{"12 May 2026 a b c d e f g h deadline", 1, 0},
		{"May\n12", 0, 0}, // no date runs on beyond its block
		{"45 May", 0, 0},
	} {
		got := structureOf(ReadText(tt.text))
		if dates, due := scaledCount(tt.dates, 50), scaledCount(tt.due, 20); !near6(got["dates"], dates) || !near6(got["due_dates"], due) {
			t.Errorf("%q: dates %.3f, due %.3f, want %.3f and %.3f", tt.text, got["dates"], got["due_dates"], dates, due)
		}
	}
}

func TestYears(t *testing.T) {
	got := structureOf(ReadText("2026, 2026 and 2027, not 1979, 2044 or 20261"))
	for name, want := range map[string]float64{
		"years": scaledCount(2, 15), "year_mentions": scaledCount(3, 100), "main_year_share": 2. / 3, "dates": 0,
	} {
		if !near6(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}
