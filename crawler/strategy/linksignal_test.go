//go:build measure

package strategy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/boost"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// This test measures how well links that lead to a call are recognised from their page. Its links
// are those of the frozen web: all of the pages that link to a target of kind page or pdf, and of
// one in five of the others with links, at most 100 a page. Three folds by the registered domain of
// the source; "new targets" also keeps a fold's targets' sites out of its training.
//
//	go test -tags measure -run TestLinkSignal -v ./crawler/strategy

const (
	signalFolds   = 3
	linksPerPage  = 100
	oneIn         = 5 // pages without a link to a target that are read
	directTargets = "leads to a target"
	eventTargets  = "leads to the site of another's event that has a target"
)

// A signal is a link with the label of its target.
type signal struct {
	doc          *features.Document
	page         string
	source, site string // registered domains of source and target
	target       bool
	event        bool // leads into the site of an event that has a target
}

// A frozen web's truth.
type truths struct {
	targets map[string]bool   // of kind page or pdf
	sites   []string          // of their events, sorted
	alias   map[string]string // address as linked → address as stored
}

func (w truths) inEvent(target string) bool {
	i, found := slices.BinarySearch(w.sites, target)
	return found || i > 0 && strings.HasPrefix(target, w.sites[i-1])
}

func readTruths(t *testing.T) truths {
	t.Helper()
	w := truths{targets: map[string]bool{}, alias: map[string]string{}}
	file, err := os.Open(golden.SharedPath(t, "corpora/web/targets.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if f[2] == "page" || f[2] == "pdf" {
			w.targets[f[0]] = true
			if strings.HasSuffix(f[1], "/") {
				w.sites = append(w.sites, f[1])
			}
		}
	}
	slices.Sort(w.sites)
	lines := bufio.NewScanner(bytes.NewReader(golden.Gunzip(t, golden.SharedPath(t, "corpora/web/links.tsv.gz"))))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		if f := strings.Split(lines.Text(), "\t"); f[3] != "" {
			if via, err := webgraph.Canonical(f[3]); err == nil {
				w.alias[via] = f[1]
			}
		}
	}
	return w
}

func hashed(s string, n uint32) int {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int(h.Sum32() % n)
}

// signals reads the links of the frozen web.
func signals(t *testing.T, w truths) []signal {
	t.Helper()
	words, err := slice.ParseQuery(CallWords)
	if err != nil {
		t.Fatal(err)
	}
	var all []signal
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/web/web.warc.gz")) {
		if err != nil || p.Status != 200 {
			continue
		}
		tree, err := tagtree.Parse(p)
		if err != nil || len(tree.Links()) == 0 {
			continue
		}
		all = append(all, signalsOf(w, words, tree)...)
	}
	return all
}

func signalsOf(w truths, words *slice.Query, tree *tagtree.Tree) []signal {
	page := tree.Page.URL
	var of []signal
	hit := false
	for i, d := range features.ReadLinks(tree, words) {
		target := tree.Links()[i].Target
		if stored := w.alias[target]; stored != "" {
			target = stored
		}
		s := signal{doc: d, page: page, source: part.Site(page), site: part.Site(target), target: w.targets[target], event: w.inEvent(target)}
		s.event = s.event || s.target
		hit = hit || s.target
		if s.target || s.event || len(tree.Links()) <= linksPerPage || hashed(fmt.Sprint(page, i), uint32(len(tree.Links()))) < linksPerPage {
			of = append(of, s)
		}
	}
	if !hit && hashed(page, oneIn) != 0 {
		return nil
	}
	return of
}

// A variant is a choice of the known data about a link.
type variant struct {
	name   string
	blocks []string
	uses   func(name string) bool // of dense features; nil: of all
}

func isOfArea(name string) bool  { return strings.HasPrefix(name, "link:area_") }
func isOfTopic(name string) bool { return name == "link:near_topic" }

var (
	addressed = []string{features.Anchors, features.URL}
	inContext = append(addressed[:2:2], features.Body, features.Headings)
	dense     = append(inContext[:4:4], features.Link)
	variants  = []variant{
		{"anchor", addressed[:1], nil},
		{"anchor, address", addressed, nil},
		{"anchor, address, area", append(addressed[:2:2], features.Link), isOfArea},
		{"anchor, address, context", inContext, nil},
		{"anchor, address, context, area", dense, isOfArea},
		{"all but area", dense, func(name string) bool { return !isOfArea(name) && !isOfTopic(name) }},
		{"all", dense, func(name string) bool { return !isOfTopic(name) }},
		{"and distance to call words", dense, nil},
	}
)

func TestLinkSignal(t *testing.T) {
	all := signals(t, readTruths(t))
	for _, truth := range []string{directTargets, eventTargets} {
		of := all
		is := func(s signal) bool { return s.target }
		if truth == eventTargets {
			of = slices.DeleteFunc(slices.Clone(all), func(s signal) bool { return s.source == s.site })
			is = func(s signal) bool { return s.event }
		}
		examples, n := make([]classify.Example, len(of)), 0
		for i, s := range of {
			examples[i] = classify.Example{Group: s.source}
			if is(s) {
				examples[i].Class = 1
				n++
			}
		}
		fmt.Printf("\n%s: %d of %d links\n", truth, n, len(of))
		fmt.Printf("%-30s %-6s  %-21s  %s\n", "", "", "by source", "new targets")
		fmt.Printf("%-30s %-6s  %6s %6s %6s   %6s %6s %6s\n", "what is known", "", "AP", "ROC", "page", "AP", "ROC", "page")
		for _, v := range variants {
			v.print(t, of, examples)
		}
	}
}

// print prints a row for each learner; trees want many dense features.
func (v variant) print(t *testing.T, all []signal, examples []classify.Example) {
	learners := []string{"linear"}
	if strings.HasPrefix(v.name, "all") {
		learners = append(learners, "trees")
	}
	for _, learner := range learners {
		fmt.Printf("%-30s %-6s", v.name, learner)
		for _, newTargets := range []bool{false, true} {
			ap, roc, page := crossValidate(t, all, examples, v, learner == "trees", newTargets)
			fmt.Printf("  %6.3f %6.3f %6.3f", ap, roc, page)
		}
		fmt.Println()
	}
}

// crossValidate returns average precision and ROC area of all links, and the
// mean average precision of the pages that have links of both classes.
func crossValidate(t *testing.T, all []signal, examples []classify.Example, v variant, trees, newTargets bool) (ap, roc, page float64) {
	t.Helper()
	class, groups := make([]int, len(examples)), make([]string, len(examples))
	for i, e := range examples {
		class[i], groups[i] = e.Class, e.Group
	}
	fold, err := eval.GroupedFolds(class, groups, 2, signalFolds, 1)
	if err != nil {
		t.Fatal(err)
	}
	foldOf := map[string]int{}
	for i, g := range groups {
		foldOf[g] = fold[i]
	}
	targetFold := func(i int) int {
		if f, ok := foldOf[all[i].site]; ok {
			return f
		}
		return hashed(all[i].site, signalFolds)
	}
	var ps []eval.Prediction
	for k := range signalFolds {
		var train, test []int
		for i := range all {
			switch {
			case fold[i] == k && (!newTargets || targetFold(i) == k):
				test = append(test, i)
			case fold[i] != k && (!newTargets || targetFold(i) != k):
				train = append(train, i)
			}
		}
		ps = append(ps, predict(t, all, examples, v, trees, train, test)...)
	}
	ap, _ = eval.FigureValue(eval.AveragePrecision, 2, ps)
	roc, _ = eval.FigureValue(eval.ROCAUC, 2, ps)
	return ap, roc, pageAP(ps)
}

func predict(t *testing.T, all []signal, examples []classify.Example, v variant, trees bool, train, test []int) []eval.Prediction {
	t.Helper()
	var docs []*features.Document
	for _, i := range train {
		docs = append(docs, all[i].doc)
	}
	o := features.Options{Blocks: v.blocks, Weights: features.Sublinear, MinDocs: 3, MaxTerms: 20_000, NGrams: 2, Normalize: true}
	z, err := features.FitVectorizer(o, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	vector := func(i int) features.Vector { return v.only(z, z.Vector(all[i].doc)) }
	var learn []classify.Example
	for _, i := range train {
		e := examples[i]
		e.X = vector(i)
		learn = append(learn, e)
	}
	var trainer classify.Trainer = svm.Linear{C: 0.1, Loss: svm.SquaredHinge, Balanced: true, Seed: 1}
	if trees {
		trainer = boost.Stack{Base: trainer, From: z.Terms(), Inputs: z.Size(), Trees: boost.Options{Seed: 1}, Split: eval.GroupedFolds}
	}
	c, err := trainer.Train(context.Background(), []string{"no", "yes"}, learn)
	if err != nil {
		t.Fatal(err)
	}
	var ps []eval.Prediction
	for _, i := range test {
		d := c.Decide(vector(i))
		ps = append(ps, eval.Prediction{Truth: examples[i].Class, Score: d[1] - d[0], Group: all[i].page})
	}
	return ps
}

// only drops the dense features that v does not use.
func (v variant) only(z *features.Vectorizer, x features.Vector) features.Vector {
	if v.uses == nil {
		return x
	}
	var kept features.Vector
	for i, ix := range x.Index {
		if int(ix) < z.Terms() || v.uses(z.Name(int(ix))) {
			kept.Index, kept.Value = append(kept.Index, ix), append(kept.Value, x.Value[i])
		}
	}
	return kept
}

func pageAP(ps []eval.Prediction) float64 {
	of := map[string][]eval.Prediction{}
	var pages []string
	for _, p := range ps {
		if of[p.Group] == nil {
			pages = append(pages, p.Group)
		}
		of[p.Group] = append(of[p.Group], p)
	}
	sum, n := 0.0, 0
	for _, page := range pages {
		hits := 0
		for _, p := range of[page] {
			hits += p.Truth
		}
		if hits == 0 || hits == len(of[page]) {
			continue
		}
		ap, _ := eval.FigureValue(eval.AveragePrecision, 2, of[page])
		sum, n = sum+ap, n+1
	}
	return sum / float64(n)
}
