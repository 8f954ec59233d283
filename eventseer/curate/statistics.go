package curate

import (
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// Statistics describe the accuracy of a store's records from its corrections.
type Statistics struct {
	Corrections int `json:"corrections"` // that count
	Undone      int `json:"undone"`
	// Fields are the fields that editors have checked, by name; deadlines are one.
	Fields []FieldAccuracy `json:"fields"`
}

// A FieldAccuracy counts how often a field was right when an editor checked it. It was right if
// they pinned it, and wrong if they corrected it. Editors check fields where they expect errors, so
// it is a lower bound for all records.
type FieldAccuracy struct {
	Field  string `json:"field"`
	Looked int    `json:"looked"` // events whose field an editor has corrected or pinned
	Right  int    `json:"right"`
	// Low and High are the 95 % interval of the share of correct fields (Wilson 1927), 0 to 1.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Sample is the accuracy on the events that Sampled chose. It is an estimate for all records if
	// all of the sample, or the first by SampleRank, have been checked. It is nil if there are
	// none.
	Sample *SampleAccuracy `json:"sample,omitempty"`
}

// A SampleAccuracy counts how often a field was right in events of the sample.
type SampleAccuracy struct {
	Looked int     `json:"looked"` // at least 1
	Right  int     `json:"right"`
	Low    float64 `json:"low"` // as of FieldAccuracy
	High   float64 `json:"high"`
}

// Summarize returns the statistics of corrections. Of several corrections of one field of one event
// the first is used, because it judges the value of the pages.
func Summarize(corrections []eventseer.Correction) (s Statistics) {
	type looked struct {
		event eventseer.EventID
		field string
	}
	first := map[looked]eventseer.Correction{}
	for _, c := range corrections {
		if c.Undone != nil {
			s.Undone++
			continue
		}
		s.Corrections++
		if c.Field == "" {
			continue
		}
		at := looked{c.Event, c.Field}
		if before, ok := first[at]; !ok || c.ID < before.ID {
			first[at] = c
		}
	}
	counts := map[string]*FieldAccuracy{}
	for at, c := range first {
		name := at.field
		if strings.HasPrefix(name, deadlinePrefix) {
			name = "deadlines"
		}
		if counts[name] == nil {
			counts[name] = &FieldAccuracy{Field: name}
		}
		right := 0
		if c.Kind == eventseer.PinCorrection {
			right = 1
		}
		counts[name].Looked++
		counts[name].Right += right
		if IsSampled(c.Event) {
			if counts[name].Sample == nil {
				counts[name].Sample = &SampleAccuracy{}
			}
			counts[name].Sample.Looked++
			counts[name].Sample.Right += right
		}
	}
	for _, f := range counts {
		f.Low, f.High = wilsonInterval(f.Right, f.Looked)
		if f.Sample != nil {
			f.Sample.Low, f.Sample.High = wilsonInterval(f.Sample.Right, f.Sample.Looked)
		}
		s.Fields = append(s.Fields, *f)
	}
	slices.SortFunc(s.Fields, func(a, b FieldAccuracy) int { return strings.Compare(a.Field, b.Field) })
	return s
}

// wilsonInterval returns the 95 % interval of a share with k of n successes; n is positive.
func wilsonInterval(k, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (mid-half)/(1+z*z/m)), min(1, (mid+half)/(1+z*z/m))
}
