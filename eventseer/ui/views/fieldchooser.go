package views

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"
)

// MaxMyFields bounds the fields that a reader chooses.
const MaxMyFields = 20

// ParseFields returns the ids of fields in a text such as "ml.databases", each once and in the
// order of the table; what is no field is left out.
func ParseFields(text string) (ids []string) {
	asked := strings.Split(Clip(text, 2000), ".")
	for _, f := range field.All() {
		if slices.Contains(asked, f.ID) && len(ids) < MaxMyFields {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// A FieldChooser is the form in which a reader chooses fields.
type FieldChooser struct {
	Groups []fieldGroup
	Open   bool // nothing is chosen yet
}

// A fieldGroup are the fields of a discipline.
type fieldGroup struct {
	Name   string
	Fields []fieldChoice
}

type fieldChoice struct {
	ID, Name string
	Chosen   bool
	Count    int // open calls of it, 0 also where that is not known
}

// NewFieldChooser offers all fields, with the counts of a facet.
func NewFieldChooser(chosen []string, facets []eventseer.Facet) *FieldChooser {
	counts := map[string]int{}
	for _, f := range facets {
		for _, v := range f.Values {
			if f.Name == "field" {
				counts[v.Term] = v.Count
			}
		}
	}
	c := &FieldChooser{Open: len(chosen) == 0}
	at := map[string]int{}
	for _, f := range field.All() {
		i, known := at[f.Discipline]
		if !known {
			i = len(c.Groups)
			at[f.Discipline] = i
			c.Groups = append(c.Groups, fieldGroup{Name: f.Discipline})
		}
		choice := fieldChoice{ID: f.ID, Name: f.Name, Chosen: slices.Contains(chosen, f.ID), Count: counts[query.TermText("field", f.ID)]}
		if f.IsGeneral() {
			choice.Name = "All of it"
		}
		c.Groups[i].Fields = append(c.Groups[i].Fields, choice)
	}
	return c
}
