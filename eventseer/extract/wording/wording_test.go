package wording

import "testing"

// TestRead reads labels of several languages into concepts.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		label   string
		all     ConceptSet
		foreign bool
	}{
		{"Einsendeschluss für Abstracts", Send | Due | Abstract, true},
		{"Prazo final para artigos", Due | Paper, true},
		{"Versão final", Version | Final, true},
		{"終稿截止", Final | Version | Due, true},
		{"للملخصات", Abstract, true},
		{"Final version of the papers", Final | Version | Paper, false},
		{"Papers by Hernández are due with the deadline", Paper | Due, false},
		{"", 0, false},
		{"\xff\xfe", 0, false},
	} {
		if r := ReadLabel(c.label); r.All != c.all || r.Foreign != c.foreign {
			t.Errorf("%q: %b, foreign %v, want %b, %v", c.label, r.All, r.Foreign, c.all, c.foreign)
		}
	}
}
