package wrapper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Verification follows RAPTURE (Kushmerick 2000, "Wrapper verification"). The values that a wrapper reads are
// compared, feature by feature, with those that it read while it was correct. In addition, a page fails if
// fields are missing or if the template does not match most of its texts.

// Limits of verification.
const (
	ActivePages = 5 // pages read correctly before a wrapper is used
	Window      = 5 // number of last pages that count
	maxFailing  = 2 // failures in the window; with more, the wrapper is disabled

	required   = 0.9     // share of pages from which a field is expected on every page
	failShare  = 1.0 / 3 // maximum share of failed fields on a page that passes
	matchShare = 0.5     // minimum share of a page's texts that the template must match
	unlikely   = 1e-2    // probability below which values are of another type
	leastCount = 3       // minimum number of pages for statistics

	maxFailures = 10 // failures stored for a page
)

// A Check is the result of verifying one page.
type Check struct {
	URL     string          `json:"url"`
	Version webgraph.Digest `json:"version,omitempty"`
	At      time.Time       `json:"at"`
	Passed  bool            `json:"passed"`
	// Failed has a message for each field that is missing or of another type, at most maxFailures.
	Failed []string `json:"failed,omitempty"`
}

// Features of the values of a field on one page.
const (
	logLength  = iota // mean of log(1 + characters) of a value
	digitShare        // shares of digits, letters, capitals and other characters
	letterShare
	upperShare
	markShare
	wordLength
	numFeatures
)

// Stats are statistics of a field's values over the pages that passed. They consist of the number of pages,
// the number with a value, and the mean and sum of squared deviations of each feature (Welford 1962).ture (Welford 1962).ture (Welford 1962).
type Stats struct {
	Pages   int                  `json:"pages"`
	Present int                  `json:"present"`
	Mean    [numFeatures]float64 `json:"mean"`
	M2      [numFeatures]float64 `json:"m2"`
}

func featuresOf(texts []string) (x [numFeatures]float64) {
	chars := 0.0
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
		chars += n
		x[logLength] += math.Log(1 + n)
		x[wordLength] += math.Log(1 + n/float64(words))
	}
	values := float64(max(1, len(texts)))
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

// spread is added to the standard deviation of each feature, because a few pages may agree by chance.
var spread = [numFeatures]float64{logLength: 0.5, digitShare: 0.1, letterShare: 0.1, upperShare: 0.1, markShare: 0.1, wordLength: 0.3}

// likelihood returns the probability of values that differ from the known ones at least as much as texts. It is
// that of the least likely feature, assuming a normal distribution, times the number of features
// (Bonferroni).
func (s *Stats) likelihood(texts []string) float64 {
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

// Verify checks the values of one page, records the result and sets the status. Too many failures among the
// last pages disable the wrapper; enough pages without that activate it. A page that fails does not change
// the statistics.
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
	switch {
	case w.CountFailed() > maxFailing:
		w.Status = Broken
	case w.Pages >= ActivePages && len(l.Recent) == Window:
		w.Status = Active
	}
	return c
}

// CheckPage verifies what was read on a page. It does not record the result.
func (w *Wrapper) CheckPage(r Reading) Check {
	c := Check{URL: r.URL}
	checked := w.checkFields(&c, r)
	c.Passed = float64(len(c.Failed)) <= failShare*float64(checked)
	if all := r.Matched + r.Unmatched; w.Pages > ActivePages && float64(r.Matched) < matchShare*float64(all) {
		c.Passed = false
		c.Failed = append([]string{fmt.Sprintf("the template matches %d of %d texts", r.Matched, all)}, c.Failed...)
	}
	c.Failed = c.Failed[:min(len(c.Failed), maxFailures)]
	return c
}

// checkFields records the fields that fail, and returns the number of fields checked. Only fields with a meaning
// are checked, or all if none has one.
func (w *Wrapper) checkFields(c *Check, r Reading) (checked int) {
	annotated := w.CountAnnotated()
	for _, f := range w.Fields {
		s := w.Ledger.Stats[f.ID]
		if f.Ignored || s == nil || s.Pages < leastCount || annotated > 0 && f.Meaning == "" {
			continue
		}
		texts := r.Texts(f)
		switch {
		case len(texts) == 0 && float64(s.Present) >= required*float64(s.Pages):
			c.Failed = append(c.Failed, f.Name()+" is gone")
		case len(texts) > 0 && s.likelihood(texts) < unlikely:
			c.Failed = append(c.Failed, f.Name()+" is of another type")
		case len(texts) == 0:
			continue
		}
		checked++
	}
	return checked
}

// CountAnnotated returns the number of fields with a meaning.
func (w *Wrapper) CountAnnotated() (n int) {
	for _, f := range w.Fields {
		if f.Meaning != "" {
			n++
		}
	}
	return n
}

// IsVerified reports whether this version of a page is among the last ones verified.
func (w *Wrapper) IsVerified(t *tagtree.Tree) bool {
	return slices.ContainsFunc(w.Ledger.Recent, func(c Check) bool { return c.URL == t.Page.URL && c.Version == t.Page.Digest() })
}

// newPages is the number of pages between two notices of new fields, "about ten" (paper 004, section 5.2).
const newPages = 10

// maxNoticeFields is the maximum number of fields named in a notice.
const maxNoticeFields = 12

// UpdateFromPage updates a wrapper with a page that it has just read. It verifies the page, adds its evidence, and
// sets meanings with strong evidence. events are what is known of the page, as for Weigh. It returns notices
// for the operator.
func (w *Wrapper) UpdateFromPage(t *tagtree.Tree, r Reading, at time.Time, events ...eventseer.Event) []Notice {
	before := w.Status
	c := w.Verify(t, r, at)
	if c.Passed {
		w.AddEvidence(t, r, events...)
		w.applyStoredNames()
		w.SetMeanings()
	}
	var notices []Notice
	tell := func(kind NoticeKind, format string, args ...any) {
		notices = append(notices, Notice{At: at, Kind: kind, Host: w.Host, Pattern: w.Pattern, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case w.Status == Broken && before != Broken:
		tell(SetAside, "%[2]d of the last %[1]d pages differ from the wrapper (%[3]s); the general extractor reads them until the wrapper is learned again",
			len(w.Ledger.Recent), w.CountFailed(), strings.Join(c.Failed[:min(len(c.Failed), 3)], ", "))
	case w.Status == Active && before != Active:
		tell(Trusted, "%d pages were read correctly, %d fields have a meaning", w.Pages, w.CountAnnotated())
	}
	if names := w.newFieldIDs(); len(names) > 0 {
		tell(NewFields, "%d fields have no meaning yet: %s; `eventseer wrapper annotate` names them", len(names), strings.Join(names[:min(len(names), maxNoticeFields)], ", "))
	}
	return notices
}

// newFieldIDs returns the fields for the next notice, nil until newPages after the last one. They are fields
// without a meaning that several pages have.
func (w *Wrapper) newFieldIDs() (ids []string) {
	l := &w.Ledger
	if w.Status == Broken || w.Pages < l.NoticePages+newPages {
		return nil
	}
	last := l.NoticeField
	for _, f := range w.Fields {
		n, err := strconv.Atoi(strings.TrimPrefix(f.ID, "f"))
		if err == nil && n > last && f.Meaning == "" && !f.Ignored && f.Seen > 1 {
			ids = append(ids, f.ID)
			l.NoticeField = max(l.NoticeField, n)
		}
	}
	if len(ids) > 0 {
		l.NoticePages = w.Pages
	}
	return ids
}

// A Name is an operator's decision about a field, kept for the next template.
type Name struct {
	Meaning string `json:"meaning,omitempty"`
	Ignored bool   `json:"ignored,omitempty"`
	Path    string `json:"path"`
	Attr    string `json:"attr,omitempty"`
	Part    Part   `json:"part,omitempty"`
	Label   string `json:"label,omitempty"`
}

// RestartLearning clears the template of a disabled wrapper, so that it learns from further pages. Decisions of an
// operator are kept for fields that will have the same path or label.
func (w *Wrapper) RestartLearning() {
	fresh := New(w.Host, w.Pattern)
	fresh.Kind = w.Kind
	fresh.Ledger.Names = w.operatorNames()
	*w = *fresh
}

// operatorNames returns an operator's decisions about fields of this template and of earlier ones.
func (w *Wrapper) operatorNames() (names []Name) {
	for _, f := range w.Fields {
		if f.By == ByOperator || f.Ignored {
			names = append(names, Name{f.Meaning, f.Ignored, f.Path, f.Attr, f.Part, f.Label})
		}
	}
	for _, n := range w.Ledger.Names {
		if n.Meaning != "" && !slices.ContainsFunc(names, func(m Name) bool { return m.Meaning == n.Meaning }) {
			names = append(names, n)
		}
	}
	return names
}

// applyStoredNames applies stored names to fields that match them.
func (w *Wrapper) applyStoredNames() {
	w.Ledger.Names = slices.DeleteFunc(w.Ledger.Names, func(n Name) bool {
		for _, f := range w.Fields {
			if f.By == ByOperator || f.Attr != n.Attr || f.Part != n.Part || f.Label != n.Label || n.Label == "" && f.Path != n.Path {
				continue
			}
			if n.Ignored {
				return w.Ignore(f.ID) == nil
			}
			return w.Rename(f.ID, n.Meaning) == nil
		}
		return false
	})
}

func (w *Wrapper) CountFailed() (n int) {
	for _, c := range w.Ledger.Recent {
		if !c.Passed {
			n++
		}
	}
	return n
}

// A NoticeKind is the kind of a notice.
type NoticeKind string

const (
	NewFields NoticeKind = "new_fields" // fields without a meaning (paper 004, section 5.2)
	SetAside  NoticeKind = "set_aside"  // the wrapper is disabled; the general extractor reads its pages
	Reinduced NoticeKind = "reinduced"  // the wrapper was learned again
	Trusted   NoticeKind = "trusted"    // the wrapper reads pages from now on
)

// A Notice is a message about a wrapper for the operator.
type Notice struct {
	At      time.Time  `json:"at"`
	Kind    NoticeKind `json:"kind"`
	Host    string     `json:"host"`
	Pattern string     `json:"pattern"`
	Text    string     `json:"text"`
}
