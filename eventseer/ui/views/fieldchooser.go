package views

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"
)

// MaxMyFields bounds the fields that a reader can choose.
const MaxMyFields = 20

// ParseFields returns the ids of fields in a text such as "ml.databases", each once in the order of
// the table. Unknown ids are left out.
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

// A fieldGroup is the list of fields of a discipline.
type fieldGroup struct {
	Name   string
	Fields []fieldChoice
}

type fieldChoice struct {
	ID, Name string
	Chosen   bool
	Count    int // its open calls, 0 if unknown
}

// countFields returns the counts of a facet's fields, by term.
func countFields(facets []eventseer.Facet) map[string]int {
	counts := map[string]int{}
	for _, v := range facetNamed(facets, "field").Values {
		counts[v.Term] = v.Count
	}
	return counts
}

// NewFieldChooser returns a chooser of all fields, with the counts of a facet.
func NewFieldChooser(chosen []string, facets []eventseer.Facet) *FieldChooser {
	counts := countFields(facets)
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

// proposedFields is the number of fields in a FieldBar besides those chosen.
const proposedFields = 4

// A FieldBar is a row of buttons, one for each field: those chosen, then the most frequent ones.
type FieldBar struct {
	Chosen int
	Chips  []fieldChip
}

// A fieldChip is a button. Set are the fields after it is pressed, in the format of ParseFields.
type fieldChip struct {
	Name, Count, Set string
	Chosen           bool
}

// NewFieldBar returns the row of the chosen fields and those of a facet.
func NewFieldBar(chosen []string, facets []eventseer.Facet) *FieldBar {
	b := &FieldBar{Chosen: len(chosen)}
	counts := countFields(facets)
	count := func(f field.Field) int { return counts[query.TermText("field", f.ID)] }
	fields := slices.DeleteFunc(slices.Clone(field.All()), func(f field.Field) bool {
		return !slices.Contains(chosen, f.ID) && (f.IsGeneral() || count(f) == 0)
	})
	rank := func(f field.Field) int {
		if slices.Contains(chosen, f.ID) {
			return math.MaxInt
		}
		return count(f)
	}
	slices.SortStableFunc(fields, func(x, y field.Field) int { return cmp.Compare(rank(y), rank(x)) })
	for _, f := range fields[:min(len(fields), len(chosen)+proposedFields)] {
		chip := fieldChip{Name: f.Name, Chosen: slices.Contains(chosen, f.ID)}
		if n := count(f); n > 0 {
			chip.Count = thousandsText(n)
		}
		set := append(slices.Clone(chosen), f.ID)
		if chip.Chosen {
			set = slices.DeleteFunc(slices.Clone(chosen), func(id string) bool { return id == f.ID })
		}
		chip.Set = strings.Join(set, ".")
		b.Chips = append(b.Chips, chip)
	}
	return b
}
