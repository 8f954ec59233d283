package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/classify/loglinear"
	"eventseer/eventseer"
	"eventseer/eventseer/extract/date"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

var (
	learnKinds = flag.Bool("learn-kinds", false, "learn the classifier of dates from ../shared anew, measure it cross-fitted and write models/date-kind.model")
	kindsOut   = flag.String("kinds-out", "", "directory for the records of cross-fitted extraction")
)

// A calledPage is a page with its gold record, to learn kinds of dates from.
type calledPage struct {
	page   *webgraph.Page
	gold   goldRecord
	set    string // gold, sites or wikicfp
	owner  string // whose pages are trained or tested on together
	judged []judged
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
func (g goldRecord) truth(j judged, p *page) eventseer.DeadlineKind {
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

func calledPages(t *testing.T) []*calledPage {
	var pages []*calledPage
	add := func(set, warc string, gold map[string]goldRecord, owner func(goldRecord) string) {
		eachPage(t, warc, func(page *webgraph.Page) {
			if g, ok := gold[page.URL]; ok {
				pages = append(pages, &calledPage{page: page, gold: g, set: set, owner: owner(g)})
			}
		})
	}
	byURL := func(rs []goldRecord) map[string]goldRecord {
		m := map[string]goldRecord{}
		for _, r := range rs {
			m[r.URL] = r
		}
		return m
	}
	add("gold", "corpora/gold/pages.warc.gz", byURL(records[goldRecord](t, "corpora/gold/gold.jsonl")), func(g goldRecord) string { o, _, _ := strings.Cut(g.Source.Repo, "/"); return o })
	work, owners := workSites(t)
	said := records[goldRecord](t, "corpora/sites/says.jsonl")
	said = slices.DeleteFunc(said, func(g goldRecord) bool { return !work[g.URL] })
	add("sites", "corpora/sites/cfp.warc.gz", byURL(said), func(g goldRecord) string { return owners[g.URL] })
	return pages
}

// workSites returns the addresses of the call pages of the part of the sites that may
// be learned from, and their owners.
func workSites(t *testing.T) (work map[string]bool, owners map[string]string) {
	type site struct{ Site, CFP string }
	text, err := os.ReadFile("../../datasets/split/sites.tsv")
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 1 {
			part[f[0]] = f[1]
		}
	}
	work, owners = map[string]bool{}, map[string]string{}
	for _, s := range records[site](t, "corpora/sites/sites.jsonl") {
		if part[s.Site] == "work" {
			work[s.CFP] = true
		}
		owners[s.CFP], _, _ = strings.Cut(s.Site, "__")
	}
	return work, owners
}

// wikiCalls are the calls of WikiCFP, whose posters typed a few of their dates; the
// others are for nobody knows what.
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

// judgedDates reads the dates of a page as Extract does.
func judgedDates(t *testing.T, x *Extractor, c *calledPage) {
	tree, err := tagtree.Parse(c.page)
	if err != nil {
		return
	}
	p := read(tree, x.now().Year()+MaxAhead)
	p.names, p.cities = x.names, x.cities
	title, _ := p.title()
	p.class = nounClass(title)
	p.year = p.editionYear(title)
	p.timeYears()
	p.fillYears()
	es := p.entries()
	p.settleYear(es)
	p.call = p.callOf(es)
	when, _, _, _ := p.eventDays(es, title)
	es, context := p.deadlineContext(es, when)
	c.judged, c.kinds = p.judge(es, context, func(judged) bool { return true }), nil
	for _, j := range c.judged {
		k := c.gold.truth(j, p)
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
			if c.set == "wikicfp" {
				w = 0.3
			}
			es = append(es, loglinear.Example{Terms: j.terms, Class: k, Group: c.owner, Weight: w})
		}
	}
	return es
}

var kindOptions = loglinear.Options{Epochs: 12, Rate: 0.1, L1: 0.4, L2: 0.5, MinGroups: 3, Seed: 1}

func learnKindModel(t *testing.T, pages []*calledPage) *classify.LogLinear {
	es := kindExamples(pages)
	m := classify.Meta{Task: "date-kind", Algo: "log-linear", Options: fmt.Sprintf("%+v", kindOptions), Seed: kindOptions.Seed, Counts: make([]int, len(kindClasses)), Program: "go test ./eventseer/extract -run LearnKinds"}
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

// TestLearnKinds measures the classifier of dates on owners it was not trained on and
// writes one trained on all:
//
//	go test ./eventseer/extract -run LearnKinds -learn-kinds -v
func TestLearnKinds(t *testing.T) {
	if !*learnKinds {
		t.Skip("only with -learn-kinds")
	}
	x := newTestExtractor()
	pages := slices.Concat(calledPages(t), wikiCalls(t))
	for _, c := range pages {
		judgedDates(t, x, c)
	}
	const folds = 10
	right, all := map[string]int{}, map[string]int{}
	out := map[string]*bytes.Buffer{"gold": {}, "sites": {}, "wikicfp": {}}
	for f := range uint32(folds) {
		m := learnKindModel(t, slices.DeleteFunc(slices.Clone(pages), func(c *calledPage) bool { return ownerFold(c.owner) == f }))
		scores := make([]float64, len(kindClasses))
		y := *x
		without := *shippedWeights()
		without.kinds = m
		y.models = func() *weights { return &without }
		for _, c := range pages {
			if ownerFold(c.owner) != f {
				continue
			}
			for i, j := range c.judged {
				if c.kinds[i] == "" {
					continue
				}
				k := j.settled(m, scores)
				all[c.set]++
				right[c.set+" learned"] += oneIf(same(k, c.kinds[i]))
				right[c.set+" ruled"] += oneIf(same(j.ruled, c.kinds[i]))
			}
			if *kindsOut != "" {
				if tree, err := tagtree.Parse(c.page); err == nil {
					e, _ := y.Extract(tree)
					text, err := json.Marshal(e)
					if err != nil {
						t.Fatal(err)
					}
					out[c.set].Write(append(text, '\n'))
				}
			}
		}
	}
	for set, n := range all {
		t.Logf("%s: of %d dates %.3f by rules, %.3f learned", set, n, float64(right[set+" ruled"])/float64(n), float64(right[set+" learned"])/float64(n))
	}
	if *kindsOut != "" {
		for set, b := range out {
			if err := os.WriteFile(filepath.Join(*kindsOut, set+".jsonl"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := learnKindModel(t, pages)
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d features, %d bytes", m.Features(), b.Len())
	if err := os.WriteFile("../../models/date-kind.model", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// same reports whether two kinds make the same record: no date of a call is read alike.
func same(a, b eventseer.DeadlineKind) bool {
	plain := func(k eventseer.DeadlineKind) eventseer.DeadlineKind {
		if k == "" || k == noDeadline || k == eventDates || k == eventseer.OtherDeadline {
			return noDeadline
		}
		return k
	}
	return plain(a) == plain(b)
}

func ownerFold(owner string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(owner))
	return h.Sum32() % 10
}
