//go:build measure

package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	gocmp "github.com/google/go-cmp/cmp"
)

// How pairs are drawn and learned.
const (
	pairFolds     = 5
	pairsOfASite  = 12  // pairs of one site, or of one site with one other
	messageWeight = 3   // what a pair of messages counts: there are few
	farNegatives  = 4   // of the pairs of messages of other editions one in so many
	maxKeyRecords = 200 // a key that several records share does not count
)

// A pairExample is two records and whether they are of one edition.
type pairExample struct {
	a, b   string // addresses, in order
	groups [2]string
	same   bool
	how    string // site, message
	terms  []classify.Term
	keys   [2]*match.EventKey
	merged bool    // by the fold that has not seen its groups, see match.PairModel.Score
	rules  float64 // Likeness
	belief float64 // of the fold that has not seen its groups
}

// A pairRecord is a record with the edition that is known of its page.
type pairRecord struct {
	event   eventseer.Event
	key     *match.EventKey
	edition string // "" if unknown
	group   string // what its pairs are split by
	message bool
}

// shelf takes what an Ingester stores.
type pairShelf struct {
	eventseer.Store
	mu     sync.Mutex
	events []eventseer.Event
}

func (s *pairShelf) Put(_ context.Context, e eventseer.Event, _ []eventseer.Clip, _ ...eventseer.ChangeKind) (eventseer.EventID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	return e.ID, nil
}

// TestFitPairs fits the model of pairs and measures how well it distinguishes one edition from two.
// It fits pairs of pages of the frozen web and of the work sites; the edition of a page is that of
// its site in nodes.tsv, that of messages was read (eventseer/testdata/mail-editions.tsv). It
// measures on folds by owner, beside the rules, and on the judged pairs of eventseer/testdata. The
// shipped model must be the one that comes out; with -update it is written, with its card:
//
//	go test -tags measure -run TestFitPairs -v ./cmd/eventseer/internal/engine -update
func TestFitPairs(t *testing.T) {
	records := pairRecords(t)
	examples, digest := pairExamples(t, records)
	folds := make([]*classify.LogLinear, pairFolds)
	for k := range folds {
		folds[k] = fitPairs(t, examples, k, nil)
	}
	var beliefs []float64
	var truths []bool
	for i := range examples {
		e := &examples[i]
		e.belief = beliefOf(folds[foldOf(e.groups[0])], e.terms)
		beliefs, truths = append(beliefs, e.belief), append(truths, e.same)
	}
	calibration, err := classify.FitIsotonic(beliefs, truths)
	if err != nil {
		t.Fatal(err)
	}
	scorers := make([]*match.PairModel, pairFolds)
	for k, fold := range folds {
		fold.Calibration = &calibration
		if scorers[k], err = match.NewPairModel(fold); err != nil {
			t.Fatal(err)
		}
	}
	for i := range examples {
		e := &examples[i]
		e.merged = scorers[foldOf(e.groups[0])].Score(e.keys[0], e.keys[1]) >= 0
	}
	figures := pairFigures(t, examples, calibration)
	for _, file := range []string{"pairs.tsv", "pairs-close.tsv"} {
		figures = append(figures, judgedFigures(t, file, records, scorers)...)
	}
	meta := classify.Meta{
		Task: "pair", Algo: "log-linear", Classes: []string{"two", "one"}, Data: digest, Calibration: &calibration, Figures: figures,
		Options: fmt.Sprintf("%d epochs, L2 %g, features of at least %d groups", pairOptions.Epochs, pairOptions.L2, pairOptions.MinGroups),
		Program: "go test -tags measure -run TestFitPairs ./cmd/eventseer/internal/engine -update", Counts: []int{0, 0}, Seed: pairOptions.Seed,
	}
	groups := map[string]bool{}
	for _, e := range examples {
		if e.same {
			meta.Counts[1]++
		} else {
			meta.Counts[0]++
		}
		groups[e.groups[0]], groups[e.groups[1]] = true, true
	}
	meta.Groups = len(groups)
	var file bytes.Buffer
	model := fitPairs(t, examples, -1, &meta)
	if err := classify.WriteLogLinear(&file, model); err != nil {
		t.Fatal(err)
	}
	comparePairFile(t, file.Bytes(), pairCard(model))
}

func comparePairFile(t *testing.T, file []byte, card string) {
	t.Helper()
	const dir = "../../../../models/"
	if golden.Updating() {
		if err := errors.Join(os.WriteFile(dir+match.PairFile, file, 0o644), os.WriteFile(dir+"pair.md", []byte(card), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(dir + match.PairFile)
	if err != nil {
		t.Fatal(err)
	}
	shippedCard, err := os.ReadFile(dir + "pair.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, file) {
		t.Error("the shipped model of pairs is not the one that was fitted")
	}
	if diff := gocmp.Diff(string(shippedCard), card); diff != "" {
		t.Errorf("the card (-shipped +fitted):\n%s", diff)
	}
}

var pairOptions = loglinear.Options{Epochs: 12, Rate: 0.1, L2: 1, MinGroups: 3, Seed: 1}

// fitPairs fits a model to the pairs of which no group is in a fold, to all for -1.
func fitPairs(t *testing.T, examples []pairExample, fold int, meta *classify.Meta) *classify.LogLinear {
	t.Helper()
	var in []loglinear.Example
	for _, e := range examples {
		if fold >= 0 && (foldOf(e.groups[0]) == fold || foldOf(e.groups[1]) == fold) {
			continue
		}
		class := 0
		if e.same {
			class = 1
		}
		weight := 1.0
		if e.how == "message" {
			weight = messageWeight
		}
		in = append(in, loglinear.Example{Terms: e.terms, Class: class, Group: e.groups[0], Weight: weight})
	}
	slices.SortStableFunc(in, func(a, b loglinear.Example) int { return strings.Compare(a.Group, b.Group) })
	if meta == nil {
		meta = &classify.Meta{}
	}
	m, err := loglinear.Train(t.Context(), *meta, 2, in, nil, pairOptions)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func beliefOf(m *classify.LogLinear, terms []classify.Term) float64 {
	scores := make([]float64, 2)
	m.Scores(terms, scores)
	return scores[1] - scores[0]
}

// pairExamples draws pairs of records that share a key and may be of one year. A page about another edition
// than its folder is not used for training.
func pairExamples(t *testing.T, records map[string]*pairRecord) ([]pairExample, string) {
	t.Helper()
	index := map[match.BlockKey][]string{}
	for _, u := range slices.Sorted(maps.Keys(records)) {
		if r := records[u]; r.edition != "" && !r.speaksOfAnother() {
			for _, k := range match.BlockKeys(r.event) {
				index[k] = append(index[k], u)
			}
		}
	}
	pairs := map[[2]string]bool{}
	for _, urls := range index {
		if len(urls) > maxKeyRecords {
			continue
		}
		for i, a := range urls {
			for _, b := range urls[i+1:] {
				pairs[[2]string{a, b}] = true
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	drawn := map[[2]string]int{}
	var out []pairExample
	sum := sha256.New()
	for i, p := range order {
		a, b := records[p[0]], records[p[1]]
		e := pairExample{a: p[0], b: p[1], groups: [2]string{a.group, b.group}, same: a.edition == b.edition, how: "site"}
		editions := [2]string{min(a.edition, b.edition), max(a.edition, b.edition)}
		switch {
		case match.AreRuledOut(a.key, b.key) || !e.same && nested(a.edition, b.edition):
			continue
		case a.message && b.message:
			if e.how = "message"; !e.same && i%farNegatives > 0 {
				continue
			}
		case drawn[editions] >= pairsOfASite:
			continue
		}
		drawn[editions]++
		e.terms, e.rules, e.keys = match.PairTerms(a.key, b.key), a.key.Similarity(b.key), [2]*match.EventKey{a.key, b.key}
		out = append(out, e)
		fmt.Fprintf(sum, "%s %s %v\n", e.a, e.b, e.same)
	}
	return out, fmt.Sprintf("sha256:%x", sum.Sum(nil))
}

// nested reports whether the base of one site lies within that of another. The root of a host holds
// the current edition, or all of them.
func nested(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

var yearOfSite = regexp.MustCompile(`(?:19|20)\d\d`)

// speaksOfAnother reports whether a record is of another year than its site is named after.
func (r *pairRecord) speaksOfAnother() bool {
	year := yearOfSite.FindString(r.edition)
	return year != "" && !r.message && r.event.Year != 0 && fmt.Sprint(r.event.Year) != year
}

// pairRecords reads the pages whose edition is known, and those of the judged pairs, as
// a crawl does.
func pairRecords(t *testing.T) map[string]*pairRecord {
	t.Helper()
	known := map[string]*pairRecord{}
	calls := map[string]bool{}
	for _, line := range tableLines(t, golden.SharedPath(t, "corpora/web/nodes.tsv")) {
		// url, status, page_type, is_cfp, event_site, added, host
		if line[1] != "200" || line[5] == "true" || line[3] != "true" && line[2] != "conference" && line[2] != "mail_announcement" {
			continue
		}
		calls[line[0]] = line[3] == "true"
		known[line[0]] = &pairRecord{edition: line[4], group: line[6]}
	}
	for u, r := range known {
		if match.IsArchive(u) && r.edition == "" && strings.Contains(u, "/dbworld/") {
			r.edition, r.group, r.message = u, u, true
		}
	}
	for _, line := range tableLines(t, "../../../../eventseer/testdata/mail-editions.tsv") {
		if r := known[line[0]]; r != nil {
			r.edition, r.group = line[1], line[1]
		}
	}
	b, err := os.ReadFile(golden.SharedPath(t, "corpora/sites/sites.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var s struct {
			Site, CFP string
			Pages     []string
			Source    struct{ Repo string }
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if split.IsValidation(s.Site) {
			continue
		}
		owner, _, _ := strings.Cut(strings.ToLower(s.Source.Repo), "/")
		for _, u := range s.Pages {
			calls[u] = calls[u] || u == s.CFP
			known[u] = &pairRecord{edition: s.Site, group: owner}
		}
	}
	for _, file := range []string{"pairs.tsv", "pairs-close.tsv"} {
		for _, line := range tableLines(t, "../../../../eventseer/testdata/"+file) {
			for _, u := range line[:2] {
				if at, err := url.Parse(u); err == nil && known[u] == nil {
					known[u], calls[u] = &pairRecord{group: at.Hostname()}, true
				}
			}
		}
	}
	readPairPages(t, known, calls)
	maps.DeleteFunc(known, func(_ string, r *pairRecord) bool { return r.key == nil })
	return known
}

func readPairPages(t *testing.T, known map[string]*pairRecord, calls map[string]bool) {
	t.Helper()
	s := &pairShelf{}
	a := &app.App{Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }}
	a.Config.Quiet = true
	in := ingest.New(ingest.Options{Extractor: NewExtractor(a, judges.Set{}), Store: s, Now: a.Now})
	pages := make(chan *webgraph.Page)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range pages {
				tree, err := tagtree.Parse(p)
				if err != nil {
					continue
				}
				if calls[p.URL] {
					_, err = in.StorePage(context.Background(), tree, 1)
				} else {
					err = in.StoreRelated(context.Background(), tree, 0)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for _, file := range []string{"web/web.warc.gz", "sites/sites.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+file)) {
			if err == nil && known[page.URL] != nil {
				pages <- page
			}
		}
	}
	close(pages)
	wg.Wait()
	for _, e := range s.events {
		known[e.URL].event, known[e.URL].key = e, match.NewEventKey(e)
	}
}

// tableLines returns the fields of the lines of a table behind its first.
func tableLines(t *testing.T, file string) (lines [][]string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return lines[1:]
}

// A tally counts how decisions agree with the truth.
type tally struct{ hit, wrong, missed int }

func (n *tally) add(same, said bool) {
	switch {
	case same && said:
		n.hit++
	case said:
		n.wrong++
	case same:
		n.missed++
	}
}

func (n tally) f1() float64 { return 2 * float64(n.hit) / float64(max(1, 2*n.hit+n.wrong+n.missed)) }

func (n tally) wrongShare() float64 { return float64(n.wrong) / float64(max(1, n.hit+n.wrong)) }

// pairFigures compares the model with the rules on the pairs it was fitted to, cross-fitted.
func pairFigures(t *testing.T, examples []pairExample, calibration classify.Isotonic) (figures []classify.Figure) {
	t.Helper()
	decisions := []struct {
		name string
		says func(e pairExample) bool
	}{
		{"rules", func(e pairExample) bool { return e.rules >= 0 }},
		{"model", func(e pairExample) bool { return calibration.Probability(e.belief) >= match.MergeProbability }},
		{"model at 0.5", func(e pairExample) bool { return calibration.Probability(e.belief) >= 0.5 }},
		{"merging", func(e pairExample) bool { return e.merged }},
	}
	for _, how := range []string{"site", "message"} {
		for _, d := range decisions {
			draws := resample(examples, how, d.says)
			figures = append(figures,
				classify.Figure{Name: "f1 of " + d.name + ", pairs of " + how + "s", Value: draws[0].f1(), Low: quantile(draws[1:], tally.f1, 0.025), High: quantile(draws[1:], tally.f1, 0.975)},
				classify.Figure{Name: "wrong merges of " + d.name + ", pairs of " + how + "s", Value: draws[0].wrongShare(), Low: quantile(draws[1:], tally.wrongShare, 0.025), High: quantile(draws[1:], tally.wrongShare, 0.975)})
			t.Logf("%-8s %-12s F1 %.3f, wrong merges %.3f of %d, missed %d", how, d.name, draws[0].f1(), draws[0].wrongShare(), draws[0].hit+draws[0].wrong, draws[0].missed)
		}
	}
	if os.Getenv("EVENTSEER_PAIR_ERRORS") != "" {
		for _, e := range examples {
			if p := calibration.Probability(e.belief); (p >= match.MergeProbability) != e.same && (p > 0.5 || e.same) {
				t.Logf("%v %.3f rules %.0f: %s %s", e.same, p, e.rules, e.a, e.b)
			}
		}
	}
	return figures
}

// resample counts decisions on all pairs, and on 400 bootstrap samples of their groups.
func resample(examples []pairExample, how string, says func(pairExample) bool) []tally {
	byGroup := map[string]*tally{}
	all := tally{}
	for _, e := range examples {
		if e.how != how {
			continue
		}
		all.add(e.same, says(e))
		if byGroup[e.groups[0]] == nil {
			byGroup[e.groups[0]] = &tally{}
		}
		byGroup[e.groups[0]].add(e.same, says(e))
	}
	names := slices.Sorted(maps.Keys(byGroup))
	draw := rand.New(rand.NewPCG(1, 1))
	out := []tally{all}
	for range 400 {
		var n tally
		for range names {
			g := byGroup[names[draw.IntN(len(names))]]
			n.hit, n.wrong, n.missed = n.hit+g.hit, n.wrong+g.wrong, n.missed+g.missed
		}
		out = append(out, n)
	}
	return out
}

func quantile(draws []tally, figure func(tally) float64, at float64) float64 {
	var values []float64
	for _, n := range draws {
		values = append(values, figure(n))
	}
	slices.Sort(values)
	return values[int(at*float64(len(values)-1))]
}

// judgedFigures compares model, merging and rules on pairs that a reader judged.
func judgedFigures(t *testing.T, file string, records map[string]*pairRecord, folds []*match.PairModel) []classify.Figure {
	t.Helper()
	var rules, model, merging tally
	unread, unsure := 0, 0
	for _, line := range tableLines(t, "../../../../eventseer/testdata/"+file) {
		same := line[2] == "yes"
		a, b := records[line[0]], records[line[1]]
		if a == nil || b == nil {
			unread++
			for _, n := range []*tally{&rules, &model, &merging} {
				n.add(same, false)
			}
			continue
		}
		m := folds[foldOf(a.group)]
		p, merged := m.Probability(a.key, b.key), m.Score(a.key, b.key) >= 0
		rules.add(same, match.RuleScore(a.key, b.key) >= 0)
		model.add(same, p >= match.MergeProbability)
		merging.add(same, merged)
		if !merged && p >= match.QuestionProbability {
			unsure++
		}
		if os.Getenv("EVENTSEER_PAIR_ERRORS") != "" && merged != same {
			t.Logf("%s: %v %.3f rules %.0f: %s %s", file, same, p, a.key.Similarity(b.key), line[0], line[1])
		}
	}
	var figures []classify.Figure
	for _, by := range []struct {
		name string
		n    tally
	}{{"rules", rules}, {"model", model}, {"merging", merging}} {
		t.Logf("%s: %-8s F1 %.3f, wrong merges %d of %d, missed %d", file, by.name, by.n.f1(), by.n.wrong, by.n.hit+by.n.wrong, by.n.missed)
		figures = append(figures, classify.Figure{Name: "f1 of " + by.name + " on " + file, Value: by.n.f1()}, classify.Figure{Name: "wrong merges of " + by.name + " on " + file, Value: by.n.wrongShare()})
	}
	t.Logf("%s: %d are questions, %d not read", file, unsure, unread)
	return figures
}

func pairCard(m *classify.LogLinear) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# %s\n\nSays how likely two records of events are of one edition. It weighs the comparisons that the rules of `match.Likeness` weigh by hand, and pairs of them: titles, acronyms, days, place, deadlines, sites, home pages, archives.\n\n", m.Task)
	p("Intended use: merging records and listing pairs that may be one within EventSeer. Not for judging people or the worth of a conference.\n\n")
	p("Pairs: pages of the frozen web whose site is known to be of one edition (`nodes.tsv`), messages of DBWorld whose edition was read (`eventseer/testdata/mail-editions.tsv`), pages of the sites to work on. Each pair shares a key of `match.BlockKeys` and is not ruled out by its years, days or names; a page that speaks of another edition than its folder is left out. None is of a validation site.\n\n")
	p("## How it was made\n\n- algorithm: %s: %s; seed %d\n- command, in the root of the repository, with the corpora beside it: `%s`\n- %d features have a weight\n- data: %d pairs of two editions and %d of one, %d groups, digest `%s`\n\n", m.Algo, m.Options, m.Seed, m.Program, m.Features(), m.Counts[0], m.Counts[1], m.Groups, m.Data)
	p("## What it can do\n\nEach pair is judged by a model without the sites of its fold (%d folds). Pages of one site are merged from a probability of %.2f on, pages of two sites from 0.5 on if the rules agree, messages by the rules (`merging`); what is not merged is a question from %.2f on. Intervals are 95 %%, by bootstrap over groups; judged pairs have none.\n\n| figure | value | interval |\n|---|---|---|\n", pairFolds, match.MergeProbability, match.QuestionProbability)
	for _, f := range m.Figures {
		if f.High == 0 && f.Low == 0 {
			p("| %s | %.3f | |\n", f.Name, f.Value)
			continue
		}
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	p("\nThe probability of one edition, by belief: isotonic regression on the cross-fitted pairs.\n\n| belief | probability |\n|---|---|\n")
	for i, d := range m.Calibration.Decisions {
		p("| %.3f | %.3f |\n", d, m.Calibration.Probs[i])
	}
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds hashes and weights, and no page.\n")
	return b.String()
}
