package wrapper

import (
	"testing"
	"time"
)

// TestSharedVerification checks verification on real pages. Pages of one template, fed one by one,
// pass; those of another template fail; and a field fails whose values are another field's.
func TestSharedVerification(t *testing.T) {
	groups := readGroups(t)
	var pages, alarms, others, noticed, swapped, caught int
	learned := make([]*Wrapper, len(groups))
	for i, g := range groups {
		w := New("h", "p")
		for _, page := range g.pages {
			c := w.Verify(page, w.Add(page), time.Time{})
			if pages++; !c.Passed {
				alarms++
				t.Logf("%s: %s fails: %q", g.name, c.URL, c.Failed)
			}
		}
		if w.Status != Active {
			t.Errorf("%s: the wrapper is %s after %d pages", g.name, w.Status, w.Pages)
		}
		learned[i] = w
	}
	for i, w := range learned {
		for j, g := range groups {
			if i == j {
				continue
			}
			for _, page := range g.pages[:3] {
				if others++; !w.CheckPage(w.Apply(page)).Passed {
					noticed++
				}
			}
		}
		last := groups[i].pages[len(groups[i].pages)-1]
		r := w.Apply(last)
		for _, f := range w.Fields {
			for _, other := range w.Fields {
				s := w.Ledger.Stats[f.ID]
				if f == other || s == nil || s.Present < ActivePages || len(r.Values[f]) == 0 || len(r.Values[other]) == 0 || r.Texts(f)[0] == r.Texts(other)[0] {
					continue
				}
				swapped++
				if s.likelihood(r.Texts(other)) < unlikely {
					caught++
				}
			}
		}
	}
	t.Logf("%d of %d pages of their own template fail; of another template %d of %d; values of another field %d of %d",
		alarms, pages, noticed, others, caught, swapped)
	if alarms*20 > pages || noticed*10 < 9*others {
		t.Error("too many false alarms, or redesigns unnoticed")
	}
}
