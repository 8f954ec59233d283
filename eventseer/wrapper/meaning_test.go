package wrapper

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"

	"github.com/google/go-cmp/cmp"
)

// followed returns a wrapper that followed n pages, and its notices.
func followed(t *testing.T, n int) (*Wrapper, []Notice) {
	t.Helper()
	w := New("calls.example", "*.html")
	var notices []Notice
	for i := range n {
		tree, e := wrappertest.CallPage(t, i)
		notices = append(notices, w.UpdateFromPage(tree, w.Add(tree), time.Unix(int64(i), 0).UTC(), e)...)
	}
	return w, notices
}

func meaning(w *Wrapper, meaning string) *Field {
	for _, f := range w.Fields {
		if f.Meaning == meaning {
			return f
		}
	}
	return nil
}

func TestAnnotate(t *testing.T) {
	w, _ := followed(t, 6)
	tree, _ := wrappertest.CallPage(t, 7)
	r := w.Apply(tree)
	for name, want := range map[string][]string{
		Title:                  {"Workshop on Paper Boats"},
		"deadlines.submission": {"2027-08-17"},
		SubmissionURL:          {"/submit?conf=7"},
	} {
		if name == Title {
			want = []string{"Workshop on " + wrappertest.Subjects[7]}
		}
		f := meaning(w, name)
		if f == nil || f.By != ByEvidence || f.Strength < strongEvidence {
			t.Errorf("no strong field for %s: %+v", name, f)
			continue
		}
		if diff := cmp.Diff(want, r.Texts(f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if f := meaning(w, Topics); f == nil || len(entriesOf(r.Values[f][0]))*len(r.Values[f]) != 2 {
		t.Errorf("topics are %+v", f)
	}
	for _, f := range w.Fields {
		if f.Meaning != "" && strings.Contains(f.Path, "/i") {
			t.Errorf("the counter means %s", f.Meaning)
		}
	}
}

func TestOperatorsWord(t *testing.T) {
	w, _ := followed(t, 4)
	title := meaning(w, Title)
	if err := w.Rename(title.ID, "what.ever"); err != nil || title.By != ByOperator {
		t.Fatal(title, err)
	}
	tree, e := wrappertest.CallPage(t, 5)
	w.UpdateFromPage(tree, w.Add(tree), time.Time{}, e)
	if title.Meaning != "what.ever" {
		t.Errorf("evidence made the operator's field %q", title.Meaning)
	}
	if err := w.Accept(title.ID); err != nil || title.Meaning != Title || title.By != ByOperator || meaning(w, Title) != title {
		t.Errorf("accepted: %+v, %v", title, err)
	}
	if err := w.Ignore(title.ID); err != nil || len(w.SetMeanings()) == 0 && meaning(w, Title) == title {
		t.Errorf("ignored: %+v, %v", title, err)
	}
	if title.Meaning != "" || !title.Ignored {
		t.Errorf("ignored: %+v", title)
	}
	for what, err := range map[string]error{"accept": w.Accept("f0"), "rename": w.Rename("f0", "x"), "ignore": w.Ignore("f0")} {
		if !errors.Is(err, ErrNoField) {
			t.Errorf("%s of no field: %v", what, err)
		}
	}
	for _, bad := range []string{"", "Title", "9", "a b", "ä", strings.Repeat("a", 65)} {
		if err := w.Rename(title.ID, bad); err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
}

// The evidence survives the file, and values that a wrapper read are not evidence.
func TestLedgerIsKept(t *testing.T) {
	w, _ := followed(t, 4)
	data, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.Ledger, again.Ledger); diff != "" || len(again.Ledger.Stats) == 0 {
		t.Errorf("ledger (-written +read):\n%s", diff)
	}
}

// A value that moves between fields takes the meaning with it, unless it was named.
func TestEvidenceMayChange(t *testing.T) {
	w, _ := followed(t, 4)
	title := meaning(w, Title)
	for range 8 {
		s := w.Ledger.Support[title.ID][Title]
		s.Pages++
		w.Ledger.Support[title.ID][Title] = s
	}
	w.SetMeanings()
	if title.Meaning == Title {
		t.Errorf("with a strength of %.2f it still is the title", w.meanAgreement(title))
	}
}
