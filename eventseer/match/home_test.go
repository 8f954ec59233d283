package match

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestHomeScore(t *testing.T) {
	icx := eventseer.Event{Acronym: "ICX 2027", Year: 2027}
	for address, own := range map[string]bool{
		"https://icx.example/":                                  true,
		"https://icx2027.example.org":                           true,
		"https://2027.icx.example/":                             true,
		"https://www.uni.example/~ann/icx-27/":                  true,
		"https://www.uni.example/events/ICX2027":                true,
		"https://www.uni.example/icx27.html":                    true,
		"https://icx.example/committee.html":                    false,
		"https://icx.example/2027":                              true,
		"https://icx.example/submission":                        false,
		"https://github.com/ann/icx-2027/":                      false,
		"https://icx.github.io/":                                true,
		"https://icx2026.example.org/":                          false,
		"https://www.uni.example/icx-25/":                       false,
		"https://www.uni.example/":                              false,
		"https://complexicx.example/":                           false,
		"https://easychair.org/conferences/?conf=icx2027":       false,
		"https://icx2027.hotcrp.com/":                           false,
		"https://cmt3.research.microsoft.com/ICX2027":           false,
		"https://twitter.com/icx2027":                           false,
		"https://lists.example/pipermail/icx/2027-March/1.html": false,
		"icx2027": false,
		"":        false,
	} {
		if got := HomeScore(address, icx); (got > 0) != own {
			t.Errorf("%s: score %d, want it the event's own: %v", address, got, own)
		}
	}
	for _, e := range []eventseer.Event{{}, {Acronym: "IEEE"}, {Acronym: "ML", Year: 2027}} {
		if got := HomeScore("https://ieee.example/ml/", e); got != 0 {
			t.Errorf("an event called %q has a home page, score %d", e.Acronym, got)
		}
	}
}

func TestBetterHome(t *testing.T) {
	icx := eventseer.Event{Acronym: "ICX", Year: 2027}
	for _, pair := range [][2]string{ // the better first
		{"https://icx2027.example/", "https://icx.example/"},
		{"https://icx.example/2027/", "https://icx.example/"},
		{"https://icx.example/", "https://icx.example/index.html"},
		{"https://icx.example/", "https://www.uni.example/icx/"},
		{"https://icx.example/", "https://www.uni.example/"},
		{"https://icx.example/", ""},
		{"https://a.icx.example/", "https://b.icx.example/"},
	} {
		if a, b := BetterHome(pair[0], pair[1], icx), BetterHome(pair[1], pair[0], icx); a != pair[0] || b != pair[0] {
			t.Errorf("of %s and %s: %q, turned round %q", pair[0], pair[1], a, b)
		}
	}
	if got := BetterHome("https://www.uni.example/", "", icx); got != "" {
		t.Errorf("a page that is not the event's: %q", got)
	}
}
