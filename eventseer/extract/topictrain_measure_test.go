//go:build measure

package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/format"
	"html"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"

	"golang.org/x/text/unicode/norm"
)

// A topicLesson is a page with the topics of its record.
type topicLesson struct {
	url, owner string
	corpus     string // gold, sites or calls
	made       string // how the page was generated, see restyled; "" for a real page
	fold       int
	topics     []map[string]bool // words of each topic
	page       *topicPage
	labels     []topicReading
	weight     []float64         // weight by candidate
	terms      [][]classify.Term // features of the first pass by candidate
	looks      [][]classify.Term // those of terms about the form of blocks
	found      []float64         // number of topics of the record by candidate

	tp, fp, fn int // correct, wrong and missed topics, see measure
	decisions  []float64
}

// topicSeeds is the number of orders of the examples over which weights are averaged.
const topicSeeds = 2

// Options of the training of topics.
var (
	topicOptions = loglinear.Options{Epochs: 6, Rate: 0.1, L1: 0.3, MinGroups: 3, Seed: 1}
	topicMeta    = classify.Meta{
		Task: "topic-list", Algo: "log-linear", Seed: 1, Classes: []string{"none", "whole", "parts"},
		Options: "two passes of FTRL-Proximal over hashed features: 6 epochs, L1 0.3, features of at least 3 groups, mean over 2 orders of the examples",
		Program: "TestTrainTopics of eventseer/extract",
	}
)

// TestTrainTopics trains topic-list.model on gold, the calls of the work sites, datasets/topics.tsv, and
// pages generated from these, see restyled. It prints the results for pages of held-out owners. Block roles
// are those of the model EVENTSEER_FOLDS/K/block-role.model, which was trained without the owners of fold
// K, see TestCrossFittedExtract. The model of each fold is written beside it. With -update the shipped
// model, its card and topicCurve are written.
//
//	EVENTSEER_FOLDS=DIR go test -tags measure -run TestTrainTopics ./eventseer/extract -update
//
// With LOAD=1 the models of the folds are read instead of trained, and with -update only topicCurve is
// written.
func TestTrainTopics(t *testing.T) {
	folds := os.Getenv("EVENTSEER_FOLDS")
	if folds == "" {
		t.Skip("EVENTSEER_FOLDS is not set")
	}
	ls := topicLessons(t, folds)
	if os.Getenv("LOAD") == "" {
		trainTopics(t, ls, folds)
		return
	}
	for f, m := range foldModels(t, folds, "topic-list.model", classify.ReadLogLinear) {
		for _, l := range ls {
			if l.fold == f {
				l.measure(m)
			}
		}
	}
	lists := judgedTopics(ls)
	t.Log("calibration:", listBins(t, lists))
	if golden.Updating() {
		writeTopicCurve(t, fitLists(t, lists, -1))
	}
}

func writeTopicCurve(t *testing.T, curve classify.Isotonic) {
	src, err := format.Source([]byte(fmt.Sprintf(curveFile, floats(curve.Decisions), floats(curve.Probs))))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "topicweights.go", src)
}

func trainTopics(t *testing.T, ls []*topicLesson, folds string) {
	firsts := make([]*classify.LogLinear, trainingFolds)
	outOf := make([][][numReadings]float64, len(ls))
	for f := range firsts {
		firsts[f] = trainTopicPass(t, ls, func(l *topicLesson) bool { return l.fold != f }, nil)
		for i, l := range ls {
			if l.fold == f {
				outOf[i] = l.firstPass(firsts[f])
			}
		}
	}
	for f := range firsts {
		second := trainTopicPass(t, ls, func(l *topicLesson) bool { return l.fold != f }, outOf)
		m := joinTopics(t, topicMeta, firsts[f], second)
		writeTopics(t, filepath.Join(folds, strconv.Itoa(f), "topic-list.model"), m)
		for _, l := range ls {
			if l.fold == f {
				l.measure(m)
			}
		}
	}
	meta := topicMeta
	for _, made := range []string{"", "restyled", "short", "disguised"} {
		meta.Figures = slices.Concat(meta.Figures, topicFigures(t, ls, "sites", made), topicFigures(t, ls, "gold", made))
	}
	meta.Figures = slices.Concat(meta.Figures, topicFigures(t, ls, "calls", ""), topicFigures(t, ls, "others", ""))
	printed, pages := 0, 0
	for _, l := range ls {
		if l.corpus == "none" {
			printed += l.fp
			pages += min(l.fp, 1)
		}
	}
	t.Logf("%d topics on %d pages that print none of the site's topics", printed, pages)
	lists := judgedTopics(ls)
	t.Log("calibration:", listBins(t, lists))
	if !golden.Updating() {
		return
	}
	digest, groups := sha256.New(), map[string]bool{}
	meta.Counts = make([]int, numReadings)
	for _, l := range ls {
		if l.made != "" || l.isOther() {
			continue
		}
		groups[l.owner] = true
		for k, r := range l.labels {
			meta.Counts[r]++
			fmt.Fprintln(digest, l.url, l.page.cands[k], r)
		}
	}
	meta.Groups, meta.Data = len(groups), fmt.Sprintf("sha256:%x", digest.Sum(nil))
	curve := fitLists(t, lists, -1)
	everything := func(*topicLesson) bool { return true }
	m := joinTopics(t, meta, trainTopicPass(t, ls, everything, nil), trainTopicPass(t, ls, everything, outOf))
	writeTopics(t, "../../models/topic-list.model", m)
	writeFile(t, "../../models/topic-list.md", topicCard(m))
	writeTopicCurve(t, curve)
}

// judgedTopics returns the lists read from gold and from all pages of the work sites. On pages without a
// topic of the site every list is wrong; readers meet such pages too.
func judgedTopics(ls []*topicLesson) (lists []judgedList) {
	for _, l := range ls {
		if l.made != "" || l.corpus == "calls" || len(l.decisions) == 0 {
			continue
		}
		lists = append(lists, judgedList{decision: l.decisions[0], right: l.tp, n: len(l.decisions), fold: l.fold})
	}
	return lists
}

const curveFile = `// Code generated by go test -tags measure -run TestTrainTopics ./eventseer/extract -update; DO NOT EDIT.

package extract

import "github.com/eventseer/eventseer/classify"

// topicCurve maps the mean log odds of the blocks read as topics to the probability that one of
// them is correct.
var topicCurve = classify.Isotonic{
Decisions: []float64{%s},
Probs: []float64{%s},
}
`

func floats(xs []float64) string {
	var s []string
	for _, x := range xs {
		s = append(s, strconv.FormatFloat(x, 'f', 4, 64))
	}
	return strings.Join(s, ", ")
}

// topicFigures returns precision, recall and F1 over the pages of a corpus, real or generated, with
// bootstrap intervals of 95 % over owners.
func topicFigures(t *testing.T, ls []*topicLesson, corpus, made string) []classify.Figure {
	byOwner, byPage := map[string][3]int{}, map[string][2]float64{}
	name := corpus
	if made != "" {
		name = made + "_" + name
	}
	for _, l := range ls {
		if l.corpus == corpus && l.made == made {
			c := byOwner[l.owner]
			byOwner[l.owner] = [3]int{c[0] + l.tp, c[1] + l.fp, c[2] + l.fn}
			if n := 2*l.tp + l.fp + l.fn; n > 0 {
				x := byPage[l.owner]
				byPage[l.owner] = [2]float64{x[0] + 2*float64(l.tp)/float64(n), x[1] + 1}
			}
		}
	}
	owners := slices.Sorted(maps.Keys(byOwner))
	of := func(pick func(i int) string) [4]float64 {
		var c [3]float64
		var pages [2]float64
		for i := range owners {
			owner := pick(i)
			for k, n := range byOwner[owner] {
				c[k] += float64(n)
			}
			for k, x := range byPage[owner] {
				pages[k] += x
			}
		}
		return [4]float64{c[0] / (c[0] + c[1]), c[0] / (c[0] + c[2]), 2 * c[0] / (2*c[0] + c[1] + c[2]), pages[0] / pages[1]}
	}
	value := of(func(i int) string { return owners[i] })
	draw := rand.New(rand.NewPCG(1, 0))
	const draws = 1000
	var drawn [4][]float64
	for range draws {
		for k, x := range of(func(int) string { return owners[draw.IntN(len(owners))] }) {
			drawn[k] = append(drawn[k], x)
		}
	}
	var fs []classify.Figure
	for k, figure := range []string{"precision", "recall", "f1", "f1_by_page"} {
		slices.Sort(drawn[k])
		f := classify.Figure{Name: name + "_" + figure, Value: value[k], Low: drawn[k][draws/40], High: drawn[k][draws-draws/40-1]}
		t.Logf("%s %.3f (%.3f to %.3f)", f.Name, f.Value, f.Low, f.High)
		fs = append(fs, f)
	}
	return fs
}

// measure reads the topics of a page and counts those that are correct, wrong and missed.
func (l *topicLesson) measure(m *classify.LogLinear) {
	l.page.sum = nil
	left := slices.Clone(l.topics)
	l.tp, l.fp, l.decisions = 0, 0, nil
	l.page.forEachTopic(m, func(x topicBlock, s string) {
		at := slices.IndexFunc(left, func(g map[string]bool) bool { return alike(g, topicWordsOf(s)) })
		l.decisions = append(l.decisions, logOdds(x.prob))
		if at < 0 {
			l.fp++
			l.note("+ %.2f %d %.120s", x.prob, x.reading, s)
			return
		}
		left = slices.Delete(left, at, at+1)
		l.tp++
	})
	mean := 0.0
	for _, d := range l.decisions {
		mean += d / float64(len(l.decisions))
	}
	for i := range l.decisions {
		l.decisions[i] = mean
	}
	l.fn = len(left)
	for _, g := range left {
		l.note("- %v", slices.Sorted(maps.Keys(g)))
	}
}

// note prints an error if EVENTSEER_ERRORS is set.
func (l *topicLesson) note(format string, args ...any) {
	if os.Getenv("EVENTSEER_ERRORS") != "" && l.made == "" {
		fmt.Printf(l.url+" "+format+"\n", args...)
	}
}

// firstPass returns the results of the first pass for a page.
func (l *topicLesson) firstPass(first *classify.LogLinear) [][numReadings]float64 {
	out := make([][numReadings]float64, len(l.page.cands))
	var scores [passOutputs]float64
	for k := range out {
		first.Scores(l.terms[k], scores[:])
		out[k] = readingOf(scores[0], scores[1])
	}
	return out
}

// trainTopicPass trains the first pass, or the second if the results of the first are given.
func trainTopicPass(t *testing.T, ls []*topicLesson, use func(*topicLesson) bool, first [][][numReadings]float64) *classify.LogLinear {
	var holds, parts []loglinear.Example
	for i, l := range ls {
		if !use(l) {
			continue
		}
		l.page.sum = nil
		weight := 1.0
		if l.made != "" {
			weight = madeWeight[l.made]
		}
		if l.isOther() {
			continue
		}
		for k := range l.page.cands {
			if weight == 0 || l.weight[k] == 0 {
				continue
			}
			e := loglinear.Example{Terms: l.terms[k], Group: l.owner, Weight: l.weight[k] * weight}
			var context []classify.Term
			if first != nil {
				context = l.page.appendContext(nil, k, first[i])
				e.Terms = slices.Concat(e.Terms, context)
			}
			if l.labels[k] != noTopic {
				part := e
				part.Class, part.Terms = int(l.labels[k]-wholeTopic), slices.Concat(l.looks[k], context)
				part.Weight *= math.Sqrt(l.found[k]) // a long list loses many topics if it is missed
				parts = append(parts, part)
				e.Class = 1
				if l.labels[k] == partTopics {
					e.Weight = part.Weight
				}
			}
			holds = append(holds, e)
		}
	}
	return joinTopics(t, classify.Meta{}, trainOdds(t, holds), trainOdds(t, parts))
}

// trainOdds trains a model with one output: the log odds of class 1 against class 0.
func trainOdds(t *testing.T, es []loglinear.Example) *classify.LogLinear {
	weights, bias := map[uint32][]float64{}, 0.0
	for seed := range uint64(topicSeeds) { // mean over orders of the examples
		o := topicOptions
		o.Seed += seed
		m, err := loglinear.Train(context.Background(), classify.Meta{}, 2, es, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range m.IDs() {
			if weights[id] == nil {
				weights[id] = []float64{0}
			}
			of, ws := m.Weights(id)
			for k, r := range of {
				weights[id][0] += float64(ws[k]) * float64(2*int(r)-1) / topicSeeds
			}
		}
		bias += (float64(m.Bias()[1]) - float64(m.Bias()[0])) / topicSeeds
	}
	odds, err := classify.NewLogLinear(classify.Meta{}, []float64{bias}, weights)
	if err != nil {
		t.Fatal(err)
	}
	return odds
}

// joinTopics returns a model with the outputs of all models.
func joinTopics(t *testing.T, meta classify.Meta, models ...*classify.LogLinear) *classify.LogLinear {
	outputs := 0
	for _, m := range models {
		outputs += m.Outputs()
	}
	bias, weights := make([]float64, outputs), map[uint32][]float64{}
	at := 0
	for _, m := range models {
		for r, b := range m.Bias() {
			bias[at+r] = float64(b)
		}
		for _, id := range m.IDs() {
			if weights[id] == nil {
				weights[id] = make([]float64, outputs)
			}
			of, ws := m.Weights(id)
			for k, r := range of {
				weights[id][at+int(r)] = float64(ws[k])
			}
		}
		at += m.Outputs()
	}
	m, err := classify.NewLogLinear(meta, bias, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writeFile(t *testing.T, name string, b []byte) {
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeTopics(t *testing.T, name string, m *classify.LogLinear) {
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, b.Bytes())
}

// topicLessons returns the pages of gold and of the work sites, and the calls of datasets/topics.tsv.
func topicLessons(t *testing.T, folds string) []*topicLesson {
	roles := foldModels(t, folds, "block-role.model", block.ReadModel)
	var ls []*topicLesson
	add := func(l *topicLesson, tree *tagtree.Tree, topicsOf func(p *page) []string) {
		l.fold = foldOf(l.owner)
		p := preparePage(tree, 2036)
		p.roles = roles[l.fold].Roles(tree, p.blocks)
		topics := topicsOf(p)
		l.page = newTopicPage(p)
		l.topics = wordsOfAll(topics)
		l.label()
		ls = append(ls, l)
		if os.Getenv("LOAD") != "" {
			return
		}
		for _, body := range restyled(p, l.url) {
			c := &topicLesson{url: l.url, owner: l.owner, corpus: l.corpus, fold: l.fold, made: body.style}
			p := preparePage(parse(t, body.name, body.text), 2036)
			p.roles = roles[l.fold].Roles(p.t, p.blocks)
			c.page = newTopicPage(p)
			c.topics = l.topics
			if body.cipher != nil {
				c.topics = nil
				for _, s := range topics {
					c.topics = append(c.topics, topicWordsOf(body.cipher(html.EscapeString(s))))
				}
			}
			c.label()
			c.keepPrinted()
			ls = append(ls, c)
		}
	}
	for c := range trainingPages(t, goldCorpus, callCorpus, siteCorpus) {
		tree, err := tagtree.Parse(c.page)
		if err != nil {
			continue
		}
		var record struct{ Topics []string }
		decode(t, c.record, &record)
		l := &topicLesson{url: c.page.URL, owner: c.owner, corpus: "sites"}
		switch c.corpus {
		case goldCorpus:
			l.corpus = "gold"
		case siteCorpus:
			l.corpus = "others"
			if l.readOther(tree, roles[foldOf(l.owner)], record.Topics) {
				ls = append(ls, l)
			}
			continue
		}
		add(l, tree, func(*page) []string { return record.Topics })
	}
	labels := topicLabels(t)
	for n, line := range sharedLines(t, "corpora/wikicfp/events.jsonl") {
		label, ok := labels[n]
		if !ok {
			continue
		}
		var call struct{ Text string }
		decode(t, line, &call)
		l := &topicLesson{url: fmt.Sprint("https://calls.example/", n), owner: fmt.Sprint("wikicfp ", n), corpus: "calls"}
		add(l, parse(t, "call.txt", call.Text), func(p *page) []string { return label.topics(t, n, p) })
	}
	slices.SortStableFunc(ls, func(a, b *topicLesson) int { return strings.Compare(a.owner+" "+a.url, b.owner+" "+b.url) })
	return ls
}

// readOther labels a page of a site other than its call by the topics of the whole site. It reports whether
// the page is a training example: it has at least half of the topics, or none.
func (l *topicLesson) readOther(tree *tagtree.Tree, roles *block.Model, topics []string) bool {
	l.fold = foldOf(l.owner)
	p := preparePage(tree, 2036)
	p.roles = roles.Roles(tree, p.blocks)
	l.page = newTopicPage(p)
	l.topics = wordsOfAll(topics)
	l.label()
	found := 0.0
	for _, n := range l.found {
		found += n
	}
	l.keepPrinted()
	if found >= leastListed && 2*found >= float64(len(topics)) {
		return true
	}
	l.topics, l.corpus = nil, "none"
	return found == 0 && len(l.page.cands) > 0
}

// isAboutOtherThings reports whether the lesson is a page of a work site other than its call. Such pages
// are used to measure and calibrate, but not to train. With them F1 was 0.886 instead of 0.889 on other
// pages, equal on calls, and lower in unknown languages (disguised gold 0.717 instead of 0.738).
func (l *topicLesson) isOther() bool { return l.corpus == "others" || l.corpus == "none" }

// leastListed is the minimum number of topics in a list on such a page.
const leastListed = 3

// A topicLabel is a line of datasets/topics.tsv. It shows which blocks of a call are topics.
type topicLabel struct{ digest, blocks string }

// topicLabels returns the lines by the number of the call in corpora/wikicfp.
func topicLabels(t *testing.T) map[int]topicLabel {
	b, err := os.ReadFile("../../datasets/topics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[int]topicLabel{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if n, err := strconv.Atoi(f[0]); err == nil && len(f) == 3 {
			labels[n] = topicLabel{digest: f[1], blocks: f[2]}
		}
	}
	return labels
}

// topics returns the topics of call n. Its blocks must be those that were labelled.
func (l topicLabel) topics(t *testing.T, n int, p *page) []string {
	var texts []string
	for _, b := range p.blocks {
		texts = append(texts, b.Text)
	}
	if datasets.BlockDigest(texts) != l.digest {
		t.Fatalf("call %d has other blocks than those that were labelled", n)
	}
	var topics []string
	whole := newTopicPage(p).texts
	for r := range strings.FieldsSeq(l.blocks) {
		var from, to int
		if _, err := fmt.Sscanf(r, "%d-%d", &from, &to); err != nil {
			t.Fatalf("call %d: %s: %v", n, r, err)
		}
		for _, s := range whole[from : to+1] {
			topics = append(topics, topicsIn(s, wholeTopic)...)
		}
	}
	return topics
}

func wordsOfAll(topics []string) (out []map[string]bool) {
	for _, s := range topics {
		out = append(out, topicWordsOf(s))
	}
	return out
}

// keepPrinted removes the topics that no block of the page contains.
func (l *topicLesson) keepPrinted() {
	var blocks []map[string]bool
	for _, b := range l.page.p.blocks {
		blocks = append(blocks, topicWordsOf(b.Text))
	}
	l.topics = slices.DeleteFunc(slices.Clone(l.topics), func(g map[string]bool) bool {
		return !slices.ContainsFunc(blocks, func(b map[string]bool) bool {
			for w := range g {
				if !b[w] {
					return false
				}
			}
			return true
		})
	})
}

// label assigns to each candidate the reading that finds the most topics of the record.
func (l *topicLesson) label() {
	n := len(l.page.cands)
	l.labels, l.weight = make([]topicReading, n), make([]float64, n)
	l.found = make([]float64, n)
	last := -1
	for k, i := range l.page.cands {
		l.weight[k] = 1
		terms, look := l.page.appendTerms(nil, k)
		ofRun, lookOfRun := l.page.appendRunTerms(nil, l.page.run[k])
		l.terms = append(l.terms, slices.Concat(terms, ofRun))
		l.looks = append(l.looks, slices.Concat(terms[:look], ofRun[:lookOfRun]))
		best := 0
		for r := wholeTopic; r < numReadings; r++ {
			found, items := 0, topicsIn(l.page.texts[i], r)
			for _, s := range items {
				if slices.ContainsFunc(l.topics, func(g map[string]bool) bool { return alike(g, topicWordsOf(s)) }) {
					found++
				}
			}
			if gain := 2*found - len(items); gain > best {
				best, l.labels[k], last = gain, r, k
				l.found[k] = float64(found)
			}
		}
	}
	if len(l.topics) >= 55 && l.corpus != "calls" { // the record may be truncated
		for k := last + 1; k < n; k++ {
			l.weight[k] = 0
		}
	}
}

// topicWordsOf returns the words of a topic as score_extract.py compares them.
func topicWordsOf(s string) map[string]bool {
	words := map[string]bool{}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		words[w] = true
	}
	if len(words) == 0 {
		for _, r := range strings.Join(strings.Fields(s), " ") {
			words[string(r)] = true
		}
	}
	return words
}

// alike reports whether the Jaccard index of two sets is at least 0.75.
func alike(a, b map[string]bool) bool {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	all := len(a) + len(b) - both
	return all > 0 && 4*both >= 3*all
}

// topicCard returns the card of the model.
func topicCard(m *classify.LogLinear) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# topic-list

Says of each block of a page whether it holds topics that contributions may have: none, the block as a whole is one topic, or its parts between commas and the like are.

Intended use: reading the list of topics of a call for papers, within EventSeer. Not for saying what a text is about (that is topic.model).

## How it was made

- algorithm: %s: %s; seed %d
- command: `+"`EVENTSEER_FOLDS=DIR go test -tags measure -run TestTrainTopics ./eventseer/extract -update`"+`, by %s. DIR/0 to DIR/4 each hold a block-role.model trained without the owners of that fold, by `+"`eventseer train --task block-role`"+` on the lines of datasets/blocks.tsv of other owners, so that the roles of blocks are as uncertain here as on pages of unseen sites
- %d features have a weight
- data: %d blocks in %d groups (a group is the owner of a site), digest of the labels `+"`%s`"+`: the pages of gold and of the sites to work on (datasets/split/sites.tsv), labelled with the reading that finds most topics of the page's record; and calls of WikiCFP whose blocks were read for this purpose (datasets/topics.tsv holds numbers of calls and blocks, no text). Copies of these pages are learned from too: with lists in other mark-up, cut short, and in an invented language

| reading | blocks |
|---|---|
`, m.Algo, m.Options, m.Seed, m.Program, m.Features(), m.Examples(), m.Groups, m.Data)
	for k, c := range m.Classes {
		fmt.Fprintf(&b, "| %s | %d |\n", c, m.Counts[k])
	}
	b.WriteString(`
## What it can do

Topics read against records (word sets of a Jaccard index of at least 0.75), 5-fold cross-validation: each page is read by models, of roles too, that have seen no page of its owner. ` + "`others`" + ` are pages of the work sites that are not the call and print half of the site's topics or more; ` + "`f1_by_page`" + ` is the mean over pages with topics or with topics read. Intervals are 95 %, by bootstrap over owners.

| figure | value | interval |
|---|---|---|
`)
	for _, f := range m.Figures {
		fmt.Fprintf(&b, "| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	b.WriteString(`
## Licence

As the program, see LICENSE. The file holds hashes of features and weights, no page.
`)
	return b.Bytes()
}
