package wrapper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// Verification follows RAPTURE (Kushmerick 2000, "Wrapper verification"): values that
// a wrapper reads are compared, feature by feature, with those it read while it was
// right. Beyond his features of a value's characters, a field may be gone, and most
// of a page be of another template.

// Bounds of verification.
const (
	ActivePages = 5 // that a wrapper has read rightly before it is trusted
	Window      = 5 // last pages that are looked at
	maxFailing  = 2 // of the window: one more and the wrapper is set aside

	required   = 0.9     // share of pages from which a field is expected on all
	failShare  = 1.0 / 3 // of its fields that a page may fail
	matchShare = 0.5     // of its texts that the template has to know
	unlikely   = 1e-2    // chance below which values are of another type
	leastCount = 3       // pages that statistics need

	maxFailures = 10 // reasons kept of a page
)

// A Check says how one page fared.
type Check struct {
	URL     string          `json:"url"`
	Version webgraph.Digest `json:"version,omitempty"`
	At      time.Time       `json:"at"`
	Passed  bool            `json:"passed"`
	// Failed are the fields that are gone or of another type, at most maxFailures.
	Failed []string `json:"failed,omitempty"`
}

// features of the values of a field on one page.
const (
	logLength  = iota // characters of a value
	digitShare        // shares of them
	letterShare
	upperShare
	markShare
	wordLength
	numFeatures
)

// Stats are of the values of a field over the pages that passed: how many pages had
// one, and mean and sum of squared deviations (Welford 1962) of their features.
type Stats struct {
	Pages   int                  `json:"pages"`
	Present int                  `json:"present"`
	Mean    [numFeatures]float64 `json:"mean"`
	M2      [numFeatures]float64 `json:"m2"`
}

func featuresOf(texts []string) (x [numFeatures]float64) {
	for _, text := range texts {
		n, words := 0.0, max(1, len(strings.Fields(text)))
		for _, r := range text {
			n++
			switch {
			case unicode.IsDigit(r):
				x[digitShare]++
			case unicode.IsLetter(r):
				x[letterShare]++
				if unicode.IsUpper(r) {
					x[upperShare]++
				}
			case !unicode.IsSpace(r):
				x[markShare]++
			}
		}
		x[logLength] += math.Log(1 + n)
		x[wordLength] += math.Log(1 + n/float64(words))
	}
	values, chars := float64(max(1, len(texts))), 0.0
	for _, text := range texts {
		chars += float64(len([]rune(text)))
	}
	x[logLength] /= values
	x[wordLength] /= values
	for i := digitShare; i <= markShare; i++ {
		x[i] /= max(1, chars)
	}
	return x
}

func (s *Stats) add(texts []string) {
	if s.Pages++; len(texts) == 0 {
		return
	}
	s.Present++
	for i, v := range featuresOf(texts) {
		d := v - s.Mean[i]
		s.Mean[i] += d / float64(s.Present)
		s.M2[i] += d * (v - s.Mean[i])
	}
}

// spread is the least standard deviation of each feature: a few pages that agree by
// chance prove little.
var spread = [numFeatures]float64{logLength: 0.5, digitShare: 0.1, letterShare: 0.1, upperShare: 0.1, markShare: 0.1, wordLength: 0.3}

// chance is the likelihood of values as unlike the known ones as these: that of the
// least likely feature, taken to be normal, times the number of features (Bonferroni).
func (s *Stats) chance(texts []string) float64 {
	if s.Present < leastCount {
		return 1
	}
	least := 1.0
	for i, v := range featuresOf(texts) {
		variance := s.M2[i]/float64(s.Present-1) + spread[i]*spread[i]
		z := math.Abs(v-s.Mean[i]) / math.Sqrt(variance*(1+1/float64(s.Present)))
		least = min(least, math.Erfc(z/math.Sqrt2))
	}
	return min(1, numFeatures*least)
}

// Verify checks what was read on one page, remembers it and sets the status: a wrapper
// whose fields vanish, or hold values of another type, on more than a few of the last
// pages is set aside; one that read some pages rightly is trusted. A page that fails
// teaches nothing.
func (w *Wrapper) Verify(t *tagtree.Tree, r Reading, at time.Time) Check {
	c := w.CheckPage(r)
	c.At, c.Version = at, t.Page.Digest()
	l := &w.Ledger
	if l.Stats == nil {
		l.Stats = map[string]*Stats{}
	}
	if c.Passed {
		for _, f := range w.Fields {
			if l.Stats[f.ID] == nil {
				l.Stats[f.ID] = &Stats{}
			}
			l.Stats[f.ID].add(r.Texts(f))
		}
	}
	l.Recent = append([]Check{c}, l.Recent...)
	l.Recent = l.Recent[:min(len(l.Recent), Window)]
	w.judge()
	return c
}

// CheckPage verifies what was read on a page, and remembers nothing.
func (w *Wrapper) CheckPage(r Reading) Check {
	c := Check{URL: r.URL}
	checked := w.check(&c, r)
	c.Passed = float64(len(c.Failed)) <= failShare*float64(checked)
	if all := r.Matched + r.Unmatched; w.Pages > ActivePages && float64(r.Matched) < matchShare*float64(all) {
		c.Passed = false
		c.Failed = append([]string{fmt.Sprintf("the template knows %d of %d texts", r.Matched, all)}, c.Failed...)
	}
	c.Failed = c.Failed[:min(len(c.Failed), maxFailures)]
	return c
}

// check notes the fields that fail, and returns how many were looked at: those with a
// meaning, or all if none has one.
func (w *Wrapper) check(c *Check, r Reading) (checked int) {
	annotated := w.Annotated()
	for _, f := range w.Fields {
		s := w.Ledger.Stats[f.ID]
		if f.Ignored || s == nil || s.Pages < leastCount || annotated > 0 && f.Meaning == "" {
			continue
		}
		texts := r.Texts(f)
		switch {
		case len(texts) == 0 && float64(s.Present) >= required*float64(s.Pages):
			c.Failed = append(c.Failed, f.Name()+" is gone")
		case len(texts) > 0 && s.chance(texts) < unlikely:
			c.Failed = append(c.Failed, f.Name()+" is of another type")
		case len(texts) == 0:
			continue
		}
		checked++
	}
	return checked
}

// Annotated returns the number of fields that have a meaning.
func (w *Wrapper) Annotated() (n int) {
	for _, f := range w.Fields {
		if f.Meaning != "" {
			n++
		}
	}
	return n
}

// judge sets the status by the last pages.
func (w *Wrapper) judge() {
	switch {
	case w.Failed() > maxFailing:
		w.Status = Broken
	case w.Pages >= ActivePages && len(w.Ledger.Recent) == Window:
		w.Status = Active
	}
}

// Checked reports whether this version of a page is among the last that were verified.
func (w *Wrapper) Checked(t *tagtree.Tree) bool {
	return slices.ContainsFunc(w.Ledger.Recent, func(c Check) bool { return c.URL == t.Page.URL && c.Version == t.Page.Digest() })
}
