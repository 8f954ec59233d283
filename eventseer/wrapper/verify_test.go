package wrapper

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
)

func kinds(notices []Notice) (kinds []NoticeKind) {
	for _, n := range notices {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// A wrapper becomes trusted after some pages and is disabled after some that fail; a person is notified once
// of each. One bad page is not enough.
func TestFollow(t *testing.T) {
	w, notices := followed(t, 4)
	if w.Status != Learning || len(notices) != 0 {
		t.Fatalf("after 4 pages it is %s, %v", w.Status, notices)
	}
	for i := 4; i < 8; i++ {
		tree, e := wrappertest.CallPage(t, i)
		notices = append(notices, w.UpdateFromPage(tree, w.Add(tree), time.Time{}, e)...)
	}
	if w.Status != Active || !slices.Equal(kinds(notices), []NoticeKind{Trusted}) {
		t.Fatalf("after 8 pages it is %s, %v", w.Status, notices)
	}
	notices = nil
	for i := range 3 {
		page := wrappertest.OtherPage(t, 20+i)
		notices = append(notices, w.UpdateFromPage(page, w.Apply(page), time.Time{})...)
		if want := map[bool]Status{true: Broken, false: Active}[i == 2]; w.Status != want {
			t.Errorf("after %d pages of another template it is %s, want %s", i+1, w.Status, want)
		}
	}
	if !slices.Equal(kinds(notices), []NoticeKind{SetAside}) || !strings.Contains(notices[0].Text, "gone") {
		t.Errorf("told %+v", notices)
	}
}

// A field whose values turn into something else fails, though all is in its place.
func TestTypeChange(t *testing.T) {
	w, _ := followed(t, 8)
	r := Reading{URL: "u", Values: map[*Field][]Value{}, Matched: 1}
	for _, f := range w.Fields {
		if f.Meaning != "" {
			r.Values[f] = []Value{{Text: "404: this page does not exist any more; please use the search function or contact the administrator."}}
		}
	}
	if c := w.CheckPage(r); c.Passed || !strings.Contains(strings.Join(c.Failed, " "), "another type") {
		t.Errorf("check %+v", c)
	}
}

func TestNewFieldsAreToldOnce(t *testing.T) {
	w, notices := followed(t, 12)
	told := slices.DeleteFunc(slices.Clone(notices), func(n Notice) bool { return n.Kind != NewFields })
	if len(told) != 1 || !strings.Contains(told[0].Text, "annotate") {
		t.Errorf("told %+v", told)
	}
	for _, f := range w.Fields {
		if f.Meaning == "" {
			f.Ignored = true
		}
	}
	w.Ledger.NoticePages = 0
	if names := w.newFieldIDs(); len(names) != 0 {
		t.Errorf("told again of %v", names)
	}
}

// An operator's answer outlives the template.
func TestRestart(t *testing.T) {
	w, _ := followed(t, 6)
	if err := w.Rename(meaning(w, Title).ID, "headline"); err != nil {
		t.Fatal(err)
	}
	w.RestartLearning()
	if w.Status != Learning || len(w.Fields) != 0 || len(w.Ledger.Names) != 1 {
		t.Fatalf("restarted %+v", w)
	}
	for i := range 4 {
		tree, e := wrappertest.CallPage(t, i+5)
		w.UpdateFromPage(tree, w.Add(tree), time.Time{}, e)
	}
	if f := meaning(w, "headline"); f == nil || f.By != ByOperator || len(w.Ledger.Names) != 0 {
		t.Errorf("the headline is %+v, names left %v", f, w.Ledger.Names)
	}
}
