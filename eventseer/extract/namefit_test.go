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

	"eventseer/classify"
	"eventseer/classify/loglinear"
	"eventseer/internal/golden"
)

var nameErrs = flag.Bool("name-errors", false, "print errors on gold and work")

// How the rankers are trained.
const (
	pagesOfSite        = 4   // pages of a work site that are no calls
	otherPageWeight    = 0.6 // of such a page
	nameCallWeight     = 0.7 // of a plain-text call
	otherAcronymWeight = 0.4 // for acronyms, of a page that is not a call: it may not print one
	goldNameWeight     = 0.3 // of a page of gold for the names, which the rules were made on
	formGain           = 0.3 // of another printed form than the full name
	gainSlope          = 8   // how much an exact name is worth above a near one
	minNameF1          = 0.8 // share of words by which score_extract.py takes a name for right
	wrongNames         = 70  // wrong candidates a choice is trained with
)

// sampled draws pages of work sites that are no calls, at most n a site.
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
	case "wikicfp":
		w = nameCallWeight
	}
	return w / math.Sqrt(math.Sqrt(perGroup[p.group+p.corpus]))
}

// thinned keeps the right candidates of a choice and at most n others, evenly drawn.
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
	return loglinear.Options{Epochs: 6, Rate: 0.1, L1: 1, L2: 0.5, MinGroups: 3, Seed: 1}
}

func nameOptions() loglinear.Options {
	return loglinear.Options{Epochs: 6, Rate: 0.05, L1: 2.5, L2: 0.5, MinGroups: 3, Seed: 1}
}

// parallel runs f for 0 to n-1 on two goroutines.
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

// titleFor is the text of the candidate nearest to the known name, "" if none is right.
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
		if p.corpus == "wikicfp" || p.noAcronym {
			return
		}
		names, _ := p.lesson.Names(p.short, 1)
		title := titleFor(p, names)
		for k, title := range []string{"", title} {
			if k == 1 && title == "" {
				continue
			}
			c := loglinear.Choice{Candidates: p.lesson.AcronymTerms(title), Group: p.group, Weight: weightOf(p, per)}
			if p.corpus == "other" {
				c.Weight *= otherAcronymWeight
			}
			list := p.lesson.Acronyms()
			right := false
			for _, a := range list {
				g := is(p.short != "" && a != "" && scoredAcronym(a) == scoredAcronym(p.short))
				right = right || g > 0
				c.Gain = append(c.Gain, g)
			}
			if !right { // none is the best answer also where the page does not print it
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
		names, terms := p.lesson.Names(keys[i], probs[i])
		p.texts = names
		c := loglinear.Choice{Candidates: terms, Group: p.group, Weight: weightOf(p, per)}
		if p.corpus == "gold" {
			c.Weight *= goldNameWeight
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

// TestFitNames prints what share of names and acronyms is right on owners held out. With
// -update it writes models/name.model and models/acronym.model, learned from all, and
// their cards. EVENTSEER_FOLDS is a folder with a model of block roles a fold, in which
// the rankers of the folds are written too.
func TestFitNames(t *testing.T) {
	pages := sampled(namedPages(t), pagesOfSite)
	ctx := context.Background()
	const folds = trainingFolds
	per := map[string]float64{}
	for _, p := range pages {
		per[p.group+p.corpus]++
	}
	ac := acronymChoices(pages, per)
	inFold := func(i, k int) bool { return foldOf(pages[i].group) == k }
	models := make([]fit, folds)
	keys, probs := make([]string, len(pages)), make([]float64, len(pages))
	parallel(folds, func(k int) {
		m, err := loglinear.TrainRanker(ctx, classify.Meta{Task: "acronym"}, ac, func(i int) bool { return !inFold(i/2, k) && ac[i].Gain != nil }, acronymOptions())
		if err != nil {
			t.Error(err)
			return
		}
		models[k].acronyms = m
		for i, p := range pages {
			if inFold(i, k) {
				keys[i], probs[i] = p.lesson.Key(m)
			}
		}
	})
	t.Logf("acronym features %d", models[0].acronyms.Features())
	nc := nameChoices(pages, per, keys, probs, false)
	type outcome struct {
		name, acronym   string
		belief, aBelief float64
		right, aRight   bool
		full            bool
	}
	outs := make([]outcome, len(pages))
	parallel(folds, func(k int) {
		m, err := loglinear.TrainRanker(ctx, classify.Meta{Task: "name"}, nc, func(i int) bool { return !inFold(i, k) }, nameOptions())
		if err != nil {
			t.Error(err)
			return
		}
		models[k].names = m
		for i, p := range pages {
			if !inFold(i, k) {
				continue
			}
			o := &outs[i]
			names, terms := p.lesson.Names(keys[i], probs[i])
			best, belief := p.lesson.ChooseName(m, terms)
			if best >= 0 {
				o.name, o.belief = names[best], belief
				f, _ := formShare(o.name, formWords(p.forms))
				o.right = f >= minNameF1
				if len(p.forms) > 0 {
					f, _ = formShare(o.name, formWords(p.forms[:1]))
					o.full = f >= minNameF1
				}
			}
			list := p.lesson.Acronyms()
			at, q := chooseBest(models[k].acronyms, p.lesson.AcronymTerms(o.name))
			o.acronym, o.aBelief = list[at], q
			o.aRight = scoredAcronym(o.acronym) == scoredAcronym(p.short)
		}
	})
	t.Logf("name features %d", models[0].names.Features())
	calibrate := func(pick func(o outcome) (float64, bool, bool)) *classify.Isotonic {
		var beliefs []float64
		var right []bool
		for i, p := range pages {
			if p.corpus != "gold" && p.corpus != "work" {
				continue
			}
			if b, ok, use := pick(outs[i]); use {
				beliefs, right = append(beliefs, b), append(right, ok)
			}
		}
		s, err := classify.FitIsotonic(beliefs, right)
		if err != nil {
			t.Fatal(err)
		}
		return &s
	}
	nameSteps := calibrate(func(o outcome) (float64, bool, bool) { return o.belief, o.right, o.name != "" })
	acronymSteps := calibrate(func(o outcome) (float64, bool, bool) { return o.aBelief, o.aRight, o.acronym != "" })
	t.Logf("name calibration %.3f %.3f", nameSteps.Decisions, nameSteps.Probs)
	t.Logf("acronym calibration %.3f %.3f", acronymSteps.Decisions, acronymSteps.Probs)
	if dir := os.Getenv("EVENTSEER_FOLDS"); dir != "" {
		for k := range models {
			models[k].names.Calibration, models[k].acronyms.Calibration = nameSteps, acronymSteps
			writeRanker(t, models[k].names, filepath.Join(dir, fmt.Sprint(k), "name.model"))
			writeRanker(t, models[k].acronyms, filepath.Join(dir, fmt.Sprint(k), "acronym.model"))
		}
	}
	var nameFigures, acronymFigures []classify.Figure
	for _, corpus := range []string{"gold", "work", "other", "wikicfp"} {
		tallies, acronymTallies := map[string]nameTally{}, map[string]nameTally{}
		var tp, fp, fn, full, atp, afp, afn, none float64
		var bins [10][2]int
		for i, p := range pages {
			if p.corpus != corpus {
				continue
			}
			o := outs[i]
			has := len(p.forms) > 0
			said := o.name != ""
			given := nameSteps.Prob(o.belief) >= minNameProb
			tallies[p.group] = tallies[p.group].with(given && o.right, given, has)
			given = o.acronym != "" && acronymSteps.Prob(o.aBelief) >= minAcronymProb
			acronymTallies[p.group] = acronymTallies[p.group].with(given && o.aRight, given, p.short != "")
			b := &bins[min(int(o.belief*10), 9)]
			b[1]++
			switch {
			case o.right && said:
				tp++
				b[0]++
				full += is(o.full)
			default:
				fp += is(said)
				fn += is(has)
			}
			switch {
			case o.acronym == "":
				afn += is(p.short != "")
				none++
			case o.aRight:
				atp++
			default:
				afp++
				afn += is(p.short != "")
			}
			if *nameErrs && (corpus == "other" || corpus == "wikicfp") && !o.right {
				words, printed := formWords(p.forms), false
				for _, c := range p.texts {
					f, _ := formShare(c, words)
					printed = printed || f >= minNameF1
				}
				if printed || o.belief > 0.5 {
					t.Logf("OTHER %s %v %.2f %q key %q want %q", p.url, printed, o.belief, o.name, keys[i], p.forms)
				}
			}
			if *nameErrs && (corpus == "gold" || corpus == "work") {
				if !o.right {
					t.Logf("NAME %s %s\n   got  %q %.2f key %q\n   want %q", corpus, p.url, o.name, o.belief, keys[i], p.forms)
				}
				if !o.aRight {
					t.Logf("ACR %s %s got %q %.2f want %q", corpus, p.url, o.acronym, o.aBelief, p.short)
				}
			}
		}
		t.Logf("%-8s title F1 %.3f (full %.3f), acronym F1 %.3f, none %g; bins %v", corpus, 2*tp/(2*tp+fp+fn), full/max(tp, 1), 2*atp/(2*atp+afp+afn), none, bins)
		if corpus == "gold" || corpus == "work" {
			nameFigures = append(nameFigures, f1Of("f1 on "+corpus, tallies))
			acronymFigures = append(acronymFigures, f1Of("f1 on "+corpus, acronymTallies))
		}
	}
	t.Log(nameFigures, acronymFigures)
	if golden.Updating() {
		groups := map[string]bool{}
		data := sha256.New()
		for _, p := range pages {
			groups[p.group] = true
			fmt.Fprintf(data, "%s\t%s\t%q\t%q\n", p.corpus, p.url, p.forms, p.short)
		}
		meta := classify.Meta{
			Algo: "conditional logit", Program: "go test -tags measure -run FitNames ./eventseer/extract -update",
			Groups: len(groups), Classes: []string{"page"}, Data: fmt.Sprintf("sha256:%x", data.Sum(nil)),
		}
		meta.Task, meta.Figures, meta.Calibration = "acronym", acronymFigures, acronymSteps
		writeNameModel(t, meta, ac, acronymOptions())
		meta.Task, meta.Figures, meta.Calibration = "name", nameFigures, nameSteps
		writeNameModel(t, meta, nc, nameOptions())
	}
}

// A nameTally counts the answers for the pages of a group.
type nameTally struct{ right, given, known int }

func (x nameTally) with(right, given, known bool) nameTally {
	return nameTally{x.right + int(is(right)), x.given + int(is(given)), x.known + int(is(known))}
}

func (x nameTally) f1() float64 { return 2 * float64(x.right) / float64(max(x.given+x.known, 1)) }

// f1Of returns F1 with an interval by bootstrap over groups.
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
		n += int(is(c.Gain != nil))
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
	fmt.Fprintf(&b, "%s## How it was made\n\n- algorithm: %s: %s; seed %d\n- command, in the root of the repository, with the corpora beside it: `%s`\n- %d features have a weight\n- data: %d choices in %d groups (a group is a site's owner or a call), digest `%s`\n\n## What it can do\n\nEach page is read by rankers, and by a model of block roles, trained without its owner (five folds). Intervals are 95 %%, by bootstrap over owners.\n\n| figure | value | interval |\n|---|---|---|\n", head, m.Algo, m.Options, m.Seed, m.Program, m.Features(), m.Examples(), m.Groups, m.Data)
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
