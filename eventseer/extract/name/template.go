package name

import (
	"github.com/eventseer/eventseer/classify"
)

// A featureTemplate is a kind of feature.
type featureTemplate struct {
	hash  uint32 // of its name
	table int    // index of its weights in weightTables, 0 if it has none
}

func newTemplate(name string) featureTemplate {
	return featureTemplate{hash: classify.HashTerm(name, "")}
}

// tabulated are the templates of features with small values, and the number of these values. Their weights
// are kept in tables: most features of a candidate are of this kind.
var tabulated = []tabulation{{}}

type tabulation struct {
	featureTemplate
	values int
}

// newTabulated returns a template whose features mostly have values below the given number. It is called to
// initialise package variables.
func newTabulated(name string, values int) featureTemplate {
	t := newTemplate(name)
	t.table = len(tabulated)
	tabulated = append(tabulated, tabulation{t, values})
	return t
}

// termID returns the ID of the feature with template t and a value with hash v.
func (t featureTemplate) termID(v uint32) uint32 {
	h := t.hash
	for range 4 {
		h = (h ^ (v & 0xff)) * fnvPrime
		v >>= 8
	}
	return h
}

// weightTables are the weights of a model for each tabulated template, by the value of the feature, in units of
// 1/classify.WeightUnit. They are read-only.
type weightTables [][]int16

// of returns the weights of a template, or nil if there are none. The receiver may be nil.
func (w *weightTables) of(t featureTemplate) []int16 {
	if w == nil {
		return nil
	}
	return (*w)[t.table]
}

// Prepare makes Read faster. It is called after Names is set and before the first call of Read.
func (r *Reader) Prepare() {
	w := make(weightTables, len(tabulated))
	for i, t := range tabulated {
		w[i] = make([]int16, t.values)
		for v := range w[i] {
			w[i][v] = int16(r.Names.SumUnits([]uint32{t.termID(uint32(v))})) // fits: see classify.MaxWeight
		}
	}
	r.tables = &w
}
