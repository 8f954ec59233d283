package eval

import (
	"cmp"
	"slices"

	"eventseer/classify"
)

// maxSlices bounds the slices kept of one tag, the largest ones.
const maxSlices = 30

// MaxErrors bounds the errors a Report lists.
const MaxErrors = 1000

// A Slice is the examples that share a tag.
type Slice struct {
	Tag
	Examples int `json:"examples"`
	// Positives are the examples of the second of two classes.
	Positives int `json:"positives,omitempty"`
	// Right counts right guesses.
	Right int `json:"right"`
	// Figures are precision, recall and F1 of the second of two classes, else
	// accuracy and its base rate. They are nil where fewer than 20 examples (of
	// two classes: of the second) stand behind them.
	Figures []classify.Figure `json:"figures"`
}

// slicesOf measures the examples of each tag apart: tags in the order they
// first occur, of each the largest slice first.
func slicesOf(classes int, ps []Prediction, seed uint64) []Slice {
	members := map[Tag][]Prediction{}
	var tags []Tag
	var names []string
	for _, p := range ps {
		for _, t := range p.Tags {
			if members[t] == nil {
				tags = append(tags, t)
			}
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
			members[t] = append(members[t], p)
		}
	}
	slices.SortFunc(tags, func(a, b Tag) int {
		return cmp.Or(
			cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name)),
			cmp.Compare(len(members[b]), len(members[a])),
			cmp.Compare(a.Value, b.Value),
		)
	})
	var all []Slice
	kept := map[string]int{}
	for _, t := range tags {
		if kept[t.Name]++; kept[t.Name] <= maxSlices {
			all = append(all, newSlice(t, classes, members[t], seed))
		}
	}
	return all
}

func newSlice(t Tag, classes int, ps []Prediction, seed uint64) Slice {
	s := Slice{Tag: t, Examples: len(ps)}
	for _, p := range ps {
		if p.Guess == p.Truth {
			s.Right++
		}
		if classes == 2 {
			s.Positives += p.Truth
		}
	}
	behind, names := s.Examples, []string{Accuracy, BaseRate}
	if classes == 2 {
		behind, names = s.Positives, []string{Precision, Recall, F1}
	}
	if behind >= few {
		m := newMeasure(classes, ps)
		s.Figures = m.named(m.estimates(groupingOf(ps), seed), names)
	}
	return s
}

// A Mistake is one wrong guess.
type Mistake struct {
	// Example is the index of the prediction.
	Example int    `json:"example"`
	URL     string `json:"url"`
	Group   string `json:"group"`
	Truth   string `json:"truth"`
	Guess   string `json:"guess"`
	// Confidence is the probability the guess was given, 0 if it is not known.
	Confidence float64 `json:"confidence"`
	// Reasons are what decided for the guess, if the caller filled them in.
	Reasons []Reason `json:"reasons,omitempty"`
}

// A Reason is one feature's part in a decision, see classify.Reason.
type Reason struct {
	Term   string  `json:"term"`
	Weight float64 `json:"weight"`
}

// mistakes returns the wrong guesses that have a URL, the most confident first,
// and the number of all.
func mistakes(classes []string, ps []Prediction) (list []Mistake, n int) {
	for i, p := range ps {
		if p.Guess == p.Truth {
			continue
		}
		n++
		if p.URL != "" {
			list = append(list, Mistake{
				Example: i, URL: p.URL, Group: p.Group, Truth: classes[p.Truth], Guess: classes[p.Guess], Confidence: confidence(len(classes), p),
			})
		}
	}
	slices.SortStableFunc(list, func(a, b Mistake) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return list[:min(len(list), MaxErrors)], n
}

// confidence is the probability p gave its guess.
func confidence(classes int, p Prediction) float64 {
	switch {
	case classes == 2 && p.Guess == 1:
		return p.Score
	case classes == 2:
		return 1 - p.Score
	case len(p.Scores) == classes:
		return p.Scores[p.Guess]
	}
	return 0
}

// Keep drops all but the first n errors of r.
func (r *Report) Keep(n int) { r.Errors = r.Errors[:min(n, len(r.Errors))] }
