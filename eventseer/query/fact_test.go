package query

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

var queryNow = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func factsDocument() eventseer.Document {
	return eventseer.Document{
		Event: eventseer.Event{
			ID: "icx-2027", Series: "icx", Acronym: "ICX 2027", Kind: eventseer.Workshop, Year: 2027, EventStart: "2027-06-10",
			Location: &eventseer.Venue{City: "New York", Region: "New York", Country: "USA", CountryCode: "US", Online: true, Hybrid: true},
			Deadlines: []eventseer.Deadline{
				{Kind: eventseer.Submission, Date: "2027-01-10", Instant: time.Date(2027, 1, 11, 11, 59, 59, 0, time.UTC), ExtendedFrom: "2027-01-03"},
				{Kind: eventseer.Submission, Date: "2026-10-01", Instant: time.Date(2026, 10, 2, 11, 59, 59, 0, time.UTC)},
				{Kind: eventseer.Submission, Date: "2027-03-01", Instant: time.Date(2027, 3, 2, 11, 59, 59, 0, time.UTC)},
				{Kind: eventseer.CameraReady, Date: "2027-04-01", Instant: time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)},
			},
			FirstSeen: queryNow.AddDate(0, 0, -5),
		},
		Ranks:   []eventseer.Rank{{System: "core", Value: "C", Year: 2018}, {System: "core", Value: "A", Year: 2023}, {System: "ccf", Value: "B"}},
		Changed: queryNow.AddDate(0, 0, -2),
	}
}

func TestFacts(t *testing.T) {
	facts := FactsOf(factsDocument())
	for text, want := range map[string]bool{
		"due<60d": true, "due<30d": false, "due>30d": true, "due>60d": false, "due>=50d": true, "due<=51d": true, "due:2m": true, "due<8w": true,
		"due<2027-01-10": false, "due<=2027-01-10": true, "due:2027-01-10": true, "due:2027-01": true, "due:2027": true,
		"due:2027-03":             false, // there is an earlier deadline
		"due<2026-10-02":          true,  // asks for the past
		"due>2026-09-01":          true,
		"due:2026-10":             true,
		"due<2026-10-01":          false,
		"start<30w":               true,
		"start<10w":               false,
		"start:2027-06":           true,
		"start>2027-06-10":        false,
		"start>=2027-06-10":       true,
		"start<2027-07-01":        true,
		"month:2027-06":           true,
		"month:2027-05":           false,
		"new<7d":                  true,
		"new<4d":                  false,
		"new>4d":                  true,
		"new>=2026-11-17":         true,
		"changed<3d":              true,
		"changed<24h":             false,
		"rank:core>=A":            true,
		"rank:core>=B":            true,
		"rank:core>A":             false,
		"rank:core<A":             false,
		"rank:core<=A":            true,
		"rank:core=C":             false, // belongs to an old round
		"rank:core:A*,A":          true,
		"rank:core=A*":            false,
		"rank:ggs":                false,
		"rank:ccf":                true,
		"rank:B":                  true,
		"rank>A":                  false,
		"rank>=A":                 true,
		`where:"new york"`:        true,
		"where:york":              true,
		"where:usa":               true,
		"where:us":                true,
		`where:"united states"`:   true,
		`where:"north america"`:   true,
		"where:eu":                false,
		"where:online":            true,
		"where:hybrid":            true,
		"where:onsite":            true,
		"where:virtual":           true,
		"mode:hybrid":             true,
		"mode:virtual":            true,
		`mode:"in person"`:        true,
		`where:"New York, USA"`:   true,
		"country:us":              true,
		`country:"united states"`: true,
		`country:york`:            false,
		"city:york":               true,
		"city:usa":                false,
		"year:2027":               true,
		"year>=2028":              false,
		"year<2028":               true,
		"kind:workshop":           true,
		"kind:school":             false,
		"id:icx-2027":             true,
		"series:icx":              true,
		"series:ic":               false,
		"has:extension":           true,
		"has:rank":                true,
		"has:warning":             false,
	} {
		x, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := x.Clauses[0][0].FactTest(queryNow)(&facts); got != want {
			t.Errorf("%s holds: %v, want %v", text, got, want)
		}
	}
}

// Nothing is known of an event: it fits no term and breaks none.
func TestNoFacts(t *testing.T) {
	facts := FactsOf(eventseer.Document{})
	for _, text := range []string{
		"due<9999d", "due>1d", "due<2027", "start<9y", "new<9y", "new>1d", "changed>1d", "rank:core", "rank<A", "where:eu", "where:onsite",
		"city:oslo", "country:no", "year>1000", "year<9999", "month:2027-01", "kind:other", "has:deadline", "id:x", "series:x",
	} {
		x, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if x.Clauses[0][0].FactTest(queryNow)(&facts) {
			t.Errorf("%s holds for nothing", text)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, tt := range []struct {
		venue eventseer.Venue
		fit   []string
		unfit []string
	}{
		{eventseer.Venue{City: "Nicosia", Country: "Cyprus", CountryCode: "CY"}, []string{"eu", "europe", "cy", "nicosia", "onsite"}, []string{"asia", "online"}},
		{eventseer.Venue{City: "Zürich", Country: "Switzerland"}, []string{"europe", "zurich", "ZÜRICH", "ch", "Schweiz"}, []string{"eu"}},
		{eventseer.Venue{City: "London", Country: "United Kingdom", CountryCode: "GB"}, []string{"uk", "europe", "gb"}, []string{"eu"}},
		{eventseer.Venue{City: "Seoul", Country: "South Korea", CountryCode: "KR"}, []string{"korea", "asia"}, []string{"africa"}},
		{eventseer.Venue{Online: true}, []string{"online"}, []string{"onsite", "hybrid", "europe"}},
		{eventseer.Venue{City: "Brno", Country: "Czech Republic", CountryCode: "CZ"}, []string{"czechia", "eu"}, nil},
	} {
		facts := FactsOf(eventseer.Document{Event: eventseer.Event{Location: &tt.venue}})
		for i, values := range [][]string{tt.fit, tt.unfit} {
			for _, v := range values {
				term := Term{Field: "where", Op: ":", Text: v}
				if got := term.FactTest(queryNow)(&facts); got != (i == 0) {
					t.Errorf("where:%s of %s: %v", v, tt.venue.String(), got)
				}
			}
		}
	}
}

func TestWithAndWithout(t *testing.T) {
	for _, tt := range []struct{ query, add, remove, want string }{
		{"web", "topic:crawling", "", "web topic:crawling"},
		{"web topic:crawling", `topic:"web archives"`, "", `web topic:crawling OR topic:"web archives"`},
		{"web topic:crawling", "topic:Crawling", "", "web topic:crawling"},
		{"due<60d x", "due<7d", "", "due<7d x"},
		{"rank:core=A", "rank:core=A*", "", "rank:core=A OR rank:core=A*"},
		{"country:NO", "-country:NO", "", "-country:NO"}, {"-country:NO", "country:NO", "", "country:NO"},
		{"web OR topic:x", "topic:y", "", "web OR topic:x topic:y"},
		{"web", "web", "", "web"}, {"web", "crawler", "", "web crawler"},
		{"web topic:crawling", "", "topic:crawling", "web"}, {"a OR b c", "", "b", "a c"}, {"a -b", "", "-b", "a"}, {"a -b", "", "b", "a -b"},
		{"rank:core=A OR rank:core=A*", "", "rank=core:A", "rank:core=A*"},
	} {
		x, err := Parse(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		before := x.String()
		got := x
		if tt.add != "" {
			got, err = x.With(tt.add)
		} else {
			got, err = x.Without(tt.remove)
		}
		if err != nil || got.String() != tt.want {
			t.Errorf("%q with %q, without %q: %q, %v; want %q", tt.query, tt.add, tt.remove, got, err, tt.want)
		}
		if x.String() != before {
			t.Errorf("%q became %q", before, x)
		}
	}
	for _, bad := range []string{"", "a b", "a OR b", `"`, "rank:core>=Q", "a -b"} {
		if _, err := (Expr{}).With(bad); err == nil {
			t.Errorf("With(%q) gives no error", bad)
		}
	}
}

func TestTermText(t *testing.T) {
	for _, tt := range []struct{ field, value, want string }{
		{"topic", "crawling", "topic:crawling"}, {"topic", "web  archives", `topic:"web archives"`}, {"topic", `the "web"`, ""},
		{"topic", "", ""}, {"topic", "/etc", `topic:"/etc"`}, {"topic", ">2", "topic:>2"}, {"country", "South Korea", `country:"South Korea"`}, {"kind", "party", ""},
	} {
		if got := TermText(tt.field, tt.value); got != tt.want {
			t.Errorf("TermText(%q, %q) = %q, want %q", tt.field, tt.value, got, tt.want)
		}
	}
}

func TestRankOrder(t *testing.T) {
	ranks := LatestRanks([]eventseer.Rank{{System: "ggs", Value: "A-", Year: 2021}, {System: "core", Value: "B", Year: 2020}, {System: "core", Value: "A*", Year: 2023}})
	if len(ranks) != 2 || ranks[0].Value != "A*" || ranks[1].System != "ggs" {
		t.Errorf("latest ranks %v", ranks)
	}
	if i, ok := RankOrder("core", "a"); i != 1 || !ok {
		t.Errorf("core A is %d, %v", i, ok)
	}
	if _, ok := RankOrder("ccf", "A*"); ok {
		t.Error("ccf has A*")
	}
}
