package name

import (
	"math"
	"slices"
	"strings"

	"eventseer/classify"
)

// A Reader finds names by two rankers. It is read-only and safe for concurrent use.
type Reader struct {
	Names    *classify.LogLinear
	Acronyms *classify.LogLinear
}

// A Choice is what was chosen, "" for nothing, with the probability that it is right and
// where it is printed.
type Choice struct {
	Text string
	// Block is the first of the blocks that print it, Last the last; -1 if none does.
	Block, Last int
	// Element says that the title element prints it.
	Element bool
	// From is the kind of text it was read from.
	From string
	// Belief is the share of the softmax that goes to it and to other forms of it.
	Belief float64
	// Prob is the probability that it is right.
	Prob float64
}

var sourceNames = [sources]string{"element", "metadata", "picture", "heading", "line", "item", "cell", "prose", "menu"}

// A Result holds the names of a page.
type Result struct{ Name, Acronym Choice }

// Read finds the name and the acronym of the event of a page.
func (r *Reader) Read(p *Page) Result {
	d := newDocument(p)
	acronyms := d.acronyms()
	key, prob := "", 0.0
	if r.Acronyms != nil {
		if a, q := chooseAcronym(r.Acronyms, d.acronymTerms(acronyms, "")); a < len(acronyms) {
			key, prob = acronyms[a].text, q
		}
	}
	res := Result{Name: Choice{Block: -1, Last: -1}, Acronym: Choice{Block: -1, Last: -1}}
	res.Name = r.chooseName(d, key, prob)
	if r.Acronyms == nil {
		return res
	}
	a, q := chooseAcronym(r.Acronyms, d.acronymTerms(acronyms, res.Name.Text))
	if a == len(acronyms) || !spells(acronyms[a].text, res.Name.Text) {
		if own := d.ownAcronym(acronyms, res.Name.Text); own >= 0 && own != a {
			a, q = own, leastOwn
		}
	}
	if a == len(acronyms) {
		return res
	}
	x := acronyms[a]
	if x.text != key { // the name told more of the acronym than the page did
		if other := r.chooseName(d, x.text, q); other.Prob > res.Name.Prob {
			res.Name = other
		}
	}
	t := &d.texts[x.text0]
	res.Acronym = Choice{Text: x.text, Block: t.block, Last: t.last, Element: x.counts[element] > 0, From: sourceNames[t.source], Belief: q}
	res.Acronym.Prob = probability(r.Acronyms, q)
	return res
}

// leastOwn is the belief in an acronym that the name alone speaks for.
const leastOwn = 0.6

// minOwn is how many letters and digits it has.
const minOwn = 3

// ownAcronym returns the index of the acronym that stands in brackets right behind the
// name and is spelt by it, -1 for none: the event's own, whatever the page says of the
// event it is held with.
func (d *document) ownAcronym(list []*acronym, title string) int {
	if title == "" {
		return -1
	}
	for i := range d.texts {
		_, behind, ok := strings.Cut(d.texts[i].s, title)
		behind = strings.TrimLeft(behind, " ")
		if !ok || !strings.HasPrefix(behind, "(") {
			continue
		}
		for k, a := range list {
			if len(a.low) >= minOwn && strings.HasPrefix(behind[1:], a.text) && spells(a.text, title) {
				if end := strings.Trim(behind[1+len(a.text):], " '’-0123456789"); strings.HasPrefix(end, ")") {
					return k
				}
			}
		}
	}
	return -1
}

// chooseName chooses among the candidates for the name where key is the acronym, with
// the probability prob.
func (r *Reader) chooseName(d *document, key string, prob float64) Choice {
	texts := len(d.texts)
	defer func() { d.texts = d.texts[:texts] }()
	list := d.candidates(key)
	if len(list) == 0 || r.Names == nil {
		return Choice{Block: -1, Last: -1}
	}
	best, belief := chooseName(list, d.nameScores(r.Names, list, key, prob))
	c := list[best]
	t := &d.texts[c.text]
	return Choice{
		Text: d.printed(c), Block: t.block, Last: t.last, Element: c.counts[element] > 0, From: sourceNames[t.source],
		Belief: belief, Prob: probability(r.Names, belief),
	}
}

func probability(m *classify.LogLinear, belief float64) float64 {
	if m.Calibration == nil {
		return belief
	}
	return m.Calibration.Prob(belief)
}

// chooseAcronym returns the index of the candidate of most belief, the last for none.
func chooseAcronym(m *classify.LogLinear, terms [][]classify.Term) (int, float64) {
	p := scores(m, terms)
	classify.Softmax(p)
	best := 0
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best, p[best]
}

func scores(m *classify.LogLinear, terms [][]classify.Term) []float64 {
	p := make([]float64, len(terms))
	for i, t := range terms {
		p[i] = m.Score(t)
	}
	return p
}

const (
	maxAgree   = 24   // candidates compared with one another
	sameName   = 0.8  // the share of words that two forms of a name have in common
	agreeSlope = 0.06 // how sharp that bound is
)

// chooseName returns the candidate to believe by the scores of all, which it changes, and the belief in all that are forms of
// the same name: forms of one name share what the page says for it, so the name is
// chosen by the belief in all its forms.
func chooseName(list []*candidate, belief []float64) (int, float64) {
	classify.Softmax(belief)
	top := make([]int, len(list)) // the last belief is in there being none
	for i := range top {
		top[i] = i
	}
	slices.SortStableFunc(top, func(a, b int) int {
		switch {
		case belief[a] > belief[b]:
			return -1
		case belief[a] < belief[b]:
			return 1
		}
		return 0
	})
	top = top[:min(maxAgree, len(top))]
	best, most, mass := -1, 0.0, 0.0
	for _, i := range top {
		sum, same := 0.0, 0.0
		for _, j := range top {
			f := sameShare(list[i].words, list[j].words)
			if f >= sameName {
				same += belief[j]
			}
			sum += belief[j] / (1 + math.Exp((sameName-f)/agreeSlope))
		}
		if sum > most+1e-9 {
			best, most, mass = i, sum, same
		}
	}
	return best, mass
}

// A Lesson is a page with all its candidates, for training. The last acronym stands for
// there being none.
type Lesson struct {
	doc      *document
	names    []*candidate
	acronyms []*acronym
}

// NewLesson reads the candidates of a page.
func NewLesson(p *Page) *Lesson {
	d := newDocument(p)
	return &Lesson{doc: d, acronyms: d.acronyms()}
}

// Acronyms returns the candidates for the acronym, the last of which is "" for none.
func (l *Lesson) Acronyms() []string {
	var out []string
	for _, a := range l.acronyms {
		out = append(out, a.text)
	}
	return append(out, "")
}

// AcronymTerms returns the features of Acronyms where the event's name is title.
func (l *Lesson) AcronymTerms(title string) [][]classify.Term {
	return l.doc.acronymTerms(l.acronyms, title)
}

// Key returns the acronym that m believes in without knowing the name, and its belief.
func (l *Lesson) Key(m *classify.LogLinear) (string, float64) {
	if a, q := chooseAcronym(m, l.doc.acronymTerms(l.acronyms, "")); a < len(l.acronyms) {
		return l.acronyms[a].text, q
	}
	return "", 0
}

// Names returns the candidates for the name and their features where key is the acronym.
func (l *Lesson) Names(key string, prob float64) ([]string, [][]classify.Term) {
	n := len(l.doc.texts)
	l.names = l.doc.candidates(key)
	var out []string
	for _, c := range l.names {
		out = append(out, l.doc.printed(c))
	}
	out = append(out, "")
	terms := l.doc.nameTerms(l.names, key, prob)
	l.doc.texts = l.doc.texts[:n]
	return out, terms
}

// ChooseName returns the index and the belief of the candidate that m chooses of Names.
func (l *Lesson) ChooseName(m *classify.LogLinear, terms [][]classify.Term) (int, float64) {
	if len(terms) < 2 {
		return -1, 0
	}
	return chooseName(l.names, scores(m, terms))
}
