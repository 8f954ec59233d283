package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/merge"

	"github.com/google/go-cmp/cmp"
)

// pageOf returns the record of a page of rdx.example, with the confidence sure for all its values.
func pageOf(name, title, acronym string, start eventseer.Date, city string, sure float64) eventseer.Event {
	e := eventseer.Event{URL: "https://rdx.example/" + name, Title: title, Acronym: acronym, EventStart: start, EventEnd: start, Sources: map[string]eventseer.Provenance{}}
	if city != "" {
		e.Location = &eventseer.Venue{City: city, Country: "Austria", CountryCode: "AT", Text: city}
	}
	for _, field := range []string{"title", "acronym", "event_start", "location"} {
		e.Sources[field] = eventseer.Provenance{URL: e.URL, Rule: "test", Confidence: sure}
	}
	return e
}

func TestSite(t *testing.T) {
	const name = "Workshop on Reading"
	pages := []eventseer.Event{
		pageOf("history.html", "Reading 2026", "RDX", "2026-05-03", "Linz", .99),
		pageOf("cfp.html", name, "RDX 2027", "2027-05-03", "Graz", .9),
		pageOf("dates.html", "Important Dates", "", "2027-05-03", "Graz", .6),
		pageOf("team.html", name, "", "", "Wels", .7),
		pageOf("", "workshop on reading", "RDX'27", "", "", .95),
	}
	want := merge.MergeSite(pages)
	got := fmt.Sprintln(want.Title, want.Acronym, want.EventStart, want.Location.City, want.Year)
	if got != "workshop on reading RDX'27 2027-05-03 Graz 0\n" {
		t.Error(got)
	}
	for field, page := range map[string]string{"title": "", "acronym": "", "event_start": "cfp.html", "event_end": "cfp.html", "location": "cfp.html"} {
		if url := want.Sources[field].URL; url != "https://rdx.example/"+page {
			t.Errorf("%s: %s", field, url)
		}
	}
	var said []string
	for _, v := range want.Trail {
		said = append(said, v.Field+" "+v.Value)
	}
	for _, lost := range []string{"title Important Dates", "event_start 2026-05-03"} {
		if !slices.Contains(said, lost) {
			t.Errorf("%q is not in the trail %q", lost, said)
		}
	}
	slices.Reverse(pages)
	if diff := cmp.Diff(want, merge.MergeSite(pages)); diff != "" {
		t.Errorf("the order of pages counts (-want +got):\n%s", diff)
	}
}

// TestSiteOfFew joins no pages, one, and pages without place and time.
func TestSiteOfFew(t *testing.T) {
	if diff := cmp.Diff(eventseer.Event{}, merge.MergeSite(nil)); diff != "" {
		t.Error(diff)
	}
	one := pageOf("", "Workshop on Reading", "RDX", "2027-05-03", "Graz", .9)
	if diff := cmp.Diff(one, merge.MergeSite([]eventseer.Event{one})); diff != "" {
		t.Error(diff)
	}
	bare := eventseer.Event{URL: "https://rdx.example/a", Title: "Reading", Location: &eventseer.Venue{Online: true}}
	other := eventseer.Event{URL: "b", Title: "Reading", Location: &eventseer.Venue{CountryCode: "AT", Country: "Austria"}}
	e := merge.MergeSite([]eventseer.Event{bare, other, {}})
	if e.Location == nil || e.Location.CountryCode != "AT" || !e.Location.Online || e.Sources["location"].URL != "b" {
		t.Errorf("%+v", e.Location)
	}
	many := make([]eventseer.Event, 2*merge.MaxSite)
	for i := range many {
		many[i] = pageOf(strings.Repeat("x", i%7)+fmt.Sprint(i), fmt.Sprint("Title ", i), "", "", "Graz", .9)
	}
	if e := merge.MergeSite(many); len(e.Trail) > eventseer.MaxTrail || e.Location.City != "Graz" {
		t.Errorf("%d, %+v", len(e.Trail), e.Location)
	}
}

// TestElect gives an event the values that most pages of its site have, whatever it was made from.
func TestElect(t *testing.T) {
	pages := []eventseer.Event{
		pageOf("", "Workshop on Reading", "RDX", "2027-05-03", "Graz", .8),
		pageOf("cfp.html", "Workshop on Reading", "RDX", "2027-05-03", "Graz", .9),
		pageOf("venue.html", "Travel to Wels", "", "2027-05-09", "Wels", .95),
	}
	event := pageOf("venue.html", "Travel to Wels", "", "2027-05-09", "Wels", .95)
	event.Pages = []string{event.URL}
	var votes []eventseer.Event
	for _, e := range pages {
		votes = append(votes, merge.VoteOf(e, eventseer.Event{}))
	}
	e, fields := merge.ApplyVotes(event, event, votes)
	if len(fields) < 4 {
		t.Errorf("the fields that changed are %v", fields)
	}
	if got := fmt.Sprintln(e.Title, e.Acronym, e.EventStart, e.Location.City, e.Homepage, e.Sources["event_end"].URL); got != "Workshop on Reading RDX 2027-05-03 Graz https://rdx.example/ https://rdx.example/\n" {
		t.Error(got)
	}
	again, fields := merge.ApplyVotes(e, e, []eventseer.Event{votes[2], votes[1], votes[0]})
	if diff := cmp.Diff(e, again); diff != "" || len(fields) != 0 {
		t.Errorf("elected again in another order changes %v (-once +twice):\n%s", fields, diff)
	}
	one, _ := merge.ApplyVotes(event, event, votes[:1])
	if diff := cmp.Diff(event, one); diff != "" {
		t.Errorf("one page outvotes the event:\n%s", diff)
	}
	// the home page moves the days and the town: the others are stale
	moved := merge.VoteOf(pageOf("", "Workshop on Reading", "RDX", "2027-06-03", "Linz", .8), votes[0])
	e, _ = merge.ApplyVotes(e, e, []eventseer.Event{moved, votes[1], votes[2]})
	if e.EventStart != "2027-06-03" || e.Location.City == "Graz" {
		t.Errorf("after the home page moved the event is on %s in %s", e.EventStart, e.Location.City)
	}
	// and back again
	if back := merge.VoteOf(pages[0], moved); len(back.Trail) != 2 || back.Trail[0].Value != "2027-06-03/2027-06-03" {
		t.Errorf("the page said before: %v", back.Trail)
	}
}

// The trail of a vote is bounded.
func TestVoteIsBounded(t *testing.T) {
	var v eventseer.Event
	for day := range 28 {
		v = merge.VoteOf(pageOf("", "Workshop on Reading", "RDX", eventseer.Date(fmt.Sprintf("2027-05-%02d", day+1)), "Graz", .8), v)
	}
	if len(v.Trail) != 8 || v.Trail[7].Value != "2027-05-27/2027-05-27" {
		t.Errorf("%d former days, %v", len(v.Trail), v.Trail)
	}
}

// TestSideDays joins a call with pages about other things and other calls.
func TestSideDays(t *testing.T) {
	page := func(name string, related bool, ds ...eventseer.Deadline) eventseer.Event {
		e := eventseer.Event{URL: "https://conf.test/2027/" + name, Title: "Conference on Walls", Acronym: "WALLS", Year: 2027, LastSeen: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
		for _, d := range ds {
			d.Source = eventseer.Provenance{URL: e.URL, Rule: "label-left", Confidence: .96}
			e.Deadlines = append(e.Deadlines, d)
		}
		if related {
			e.Related = []string{e.URL}
		}
		return e
	}
	day := func(kind eventseer.DeadlineKind, date eventseer.Date) eventseer.Deadline {
		return eventseer.Deadline{Kind: kind, Date: date}
	}
	tracked := day(eventseer.Submission, "2027-02-20")
	tracked.Track = "posters"
	records := []eventseer.Event{
		page("", true),
		page("cfp.html", false, day(eventseer.Submission, "2027-01-10"), day(eventseer.Notification, "2027-03-01")),
		page("travel.html", true, day(eventseer.Submission, "2027-05-05"), day(eventseer.Registration, "2027-05-06")), // rooms
		page("posters.html", true, tracked),
		page("dates.html", true, day(eventseer.Submission, "2027-01-10"), day(eventseer.CameraReady, "2027-04-01"), day(eventseer.Submission, "2027-06-06")),
		page("awards.html", true, day("award", "2027-04-21")),
		page("reviews.html", true, day(eventseer.OtherDeadline, "2027-02-12"), day(eventseer.OtherDeadline, "2027-02-13"), day(eventseer.OtherDeadline, "2027-02-14")),
	}
	var want []string
	for turn := range 20 {
		rand.New(rand.NewPCG(1, uint64(turn))).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		e := merge.MergeSite(records)
		var got []string
		for _, d := range e.Deadlines {
			got = append(got, string(d.Kind)+" "+string(d.Date))
		}
		if want == nil {
			want = []string{"submission 2027-01-10", "notification 2027-03-01", "camera_ready 2027-04-01", "award 2027-04-21", "registration 2027-05-06", "submission 2027-06-06", "submission 2027-02-20"}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("turn %d: %q, want %q", turn, got, want)
		}
		if !slices.ContainsFunc(e.Trail, func(v eventseer.Evidence) bool {
			return v.Field == "deadlines.submission" && strings.HasPrefix(v.Value, "2027-05-05")
		}) {
			t.Errorf("turn %d: the day of the rooms is not in the trail", turn)
		}
	}
}

// TestDaysThatAreNoDeadlines drops days during the event, and the day for abstracts of a side page if the
// call has a day for papers. Without days of the event no day is too late.
func TestDaysThatAreNoDeadlines(t *testing.T) {
	for _, test := range []struct {
		start eventseer.Date
		want  []string
	}{
		{"2027-06-07", []string{"submission 2027-01-10", "registration 2027-05-20", "camera_ready 2027-06-08"}},
		{"", []string{"submission 2027-01-10", "registration 2027-05-20", "registration 2027-06-07", "camera_ready 2027-06-08"}},
	} {
		page := func(name string, call bool, ds ...eventseer.Deadline) eventseer.Event {
			e := eventseer.Event{URL: "https://conf.test/2027/" + name, Title: "Conference on Walls", Acronym: "WALLS", Year: 2027, EventStart: test.start, EventEnd: test.start}
			for _, d := range ds {
				d.Source = eventseer.Provenance{URL: e.URL, Rule: "label-left", Confidence: .96}
				e.Deadlines = append(e.Deadlines, d)
			}
			if e.Pages = []string{e.URL}; !call {
				e.Pages, e.Related = nil, e.Pages
			}
			return e
		}
		e := merge.MergeSite([]eventseer.Event{
			page("cfp.html", true, eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-01-10"}, eventseer.Deadline{Kind: eventseer.CameraReady, Date: "2027-06-08"}),
			page("tours.html", false, eventseer.Deadline{Kind: eventseer.Abstract, Date: "2027-03-03"}),
			page("programme.html", false, eventseer.Deadline{Kind: eventseer.Registration, Date: "2027-06-07"}, eventseer.Deadline{Kind: eventseer.Registration, Date: "2027-05-20"}),
		})
		var got []string
		for _, d := range e.Deadlines {
			got = append(got, string(d.Kind)+" "+string(d.Date))
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("event on %q: deadlines %q, want %q", test.start, got, test.want)
		}
	}
}

// TestDaysOfWorkshop chooses a workshop's own day before those of the conference it is held at. A conference
// gets the most frequent days, also if other pages state days within them.
func TestDaysOfWorkshop(t *testing.T) {
	page := func(name string, kind eventseer.Kind, from, to eventseer.Date) eventseer.Event {
		e := eventseer.Event{URL: "https://conf.test/2027/" + name, Title: "Walls", Acronym: "WALLS", Kind: kind, Year: 2027, EventStart: from, EventEnd: to}
		e.Sources = map[string]eventseer.Provenance{"event_start": {URL: e.URL, Rule: "event-dates", Confidence: .94}}
		return e
	}
	for _, test := range []struct {
		kind   eventseer.Kind
		parent string
		days   []eventseer.Date // of further pages
		want   eventseer.Date
	}{
		{eventseer.Workshop, "BRICKS 2027", []eventseer.Date{"2027-06-08"}, "2027-06-08"},
		{eventseer.Workshop, "BRICKS 2027", []eventseer.Date{"2027-06-08", "2027-06-09"}, "2027-06-07"},
		{eventseer.Workshop, "", []eventseer.Date{"2027-06-08"}, "2027-06-07"},
		{eventseer.Conference, "BRICKS 2027", []eventseer.Date{"2027-06-08"}, "2027-06-07"},
	} {
		records := []eventseer.Event{page("", test.kind, "2027-06-07", "2027-06-11"), page("venue", test.kind, "2027-06-07", "2027-06-11")}
		for i := range records {
			records[i].Parent = test.parent
		}
		for _, day := range test.days {
			records = append(records, page("on-"+string(day), test.kind, day, day))
		}
		if e := merge.MergeSite(records); e.EventStart != test.want || e.Sources["event_start"].URL == "" {
			t.Errorf("%s with pages on %v starts on %s, want %s", test.kind, test.days, e.EventStart, test.want)
		}
	}
}

// TestSingleDayWithinRange prefers the range of one page to single days that more pages print within it. If
// pages print two ranges around a day, the day is kept.
func TestSingleDayWithinRange(t *testing.T) {
	for _, test := range []struct {
		days [][2]eventseer.Date // of the pages
		want [2]eventseer.Date
	}{
		{[][2]eventseer.Date{{"2027-06-07", "2027-06-09"}, {"2027-06-07", ""}, {"2027-06-08", "2027-06-08"}, {"2027-06-07", "2027-06-07"}}, [2]eventseer.Date{"2027-06-07", "2027-06-09"}},
		{[][2]eventseer.Date{{"2027-06-07", "2027-06-09"}, {"2027-06-06", "2027-06-09"}, {"2027-06-07", ""}, {"2027-06-07", ""}, {"2027-06-07", ""}}, [2]eventseer.Date{"2027-06-07", ""}},
		{[][2]eventseer.Date{{"2027-06-07", "2027-06-09"}, {"2027-07-01", ""}, {"2027-07-01", ""}, {"2027-07-01", ""}}, [2]eventseer.Date{"2027-07-01", ""}},
	} {
		var records []eventseer.Event
		for i, d := range test.days {
			e := eventseer.Event{URL: fmt.Sprintf("https://conf.test/2027/p%d", i), Title: "Conference on Walls", Acronym: "WALLS", Kind: eventseer.Conference, Year: 2027, EventStart: d[0], EventEnd: d[1]}
			e.Sources = map[string]eventseer.Provenance{"event_start": {URL: e.URL, Rule: "event-dates", Confidence: .94}}
			records = append(records, e)
		}
		if e := merge.MergeSite(records); e.EventStart != test.want[0] || e.EventEnd != test.want[1] {
			t.Errorf("%v: %s to %s, want %v", test.days, e.EventStart, e.EventEnd, test.want)
		}
	}
}

// TestPlaceOfSite chooses the country before the city. The city of one speaker does not outweigh pages that
// name only the event's country. A city without a country has the one that the surest other page prints with it.
func TestPlaceOfSite(t *testing.T) {
	type place struct {
		city, code string
		confidence float64
	}
	for _, test := range []struct {
		pages []place
		want  place
	}{
		{[]place{{"", "MU", .6}, {"Benevento", "IT", .5}, {"", "MU", .5}}, place{city: "", code: "MU"}},
		{[]place{{"", "MU", .6}, {"Benevento", "IT", .7}, {"Moka", "MU", .4}}, place{city: "Moka", code: "MU"}},
		{[]place{{"Cambridge", "", .7}, {"Oxford", "GB", .6}, {"Cambridge", "US", .3}}, place{city: "Cambridge", code: "US"}},
		{[]place{{"Cambridge", "GB", .6}, {"Cambridge", "", .9}, {"Cambridge", "US", .5}, {"Cambridge", "", .9}}, place{city: "Cambridge", code: "GB"}},
		{[]place{{"Cambridge", "", .9}, {"Oxford", "GB", .6}}, place{city: "Cambridge", code: ""}},
		{[]place{{"", "MU", .5}, {"Benevento", "IT", .9}, {"", "MU", .5}}, place{city: "Benevento", code: "IT"}},
	} {
		var records []eventseer.Event
		for i, p := range test.pages {
			e := eventseer.Event{URL: fmt.Sprintf("https://conf.test/2027/p%d", i), Title: "Conference on Walls", Acronym: "WALLS", Kind: eventseer.Conference, Year: 2027}
			e.Location = &eventseer.Venue{City: p.city, CountryCode: p.code}
			e.Sources = map[string]eventseer.Provenance{"location": {URL: e.URL, Rule: "place", Confidence: p.confidence}}
			records = append(records, e)
		}
		if e := merge.MergeSite(records); e.Location == nil || e.Location.City != test.want.city || e.Location.CountryCode != test.want.code {
			t.Errorf("%v: %v, want %v", test.pages, e.Location, test.want)
		}
	}
}

// The topics of an edition are those of one page, of a call rather than of another page. The home page has no
// additional weight.
func TestTopicsOfSite(t *testing.T) {
	page := func(name string, sure float64, isCall bool, topics ...string) eventseer.Event {
		e := pageOf(name, "Workshop on Reading", "RDX", "2027-05-03", "Graz", .9)
		e.Topics, e.Sources["topics"] = topics, eventseer.Provenance{URL: e.URL, Rule: "test", Confidence: sure}
		if e.Pages = []string{e.URL}; !isCall {
			e.Pages, e.Related = nil, []string{e.URL}
		}
		return e
	}
	call := page("cfp.html", .8, true, "Dyslexia", "Braille", "Fonts")
	for what, c := range map[string]struct {
		pages []eventseer.Event
		want  string
	}{
		"a home with areas":       {[]eventseer.Event{call, page("", .9, true, "Music", "Film")}, "Dyslexia Braille Fonts"},
		"a programme":             {[]eventseer.Event{call, page("talks.html", .8, false, "Ink", "Light", "Paper", "Glue", "Thread", "Cloth")}, "Dyslexia Braille Fonts"},
		"a page without topics":   {[]eventseer.Event{call, page("team.html", .9, false)}, "Dyslexia Braille Fonts"},
		"a call without topics":   {[]eventseer.Event{page("cfp.html", .8, true), page("scope.html", .9, false, "Fonts", "Ink")}, "Fonts Ink"},
		"no page that is a call":  {[]eventseer.Event{page("a.html", .7, false, "Ink"), page("scope.html", .9, false, "Fonts", "Light")}, "Fonts Light"},
		"a surer and longer list": {[]eventseer.Event{page("a.html", .6, true, "Ink", "Glue"), call}, "Dyslexia Braille Fonts"},
	} {
		for range 2 {
			slices.Reverse(c.pages)
			e, _ := merge.Merge(c.pages[0], c.pages[1])
			e, _ = merge.ApplyVotes(e, e, c.pages)
			if got := strings.Join(e.Topics, " "); got != c.want {
				t.Errorf("%s: %q, want %q", what, got, c.want)
			}
		}
	}
}

// People of uncertain lists on side pages are left out if another page has a sure list without them. The order in
// which pages are read does not matter.
func TestCommitteeOfSite(t *testing.T) {
	page := func(name string, sure float64, isCall bool, people string) eventseer.Event {
		e := pageOf(name, "Workshop on Reading", "RDX", "2027-05-03", "Graz", .9)
		for p := range strings.FieldsSeq(people) {
			e.Committee = append(e.Committee, eventseer.Person{Name: p})
		}
		e.Sources["committee"] = eventseer.Provenance{URL: e.URL, Rule: "test", Confidence: sure}
		if e.Pages = []string{e.URL}; !isCall {
			e.Pages, e.Related = nil, []string{e.URL}
		}
		return e
	}
	chairs := page("team.html", .9, false, "Ada Bob Cleo")
	for what, c := range map[string]struct {
		pages []eventseer.Event
		want  string
	}{
		"a programme":            {[]eventseer.Event{chairs, page("talks.html", .7, false, "Ada Dan Eve")}, "Ada Bob Cleo"},
		"an uncertain call":      {[]eventseer.Event{chairs, page("cfp.html", .7, true, "Ada Dan")}, "Ada Bob Cleo Dan"},
		"two sure lists":         {[]eventseer.Event{chairs, page("board.html", .95, false, "Fay Gil Hal")}, "Ada Bob Cleo Fay Gil Hal"},
		"no sure list":           {[]eventseer.Event{page("a.html", .8, false, "Ada Bob Cleo"), page("talks.html", .7, false, "Dan")}, "Ada Bob Cleo Dan"},
		"a sure list of two":     {[]eventseer.Event{page("a.html", .9, false, "Ada Bob"), page("talks.html", .7, false, "Dan")}, "Ada Bob Dan"},
		"a list of no known use": {[]eventseer.Event{chairs, page("talks.html", 0, false, "Dan")}, "Ada Bob Cleo Dan"},
		"uncertain, sure, all":   {[]eventseer.Event{page("talks.html", .7, false, "Dan Eve"), chairs, page("board.html", .9, false, "Eve Fay Gil")}, "Ada Bob Cleo Eve Fay Gil"},
	} {
		for range 2 {
			slices.Reverse(c.pages)
			var e eventseer.Event
			var votes []eventseer.Event
			for i, p := range c.pages {
				if votes = append(votes, merge.VoteOf(p, eventseer.Event{})); i == 0 {
					e = p
					continue
				}
				e, _ = merge.Merge(e, p)
				e, _ = merge.ApplyVotes(e, e, votes)
			}
			var names []string
			for _, p := range e.Committee {
				names = append(names, p.Name)
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s: %q, want %q", what, got, c.want)
			}
		}
	}
}

// A long uncertain list of a side page names participants, and not the committee, even if no other page has a
// list. A short one is kept.
func TestLongUncertainCommittee(t *testing.T) {
	for _, test := range []struct {
		people, want int
		confidence   float64
	}{{120, 2, .8}, {120, 122, .9}, {90, 92, .8}} {
		call := eventseer.Event{URL: "https://walls.test/cfp", Title: "Conference on Walls", Acronym: "WALLS", Kind: eventseer.Conference, Year: 2027}
		side := call
		side.URL, side.Related = "https://walls.test/people", []string{"https://walls.test/people"}
		call.Committee = []eventseer.Person{{Name: "Ada Brick"}, {Name: "Ben Stone"}}
		call.Sources = map[string]eventseer.Provenance{"committee": {URL: call.URL, Rule: "people-list", Confidence: .7}}
		for i := range test.people {
			side.Committee = append(side.Committee, eventseer.Person{Name: fmt.Sprintf("Person Number%c%c", 'A'+i/26, 'a'+i%26)})
		}
		side.Sources = map[string]eventseer.Provenance{"committee": {URL: side.URL, Rule: "people-list", Confidence: test.confidence}}
		if got := merge.MergeSite([]eventseer.Event{call, side}).Committee; len(got) != test.want {
			t.Errorf("%d people at %.1f: the committee has %d, want %d", test.people, test.confidence, len(got), test.want)
		}
	}
}

// The place of an online event is not that of its organisers, which only a side page names. A place on the home
// page, on a call or of a hybrid event is kept.
func TestPlaceOfOnlineEvent(t *testing.T) {
	for _, test := range []struct {
		name         string
		home, people eventseer.Venue
		isCall       bool
		want         string
	}{
		{"of organisers", eventseer.Venue{Online: true}, eventseer.Venue{City: "Douglas"}, false, ""},
		{"of a call", eventseer.Venue{Online: true}, eventseer.Venue{City: "Douglas"}, true, "Douglas"},
		{"on the home page", eventseer.Venue{City: "Ramsey", Online: true}, eventseer.Venue{City: "Douglas"}, false, "Ramsey"},
		{"hybrid", eventseer.Venue{Online: true, Hybrid: true}, eventseer.Venue{City: "Douglas"}, false, "Douglas"},
		{"hybrid on the side page", eventseer.Venue{Online: true}, eventseer.Venue{City: "Douglas", Online: true, Hybrid: true}, false, "Douglas"},
		{"not online", eventseer.Venue{}, eventseer.Venue{City: "Douglas"}, false, "Douglas"},
	} {
		home := eventseer.Event{URL: "https://walls.test/", Title: "Conference on Walls", Acronym: "WALLS", Kind: eventseer.Conference, Year: 2027, Location: &test.home}
		side := home
		side.URL, side.Location = "https://walls.test/people", &test.people
		if !test.isCall {
			side.Related = []string{side.URL}
		}
		side.Sources = map[string]eventseer.Provenance{"location": {URL: side.URL, Rule: "place", Confidence: .6}}
		e := merge.MergeSite([]eventseer.Event{home, side})
		if e.Location == nil || e.Location.City != test.want || e.Location.Online != test.home.Online {
			t.Errorf("%s: %v, want %q", test.name, e.Location, test.want)
		}
	}
}
