package match

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/models"
)

// PairFile is the shipped model of pairs of records.
const PairFile = "pair.model"

// A PairModel predicts the probability that two records belong to one edition. It is a log-linear
// model over the comparisons in Likeness, pairs of them, and their sum. It is trained on judged
// pairs and calibrated on held-out pairs. It is read-only and safe for concurrent use.
type PairModel struct {
	weights       *classify.LogLinear
	merge, likely float64 // the log-odds of MergeProbability and of 0.5
}

// NewPairModel returns the model with calibrated weights; the second output means one edition.
func NewPairModel(weights *classify.LogLinear) (*PairModel, error) {
	if weights.Calibration == nil || weights.Outputs() != 2 {
		return nil, fmt.Errorf("a model of pairs must have 2 outputs and a calibration; this one has %d outputs", weights.Outputs())
	}
	c := *weights.Calibration
	return &PairModel{weights, logOddsFor(c, MergeProbability), logOddsFor(c, 0.5)}, nil
}

// logOddsFor returns the smallest log-odds with at least a probability, infinite if there are none.
func logOddsFor(c classify.Isotonic, p float64) float64 {
	for i, q := range c.Probs {
		switch {
		case q < p:
			continue
		case i == 0:
			return c.Decisions[0]
		}
		share := (p - c.Probs[i-1]) / (q - c.Probs[i-1])
		return c.Decisions[i-1] + float64(share*(c.Decisions[i]-c.Decisions[i-1]))
	}
	return math.Inf(1)
}

// ReadPairModel reads a model file. Its errors are those of classify.ReadLogLinear.
func ReadPairModel(r io.Reader) (*PairModel, error) {
	weights, err := classify.ReadLogLinear(r)
	if err != nil {
		return nil, err
	}
	return NewPairModel(weights)
}

// OpenPairs reads the model of pairs in a folder. It returns nil if there is none. A model for another task
// is an error that names the file.
func OpenPairs(dir string) (*PairModel, error) {
	name := filepath.Join(dir, PairFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	m, err := ReadPairModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; train it again with `eventseer train --task pair`, or remove it", name, err)
	}
	return m, nil
}

// ShippedPairs returns the model that is part of the program.
var ShippedPairs = sync.OnceValue(func() *PairModel {
	f, err := models.Files().Open(PairFile)
	if err != nil {
		panic(err) // cannot happen: the model is part of the program and tested
	}
	defer func() { _ = f.Close() }() // closing an embedded file has no effect
	m, err := ReadPairModel(f)
	if err != nil {
		panic(err)
	}
	return m
})

// logOdds returns the uncalibrated log-odds that two records of this Likeness are of one
// edition.
func (m *PairModel) logOdds(a, b *EventKey, rules float64) float64 {
	var scores [2]float64
	m.weights.Scores(pairTerms(a, b, rules), scores[:])
	return scores[1] - scores[0]
}

// Probability returns the probability that two records are of one edition, 0 to 1. It is 0 if that is ruled
// out, see AreRuledOut. It is pure and symmetric.
func (m *PairModel) Probability(a, b *EventKey) float64 {
	rules := a.Similarity(b)
	if areRuledOut(a, b, rules) {
		return 0
	}
	return m.weights.Calibration.Probability(m.logOdds(a, b, rules))
}

// AreRuledOut reports whether two records cannot be of one edition, whatever else they share. That is so if
// their years differ, if their names are of different events (see EventKey.Similarity) or that of a list (see
// NamedByList), or if they are special issues on different topics. It is also so if their days are further
// apart than any event lasts, as of two editions in one year; of 4,983 pairs of dated pages of one edition,
// one has such days. It is pure and symmetric.
func AreRuledOut(a, b *EventKey) bool { return areRuledOut(a, b, a.Similarity(b)) }

func areRuledOut(a, b *EventKey, rules float64) bool {
	return math.IsInf(rules, -1) || differentEvents(a, b) || NamedByList(a, b) || areDifferentIssues(a, b) || a.dated && b.dated && a.hasFrom && b.hasFrom && a.from.Sub(b.from).Abs() > apart
}

// areDifferentIssues reports whether two records are special issues with different titles. Issues have no
// days and no place, and many share the acronym of a field.
func areDifferentIssues(a, b *EventKey) bool {
	like, _ := series.TitleSimilarity(a.words, b.words)
	return a.e.Kind == eventseer.SpecialIssue && b.e.Kind == eventseer.SpecialIssue && like < likeTitle && len(a.words) > 0 && len(b.words) > 0
}

// A Scorer returns the evidence that two records belong to one edition. It is 0 at the threshold
// for merging, and -Inf if it is ruled out. It is pure and symmetric.
type Scorer func(a, b *EventKey) float64

// RuleScore returns the Scorer with weights set by hand, the baseline: Likeness.
func RuleScore(a, b *EventKey) float64 { return a.Similarity(b) }

// LearnedScore returns the Scorer by the shipped model, see PairModel.Score.
func LearnedScore(a, b *EventKey) float64 { return ShippedPairs().Score(a, b) }

// Score returns a Scorer: the log-odds minus those of MergeProbability, for pages of one site. For two
// messages of archives the rules decide, because they are better there (models/pair.md). For pages of two
// sites, of which the model has seen few pairs, the rules must also agree and the probability exceed 0.5. If
// a page is read again and still has the days of its event, it belongs to the event, whatever its name.
func (m *PairModel) Score(a, b *EventKey) float64 {
	rules := a.Similarity(b)
	switch {
	case isReadAgain(a, b):
		return max(1, m.logOdds(a, b, rules)-m.merge)
	case areRuledOut(a, b, rules):
		return math.Inf(-1)
	case a.archived && b.archived:
		return rules
	case weighSite(a, b) <= 0:
		return min(rules, m.logOdds(a, b, rules)-m.likely)
	}
	return m.logOdds(a, b, rules) - m.merge
}

// isReadAgain reports whether one record is from a page of the other and both have the same days.
// Messages of archives are excluded: a list has many.
func isReadAgain(a, b *EventKey) bool {
	if !sameYear(a, b) || a.archived || b.archived || !a.dated || !b.dated || a.e.EventStart != b.e.EventStart || a.e.EventEnd != b.e.EventEnd {
		return false
	}
	return a.e.URL != "" && (a.e.URL == b.e.URL || b.hasPage(a.e.URL) || a.hasPage(b.e.URL))
}

// hasPage reports whether an address is a page of a record, not only its home page.
func (a *EventKey) hasPage(url string) bool {
	return url != "" && url != a.home.page && slices.ContainsFunc(a.sites, func(s comparedSite) bool { return s.page == url })
}

// Probability is PairModel.Probability with the shipped model.
func Probability(a, b *EventKey) float64 { return ShippedPairs().Probability(a, b) }

// PairTerms returns the features of two records: the results of the comparisons of Likeness, alone
// and combined with those that affect their weight. It is pure and symmetric.
func PairTerms(a, b *EventKey) []classify.Term { return pairTerms(a, b, a.Similarity(b)) }

func pairTerms(a, b *EventKey, likeness float64) []classify.Term {
	var terms []classify.Term
	add := func(template, value string) {
		terms = append(terms, classify.Term{ID: classify.HashTerm(template, value), Value: 1})
	}
	title, acronym, site, home := compareTitles(a, b), compareAcronyms(a, b), weightText(weighSite(a, b)), compareHomes(a, b)
	days, place, dues, year := compareDays(a, b), comparePlaces(a, b), compareDeadlines(a, b), compareYears(a, b)
	archived := countText(a.archived, b.archived)
	rivals, rules := compareNames(a, b), weightText(max(-farthest, min(farthest, likeness)))
	for _, f := range [][2]string{
		{"title", title}, {"acronym", acronym}, {"site", site}, {"home", home}, {"days", days}, {"place", place}, {"dues", dues}, {"year", year},
		{"archived", archived}, {"rivals", rivals}, {"related", countText(eventseer.IsRelated(a.e), eventseer.IsRelated(b.e))},
		{"ordinal", compareOrdinals(a, b)}, {"kind", joinSorted(string(a.e.Kind), string(b.e.Kind))}, {"series", compareSeries(a, b)},
		{"rules", rules}, {"rules archived", rules + archived}, {"rules home", rules + home}, {"rules title", rules + title},
		{"held", countText(isHeldAt(a, b), isHeldAt(b, a))}, {"full", strconv.FormatBool(haveCommonFullName(a, b))},
		{"title site", title + site}, {"title days", title + days}, {"title home", title + home}, {"title acronym", title + acronym},
		{"acronym days", acronym + days}, {"acronym site", acronym + site}, {"acronym home", acronym + home}, {"home days", home + days},
		{"rivals site", rivals + site}, {"rivals home", rivals + home}, {"rivals days", rivals + days},
		{"archived title acronym", archived + title + acronym}, {"archived days dues", archived + days + dues}, {"archived home", archived + home},
	} {
		add(f[0], f[1])
	}
	return terms
}

// farthest is the limit of the likeness used as a feature, in both directions.
const farthest = 12

// weightText formats a weight, which has few possible values.
func weightText(weight float64) string { return strconv.FormatFloat(weight, 'f', -1, 64) + ";" }

// joinSorted joins two values in alphabetical order.
func joinSorted(a, b string) string { return min(a, b) + "/" + max(a, b) + ";" }

// countText returns whether a property holds for none, one or both of two records.
func countText(a, b bool) string {
	n := 0
	for _, is := range []bool{a, b} {
		if is {
			n++
		}
	}
	return strconv.Itoa(n) + ";"
}

// compareTitles returns the share of common words of two titles, in fifths, and whether one has
// only an acronym.
func compareTitles(a, b *EventKey) string {
	switch {
	case len(a.words) == 0 || len(b.words) == 0:
		return "none;"
	case IsBareTitle(a.words, a.acronym, b.acronym) || IsBareTitle(b.words, a.acronym, b.acronym):
		if like, _ := series.TitleSimilarity(a.words, b.words); like >= sameTitle {
			return "bare same;"
		}
		return "bare;"
	}
	like, both := series.TitleSimilarity(a.words, b.words)
	if both < 2 && like < sameTitle {
		return "apart " + strconv.Itoa(both) + ";"
	}
	return strconv.Itoa(int(like*5)) + " of " + strconv.Itoa(min(both, longTitle)) + ";"
}

func compareAcronyms(a, b *EventKey) string {
	switch {
	case series.IsSociety(a.acronym) || series.IsSociety(b.acronym):
		return "society;"
	case a.acronym == "" && b.acronym == "":
		return "none;"
	case a.acronym == "" || b.acronym == "":
		if a.acronym != "" && areAllIn(a.acronym, b.words) || b.acronym != "" && areAllIn(b.acronym, a.words) {
			return "in title;"
		}
		return "one;"
	case a.squeezed == b.squeezed:
		if a.bearsOut || b.bearsOut {
			return "same, of the title;"
		}
		return "same;"
	case areAllIn(a.acronym, b.words) || areAllIn(b.acronym, a.words):
		return "other, in title;"
	case a.containsAcronym(b):
		return "contained;"
	}
	return "other;"
}

// compareHomes reports how near the home pages of two records are.
func compareHomes(a, b *EventKey) string {
	switch {
	case a.home.host == "" && b.home.host == "":
		return "none;"
	case a.home.host == "" || b.home.host == "":
		return "one;"
	case a.home.page == b.home.page:
		return "same;"
	case a.home.host != b.home.host:
		return "other;"
	}
	common := a.home.countShared(b.home.site)
	if common > len(a.home.folders) || common > len(b.home.folders) {
		return "within;"
	}
	return "host;"
}

func compareDays(a, b *EventKey) string {
	switch {
	case !a.hasFrom && !b.hasFrom:
		return "none;"
	case !a.hasFrom || !b.hasFrom:
		return "one;"
	case !a.dated || !b.dated:
		return "doubted;"
	}
	return weightText(weighDays(a, b))
}

func comparePlaces(a, b *EventKey) string {
	at, to := a.e.Location, b.e.Location
	switch {
	case at == nil || to == nil:
		return "none;"
	case a.city != "" && a.city == b.city:
		return "city;"
	case at.CountryCode == "" || to.CountryCode == "":
		return "some;"
	case at.CountryCode != to.CountryCode:
		return "other;"
	case a.city != "" && b.city != "":
		return "other city;"
	}
	return "country;"
}

// compareDeadlines reports how many deadlines two records share, and of how many.
func compareDeadlines(a, b *EventKey) string {
	fewer := min(len(a.dues), len(b.dues))
	if fewer == 0 {
		return "none;"
	}
	shared := 0
	for d := range a.dues {
		if b.dues[d] {
			shared++
		}
	}
	return strconv.Itoa(min(shared, 3)) + " of " + strconv.Itoa(min(fewer, 3)) + ";"
}

func compareYears(a, b *EventKey) string {
	y, z := a.e.Year, b.e.Year
	switch {
	case y == 0 && z == 0:
		return "none;"
	case y == 0 || z == 0:
		return "one;"
	case y == z && a.dated && b.dated:
		return "dated;"
	case y == z:
		return "same;"
	}
	return "other;"
}

func compareOrdinals(a, b *EventKey) string {
	switch n, m := a.ordinal, b.ordinal; {
	case n == 0 && m == 0:
		return "none;"
	case n == 0 || m == 0:
		return "one;"
	case n == m:
		return "same;"
	}
	return "other;"
}

func compareSeries(a, b *EventKey) string {
	switch {
	case a.series == "" || b.series == "":
		return "none;"
	case a.series == b.series:
		return "same;"
	}
	return "other;"
}

// compareNames returns the types of events in two names and the number of subject words that only
// one has; see differentEvents.
func compareNames(a, b *EventKey) string {
	x, y := a.eventName(), b.eventName()
	classes := joinSorted(strconv.Itoa(int(x.class)), strconv.Itoa(int(y.class)))
	known := optionalWords(a, b)
	ofX, ofY := min(x.countOtherWords(y, known), 2), min(y.countOtherWords(x, known), 2)
	if x.class > y.class || x.class == y.class && cmp.Less(ofY, ofX) {
		ofX, ofY = ofY, ofX
	}
	return classes + strconv.Itoa(ofX) + strconv.Itoa(ofY) + strconv.FormatBool(differentEvents(a, b)) + ";"
}

// Probabilities from which records are merged, and from which two events are presented to an editor as a
// question. The first keeps wrong merges below 1 %, see models/pair.md.
const (
	MergeProbability    = 0.8
	QuestionProbability = 0.3
)
