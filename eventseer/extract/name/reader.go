package name

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
)

// A Reader finds names by two learned rankers, of which each may be nil. It is read-only and safe for
// concurrent use.
type Reader struct {
	Names    *classify.LogLinear
	Acronyms *classify.LogLinear

	tables *weightTables // of Names; nil before Prepare
}

// A Choice is the chosen name or acronym. Text is "" if there is none.
type Choice struct {
	Text string
	// Block is the first and Last the last block that prints it; -1 if none does.
	Block, Last int
	// Element reports whether the title element contains it.
	Element bool
	// From is the kind of text it was read from, such as "heading".
	From string
	// Belief is the sum of softmax probabilities of the chosen candidate and other forms of it.
	Belief float64
	// Prob is Belief after calibration: the probability that the choice is right.
	Prob float64
}

var sourceNames = [sources]string{"element", "metadata", "picture", "heading", "line", "item", "cell", "prose", "menu"}

// A Result is the name and the acronym of a page's event.
type Result struct{ Name, Acronym Choice }

// Read finds the name and the acronym of the event on a page. The acronym is chosen first without the name.
// The name is chosen by it, and then the acronym again by the name.
func (r *Reader) Read(p *Page) Result {
	m := memories.Get().(*memory)
	d := newDocument(p, m)
	defer m.reuse(d)
	return r.read(d)
}

func (r *Reader) read(d *document) Result {
	acronyms := d.acronymCandidates()
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
	if a == len(acronyms) || !IsAbbreviation(acronyms[a].text, res.Name.Text) {
		if own := d.acronymInBrackets(acronyms, res.Name.Text); own >= 0 && own != a {
			a, q = own, bracketedBelief
		}
	}
	if a == len(acronyms) {
		return res
	}
	x := acronyms[a]
	if x.text != key { // the name changed the choice of the acronym
		if other := r.chooseName(d, x.text, q); other.Prob > res.Name.Prob {
			res.Name = other
		}
	}
	t := &d.texts[x.sourceText]
	res.Acronym = Choice{Text: x.text, Block: t.block, Last: t.last, Element: x.counts[element] > 0, From: sourceNames[t.source], Belief: q}
	res.Acronym.Prob = calibratedProbability(r.Acronyms, q)
	return res
}

// bracketedBelief is the belief assigned to an acronym found by acronymInBrackets.
const bracketedBelief = 0.6

// minBracketedAcronym is the minimum number of letters and digits of an acronym in brackets that is chosen by
// its position.
const minBracketedAcronym = 3

// acronymInBrackets returns the index of the acronym in brackets directly after the name, or after its last
// words, which it must abbreviate. It returns -1 for none. Such an acronym is the event's own, whatever the
// page says about its host.
func (d *document) acronymInBrackets(list []*acronym, title string) int {
	if at := strings.LastIndexByte(title, '('); at > 0 && strings.HasSuffix(title, ")") {
		title = title[:at]
	}
	title = strings.TrimRight(title, " ")
	for i := range d.texts {
		s := d.texts[i].s
		for at := strings.IndexByte(s, '('); at >= 0; {
			words := commonLastWords(strings.TrimRight(s[:at], " "), title)
			if k := acronymBeforeBracket(list, s[at+1:], words); k >= 0 {
				return k
			}
			next := strings.IndexByte(s[at+1:], '(')
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return -1
}

// acronymBeforeBracket returns the index of the acronym at the start of s, where s begins after an opening
// bracket. A year and the closing bracket must follow, and the acronym must abbreviate words. It returns -1
// for none.
func acronymBeforeBracket(list []*acronym, s, words string) int {
	if words == "" {
		return -1
	}
	for k, a := range list {
		rest, ok := strings.CutPrefix(s, a.text)
		if ok && len(a.low) >= minBracketedAcronym && strings.HasPrefix(strings.TrimLeft(rest, " '’-0123456789"), ")") && IsAbbreviation(a.text, words) {
			return k
		}
	}
	return -1
}

// commonLastWords returns the whole words that both texts end with.
func commonLastWords(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	end := b[len(b)-n:]
	if n < len(a) && a[len(a)-1-n] != ' ' || n < len(b) && b[len(b)-1-n] != ' ' { // the common bytes begin inside a word
		_, end, _ = strings.Cut(end, " ")
	}
	return end
}

// chooseName chooses the name of the event. key is the most probable acronym and prob its probability.
// Choice.Text is "" if there is no candidate.
func (r *Reader) chooseName(d *document, key string, prob float64) Choice {
	texts := len(d.texts)
	defer func() { d.texts = d.texts[:texts] }()
	list := d.nameCandidates(key)
	if len(list) == 0 || r.Names == nil {
		return Choice{Block: -1, Last: -1}
	}
	best, belief := chooseName(list, d.nameScores(r, list, key, prob))
	for range maxGeneric {
		if d.Generic == nil || len(list) == 1 || !d.Generic(d.printedText(list[best])) {
			break
		}
		list = slices.Delete(list, best, best+1)
		best, belief = chooseName(list, d.nameScores(r, list, key, prob))
	}
	c := d.completeName(list, list[best], key)
	t := &d.texts[c.text]
	return Choice{
		Text: d.printedText(c), Block: t.block, Last: t.last, Element: c.counts[element] > 0, From: sourceNames[t.source],
		Belief: belief, Prob: calibratedProbability(r.Names, belief),
	}
}

// completeName returns the shortest candidate that begins with the words of a chosen one and ends before the page's
// acronym in brackets. An example is "Workshop on Fake News in Social Media (FEND)". It returns the chosen one if that
// does so itself, if no such candidate exists, or if the further words alone are what the acronym key abbreviates.
func (d *document) completeName(list []*candidate, chosen *candidate, key string) *candidate {
	if chosen.isBeforeKey {
		return chosen
	}
	complete, n := chosen, len(chosen.words)
	for _, c := range list {
		if !c.isBeforeKey || len(c.words) <= n || complete != chosen && len(c.words) >= len(complete.words) || !slices.Equal(c.words[:n], chosen.words) {
			continue
		}
		t := &d.texts[c.text]
		if further := t.s[t.chunks[c.from+n].from:c.end]; !IsAbbreviation(key, further) {
			complete = c
		}
	}
	return complete
}

// maxGeneric is the maximum number of generic texts that are skipped, see Page.Generic.
const maxGeneric = 4

func calibratedProbability(m *classify.LogLinear, belief float64) float64 {
	if m.Calibration == nil {
		return belief
	}
	return m.Calibration.Probability(belief)
}

// chooseAcronym returns the index and the probability of the best candidate. The last index means that
// there is no acronym.
func chooseAcronym(m *classify.LogLinear, terms [][]classify.Term) (int, float64) {
	p := candidateScores(m, terms)
	classify.Softmax(p)
	best := 0
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best, p[best]
}

func candidateScores(m *classify.LogLinear, terms [][]classify.Term) []float64 {
	p := make([]float64, len(terms))
	for i, t := range terms {
		p[i] = m.Score(t)
	}
	return p
}

// chooseName returns the index of the chosen candidate and the belief in all forms of its name. belief
// holds the scores of the candidates and, at the end, of the page naming no event; it is modified.
func chooseName(list []*candidate, belief []float64) (int, float64) {
	classify.Softmax(belief)
	return MostAgreed(belief[:len(list)], func(i, j int) float64 {
		if list[i].mask&list[j].mask == 0 {
			return 0
		}
		return SharedWords(list[i].words, list[j].words)
	})
}

// A Example is a page with all its candidates, for training the rankers.
type Example struct {
	doc      *document
	names    []*candidate
	acronyms []*acronym
}

// NewExample finds the candidates of a page.
func NewExample(p *Page) *Example {
	d := newDocument(p, newMemory())
	return &Example{doc: d, acronyms: d.acronymCandidates()}
}

// Acronyms returns the candidates for the acronym. The last one is "" and means that there is none.
func (l *Example) Acronyms() []string {
	var out []string
	for _, a := range l.acronyms {
		out = append(out, a.text)
	}
	return append(out, "")
}

// AcronymTerms returns the features of each entry of Acronyms if the event's name is title.
func (l *Example) AcronymTerms(title string) [][]classify.Term {
	terms := l.doc.acronymTerms(l.acronyms, title)
	l.doc.memory.terms = nil // the caller keeps them
	return terms
}

// ChooseAcronym returns the acronym that m chooses without knowing the name, and its probability. It returns "" and 0
// for none.
func (l *Example) ChooseAcronym(m *classify.LogLinear) (string, float64) {
	if a, q := chooseAcronym(m, l.doc.acronymTerms(l.acronyms, "")); a < len(l.acronyms) {
		return l.acronyms[a].text, q
	}
	return "", 0
}

// Names returns the candidates for the name and their features. key is the acronym and prob its
// probability. The last candidate is "" and means that there is none.
func (l *Example) Names(key string, prob float64) ([]string, [][]classify.Term) {
	n := len(l.doc.texts)
	l.names = l.doc.nameCandidates(key)
	var out []string
	for _, c := range l.names {
		out = append(out, l.doc.printedText(c))
	}
	out = append(out, "")
	terms := l.doc.nameTerms(l.names, key, prob)
	l.doc.texts = l.doc.texts[:n]
	return out, terms
}

// ChooseName returns the index in Names and the belief of the name that m chooses. terms are the features
// that Names returned. It returns -1 and 0 if there is no candidate.
func (l *Example) ChooseName(m *classify.LogLinear, terms [][]classify.Term) (int, float64) {
	if len(terms) < 2 {
		return -1, 0
	}
	return chooseName(l.names, candidateScores(m, terms))
}
