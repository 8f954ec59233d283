package name

import (
	"strings"
	"testing"
)

// TestCompleteName checks that a name before its acronym in brackets is not cut, unless the further words are those that
// the acronym abbreviates.
func TestCompleteName(t *testing.T) {
	for _, c := range []struct{ lines, chosen, key, want string }{
		{"Workshop on the Sources between wide Rivers and Floods (SORF 2027)", "Workshop on the Sources", "SORF", "Workshop on the Sources between wide Rivers and Floods"},
		{"Forum on Locks - Canals and beyond (LOC'27), held in Ghent", "Forum on Locks - Canals", "LOC", "Forum on Locks - Canals and beyond"},
		{"Forum on Locks (LOC'27), Ghent (LOC)", "Forum on Locks", "LOC", "Forum on Locks"},
		{"Emerging Trends of Canals\nTransactions on Inland Ports (TIP)", "Emerging Trends of Canals", "TIP", "Emerging Trends of Canals"},
		{"Workshop on the Sources between wide Rivers and Floods", "Workshop on the Sources", "SORF", "Workshop on the Sources"},
	} {
		d := newDocument(pageOf("", "", strings.Split(c.lines, "\n")...), newMemory())
		list := d.nameCandidates(c.key)
		var chosen *candidate
		for _, x := range list {
			if d.printedText(x) == c.chosen {
				chosen = x
			}
		}
		if chosen == nil {
			t.Fatalf("%q is no candidate", c.chosen)
		}
		if got := d.printedText(d.completeName(list, chosen, c.key)); got != c.want {
			t.Errorf("%q: %q, want %q", c.lines, got, c.want)
		}
	}
}
