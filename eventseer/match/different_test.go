package match

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"

	"pgregory.net/rapid"
)

// sibling is a record of one of the events that share a site, the days, the
// place and the deadlines.
func sibling(page, title, acronym string) eventseer.Event {
	return eventstest.Record("https://webx.example/2027/"+page, 0, func(e *eventseer.Event) { e.Title, e.Acronym, e.Kind = title, acronym, "" })
}

func TestDifferentEvents(t *testing.T) {
	type named struct{ title, acronym string }
	tests := []struct {
		why  string
		a, b named
		want bool // whether they are one event
	}{
		{"one word differs", named{"Workshop on Learning for Crawling 2027", ""}, named{"Workshop on Learning for Ranking 2027", ""}, false},
		{"with acronyms of their own", named{"Workshop on Learning for Crawling", "LCRAWL"}, named{"Workshop on Learning for Ranking", "LRANK"}, false},
		{"with the acronym of the host", named{"WEBX 2027 Workshop on Quiet Pumps", "WEBX"}, named{"WEBX 2027 Workshop on Brass Valves", "WEBX"}, false},
		{"one word that is the acronym", named{"12th Workshop on Velvet Computing", "VELVET"}, named{"14th Workshop on Copper Computing", "COPPER"}, false},
		{"a name and its acronym as a word", named{"Workshop on Velvet Computing", "VELVET"}, named{"Velvet Workshop", "VELVET"}, true},
		{"one word each", named{"Crawling Workshop", ""}, named{"Ranking Workshop", ""}, false},
		{"acronyms alone", named{"LCRAWL 2027", "LCRAWL 2027"}, named{"LRANK 2027", "LRANK 2027"}, false},
		{"an acronym and a name", named{"LCRAWL 2027", "LCRAWL"}, named{"Workshop on Pump Noise (WPN 2027)", "WPN"}, false},
		{"the host in front", named{"WEBX Workshop: Learning for Crawling", ""}, named{"WEBX Workshop: Learning for Ranking", ""}, false},
		{"the conference and its workshop", named{"Conference on Motors", "MOTOR"}, named{"Workshop on Quiet Motors", ""}, false},
		{"a school beside it", named{"Conference on Brass Motors", ""}, named{"Summer School on Steel Motors", ""}, false},
		{"in another language", named{"Taller sobre bombas silenciosas", ""}, named{"Taller sobre motores de bronce", ""}, false},
		{"an article as initials", named{"The Timber Harvest Glass Workshop", ""}, named{"The Timber Harvest Engines Workshop", ""}, false},
		{"tutorials", named{"Tutorial on Pumps", ""}, named{"Tutorial on Valves", ""}, false},

		{"itself", named{"Workshop on Learning for Crawling 2027", ""}, named{"Workshop on Learning for Crawling 2027", ""}, true},
		{"a subtitle is missing", named{"Workshop on Quiet Engines: Pumps without Noise", ""}, named{"Workshop on Quiet Engines", ""}, true},
		{"another subtitle", named{"Workshop on Quiet Engines: Pumps without Noise", ""}, named{"Workshop on Quiet Engines - Silence Sells", ""}, true},
		{"a fuller name", named{"Workshop on Quiet Engines", ""}, named{"Fourth International Workshop on Quiet and Slow Engines", ""}, true},
		{"ordinal, year, host", named{"4th Workshop on Quiet Engines (at WEBX 2027)", ""}, named{"Workshop on Quiet Engines 2027", ""}, true},
		{"another form of a word", named{"Workshop on Engine Computation", ""}, named{"Workshop on Engines and Computing", ""}, true},
		{"another spelling", named{"Workshop on Colour Modelling", ""}, named{"Workshop on Color Modeling", ""}, true},
		{"a slip of the pen", named{"Workshop on Quiet Machinery", ""}, named{"Workshop on Quiet Machinary", ""}, true},
		{"written apart", named{"Workshop on Data Base Pumps", ""}, named{"Workshop on Database Pumps", ""}, true},
		{"a hyphen", named{"Workshop on Peer-to-Peer Pumps", ""}, named{"Workshop on PeertoPeer Pumps", ""}, true},
		{"in letters and in full", named{"Workshop on ML for Pumps", ""}, named{"Workshop on Machine Learning for Pumps", ""}, true},
		{"the acronym for the name", named{"WQE Workshop", "WQE"}, named{"Workshop on Quiet Engines", ""}, true},
		{"one acronym, names read apart", named{"Conference on Quiet Engines", "QUENG"}, named{"Conference on Silent Motors", "QUENG"}, true},
		{"place and days", named{"Workshop on Quiet Engines, Bergen, Norway", ""}, named{"Workshop on Quiet Engines, June 1-2", ""}, true},
		{"tracks", named{"Conference on Motors: Industry Track", "MOTOR"}, named{"Conference on Motors: Research Track", "MOTOR"}, true},
		{"tracks without a colon", named{"Conference on Motors Industry Track", ""}, named{"Conference on Motors Student Track", ""}, true},
		{"rounds", named{"Conference on Motors, First Round", ""}, named{"Conference on Motors, Second Round", ""}, true},
		{"calls", named{"Call for Posters: Conference on Motors", ""}, named{"Call for Demos: Conference on Motors", ""}, true},
		{"a joint event", named{"Joint Workshop on Quiet Engines and Brass Pumps", ""}, named{"Workshop on Quiet Engines", ""}, true},
		{"named by the other", named{"Joint workshop with the 3rd Workshop on Brass Pumps", ""}, named{"Workshop on Quiet Engines", ""}, true},
		{"in two languages", named{"Taller sobre bombas", ""}, named{"Workshop on Pumps", ""}, true},
		{"pages", named{"Conference hotel and taxis", ""}, named{"Conference dinner on the lake", ""}, true},
		{"a page and the event", named{"The workshop will be held on the third floor", ""}, named{"Workshop on Quiet Engines", ""}, true},
		{"the chairs' page", named{"Message from the chairs of the Workshop on Quiet Engines", ""}, named{"Workshop on Quiet Engines", ""}, true},
	}
	for _, tt := range tests {
		a, b := sibling("one", tt.a.title, tt.a.acronym), sibling("two", tt.b.title, tt.b.acronym)
		if got := sameEdition(a, b); got != tt.want {
			t.Errorf("%s: %q and %q: one event is %v", tt.why, tt.a.title, tt.b.title, got)
		}
		if sameEdition(a, b) != sameEdition(b, a) {
			t.Errorf("%s: turned round it differs", tt.why)
		}
	}
}

// TestRivalsOfAHost: what two workshops share with the event they are held with
// makes them no more alike.
func TestRivalsOfAHost(t *testing.T) {
	held := func(page, title, acronym string) eventseer.Event {
		e := sibling(page, title, acronym)
		e.Parent, e.Kind = "WEBX 2027", eventseer.Workshop
		return e
	}
	a := held("pumps", "Workshop on Pumps at WEBX 2027", "WEBX 2027")
	if b := held("valves", "Workshop on Valves at WEBX 2027", "WEBX 2027"); sameEdition(a, b) {
		t.Error("two workshops read with the acronym of their host are one")
	}
	if b := held("dates", "WEBX 2027 Workshop on Pumps", ""); !sameEdition(a, b) {
		t.Error("a workshop that names its host in front is another")
	}
}

// TestRivalsByAddress: a page that lists workshops belongs to the event that holds them, and the
// site of a conference has pages that mention others.
func TestRivalsByAddress(t *testing.T) {
	list := sibling("workshops.html", "Workshop on Pump Noise (WPN 2027)", "WPN")
	if main := sibling("venue.html", "WEBX 2027", "WEBX"); !sameEdition(main, list) {
		t.Error("the list of workshops is none of the conference's pages")
	}
	own, other := sibling("cfp.html", "Conference on Webs (WEBX 2027)", "WEBX"), sibling("fees.html", "Congress of Pumps (PUMPS 2027)", "PUMPS")
	if !sameEdition(own, other) {
		t.Error("a page of the conference's site that names another is none of its pages")
	}
	own.URL, other.URL = "https://union.example/2027/cfp.html", "https://union.example/2027/pumps.html"
	own.Pages, other.Pages = []string{own.URL}, []string{other.URL}
	if sameEdition(own, other) {
		t.Error("two conferences of one site are one")
	}
}

// subjects are the subjects of the workshops drawn: no two of them are forms of one word, or contain each
// other's letters.
var subjects = strings.Fields("pumps valves engines brass glass crawling ranking mining harvest weaving granite linen copper timber")

// TestSiblingsStayApart: two workshops that differ in a word on either side are
// two, whatever else they share; and dressing a name changes nothing.
func TestSiblingsStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.Permutation(subjects).Draw(t, "words")
		shared := strings.Join(words[:rapid.IntRange(0, 3).Draw(t, "shared")], " ")
		form := rapid.SampledFrom([]string{"Workshop on %s %s", "Conference on %s for %s", "International School of %s %s", "The %s %s Workshop"}).Draw(t, "form")
		name := func(own string) string { return strings.Join(strings.Fields(fmt.Sprintf(form, shared, own)), " ") }
		dress := func(label, s string) string {
			coat := rapid.SampledFrom([]string{"%s", "%s 2027", "4th %s", "CFP: %s", "%s, Bergen", "%s (at WEBX 2027)", "%s - Call for Papers", "%s: New Results"}).Draw(t, label)
			return fmt.Sprintf(coat, s)
		}
		a, b := sibling("one", dress("a", name(words[4])), ""), sibling("two", dress("b", name(words[5])), "")
		if got := likeness(a, b); got >= 0 || got != likeness(b, a) || math.IsNaN(got) {
			t.Fatalf("%q and %q: %v", a.Title, b.Title, got)
		}
		again := sibling("three", dress("again", name(words[4])), "")
		if !sameEdition(a, again) {
			t.Fatalf("%q and %q are two", a.Title, again.Title)
		}
	})
}

// FuzzRivals: of any titles, the answer is the same both ways, and nothing rivals
// itself.
func FuzzRivals(f *testing.F) {
	f.Add("Workshop on Pumps", "PUMP 2027", "Workshop on Valves", "V")
	f.Add("Xth Meeting : — on", "é", "ß Tagung über 漢字", "\xff")
	f.Fuzz(func(t *testing.T, titleA, acronymA, titleB, acronymB string) {
		a, b := sibling("one", titleA, acronymA), sibling("two", titleB, acronymB)
		if differentEvents(NewEventKey(a), NewEventKey(b)) != differentEvents(NewEventKey(b), NewEventKey(a)) {
			t.Fatal("turned round it differs")
		}
		if differentEvents(NewEventKey(a), NewEventKey(a)) {
			t.Fatal("an event rivals itself")
		}
	})
}

func BenchmarkLikeness(b *testing.B) {
	x, y := sibling("one", "Workshop on Learning for Crawling 2027", ""), sibling("two", "Fourth Workshop on Learning for Crawling", "")
	b.ReportAllocs()
	for b.Loop() {
		likeness(x, y)
	}
}

func likeness(a, b eventseer.Event) float64 { return NewEventKey(a).Similarity(NewEventKey(b)) }

func sameEdition(a, b eventseer.Event) bool { return likeness(a, b) >= 0 }

// TestPageRepeatsHome checks that a page with the days and three deadlines of its home belongs to the same
// event under any name. A workshop with its own deadline does not.
func TestPageRepeatsHome(t *testing.T) {
	schedule := func(page, title string, ready eventseer.Date) eventseer.Event {
		e := sibling(page, title, "")
		e.Deadlines = nil
		for kind, day := range map[eventseer.DeadlineKind]eventseer.Date{eventseer.Submission: "2027-01-11", eventseer.Notification: "2027-02-11", eventseer.CameraReady: ready} {
			e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: kind, Date: day, Source: eventseer.Provenance{URL: e.URL}})
		}
		return e
	}
	home := schedule("", "Workshop on Quiet Pumps", "2027-03-11")
	if page := schedule("cfp.html", "Workshop on Brass Valves", "2027-03-11"); !sameEdition(home, page) || !sameEdition(page, home) {
		t.Error("a page with the days and deadlines of its home is of another event")
	}
	if page := schedule("valves.html", "Workshop on Brass Valves", "2027-03-12"); sameEdition(home, page) {
		t.Error("a workshop with a deadline of its own is the event of the home")
	}
	if page := schedule("valves.html", "Workshop on Brass Valves", "2027-03-11"); sameEdition(schedule("pumps.html", "Workshop on Quiet Pumps", "2027-03-11"), page) {
		t.Error("two pages beside each other with equal deadlines are of one event")
	}
}
