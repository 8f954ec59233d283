//go:build measure

package extract

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

var learnKinds = flag.Bool("learn-kinds", false, "write models/date-kind.model in TestTrainKinds")

// A calledPage is a page with its gold record, to learn kinds of dates from.
type calledPage struct {
	page   *webgraph.Page
	gold   goldRecord
	set    string // gold, call, site, wikicfp or unclear
	owner  string // whose pages are trained or tested on together
	judged []judgedDate
	kinds  []eventseer.DeadlineKind // of judged, "" where nothing is known
}

type goldRecord struct {
	URL       string
	Source    struct{ Repo string }
	From      eventseer.Date `json:"event_start"`
	To        eventseer.Date `json:"event_end"`
	Deadlines []struct {
		Kind eventseer.DeadlineKind
		Date eventseer.Date
	}
}

// truth says what the date of j is for by the record, "" where that is not clear.
func (g goldRecord) truth(j judgedDate, p *page) eventseer.DeadlineKind {
	days := []eventseer.Date{}
	sp := j.date.Span
	if sp.From.Year == 0 {
		// Without a year any will do.
		for _, d := range g.Deadlines {
			if on, ok := d.Date.Time(); ok && (date.DayOf(on).Month == sp.From.Month && date.DayOf(on).Day == sp.From.Day || date.DayOf(on).Month == sp.To.Month && date.DayOf(on).Day == sp.To.Day) {
				days = append(days, d.Date)
			}
		}
		if on, ok := g.From.Time(); ok && len(days) == 0 && date.DayOf(on).Month == sp.From.Month && date.DayOf(on).Day == sp.From.Day {
			return eventDates
		}
	} else {
		days = append(days, sp.From.Date(), sp.To.Date())
	}
	var kinds []eventseer.DeadlineKind
	for _, d := range g.Deadlines {
		if slices.Contains(days, d.Date) {
			kinds = append(kinds, d.Kind)
		}
	}
	switch {
	case len(kinds) == 1:
		return kinds[0]
	case slices.Contains(kinds, j.ruled):
		return j.ruled
	case len(kinds) > 1:
		for _, k := range kinds[1:] {
			if k != kinds[0] {
				return ""
			}
		}
		return kinds[0]
	}
	if from, to := sp.From.Date(), sp.To.Date(); g.From != "" && from >= g.From && to <= max(g.From, g.To) && from != "" {
		if from == g.From || to == g.To || from != to {
			return eventDates
		}
	}
	return noDeadline
}

// calledPages returns the pages of gold and of the work sites with their records. A page other than
// the call has the record of the whole site.
func calledPages(t *testing.T) []*calledPage {
	var pages []*calledPage
	for p := range trainingPages(t, goldCorpus, callCorpus, siteCorpus) {
		c := &calledPage{page: p.page, set: string(p.corpus), owner: p.owner}
		if len(p.record) == 0 || string(p.record) == "null" {
			continue
		}
		decode(t, p.record, &c.gold)
		pages = append(pages, c)
	}
	return pages
}

// wikiCalls are the calls of WikiCFP, whose posters typed a few of their dates; the purpose of the
// others is unknown.
func wikiCalls(t *testing.T) []*calledPage {
	type record struct {
		Text  string
		Start string `json:"start_date"`
		End   string `json:"end_date"`
		In    string `json:"submission_deadline"`
		Told  string `json:"notification_due"`
		Final string `json:"final_version_deadline"`
	}
	var pages []*calledPage
	for n, r := range records[record](t, "corpora/wikicfp/events.jsonl") {
		name := fmt.Sprintf("wikicfp-%d", n)
		g := goldRecord{URL: name, From: typed(r.Start), To: typed(r.End)}
		for kind, day := range map[eventseer.DeadlineKind]string{eventseer.Submission: r.In, eventseer.Notification: r.Told, eventseer.CameraReady: r.Final} {
			if typed(day) != "" {
				g.Deadlines = append(g.Deadlines, struct {
					Kind eventseer.DeadlineKind
					Date eventseer.Date
				}{Kind: kind, Date: typed(day)})
			}
		}
		pages = append(pages, &calledPage{
			page: &webgraph.Page{URL: name, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(r.Text)},
			gold: g, set: "wikicfp", owner: name,
		})
	}
	return pages
}

// unclearDates are pages of the corpora whose dates in datasets/dates.tsv were read by hand. The
// dates are those on which the rules and a classifier without their opinion disagreed, or of which a
// classifier was unsure. Others of these pages have no kind.
func unclearDates(t *testing.T, x *Extractor) []*calledPage {
	type place struct {
		url, block, start string
	}
	kinds, owners := map[place][]eventseer.DeadlineKind{}, map[string]string{}
	table, err := os.ReadFile("../../datasets/dates.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		for k := range strings.SplitSeq(f[4], "|") {
			at := place{f[0], f[2], f[3]}
			kinds[at], owners[f[0]] = append(kinds[at], eventseer.DeadlineKind(k)), f[1]
		}
	}
	var pages []*calledPage
	for _, name := range []string{"pages/pages.warc.gz", "web/web.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+name)) {
			if err != nil || owners[page.URL] == "" {
				continue
			}
			c := &calledPage{page: page, set: "unclear", owner: owners[page.URL]}
			delete(owners, page.URL)
			judgedDates(t, x, c)
			tree, err := tagtree.Parse(page)
			if err != nil {
				t.Fatal(err)
			}
			p := preparePage(tree, x.now().Year()+MaxAhead)
			for i, j := range c.judged {
				sum := sha256.Sum256([]byte(p.blocks[j.date.block].Text))
				at := place{page.URL, fmt.Sprintf("%x", sum[:4]), strconv.Itoa(j.date.Start)}
				switch known := kinds[at]; {
				case len(known) == 0:
					c.kinds[i] = ""
				case slices.Contains(known, j.ruled):
					c.kinds[i] = j.ruled
				default:
					c.kinds[i] = known[0]
				}
				delete(kinds, at)
			}
			pages = append(pages, c)
		}
	}
	for at := range kinds {
		if at.url != "url" {
			t.Logf("%s: no date at %s of block %s any more", at.url, at.start, at.block)
		}
	}
	return pages
}

// judgedDates reads the dates of a page as Extract does.
func judgedDates(t *testing.T, x *Extractor, c *calledPage) {
	tree, err := tagtree.Parse(c.page)
	if err != nil {
		return
	}
	r := newReading(preparePage(tree, x.now().Year()+MaxAhead))
	r.places.cities = x.cities
	title, _ := r.names.readTitle()
	days := r.readDays(title)
	es, context := r.deadlines.prepareDeadlines(days.entries, days.event)
	c.judged, c.kinds = r.deadlines.judgeDates(es, context, func(judgedDate) bool { return true }), nil
	for _, j := range c.judged {
		k := c.gold.truth(j, r.page)
		if c.set == "wikicfp" {
			switch {
			case k == noDeadline:
				k = ""
			case k == eventseer.Submission && j.ruled == eventseer.Abstract:
				k = eventseer.Abstract
			}
		}
		c.kinds = append(c.kinds, k)
	}
}

func kindExamples(pages []*calledPage) []loglinear.Example {
	class := map[eventseer.DeadlineKind]int{}
	for i, k := range kindClasses {
		class[k] = i
	}
	var es []loglinear.Example
	for _, c := range pages {
		for i, j := range c.judged {
			k, ok := class[c.kinds[i]]
			if !ok {
				continue
			}
			w := 1.0
			switch c.set {
			case "wikicfp":
				w = 0.3
			case string(siteCorpus):
				w = 0.5
			}
			es = append(es, loglinear.Example{Terms: j.terms, Class: k, Group: c.owner, Weight: w})
		}
	}
	return es
}

var kindOptions = loglinear.Options{Epochs: 12, Rate: 0.1, L1: 0.4, L2: 0.5, MinGroups: 3, Seed: 1}

func learnKindModel(t *testing.T, pages []*calledPage) *classify.LogLinear {
	es := kindExamples(pages)
	m := classify.Meta{Task: "date-kind", Algo: "log-linear", Options: fmt.Sprintf("%+v", kindOptions), Seed: kindOptions.Seed, Counts: make([]int, len(kindClasses)), Program: "go test -tags measure ./eventseer/extract -run TestTrainKinds -learn-kinds"}
	groups := map[string]bool{}
	for _, k := range kindClasses {
		m.Classes = append(m.Classes, string(k))
	}
	for _, e := range es {
		m.Counts[e.Class]++
		groups[e.Group] = true
	}
	m.Groups = len(groups)
	l, err := loglinear.Train(context.Background(), m, len(kindClasses), es, nil, kindOptions)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestTrainKinds measures the classifier of dates on owners it was not trained on and,
// with -learn-kinds, writes one trained on all to models/date-kind.model. The model of each fold is
// written to the folder EVENTSEER_OUT/K, if that is set, for TestCrossFittedExtract:
//
//	EVENTSEER_OUT=DIR go test -tags measure -run TestTrainKinds -timeout 30m -v ./eventseer/extract -learn-kinds
func TestTrainKinds(t *testing.T) {
	out := os.Getenv("EVENTSEER_OUT")
	if !*learnKinds && out == "" {
		t.Skip("neither -learn-kinds nor EVENTSEER_OUT is set")
	}
	x := newTestExtractor()
	pages := slices.Concat(calledPages(t), wikiCalls(t))
	for _, c := range pages {
		judgedDates(t, x, c)
	}
	pages = append(pages, unclearDates(t, x)...)
	counts, sure := map[string]*agreement{}, map[string][]judgedKind{}
	for f := range trainingFolds {
		m := learnKindModel(t, slices.DeleteFunc(slices.Clone(pages), func(c *calledPage) bool { return foldOf(c.owner) == f }))
		if out != "" {
			writeKindModel(t, m, filepath.Join(out, fmt.Sprint(f), "date-kind.model"))
		}
		scores := make([]float64, len(kindClasses))
		for _, c := range pages {
			if foldOf(c.owner) != f {
				continue
			}
			for i, j := range c.judged {
				if c.kinds[i] == "" {
					continue
				}
				countKind(counts, c.set+" ruled", j.ruled, c.kinds[i])
				kind, share := j.decidedKind(m, scores)
				countKind(counts, c.set+" learned", kind, c.kinds[i])
				if isScoredKind(kind) && share > 0 {
					sure[c.set] = append(sure[c.set], judgedKind{share: share, right: kind == c.kinds[i], fold: f})
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: F1 %.3f of deadlines %+v", name, counts[name].f1(), *counts[name])
	}
	logKindConfidence(t, sure)
	if *learnKinds {
		writeKindModel(t, learnKindModel(t, pages), "../../models/date-kind.model")
	}
}

// A judgedKind is a deadline that was read, with the probability of its kind by a classifier that had not seen its
// owner.
type judgedKind struct {
	share float64
	right bool
	fold  int
}

// logKindConfidence prints the confidence of deadlines and the share of correct ones, in thirds for each set of
// pages. A deadline's curve is fitted without the fold of its owner. It also prints the curve of all.
func logKindConfidence(t *testing.T, sure map[string][]judgedKind) {
	curve := func(without int) classify.Platt {
		var decisions []float64
		var right []bool
		for _, set := range slices.Sorted(maps.Keys(sure)) {
			if set == "unclear" {
				continue // chosen because they are hard
			}
			for _, k := range sure[set] {
				if k.fold != without {
					decisions, right = append(decisions, logOdds(k.share)), append(right, k.right)
				}
			}
		}
		s, err := classify.FitPlatt(decisions, right)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all := curve(-1)
	t.Logf("curve of all: %+v", all)
	for _, odds := range []float64{0, 1.5, 3, 4.5} {
		if math.Abs(all.Probability(odds)-kindCurve.Probability(odds)) > 0.05 {
			t.Errorf("at log odds of %g kindCurve gives %.2f, the curve of all %.2f", odds, kindCurve.Probability(odds), all.Probability(odds))
		}
	}
	var curves []classify.Platt
	for f := range trainingFolds {
		curves = append(curves, curve(f))
	}
	for _, set := range slices.Sorted(maps.Keys(sure)) {
		ks := sure[set]
		slices.SortStableFunc(ks, func(a, b judgedKind) int { return cmp.Compare(a.share, b.share) })
		for third := range 3 {
			bin := ks[third*len(ks)/3 : (third+1)*len(ks)/3]
			var predicted, observed float64
			for _, k := range bin {
				predicted += curves[k.fold].Probability(logOdds(k.share)) / float64(len(bin))
				observed += float64(oneIf(k.right)) / float64(len(bin))
			}
			t.Logf("%s: %d deadlines, confidence %.2f, right %.2f", set, len(bin), predicted, observed)
		}
	}
}

// countKind counts a date read as a kind of deadline or as none.
func countKind(counts map[string]*agreement, name string, read, truth eventseer.DeadlineKind) {
	if counts[name] == nil {
		counts[name] = &agreement{}
	}
	c := counts[name]
	switch {
	case isScoredKind(read) && read == truth:
		c.right++
	default:
		c.wrong += oneIf(isScoredKind(read))
		c.missed += oneIf(isScoredKind(truth))
	}
}

func writeKindModel(t *testing.T, m *classify.LogLinear, path string) {
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d features, %d bytes", path, m.Features(), b.Len())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
