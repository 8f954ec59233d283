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

// Stats are statistics of a field's values over the pages that passed. They are how many had one, and mean
// and squared deviations (Welford 1962) of their features.
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

// spread is the least standard deviation of each feature: a few pages that agree by
// chance prove little.
var spread = [numFeatures]float64{logLength: 0.5, digitShare: 0.1, letterShare: 0.1, upperShare: 0.1, markShare: 0.1, wordLength: 0.3}

// chance returns the likelihood of values that differ from the known ones as much as these. It is
// that of the least likely feature, assumed normal, times the number of features (Bonferroni).
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

// Verify checks the values of one page, records the result and sets the status. A wrapper is set
// aside if its fields vanish, or have values of another type, on more than a few of the last pages;
// it is trusted after some correct pages. A page that fails teaches nothing.
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
	case w.Failed() > maxFailing:
		w.Status = Broken
	case w.Pages >= ActivePages && len(l.Recent) == Window:
		w.Status = Active
	}
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

// check records the fields that fail, and returns how many were looked at: those with a meaning, or
// all if none has one.
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

// Checked reports whether this version of a page is among the last that were verified.
func (w *Wrapper) Checked(t *tagtree.Tree) bool {
	return slices.ContainsFunc(w.Ledger.Recent, func(c Check) bool { return c.URL == t.Page.URL && c.Version == t.Page.Digest() })
}

// newPages is how many pages come between two notices of new fields, "about ten" (paper
// 004, section 5.2).
const newPages = 10

// maxToldFields bounds the fields that a notice names.
const maxToldFields = 12

// Follow updates a wrapper with a page that it has just read. It verifies the page, weighs the
// evidence for its meanings and names the certain ones. It returns what a person should be told.
// events are what is known of the page, see Weigh.
func (w *Wrapper) Follow(t *tagtree.Tree, r Reading, at time.Time, events ...eventseer.Event) []Notice {
	before := w.Status
	c := w.Verify(t, r, at)
	if c.Passed {
		w.Weigh(t, r, events...)
		w.recallNames()
		w.Annotate()
	}
	var notices []Notice
	tell := func(kind NoticeKind, format string, args ...any) {
		notices = append(notices, Notice{At: at, Kind: kind, Host: w.Host, Pattern: w.Pattern, Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case w.Status == Broken && before != Broken:
		tell(SetAside, "of the last %d pages %d are not as the wrapper knows them (%s); the general extractor reads them until it is learned anew",
			len(w.Ledger.Recent), w.Failed(), strings.Join(c.Failed[:min(len(c.Failed), 3)], ", "))
	case w.Status == Active && before != Active:
		tell(Trusted, "%d pages were read rightly, %d fields have a meaning", w.Pages, w.Annotated())
	}
	if names := w.untold(); len(names) > 0 {
		tell(NewFields, "%d fields have no meaning yet: %s; `eventseer wrapper annotate` names them", len(names), strings.Join(names[:min(len(names), maxToldFields)], ", "))
	}
	return notices
}

// untold returns the fields for the next notice, after newPages since the last one: those that some
// pages have and that have no name.
func (w *Wrapper) untold() (ids []string) {
	l := &w.Ledger
	if w.Status == Broken || w.Pages < l.Told+newPages {
		return nil
	}
	last := l.ToldField
	for _, f := range w.Fields {
		n, err := strconv.Atoi(strings.TrimPrefix(f.ID, "f"))
		if err == nil && n > last && f.Meaning == "" && !f.Ignored && f.Seen > 1 {
			ids = append(ids, f.ID)
			l.ToldField = max(l.ToldField, n)
		}
	}
	if len(ids) > 0 {
		l.Told = w.Pages
	}
	return ids
}

// A Name is what an operator said of a field, for the wrapper that takes its place.
type Name struct {
	Meaning string `json:"meaning,omitempty"`
	Ignored bool   `json:"ignored,omitempty"`
	Path    string `json:"path"`
	Attr    string `json:"attr,omitempty"`
	Part    Part   `json:"part,omitempty"`
	Label   string `json:"label,omitempty"`
}

// Restart forgets the template of a wrapper that was set aside, to learn it anew from the pages to
// come. What an operator said of fields is remembered for those that come to be in the same place
// or after the same label.
func (w *Wrapper) Restart() {
	fresh := New(w.Host, w.Pattern)
	fresh.Kind = w.Kind
	fresh.Ledger.Names = w.names()
	*w = *fresh
}

// names returns what an operator said, of this template and those before it.
func (w *Wrapper) names() (names []Name) {
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

// recallNames gives fields the names they had in the template before.
func (w *Wrapper) recallNames() {
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

func (w *Wrapper) Failed() (n int) {
	for _, c := range w.Ledger.Recent {
		if !c.Passed {
			n++
		}
	}
	return n
}

// A NoticeKind says what a person is told about a wrapper.
type NoticeKind string

// The kinds of notices.
const (
	NewFields NoticeKind = "new_fields" // fields without a name (paper 004, section 5.2)
	SetAside  NoticeKind = "set_aside"  // the wrapper fails; the general extractor reads its pages
	Reinduced NoticeKind = "reinduced"  // it was learned again
	Trusted   NoticeKind = "trusted"    // it reads pages from now on
)

// A Notice is what a person is told about a wrapper.
type Notice struct {
	At      time.Time  `json:"at"`
	Kind    NoticeKind `json:"kind"`
	Host    string     `json:"host"`
	Pattern string     `json:"pattern"`
	Text    string     `json:"text"`
}
