package wrapper

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Meanings of fields are the JSON names of an event's values. A meaning with "+" is two values printed
// together. "deadlines" is a list of deadlines printed with their labels.
const (
	Title         = "title"
	Acronym       = "acronym"
	Dates         = "event_dates"
	Place         = "location"
	DatesPlace    = Dates + "+" + Place
	Deadlines     = "deadlines"
	Topics        = "topics"
	Committee     = "committee"
	SubmissionURL = "submission_url"
	Publisher     = "publisher"
)

// deadlinePrefix is the start of the meaning of a deadline of one kind.
const deadlinePrefix = Deadlines + "."

// deadlineKinds are the kinds of deadlines that a field may mean.
var deadlineKinds = []eventseer.DeadlineKind{
	eventseer.Abstract, eventseer.Submission, eventseer.Rebuttal, eventseer.Notification, eventseer.CameraReady,
	eventseer.Registration, eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Poster, eventseer.Demo, eventseer.Doctoral,
}

// Meanings returns the meanings known to EventSeer, in the order of the event's JSON. An operator may also
// use other names.
func Meanings() []string {
	names := []string{Title, Acronym, Dates, Place, DatesPlace}
	for _, kind := range deadlineKinds {
		names = append(names, deadlinePrefix+string(kind))
	}
	return append(names, Deadlines, Topics, Committee, SubmissionURL, Publisher)
}

// A Proposal is a possible meaning of a field.
type Proposal struct {
	Meaning string
	// Strength is how well the values of the field agree with the known ones, from 0 to 1. It is the mean
	// over Pages of the F1 of their words. For URLs, a page counts the share of equal ones.
	Strength float64
	// Pages is the number of pages on which the field has a value and a value is known.
	Pages int
}

// Support is the evidence of pages for a proposal. Sum is the sum of agreements, each 0 to 1.
type Support struct {
	Pages int     `json:"pages"`
	Sum   float64 `json:"sum"`
}

// A Ledger is what a wrapper stores about the pages that it read.
type Ledger struct {
	// Support is the evidence by field ID and meaning. Known is the number of pages with a known value, by
	// meaning.
	Support map[string]map[string]Support `json:"support,omitempty"`
	Known   map[string]int                `json:"known,omitempty"`
	// Stats are the statistics of each field's values, by field ID. Recent are the checks of the last pages,
	// newest first, at most Window.
	Stats  map[string]*Stats `json:"stats,omitempty"`
	Recent []Check           `json:"recent,omitempty"`
	// NoticePages is the number of pages at the last notice of new fields. NoticeField is the number of the
	// last field in that notice.
	NoticePages int `json:"told,omitempty"`
	NoticeField int `json:"told_field,omitempty"`
	// Names are names of fields in an earlier template that are not found in this one yet.
	Names []Name `json:"names,omitempty"`
	// Learned are the URLs of the newest pages that the wrapper learned from, at most
	// template.MaxClusterURLs.
	Learned []string `json:"learned,omitempty"`
}

// minSupport is the minimum strength of a proposal that is shown.
const minSupport = 0.3

// Proposals returns the possible meanings of a field, best first.
func (w *Wrapper) Proposals(f *Field) (ps []Proposal) {
	support := w.Ledger.Support[f.ID]
	for _, meaning := range Meanings() {
		s := support[meaning]
		if s.Pages == 0 {
			continue
		}
		if p := (Proposal{meaning, s.Sum / float64(s.Pages), s.Pages}); p.Strength >= minSupport {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(b.Pages, a.Pages))
	})
	return ps
}

// AddEvidence adds the evidence of one page: how well the values of fields agree with known values. events are what
// the general extractor read on the page, and the stored event of the page.
func (w *Wrapper) AddEvidence(t *tagtree.Tree, r Reading, events ...eventseer.Event) {
	l := &w.Ledger
	if l.Support == nil {
		l.Support, l.Known = map[string]map[string]Support{}, map[string]int{}
	}
	known := map[string][]wordBag{}
	for _, e := range events {
		for meaning, texts := range printedFormsOf(t, e) {
			for _, text := range texts {
				known[meaning] = append(known[meaning], wordBagOf(text))
			}
		}
	}
	for meaning := range known {
		l.Known[meaning]++
	}
	for _, f := range w.Fields {
		if texts := r.Texts(f); len(texts) > 0 {
			w.addFieldEvidence(f, t, texts, known, events)
		}
	}
}

func (w *Wrapper) addFieldEvidence(f *Field, t *tagtree.Tree, texts []string, known map[string][]wordBag, events []eventseer.Event) {
	value := wordBagOf(strings.Join(texts, " "))
	support := w.Ledger.Support[f.ID]
	if support == nil && len(known) > 0 {
		support = map[string]Support{}
		w.Ledger.Support[f.ID] = support
	}
	for meaning, bags := range known {
		best := 0.0
		for _, b := range bags {
			best = max(best, value.f1Score(b))
		}
		if meaning == SubmissionURL {
			best = sameAddress(t, texts, events)
		}
		s := support[meaning]
		support[meaning] = Support{s.Pages + 1, s.Sum + best}
	}
}

// sameAddress returns the share of texts that are a submission URL of the events.
func sameAddress(t *tagtree.Tree, texts []string, events []eventseer.Event) float64 {
	base, err := url.Parse(t.Page.URL)
	if err != nil {
		return 0
	}
	wanted := map[string]bool{}
	for _, e := range events {
		if address, err := webgraph.Canonical(e.SubmissionURL); err == nil {
			wanted[address] = true
		}
	}
	same := 0
	for _, text := range texts {
		if u, err := base.Parse(strings.TrimSpace(text)); err == nil {
			if address, err := webgraph.Canonical(u.String()); err == nil && wanted[address] {
				same++
			}
		}
	}
	return float64(same) / float64(len(texts))
}

// maxWords is the maximum number of words of a value that are compared.
const maxWords = 2000

// A wordBag has the number of occurrences of each word.
type wordBag struct {
	count map[string]int
	size  int
}

func wordBagOf(text string) wordBag {
	b := wordBag{count: map[string]int{}}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if b.size == maxWords {
			break
		}
		b.count[strings.ToLower(word)]++
		b.size++
	}
	return b
}

// f1Score returns the harmonic mean of the two shares of words that are in both texts.
func (b wordBag) f1Score(other wordBag) float64 {
	common := 0
	for word, n := range b.count {
		common += min(n, other.count[word])
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(b.size+other.size)
}

// Values of Field.By: who set the meaning of a field.
const (
	ByOperator = "operator"
	ByEvidence = "evidence"
)

// Evidence is strong if the values of a field are nearly equal to the known ones, word for word. This must
// hold on at least strongPages pages and on half of the pages with a known value.
const (
	strongEvidence = 0.8
	weakEvidence   = 0.6 // below it, a meaning set by evidence is removed
	strongPages    = 3
)

// A meaningClaim is a possible meaning of a field.
type meaningClaim struct {
	field *Field
	Proposal
}

// SetMeanings sets the meanings of fields with strong evidence, strongest first. A field gets at most one
// meaning, and a meaning at most one field. Evidence of further pages may change meanings, but not those set
// by an operator. It returns the fields whose meaning changed.
func (w *Wrapper) SetMeanings() (changed []*Field) {
	before, taken := map[*Field]string{}, map[string]bool{}
	for _, f := range w.Fields {
		before[f] = f.Meaning
		if f.By == ByEvidence {
			f.Meaning, f.By, f.Strength = "", "", 0
		}
		if f.Meaning != "" {
			taken[f.Meaning] = true
		}
	}
	for _, c := range w.strongProposals(before) {
		if c.field.Meaning == "" && !taken[c.Meaning] && !(taken[Deadlines] && strings.HasPrefix(c.Meaning, deadlinePrefix)) {
			c.field.Meaning, c.field.By, c.field.Strength = c.Meaning, ByEvidence, c.Strength
			taken[c.Meaning] = true
		}
	}
	for _, f := range w.Fields {
		if f.Meaning != before[f] {
			changed = append(changed, f)
		}
	}
	return changed
}

// strongProposals returns the proposals with strong evidence, strongest first. A list of deadlines with labels comes
// before single deadlines, whose position may change. For the meaning that a field had before, weaker
// evidence is enough.
func (w *Wrapper) strongProposals(before map[*Field]string) (claims []meaningClaim) {
	for _, f := range w.Fields {
		if f.Meaning != "" || f.Ignored || !f.hasVaryingValues() {
			continue
		}
		for _, p := range w.Proposals(f) {
			least := strongEvidence
			if before[f] == p.Meaning {
				least = weakEvidence
			}
			if p.Strength >= least && p.Pages >= strongPages && 2*p.Pages >= w.Ledger.Known[p.Meaning] {
				claims = append(claims, meaningClaim{f, p})
			}
		}
	}
	slices.SortStableFunc(claims, func(a, b meaningClaim) int {
		if list := a.Meaning == Deadlines; list != (b.Meaning == Deadlines) {
			if list {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.field.valueLength(), b.field.valueLength()))
	})
	return claims
}

// hasVaryingValues reports whether pages have different values of the field. A text that is the same on all pages, such
// as the name of a site's event, is not data of a record.
func (f *Field) hasVaryingValues() bool {
	return slices.ContainsFunc(f.Examples, func(x Example) bool { return x.Value != f.Examples[0].Value })
}

// valueLength returns the length of the newest value. Of two fields with equal evidence, the shorter one has less
// other text.
func (f *Field) valueLength() int {
	if len(f.Examples) == 0 {
		return 0
	}
	return len(f.Examples[0].Value)
}

// meanAgreement returns the mean agreement of a field's values with its meaning.
func (w *Wrapper) meanAgreement(f *Field) float64 {
	s := w.Ledger.Support[f.ID][f.Meaning]
	return s.Sum / float64(max(1, s.Pages))
}

// ErrNoField means that a wrapper has no such field.
var ErrNoField = errors.New("no such field")

// Accept sets the meaning of a field to its best proposal.
func (w *Wrapper) Accept(id string) error {
	f, err := w.fieldByID(id)
	if err != nil {
		return err
	}
	ps := w.Proposals(f)
	if len(ps) == 0 {
		return fmt.Errorf("there is no proposal for %s; give it a meaning", id)
	}
	return w.Rename(id, ps[0].Meaning)
}

// meaningName matches valid names of meanings.
var meaningName = regexp.MustCompile(`^[a-z][a-z0-9_.+-]{0,63}$`)

// Rename sets the meaning of a field to one of Meanings or to a name chosen by the operator. Another field
// with this meaning loses it.
func (w *Wrapper) Rename(id, meaning string) error {
	f, err := w.fieldByID(id)
	switch {
	case err != nil:
		return err
	case !meaningName.MatchString(meaning):
		return fmt.Errorf("%q is not a name of a field: it must have up to 64 characters of a-z, 0-9 and _.+-, the first a letter", meaning)
	}
	for _, other := range w.Fields {
		if other.Meaning == meaning && other != f {
			other.Meaning, other.By, other.Strength = "", "", 0
		}
	}
	f.Meaning, f.By, f.Ignored = meaning, ByOperator, false
	f.Strength = w.meanAgreement(f)
	return nil
}

// Ignore marks a field as not being data.
func (w *Wrapper) Ignore(id string) error {
	f, err := w.fieldByID(id)
	if err != nil {
		return err
	}
	f.Meaning, f.By, f.Strength, f.Ignored = "", "", 0, true
	return nil
}

// printedFormsOf returns the forms in which a page may print the known values of its event, by meaning. They are
// the stored form and the text where the value was read.
func printedFormsOf(t *tagtree.Tree, e eventseer.Event) map[string][]string {
	p := printedForms{tree: t, event: e, texts: map[string][]string{}}
	p.addForms(Title, e.Title, p.printedAt(e.Sources["title"]))
	p.addAcronym()
	days := p.printedAt(e.Sources["event_start"])
	if to := p.printedAt(e.Sources["event_end"]); to != days {
		days += " " + to
	}
	p.addForms(Dates, days)
	if v := e.Location; v != nil {
		for _, place := range []string{v.Text, v.String(), p.printedAt(e.Sources["location"])} {
			if days == "" || !strings.Contains(place, days) {
				p.addForms(Place, place)
				place = days + " " + place
			}
			if days != "" {
				p.addForms(DatesPlace, place)
			}
		}
	}
	p.addDeadlines()
	p.addForms(Topics, strings.Join(e.Topics, " "))
	p.addCommittee()
	p.addForms(SubmissionURL, e.SubmissionURL)
	p.addForms(Publisher, e.Publisher, p.printedAt(e.Sources["publisher"]))
	return p.texts
}

type printedForms struct {
	tree  *tagtree.Tree
	event eventseer.Event
	texts map[string][]string
}

// addForms adds the texts that are not blank.
func (p *printedForms) addForms(meaning string, texts ...string) {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			p.texts[meaning] = append(p.texts[meaning], text)
		}
	}
}

// printedAt returns the text of the page where a value was read, or "" if it was read elsewhere.
func (p *printedForms) printedAt(src eventseer.Provenance) string {
	text, from, to := p.tree.Text(), src.Offset[0], src.Offset[1]
	if src.URL != "" && src.URL != p.event.URL || p.event.URL != p.tree.Page.URL || from < 0 || to > len(text) || from >= to {
		return ""
	}
	return text[from:to]
}

// addDeadlines adds the forms of deadlines. Those of one kind may be printed alone or together, with or without
// labels.
func (p *printedForms) addDeadlines() {
	var all []string
	byKind := map[eventseer.DeadlineKind][]string{}
	for _, d := range p.event.Deadlines {
		day := p.printedAt(d.Source)
		p.addForms(deadlinePrefix+string(d.Kind), day, d.Text)
		byKind[d.Kind] = append(byKind[d.Kind], day)
		all = append(all, d.Text)
	}
	for _, kind := range deadlineKinds {
		if days := byKind[kind]; len(days) > 1 {
			p.addForms(deadlinePrefix+string(kind), strings.Join(days, " "))
		}
	}
	if len(all) > 1 {
		p.addForms(Deadlines, strings.Join(all, " "))
	}
}

func (p *printedForms) addCommittee() {
	var names, affiliated []string
	for _, person := range p.event.Committee {
		names = append(names, person.Name)
		affiliated = append(affiliated, person.Name, person.Affiliation, person.Country)
	}
	p.addForms(Committee, strings.Join(names, " "), strings.Join(affiliated, " "))
}

// addAcronym adds the acronym alone and with the year in four or two digits.
func (p *printedForms) addAcronym() {
	name, year := p.event.Acronym, p.event.Year
	if name == "" {
		return
	}
	p.addForms(Acronym, name, p.printedAt(p.event.Sources["acronym"]))
	if year > 0 {
		p.addForms(Acronym, fmt.Sprintf("%s %d", name, year), fmt.Sprintf("%s %02d", name, year%100))
	}
}
