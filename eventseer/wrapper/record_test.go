package wrapper

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

func TestRecord(t *testing.T) {
	w, _ := followed(t, 6)
	tree, known := wrappertest.CallPage(t, 7)
	known.Publisher = "Press"
	rec := w.Record(tree, w.Apply(tree), wrappertest.Lines{}, known)
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
	if diff := cmp.Diff(want, got); diff != "" || len(rec.Rejected) != 0 || !rec.IsImportable(w) {
		t.Errorf("rejected %q (-want +got):\n%s", rec.Rejected, diff)
	}
}

// TestRecordOther names a field as no event has it. Its values are imported as printed, with their place on
// the page, but without addresses of people.
func TestRecordOther(t *testing.T) {
	w, _ := followed(t, 6)
	tree, known := wrappertest.CallPage(t, 7)
	r := w.Apply(tree)
	due := meaning(w, "deadlines.submission")
	printed := r.Values[due][0].Text
	due.Meaning = "end.of.sale"
	r.Values[due] = append(r.Values[due], Value{Text: " by ann.lee@lab.example "}, Value{Text: " "}, Value{Text: strings.Repeat("x", eventseer.MaxText)})
	rec := w.Record(tree, r, wrappertest.Lines{}, known)
	got := rec.Event.Other["end.of.sale"]
	if want := []string{printed, "by …", strings.Repeat("x", eventseer.MaxOtherText)}; !cmp.Equal(want, got) || len(rec.Event.Other) != 1 {
		t.Errorf("read %q, want %q", rec.Event.Other, want)
	}
	src := rec.Event.Sources["other.end.of.sale"]
	if src.Rule != eventseer.WrapperRule || tree.Text()[src.Offset[0]:src.Offset[1]] != printed {
		t.Errorf("%q is from %+v", printed, src)
	}
	if len(rec.Event.Deadlines) > 0 || len(rec.Rejected) > 0 || !rec.IsImportable(w) {
		t.Errorf("record %+v, rejected %q", rec.Event, rec.Rejected)
	}
}

// A value that cannot be read under its own name is left out with a message. A page with only such values is
// not a record.
func TestRecordRejects(t *testing.T) {
	w, _ := followed(t, 6)
	tree, known := wrappertest.CallPage(t, 7)
	r := w.Apply(tree)
	due := meaning(w, "deadlines.submission")
	r.Values[due] = []Value{{Text: strings.Repeat("to be announced ", 20)}}
	rec := w.Record(tree, r, wrappertest.Lines{}, known)
	if len(rec.Event.Deadlines) != 0 || len(rec.Rejected) != 1 || !strings.HasPrefix(rec.Rejected[0], "deadlines.submission: ") || !rec.IsImportable(w) || len(rec.Rejected[0]) > 150 {
		t.Errorf("record %+v", rec)
	}
	rec = w.Record(tree, r, silent{}, known)
	if len(rec.Rejected) < 3 || rec.IsImportable(w) {
		t.Errorf("a page of which nothing can be read is a record: %+v", rec)
	}
}

type silent struct{}

func (silent) Extract(*tagtree.Tree) (eventseer.Event, bool) { return eventseer.Event{}, false }

// The values of a list that one element holds are its items; markup in values is text.
func TestDraftPage(t *testing.T) {
	list := wrappertest.ParsePage(t, "https://a.example/", `<ul><li>one <b>and</b> two</li><li>three</li></ul>`)
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
	page, err := d.toPage()
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
