//go:build measure

package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/internal/golden"
)

var nameErrs = flag.Bool("name-errors", false, "print errors on gold and work")

// How the rankers are trained.
const (
	pagesOfSite        = 4    // pages per work site that are not calls
	otherPageWeight    = 0.6  // weight of such a page
	nameCallWeight     = 0.7  // weight of a plain-text call
	hostedWeight       = 2    // weight of a call of a part of a larger event; there are few
	tableWeight        = 0.5  // weight of a page whose event is known from the table
	otherAcronymWeight = 0.4  // weight for acronyms of a page that is not a call and may not print one
	goldNameWeight     = 0.3  // weight for names of a gold page, on which the rules were developed
	formGain           = 0.3  // gain of a printed form other than the full name
	gainSlope          = 8    // exponent by which an exact name is worth more than a similar one
	variantWeight      = 0.15 // weight of a variant, beside that of its page
	minNameF1          = 0.8  // minimum share of words for a correct name in score_extract.py
	wrongNames         = 70   // wrong candidates per choice in training
)

// sampled returns a sample of the pages of work sites that are not calls, at most n per site.
func sampled(pages []*namedPage, n int) []*namedPage {
	seen := map[string]int{}
	var out []*namedPage
	for _, p := range pages {
		if p.corpus == "other" {
			if seen[p.group] >= n {
				continue
			}
			seen[p.group]++
		}
		out = append(out, p)
	}
	return out
}

func weightOf(p *namedPage, perGroup map[string]float64) float64 {
	w := 1.0
	switch p.corpus {
	case "other":
		w = otherPageWeight
	case "wikicfp", "read":
		w = nameCallWeight
	case "series", "mail":
		w = tableWeight
	}
	if p.variant {
		w *= variantWeight
	}
	return w / math.Sqrt(math.Sqrt(perGroup[p.kin+p.corpus]))
}

// thinned returns a choice with all right candidates and at most n others, evenly sampled.
func thinned(c loglinear.Choice, n int) loglinear.Choice {
	wrong := 0
	for _, g := range c.Gain {
		if g == 0 {
			wrong++
		}
	}
	if wrong <= n {
		return c
	}
	out := loglinear.Choice{Group: c.Group, Weight: c.Weight}
	k := 0
	for i, g := range c.Gain {
		if g == 0 {
			k++
			if i < len(c.Gain)-1 && k > n/2 && (k*n/2)/wrong == ((k-1)*n/2)/wrong {
				continue
			}
		}
		out.Candidates, out.Gain = append(out.Candidates, c.Candidates[i]), append(out.Gain, g)
	}
	return out
}

func acronymOptions() loglinear.Options {
	return loglinear.Options{Epochs: 6, Rate: 0.05, L1: 1, L2: 0.5, MinGroups: 3, Seed: 1}
}

func nameOptions() loglinear.Options {
	return loglinear.Options{Epochs: 6, Rate: 0.05, L1: 2.5, L2: 0.5, MinGroups: 3, Seed: 1}
}

// parallel calls f for 0 to n-1 on two goroutines.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

type fit struct {
	acronyms, names *classify.LogLinear
}

// titleFor returns the candidate most similar to the known name, or "" if none is right.
func titleFor(p *namedPage, names []string) string {
	best, text := minNameF1, ""
	words := formWords(p.forms)
	for _, c := range names {
		if v, _ := formShare(c, words); v > best {
			best, text = v, c
		}
	}
	return text
}

func acronymChoices(pages []*namedPage, per map[string]float64) []loglinear.Choice {
	out := make([]loglinear.Choice, 2*len(pages))
	parallel(len(pages), func(i int) {
		p := pages[i]
		if p.noAcronym || p.unlearned {
			return
		}
		names, _ := p.lesson.Names(p.short, 1)
		title := titleFor(p, names)
		for k, title := range []string{"", title} {
			if k == 1 && title == "" {
				continue
			}
			c := loglinear.Choice{Candidates: p.lesson.AcronymTerms(title), Group: p.kin, Weight: weightOf(p, per)}
			if p.corpus == "other" {
				c.Weight *= otherAcronymWeight
			}
			list := p.lesson.Acronyms()
			right := false
			for _, a := range list {
				g := oneIfTrue(p.short != "" && a != "" && scoredAcronym(a) == scoredAcronym(p.short))
				right = right || g > 0
				c.Gain = append(c.Gain, g)
			}
			if !right { // if the page does not print the name, none is the best answer
				c.Gain[len(list)-1] = 1
			}
			out[2*i+k] = c
		}
	})
	return out
}

func nameChoices(pages []*namedPage, per map[string]float64, keys []string, probs []float64, all bool) []loglinear.Choice {
	out := make([]loglinear.Choice, len(pages))
	parallel(len(pages), func(i int) {
		p := pages[i]
		if p.noName || p.unlearned {
			return
		}
		names, terms := p.lesson.Names(keys[i], probs[i])
		p.texts = names
		c := loglinear.Choice{Candidates: terms, Group: p.kin, Weight: weightOf(p, per)}
		switch p.corpus {
		case "gold":
			c.Weight *= goldNameWeight
		case "hosted":
			c.Weight *= hostedWeight
		}
		words := formWords(p.forms)
		right := false
		for _, s := range names {
			f, which := formShare(s, words)
			g := 0.0
			if f >= minNameF1 {
				g = math.Exp(gainSlope * (f - 1))
				if which > 0 {
					g *= formGain
				}
			}
			right = right || g > 0
			c.Gain = append(c.Gain, g)
		}
		if !right && (p.corpus == "gold" || p.corpus == "work" || p.corpus == "other") {
			c.Gain[len(c.Gain)-1] = 1
		}
		if !all {
			c = thinned(c, wrongNames)
		}
		out[i] = c
	})
	return out
}

// A fitOutcome is the answer for a page by rankers trained without its owner.
type fitOutcome struct {
	name, acronym   string
	belief, aBelief float64
	right, aRight   bool
	full            bool // correct by the full name
}

// A nameRun is the result of cross-fitting. It has the rankers of each fold, their answers, the choices for
// training rankers on all pages, and the calibration from belief to probability.
type nameRun struct {
	models       []fit
	outs         []fitOutcome
	keys         []string
	acronyms     []loglinear.Choice
	names        []loglinear.Choice
	nameSteps    *classify.Isotonic
	acronymSteps *classify.Isotonic
}

// trainedIn reports whether page p is used to train the rankers of fold k. Neither its owner nor the owner
// of a similar page may be in that fold.
func trainedIn(p *namedPage, k int) bool {
	for owner := range p.near {
		if foldOf(owner) == k {
			return false
		}
	}
	return true
}

// crossFit trains the rankers of each fold on the pages for which learn returns true, or on all if learn is
// nil. The rankers then read the pages of their fold.
func crossFit(t *testing.T, pages []*namedPage, ao, no loglinear.Options, learn func(p *namedPage) bool) nameRun {
	ctx := context.Background()
	per := map[string]float64{}
	for _, p := range pages {
		if !p.variant {
			per[p.kin+p.corpus]++
		}
	}
	teaches := func(i, k int) bool { return trainedIn(pages[i], k) && (learn == nil || learn(pages[i])) }
	r := nameRun{models: make([]fit, trainingFolds), outs: make([]fitOutcome, len(pages)), keys: make([]string, len(pages))}
	r.acronyms = acronymChoices(pages, per)
	probs := make([]float64, len(pages))
	parallel(trainingFolds, func(k int) {
		m, err := loglinear.TrainRanker(ctx, classify.Meta{Task: "acronym"}, r.acronyms, func(i int) bool { return r.acronyms[i].Gain != nil && teaches(i/2, k) }, ao)
		if err != nil {
			t.Error(err)
			return
		}
		r.models[k].acronyms = m
		for i, p := range pages {
			if foldOf(p.group) == k {
				r.keys[i], probs[i] = p.lesson.ChooseAcronym(m)
			}
		}
	})
	r.names = nameChoices(pages, per, r.keys, probs, false)
	parallel(trainingFolds, func(k int) {
		m, err := loglinear.TrainRanker(ctx, classify.Meta{Task: "name"}, r.names, func(i int) bool { return r.names[i].Gain != nil && teaches(i, k) }, no)
		if err != nil {
			t.Error(err)
			return
		}
		r.models[k].names = m
		for i, p := range pages {
			if foldOf(p.group) == k {
				r.outs[i] = r.models[k].read(p, r.keys[i], probs[i])
			}
		}
	})
	r.nameSteps = r.calibrate(t, pages, nameBelief)
	r.acronymSteps = r.calibrate(t, pages, acronymBelief)
	return r
}

// read returns the answer of the rankers for a page. key is the acronym and prob its probability.
func (f fit) read(p *namedPage, key string, prob float64) (o fitOutcome) {
	names, terms := p.lesson.Names(key, prob)
	best, belief := p.lesson.ChooseName(f.names, terms)
	if best >= 0 {
		o.name, o.belief = names[best], belief
		v, which := formShare(o.name, formWords(p.forms))
		o.right, o.full = v >= minNameF1, v >= minNameF1 && which == 0
	}
	list := p.lesson.Acronyms()
	at, q := chooseBest(f.acronyms, p.lesson.AcronymTerms(o.name))
	o.acronym, o.aBelief = list[at], q
	o.aRight = scoredAcronym(o.acronym) == scoredAcronym(p.short)
	return o
}

// calibrate fits the probability of a correct answer on the calls of gold and work.
func (r *nameRun) calibrate(t *testing.T, pages []*namedPage, pick func(o fitOutcome) (float64, bool, bool)) *classify.Isotonic {
	var beliefs []float64
	var right []bool
	for i, p := range pages {
		if p.corpus != "gold" && p.corpus != "work" || p.variant {
			continue
		}
		if b, ok, use := pick(r.outs[i]); use {
			beliefs, right = append(beliefs, b), append(right, ok)
		}
	}
	s, err := classify.FitIsotonic(beliefs, right)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// nameCorpora are the corpora for which figures are printed.
var nameCorpora = []string{"gold", "work", "other", "wikicfp", "series", "mail", "hosted", "read"}

// figures counts the correct names and acronyms of the pages of a corpus, by owner. Answers below the
// extractor's minimum probability are ignored.
func (r *nameRun) figures(pages []*namedPage, corpus string) (names, acronyms map[string]nameTally) {
	names, acronyms = map[string]nameTally{}, map[string]nameTally{}
	for i, p := range pages {
		if p.corpus != corpus || p.variant {
			continue
		}
		o := r.outs[i]
		given := o.name != "" && r.nameSteps.Probability(o.belief) >= minNameProb
		if !p.noName {
			names[p.group] = names[p.group].with(given && o.right, given, len(p.forms) > 0)
		}
		if !p.noAcronym {
			given = o.acronym != "" && r.acronymSteps.Probability(o.aBelief) >= minAcronymProb
			acronyms[p.group] = acronyms[p.group].with(given && o.aRight, given, p.short != "")
		}
	}
	return names, acronyms
}

// report prints the figures of each corpus.
func (r *nameRun) report(t *testing.T, pages []*namedPage, of string) {
	for _, corpus := range nameCorpora {
		names, acronyms := r.figures(pages, corpus)
		t.Logf("%-24s %-8s title %s acronym %s", of, corpus, sumOf(names), sumOf(acronyms))
	}
}

// checkCalibration prints the predicted probability and the share of correct answers in three bins of the
// calls. The calibration is fitted without the fold.
func (r *nameRun) checkCalibration(t *testing.T, pages []*namedPage, of string, pick func(o fitOutcome) (float64, bool, bool)) {
	var said, right, n [3]float64
	for k := range trainingFolds {
		rest := nameRun{}
		var others []*namedPage
		for i, p := range pages {
			if foldOf(p.group) != k {
				others, rest.outs = append(others, p), append(rest.outs, r.outs[i])
			}
		}
		steps := rest.calibrate(t, others, pick)
		for i, p := range pages {
			if b, ok, use := pick(r.outs[i]); use && foldOf(p.group) == k && (p.corpus == "gold" || p.corpus == "work") && !p.variant {
				prob := steps.Probability(b)
				bin := min(int(3*prob), 2)
				said[bin], right[bin], n[bin] = said[bin]+prob, right[bin]+oneIfTrue(ok), n[bin]+1
			}
		}
	}
	for i := range n {
		t.Logf("calibration of %s, third %d: said %.3f, right %.3f of %g", of, i+1, said[i]/max(n[i], 1), right[i]/max(n[i], 1), n[i])
	}
}

func nameBelief(o fitOutcome) (float64, bool, bool) { return o.belief, o.right, o.name != "" }

func acronymBelief(o fitOutcome) (float64, bool, bool) { return o.aBelief, o.aRight, o.acronym != "" }

// TestFitNames prints the share of correct names and acronyms for held-out owners. With -update it trains
// on all pages and writes models/name.model, models/acronym.model and their cards. EVENTSEER_FOLDS is a
// folder with a model of block roles per fold; the rankers of the folds are written to it.
func TestFitNames(t *testing.T) {
	pages := withVariants(t, sampled(namedPages(t), pagesOfSite))
	r := crossFit(t, pages, acronymOptions(), nameOptions(), nil)
	t.Logf("features: acronym %d, name %d", r.models[0].acronyms.Features(), r.models[0].names.Features())
	t.Logf("name calibration %.3f %.3f", r.nameSteps.Decisions, r.nameSteps.Probs)
	t.Logf("acronym calibration %.3f %.3f", r.acronymSteps.Decisions, r.acronymSteps.Probs)
	r.writeFolds(t)
	r.report(t, pages, "owners left out")
	r.checkCalibration(t, pages, "names", nameBelief)
	r.checkCalibration(t, pages, "acronyms", acronymBelief)
	if *nameErrs {
		r.printErrors(t, pages)
	}
	if golden.Updating() {
		r.writeModels(t, pages)
	}
}

// TestNameTransfer prints the share of correct names and acronyms of each corpus for rankers trained
// without it.
func TestNameTransfer(t *testing.T) {
	pages := withVariants(t, sampled(namedPages(t), pagesOfSite))
	for _, without := range [][]string{{"gold"}, {"work", "other"}, {"wikicfp", "mail"}, {"wikicfp", "series", "mail"}} {
		r := crossFit(t, pages, acronymOptions(), nameOptions(), func(p *namedPage) bool { return !slices.Contains(without, p.corpus) })
		r.report(t, pages, "without "+strings.Join(without, ", "))
	}
}

// writeFolds writes the rankers of the folds to the folder EVENTSEER_FOLDS, if it is set.
func (r *nameRun) writeFolds(t *testing.T) {
	if dir := os.Getenv("EVENTSEER_FOLDS"); dir != "" {
		for k, m := range r.models {
			m.names.Calibration, m.acronyms.Calibration = r.nameSteps, r.acronymSteps
			writeRanker(t, m.names, filepath.Join(dir, fmt.Sprint(k), "name.model"))
			writeRanker(t, m.acronyms, filepath.Join(dir, fmt.Sprint(k), "acronym.model"))
		}
	}
}

// writeModels trains rankers on all pages and writes them with their cards.
func (r *nameRun) writeModels(t *testing.T, pages []*namedPage) {
	groups := map[string]bool{}
	data := sha256.New()
	for _, p := range pages {
		groups[p.kin] = true
		fmt.Fprintf(data, "%s\t%s\t%q\t%q\t%t\n", p.corpus, p.url, p.forms, p.short, p.variant)
	}
	meta := classify.Meta{
		Algo: "conditional logit", Program: "go test -tags measure -run FitNames ./eventseer/extract -update",
		Groups: len(groups), Classes: []string{"page"}, Data: fmt.Sprintf("sha256:%x", data.Sum(nil)),
	}
	var nameFigures, acronymFigures []classify.Figure
	for _, corpus := range nameCorpora {
		names, acronyms := r.figures(pages, corpus)
		nameFigures = append(nameFigures, f1Of("f1 on "+corpus, names))
		acronymFigures = append(acronymFigures, f1Of("f1 on "+corpus, acronyms))
	}
	meta.Task, meta.Figures, meta.Calibration = "acronym", acronymFigures, r.acronymSteps
	writeNameModel(t, meta, r.acronyms, acronymOptions())
	meta.Task, meta.Figures, meta.Calibration = "name", nameFigures, r.nameSteps
	writeNameModel(t, meta, r.names, nameOptions())
}

// printErrors prints the wrong answers for training pages.
func (r *nameRun) printErrors(t *testing.T, pages []*namedPage) {
	for i, p := range pages {
		o := r.outs[i]
		if p.variant {
			continue
		}
		if !o.right {
			t.Logf("NAME %s %s\n   got  %q %.2f key %q\n   want %q", p.corpus, p.url, o.name, o.belief, r.keys[i], p.forms)
		}
		if !o.aRight && !p.noAcronym {
			printed := slices.ContainsFunc(p.lesson.Acronyms(), func(a string) bool { return scoredAcronym(a) == scoredAcronym(p.short) })
			t.Logf("ACR %s %s got %q %.2f want %q, a candidate: %v", p.corpus, p.url, o.acronym, o.aBelief, p.short, printed)
		}
	}
}

// A nameTally counts correct answers, answers, and known names of a group of pages.
type nameTally struct{ right, given, known int }

func (x nameTally) with(right, given, known bool) nameTally {
	return nameTally{x.right + int(oneIfTrue(right)), x.given + int(oneIfTrue(given)), x.known + int(oneIfTrue(known))}
}

func (x nameTally) f1() float64 { return 2 * float64(x.right) / float64(max(x.given+x.known, 1)) }

// sumOf prints precision, recall and F1 over all groups.
func sumOf(of map[string]nameTally) string {
	var all nameTally
	for _, x := range of {
		all = nameTally{all.right + x.right, all.given + x.given, all.known + x.known}
	}
	return fmt.Sprintf("%.3f/%.3f F1 %.3f (%d)", float64(all.right)/float64(max(all.given, 1)), float64(all.right)/float64(max(all.known, 1)), all.f1(), all.known)
}

// f1Of returns F1 with a bootstrap interval over groups.
func f1Of(name string, of map[string]nameTally) classify.Figure {
	groups := slices.Sorted(maps.Keys(of))
	sum := func(pick func(i int) int) (all nameTally) {
		for i := range groups {
			x := of[groups[pick(i)]]
			all = nameTally{all.right + x.right, all.given + x.given, all.known + x.known}
		}
		return all
	}
	draw := rand.New(rand.NewPCG(1, 0))
	values := make([]float64, 400)
	for k := range values {
		values[k] = sum(func(int) int { return draw.IntN(len(groups)) }).f1()
	}
	slices.Sort(values)
	return classify.Figure{Name: name, Value: sum(func(i int) int { return i }).f1(), Low: values[10], High: values[389]}
}

func chooseBest(m *classify.LogLinear, terms [][]classify.Term) (int, float64) {
	p := make([]float64, len(terms))
	for i, x := range terms {
		p[i] = m.Score(x)
	}
	classify.Softmax(p)
	best := 0
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best, p[best]
}

func writeRanker(t *testing.T, m *classify.LogLinear, file string) {
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d features, %d bytes", file, m.Features(), b.Len())
}

// writeNameModel trains a ranker on all choices and writes it with its card.
func writeNameModel(t *testing.T, meta classify.Meta, choices []loglinear.Choice, o loglinear.Options) {
	meta.Seed = o.Seed
	meta.Options = fmt.Sprintf("%d epochs, rate %g, L1 %g, L2 %g, features of at least %d groups", o.Epochs, o.Rate, o.L1, o.L2, o.MinGroups)
	n := 0
	for _, c := range choices {
		n += int(oneIfTrue(c.Gain != nil))
	}
	meta.Counts = []int{n}
	m, err := loglinear.TrainRanker(context.Background(), meta, choices, func(i int) bool { return choices[i].Gain != nil }, o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "models", meta.Task+".model")
	writeRanker(t, m, file)
	card, err := os.ReadFile(strings.TrimSuffix(file, ".model") + ".md")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(card), "## How it was made")
	var b strings.Builder
	fmt.Fprintf(&b, "%s## How it was made\n\n- algorithm: %s: %s; seed %d\n- command, in the root of the repository, with the corpora beside it: `%s`\n- %d features have a weight\n- data: %d choices in %d groups (a group is a site's owner or a call), digest `%s`\n\n## What it can do\n\nEach page is read by rankers, and by a model of block roles, trained without its owner and without pages that share 0.3 of their runs of six words with its own (five folds). Intervals are 95 %%, by bootstrap over owners.\n\n| figure | value | interval |\n|---|---|---|\n", head, m.Algo, m.Options, m.Seed, m.Program, m.Features(), m.Examples(), m.Groups, m.Data)
	for _, f := range m.Figures {
		fmt.Fprintf(&b, "| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	b.WriteString("\nThe probability that a choice is right, by belief: isotonic regression on the same cross-fitted choices.\n\n| belief | probability |\n|---|---|\n")
	for i, d := range m.Calibration.Decisions {
		fmt.Fprintf(&b, "| %.3f | %.3f |\n", d, m.Calibration.Probs[i])
	}
	b.WriteString("\n## Licence\n\nAs the program, see LICENSE. The file holds hashes and weights, and no page.\n")
	if err := os.WriteFile(strings.TrimSuffix(file, ".model")+".md", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
