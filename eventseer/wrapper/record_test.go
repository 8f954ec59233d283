package wrapper

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eventseer/eventseer"
	"eventseer/eventseer/ingest"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// lines reads a page as plainly as a standardized one is written.
type lines struct{}

func (lines) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	e := eventseer.Event{URL: t.Page.URL, Title: t.Title(), Year: 2027}
	list := ""
	for _, b := range t.Blocks() {
		name, value, labelled := strings.Cut(b.Text, ": ")
		switch {
		case b.Text == "Topics of interest" || b.Text == "Program committee" || b.Text == "Important dates":
			list = b.Text
		case labelled && name == usual[Place]:
			e.Location = &eventseer.Venue{City: value}
		case labelled && name == usual[Dates]:
			e.EventStart = eventseer.Date(value)
		case labelled && name == usual["deadlines.submission"] && strings.Contains(value, "2027-"):
			e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Submission, Date: eventseer.Date(value[strings.Index(value, "2027-"):]), Text: value})
		case list == "Topics of interest":
			e.Topics = append(e.Topics, b.Text)
		case list == "Program committee":
			e.Committee = append(e.Committee, eventseer.Person{Name: b.Text})
		}
	}
	for _, l := range t.Links() {
		e.SubmissionURL = l.Target
	}
	return e, true
}

func TestRecord(t *testing.T) {
	w, _ := followed(t, 6)
	tree, known := callPage(t, 7)
	known.Publisher = "Press"
	rec := w.Record(tree, w.Apply(tree), lines{}, known)
	want := eventseer.Event{
		URL: known.URL, Title: known.Title, Topics: known.Topics, SubmissionURL: known.SubmissionURL,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-08-17"}},
	}
	got := rec.Event
	if len(got.Deadlines) != 1 || got.Deadlines[0].Source.Rule != eventseer.WrapperRule || got.Sources["title"].Rule != eventseer.WrapperRule {
		t.Fatalf("read %+v, rejected %q", got, rec.Rejected)
	}
	if src := got.Sources["title"]; tree.Text()[src.Offset[0]:src.Offset[1]] != known.Title || src.Path != "html/body/h1" || src.Snippet == "" {
		t.Errorf("the title is from %+v", src)
	}
	got.Sources, got.Deadlines[0].Source, got.Deadlines[0].Text = nil, eventseer.Provenance{}, ""
	if diff := cmp.Diff(want, got); diff != "" || len(rec.Rejected) != 0 || !rec.OK(w) {
		t.Errorf("rejected %q (-want +got):\n%s", rec.Rejected, diff)
	}
}

// A value that cannot be read under its own name is left out and said; a page of such
// values is no record.
func TestRecordRejects(t *testing.T) {
	w, _ := followed(t, 6)
	tree, known := callPage(t, 7)
	r := w.Apply(tree)
	due := meaning(w, "deadlines.submission")
	r.Values[due] = []Value{{Text: strings.Repeat("to be announced ", 20)}}
	rec := w.Record(tree, r, lines{}, known)
	if len(rec.Event.Deadlines) != 0 || len(rec.Rejected) != 1 || !strings.HasPrefix(rec.Rejected[0], "deadlines.submission: ") || !rec.OK(w) || len(rec.Rejected[0]) > 150 {
		t.Errorf("record %+v", rec)
	}
	rec = w.Record(tree, r, silent{}, known)
	if len(rec.Rejected) < 3 || rec.OK(w) {
		t.Errorf("a page of which nothing can be read is a record: %+v", rec)
	}
}

type silent struct{}

func (silent) Extract(*tagtree.Tree) (eventseer.Event, bool) { return eventseer.Event{}, false }

// The values of a list that one element holds are its items; markup in values is text.
func TestDraftPage(t *testing.T) {
	list := parsePage(t, "https://a.example/", `<ul><li>one <b>and</b> two</li><li>three</li></ul>`)
	var ul *tagtree.Node
	for n := list.Outline(); ul == nil; n = n.Children[len(n.Children)-1] {
		if n.Name == "ul" {
			ul = n
		}
	}
	d := draft{known: eventseer.Event{URL: "https://a.example/x/"}, values: map[string][]Value{
		Topics: {{Text: ul.Content(), Node: ul}}, Title: {{Text: "<script>"}}, SubmissionURL: {{Text: "../submit"}},
		Committee: {{Text: strings.Repeat("x", maxStandard)}},
	}}
	page, err := d.page()
	if err != nil {
		t.Fatal(err)
	}
	body := string(page.Page.Body)
	for _, want := range []string{"<li>one and two</li>\n<li>three</li>", "&lt;script&gt;", `href="https://a.example/submit"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %.300s", want, body)
		}
	}
	if len(body) > maxStandard {
		t.Errorf("the page has %d bytes", len(body))
	}
}

// A reader keeps what it learns across processes, takes a version of a page once, and
// reads only by wrappers that are trusted.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	log := NewNoticeLog(filepath.Join(dir, "notices.jsonl"))
	var reader *Reader
	for n := range 9 {
		set, err := OpenSet(dir, SetOptions{Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		reader = NewReader(ReaderOptions{Set: set, Extractor: lines{}, Notices: log, Known: func(context.Context, string) (eventseer.Event, error) {
			return eventseer.Event{}, eventseer.ErrNotFound
		}})
		tree, e := callPage(t, n)
		if _, ok := reader.Read(tree, e); ok != (n > 6) && n != 6 {
			t.Errorf("page %d is read: %v", n, ok)
		}
		for range 2 {
			if err := reader.Learn(t.Context(), tree, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := reader.o.Set.List()
	if err != nil || len(list) != 1 || list[0].Wrapper.Pages > 9 {
		t.Fatalf("%+v, %v", list, err)
	}
	tree, e := callPage(t, 10)
	if got, ok := reader.Read(tree, e); !ok || got.Title != e.Title || got.Sources["title"].Rule != eventseer.WrapperRule {
		t.Errorf("read %+v, %v", got, ok)
	}
	if _, ok := reader.Read(otherPage(t, 30), eventseer.Event{}); ok {
		t.Error("a page of another template is read")
	}
	fails := errors.New("disk full")
	reader.o.Known = func(context.Context, string) (eventseer.Event, error) { return eventseer.Event{}, fails }
	if err := reader.Learn(t.Context(), tree, e); !errors.Is(err, fails) {
		t.Errorf("Learn = %v", err)
	}
}

// A wrapper whose pages are all of another kind is learned anew, from the archive or
// from the pages to come.
func TestReaderLearnsAnew(t *testing.T) {
	for _, archived := range []bool{false, true} {
		dir := t.TempDir()
		pages := map[string]*webgraph.Page{}
		o := SetOptions{}
		if archived {
			o.Archive = shelf(pages)
		}
		set, err := OpenSet(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		log := NewNoticeLog(filepath.Join(dir, "notices.jsonl"))
		reader := NewReader(ReaderOptions{Set: set, Extractor: lines{}, Notices: log})
		for n := range 20 {
			tree, e := callPage(t, n%12)
			if n >= 8 { // the fields change their places
				body := strings.NewReplacer("<h1>", "<h1>404 ", "<b>", "<b>Long ago, nobody knows when exactly: ", "<li>", "<li>12345 67890 ", "/submit?conf=", "https://elsewhere.example/a/very/long/way/to/go/").Replace(string(tree.Page.Body))
				tree = parsePage(t, tree.Page.URL+"?new", body)
				e = eventseer.Event{URL: tree.Page.URL, Title: "404 " + e.Title}
			}
			if err := reader.Learn(t.Context(), tree, e); err != nil {
				t.Fatal(err)
			}
			pages[tree.Page.URL] = tree.Page
		}
		notices, err := log.List()
		if err != nil {
			t.Fatal(err)
		}
		told := slices.DeleteFunc(kinds(notices), func(k NoticeKind) bool { return k == NewFields })
		if diff := cmp.Diff([]NoticeKind{Trusted, SetAside, Reinduced, Trusted}, told); diff != "" {
			t.Errorf("with an archive: %v; told (-want +got):\n%s", archived, diff)
		}
	}
}

type shelf map[string]*webgraph.Page

func (s shelf) Last(url string) (*webgraph.Page, error) { return s[url], nil }

var _ ingest.Lister = (*Reader)(nil)
