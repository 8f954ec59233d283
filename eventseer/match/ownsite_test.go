package match_test

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"

	"github.com/google/go-cmp/cmp"
)

func TestAreOnOneSite(t *testing.T) {
	page := func(url, title, acronym string, year int) eventseer.Event {
		return eventseer.Event{URL: url, Title: title, Acronym: acronym, Year: year}
	}
	dated := func(file, title, acronym string) eventseer.Event {
		e := page("https://calls.example/cfp/"+file, title, acronym, 2027)
		e.Kind, e.EventStart, e.EventEnd = eventseer.Conference, "2027-04-10", "2027-04-12"
		return e
	}
	const name = "Symposium on Quiet Engines"
	home := page("https://sqe.example/2027/", name, "SQE", 2027)
	for _, c := range []struct {
		what string
		a, b eventseer.Event
		want bool
	}{
		{"a page in the folder", home, page("https://sqe.example/2027/dates.html", "Important Dates", "", 0), true},
		{"a folder below", home, page("https://sqe.example/2027/venue/travel.html", "Travel", "", 2027), true},
		{"another host", home, page("https://other.example/2027/dates.html", name, "SQE", 2027), false},
		{"another edition's folder", home, page("https://sqe.example/2026/dates.html", "Important Dates", "", 0), false},
		{"another year", page("https://sqe.example/", name, "SQE", 2027), page("https://sqe.example/old.html", name, "SQE", 2026), false},
		{"the top, of any edition", home, page("https://sqe.example/contact.html", "Contact", "", 0), false},
		{"the top, of this edition", home, page("https://sqe.example/", name, "SQE", 2027), true},
		{"a workshop held there", page("https://sqe.example/2027/a/", "Workshop on Valves", "WOV", 2027), page("https://sqe.example/2027/", "Workshop on Gears", "WOG", 2027), false},
		{"folders beside each other without a common name", page("https://uni.example/a/x.html", "Dates", "", 2027), page("https://uni.example/b/y.html", "People", "", 2027), false},
		{"folders beside each other with one", page("https://sqe.example/cfp/x.html", name, "SQE", 2027), page("https://sqe.example/people/y.html", name, "SQE", 2027), true},
		{"calls of two conferences in one folder", dated("1", "12th International Conference on Velvet Computing", "VELVET"), dated("2", "14th International Conference on Copper Computing", "COPPER"), false},
		{"a call beside a page with another short name", dated("1", "12th International Conference on Velvet Computing", "VELVET"), dated("2", "Rooms and Travel", "HALL"), true},
		{"messages of an archive", page("https://lists.example/pipermail/a/1.html", name, "SQE", 2027), page("https://lists.example/pipermail/a/2.html", name, "SQE", 2027), false},
		{"no address", page("", name, "SQE", 2027), page("", name, "SQE", 2027), false},
	} {
		a, b := match.NewEventKey(c.a), match.NewEventKey(c.b)
		if got, back := match.AreOnOneSite(a, b), match.AreOnOneSite(b, a); got != c.want || back != got {
			t.Errorf("%s: %v one way, %v the other, want %v", c.what, got, back, c.want)
		}
	}
}

func TestOwnPages(t *testing.T) {
	e := eventseer.Event{
		URL: "https://lists.example/pipermail/a/1.html", Pages: []string{"https://news.example/sqe", "https://sqe.example/cfp.html"},
		Related: []string{"https://www.sqe.example/venue/map.html", "https://sqe.example/", "https://sqe.example/"},
	}
	want := []string{"https://sqe.example/", "https://sqe.example/cfp.html", "https://www.sqe.example/venue/map.html"}
	if diff := cmp.Diff(want, match.OwnPages(e, 9)); diff != "" {
		t.Errorf("own pages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:2], match.OwnPages(e, 2)); diff != "" {
		t.Errorf("the best two (-want +got):\n%s", diff)
	}
	e.Homepage = "https://news.example/"
	if diff := cmp.Diff([]string{"https://news.example/sqe"}, match.OwnPages(e, 9)); diff != "" {
		t.Errorf("with a home page elsewhere (-want +got):\n%s", diff)
	}
	if pages := match.OwnPages(eventseer.Event{URL: "https://lists.example/pipermail/a/1.html"}, 9); len(pages) != 0 {
		t.Errorf("of an archive: %v", pages)
	}
}
