package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/eventstest"
	"github.com/eventseer/eventseer/webgraph"
)

// fixed extracts the same event from every page with text.
type fixed struct{ e eventseer.Event }

func (f fixed) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	e := f.e
	e.URL = t.Page.URL
	return e, t.Text() != ""
}

// shelf stores what is put.
type shelf struct {
	eventseer.Store
	events []eventseer.Event
	clips  []eventseer.Clip
	err    error
}

func (s *shelf) Put(_ context.Context, e eventseer.Event, clips []eventseer.Clip, _ ...eventseer.ChangeKind) (eventseer.EventID, error) {
	s.events, s.clips = append(s.events, e), append(s.clips, clips...)
	return e.ID, s.err
}

func parse(t *testing.T, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: eventstest.Home, Status: 200, Body: []byte(body), FetchedAt: eventstest.Monday})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTake(t *testing.T) {
	page := `<title>QUIET</title><p>Short.</p><p>We invite papers on engines that nobody hears, from theory to the test bench.</p>` + strings.Repeat("<p>More on it.</p>", 60)
	s := &shelf{}
	in := New(Options{Extractor: fixed{eventstest.Record("", 0, func(e *eventseer.Event) { e.Title += " 2020" })}, Store: s})
	ids, err := in.StorePage(t.Context(), parse(t, page), 0.9)
	if err != nil || len(ids) != 1 {
		t.Fatalf("Take = %v, %v", ids, err)
	}
	again, _ := in.StorePage(t.Context(), parse(t, page), 0.9)
	if again[0] != ids[0] {
		t.Errorf("clip ids %s and %s of one page", ids[0], again[0])
	}
	e, c := s.events[0], s.clips[0]
	if e.ID != "quiet-2027" || e.CFPScore != 0.9 || !e.LastSeen.Equal(eventstest.Monday) || len(e.Warnings) != 1 {
		t.Errorf("stored %+v", e)
	}
	if !strings.HasPrefix(c.Summary, "We invite papers") || utf8.RuneCountInString(c.Summary) > eventseer.MaxSnippet || c.Title != e.Title {
		t.Errorf("clip %+v", c)
	}
}

func TestTakeNothing(t *testing.T) {
	s := &shelf{}
	in := New(Options{Extractor: fixed{}, Store: s, Now: func() time.Time { return eventstest.Monday }})
	if ids, err := in.StorePage(t.Context(), parse(t, ""), 0.9); err != nil || len(ids) > 0 || len(s.events) > 0 {
		t.Errorf("Take of an empty page = %v, %v", ids, err)
	}
	s.err = errors.New("disk full")
	in = New(Options{Extractor: fixed{eventseer.Event{Title: "Quiet Engines"}}, Store: s})
	if _, err := in.StorePage(t.Context(), parse(t, "<p>Call"), 0.9); !errors.Is(err, s.err) {
		t.Errorf("Take = %v, want %v", err, s.err)
	}
}

// scissors cut the text that they are given.
type scissors struct{ summary string }

func (s scissors) Passage(_ *tagtree.Tree, offset int) (string, string) {
	if offset < 0 {
		return "", ""
	}
	return s.summary, "html/body/p"
}

func (s scissors) Clips(*tagtree.Tree) []eventseer.Clip {
	return []eventseer.Clip{{Title: "T", Summary: s.summary, Keywords: []eventseer.Keyword{{Term: "engine"}}}, {Title: "T", Summary: "Another engine."}}
}

func TestTakeClips(t *testing.T) {
	s := &shelf{}
	in := New(Options{Extractor: fixed{eventstest.Record("", 0, func(*eventseer.Event) {})}, Store: s, Clipper: scissors{"An engine."}})
	ids, err := in.StorePage(t.Context(), parse(t, "<p>Call for papers."), 0.9)
	if err != nil || len(ids) != 2 || len(s.clips) != 2 {
		t.Fatalf("Take = %v, %v; clips %+v, want the call's and one more", ids, err, s.clips)
	}
	for i, want := range []string{"An engine.", "Another engine."} {
		if c := s.clips[i]; c.Summary != want || c.ID != ids[i] || c.Event != "quiet-2027" || c.URL != eventstest.Home || !c.Seen.Equal(eventstest.Monday) {
			t.Errorf("clip %d = %+v", i, c)
		}
	}
	in = New(Options{Extractor: fixed{eventstest.Record("", 0, func(*eventseer.Event) {})}, Store: s, Clipper: scissors{}})
	if _, err := in.StorePage(t.Context(), parse(t, "<p>Call for papers to ann@lab.example."), 0.9); err != nil || s.clips[2].Summary != "Call for papers to …." {
		t.Errorf("without a passage: %v, %+v", err, s.clips[2:])
	}
}

// TestHomepage: the event's own site is found among what a message prints.
func TestHomepage(t *testing.T) {
	const list = "https://lists.example/pipermail/calls/2026-December/000017.html"
	page := &webgraph.Page{URL: list, Status: 200, FetchedAt: eventstest.Monday, Text: "QUIET 2027\n\nSee https://quiet2027.example.org/ and https://quiet2026.example.org/\n" +
		"Submit at https://easychair.org/conferences/?conf=quiet2027, archive: https://lists.example/\n"}
	tree, err := tagtree.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{}
	in := New(Options{Extractor: fixed{eventstest.Record(list, 0, nil)}, Store: s})
	if _, err := in.StorePage(t.Context(), tree, 0.9); err != nil {
		t.Fatal(err)
	}
	e := s.events[0]
	if e.Homepage != "https://quiet2027.example.org/" || e.Page() != e.Homepage || e.URL != list {
		t.Errorf("home page %q of %s", e.Homepage, e.URL)
	}
	at := e.Sources["homepage"].Offset
	if got := tree.Text()[at[0]:at[1]]; !strings.Contains(got, "quiet2027") {
		t.Errorf("it stands at %q", got)
	}
	if _, err := in.StorePage(t.Context(), parse(t, "<p>Nothing is linked.</p>"), 0.9); err != nil || s.events[1].Homepage != "" {
		t.Errorf("a page of the dates has the home page %q, %v", s.events[1].Homepage, err)
	}
}

// TestSubjectTellsExtension checks that a message whose subject announces an extension moves its day for
// papers, and no other.
func TestSubjectTellsExtension(t *testing.T) {
	for subject, want := range map[string]bool{"Subject: DEADLINE EXTENSION: QUIET 2027": true, "Subject: QUIET 2027, extended abstracts": false} {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "mid:1@list.example", Status: 200, FetchedAt: eventstest.Monday, Text: subject + "\n\nPapers: 15 February 2027\n"})
		if err != nil {
			t.Fatal(err)
		}
		s := &shelf{}
		in := New(Options{Extractor: fixed{eventstest.Record("", 0, func(e *eventseer.Event) {
			e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-15", Text: "Papers"}, {Kind: eventseer.Notification, Date: "2027-03-15", Text: "Decisions"}}
		})}, Store: s})
		if _, err := in.StorePage(t.Context(), tree, 0.9); err != nil {
			t.Fatal(err)
		}
		ds := s.events[0].Deadlines
		if got := strings.Contains(ds[0].Text, "EXTENSION"); got != want || ds[1].Text != "Decisions" {
			t.Errorf("%s: %q and %q", subject, ds[0].Text, ds[1].Text)
		}
	}
}

// TestSent checks that deadlines have the day on which their message was sent, and those of other pages none.
func TestSent(t *testing.T) {
	for sent, want := range map[time.Time]eventseer.Date{{}: "", eventstest.Monday: eventseer.Date(eventstest.Monday.Format(time.DateOnly))} {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "mid:1@list.example", Status: 200, FetchedAt: eventstest.Monday, Sent: sent, Text: "Subject: QUIET 2027\n\nPapers: 15 February 2027\n"})
		if err != nil {
			t.Fatal(err)
		}
		s := &shelf{}
		in := New(Options{Extractor: fixed{eventstest.Record("", 0, func(e *eventseer.Event) {
			e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-15", Text: "Papers"}}
		})}, Store: s})
		if _, err := in.StorePage(t.Context(), tree, 0.9); err != nil || s.events[0].Deadlines[0].Source.Sent != want {
			t.Errorf("sent %v: %+v, %v", sent, s.events[0].Deadlines[0].Source, err)
		}
	}
}

// message returns a message of an archive with this text.
func message(t *testing.T, text string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "https://lists.example/pipermail/calls/2026-December/000018.html", Status: 200, FetchedAt: eventstest.Monday, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestHeadAddress: no address of a message is named after its event, so the first address of its
// head is the event's site. An address of a journal, an archive or a submission system is not.
func TestHeadAddress(t *testing.T) {
	const head = "Workshop on Brass Valves\nBergen, 1 June 2027\n"
	brass := func(e *eventseer.Event) { e.Title, e.Acronym = "Workshop on Brass Valves", "" }
	for _, tt := range []struct {
		name, text, want string
		changes          func(*eventseer.Event)
	}{
		{"in the head", head + "https://valves.example.org/\nsubmit: https://easychair.org/conferences/?conf=wbv\n", "https://valves.example.org/", brass},
		{"behind a system to submit to", head + "https://easychair.org/conferences/?conf=wbv\nhttps://valves.example.org/\n", "https://valves.example.org/", brass},
		{"a file", head + "https://valves.example.org/call.pdf\n", "", brass},
		{"of another year", head + "https://valves.example.org/2024/\n", "", brass},
		{"far below", head + strings.Repeat("We look for work on valves. ", 40) + "\nhttps://valves.example.org/\n", "", brass},
		{"of a journal", head + "https://journal.example.org/\n", "", func(e *eventseer.Event) { brass(e); e.Kind = eventseer.SpecialIssue }},
		{"called after the event comes first", head + "https://valves.example.org/\nhttps://wbv2027.example/\n", "https://wbv2027.example/", func(e *eventseer.Event) { brass(e); e.Acronym = "WBV 2027" }},
	} {
		tree := message(t, tt.text)
		s := &shelf{}
		in := New(Options{Extractor: fixed{eventstest.Record("", 0, tt.changes)}, Store: s})
		if _, err := in.StorePage(t.Context(), tree, 0.9); err != nil {
			t.Fatal(err)
		}
		if got := s.events[0].Homepage; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestAnnouncedName checks that a repeated text of a message is the name. A text that occurs once is a
// remark, unless it has the form of a name.
func TestAnnouncedName(t *testing.T) {
	named := func(title, acronym string) eventseer.Event {
		return eventstest.Record("", 0, func(e *eventseer.Event) { e.Title, e.Acronym, e.Kind = title, acronym, eventseer.Conference })
	}
	at := func(e eventseer.Event, from, to int) eventseer.Event {
		e.Sources = map[string]eventseer.Provenance{"title": {Offset: [2]int{from, to}}}
		return e
	}
	for _, tt := range []struct {
		name, text, want string
		e                eventseer.Event
		held             bool
	}{
		{"an apology", "Sorry for sending twice\n\nPapers on valves are due in May.", "Sorry for sending twice", named("Sorry for sending twice", ""), true},
		{"an apology that is the subject too", "Subject: Sorry for sending twice\nDate: 1 December 2026\n\nSorry for sending twice.\nPapers on valves are due in May.", "Sorry for sending twice", named("Sorry for sending twice", ""), true},
		{"cut at a bracket", "The Second (2027) Workshop on Brass Valves\n\nPapers are due in May.", "Workshop on Brass Valves", named("2027) Workshop on Brass Valves", ""), false},
		{"a name and a remark", "Pump Days 2027: registration and abstracts\n\nPump Days 2027 take place in June.", "Pump Days 2027", named("Pump Days 2027: registration and abstracts", ""), false},
		{"a remark and a name", "Reminder: Pump Days 2027\n\nThe Pump Days are near.", "Pump Days 2027", named("Reminder: Pump Days 2027", ""), false},
		{"a special session", "Special Session: Valves in Old Pumps\n\nThis special session is on valves. The special session takes place in June.", "Special Session: Valves in Old Pumps", named("Special Session: Valves in Old Pumps", ""), false},
		{"a name by its form", "Workshop on Brass Valves\n\nPapers are due in May.", "Workshop on Brass Valves", named("Workshop on Brass Valves", ""), false},
		{"a reply", "Re. Workshop on Brass Valves\n\nPapers are due in May.", "Workshop on Brass Valves", named("Re. Workshop on Brass Valves", ""), false},
		{"within a phrase", "The day for the 3rd Workshop on Brass Valves is near.", "3rd Workshop on Brass Valves", named("for the 3rd Workshop on Brass Valves", ""), false},
		{"of an owner", "The guild announces\n\nIts Tenth Workshop on Brass Valves", "Tenth Workshop on Brass Valves", named("Its Tenth Workshop on Brass Valves", ""), false},
		{"news in a subject", "Subject: Pumps! 2027: papers & registration open\n\nThe team of Pumps! 2027 is glad to open the site of Pumps! 2027.", "Pumps! 2027", named("Pumps! 2027: papers & registration open", "Pumps!"), false},
		{"a remark before a name in a subject", "Subject: Announcing the calls - Workshop on Brass Valves\n\nPapers are due in May.", "Workshop on Brass Valves", named("Announcing the calls - Workshop on Brass Valves", ""), false},
		{"a remark in brackets in a subject", "Subject: Workshop on Brass Valves (one week left)\n\nPapers are due in May.", "Workshop on Brass Valves", named("Workshop on Brass Valves (one week left)", ""), false},
		{"a final call in a subject", "Subject: PUMPS Days Final Call for Papers\n\nPUMPS are made of brass, and PUMPS Days are in May.", "PUMPS Days", at(named("PUMPS Days Final", "PUMPS"), 9, 25), false},
		{"two names in a subject", "Subject: Pump Conference 2027: Workshop on Brass Valves\n\nPapers are due in May.", "Pump Conference 2027: Workshop on Brass Valves", named("Pump Conference 2027: Workshop on Brass Valves", ""), false},
		{"its host", "Part of the Conference on Pumps\n\nPapers on valves are due in May.", "Part of the Conference on Pumps", named("Part of the Conference on Pumps", ""), true},
		{"a clause", "The day of the PUMPS workshop is near.", "PUMPS workshop is near", named("PUMPS workshop is near", "PUMPS"), true},
		{"a sentence", "The workshop has lectures and talks of users as well as lessons by experts of Oslo on pumps.", "The workshop has lectures and talks of users as well as lessons by experts of Oslo on pumps", named("The workshop has lectures and talks of users as well as lessons by experts of Oslo on pumps", ""), true},
		{"its acronym", "PUMPS Days\n\nPapers are due in May.", "PUMPS Days", named("PUMPS Days", "PUMPS"), true},
	} {
		s := &shelf{}
		in := New(Options{Extractor: fixed{tt.e}, Store: s})
		if _, err := in.StorePage(t.Context(), message(t, tt.text), 0.9); err != nil {
			t.Fatal(err)
		}
		e := s.events[0]
		if e.Title != tt.want || (e.ExclusionReason() != "") != tt.held {
			t.Errorf("%s: %q, held back: %q", tt.name, e.Title, e.ExclusionReason())
		}
	}
}

// TestAnnouncedYear checks the year of an event whose message has no days of it but deadlines in the year before.
func TestAnnouncedYear(t *testing.T) {
	for text, want := range map[string]int{
		"The industrial track of KITES 2027, see kites2027.example, covers kites.": 2027,
		"The industrial track of KITES covers kites.":                              2026,
		"After KITES 2020 and KITES 2021 comes the next.":                          2026,
		"KITES 2026 comes before MIKITES 2027.":                                    2026,
	} {
		e := eventstest.Record("", 0, func(e *eventseer.Event) {
			e.Title, e.Acronym, e.Year, e.EventStart, e.EventEnd = "KITES 2026", "KITES", 2026, "", ""
		})
		s := &shelf{}
		in := New(Options{Extractor: fixed{e}, Store: s})
		if _, err := in.StorePage(t.Context(), message(t, "Conference on Kites\n\n"+text), 0.9); err != nil {
			t.Fatal(err)
		}
		if got := s.events[0]; got.Year != want || got.Title != fmt.Sprintf("KITES %d", want) {
			t.Errorf("%s: %s of %d, want %d", text, got.Title, got.Year, want)
		}
	}
}
