//go:build measure

package extract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

var learnEventDays = flag.Bool("learn-event-days", false, "learn eventWeights from ../shared anew and write whenweights.go")

// A datedPage is a page with the days of its event, labelled by a reader.
type datedPage struct {
	group      string      // site of the page; pages of one site are in the same part
	call       bool        // a plain-text call of WikiCFP
	other      bool        // is not about an event
	site       bool        // belongs to the part of the sites for training
	features   [][]float64 // by candidate: values of the features, 0 or 1
	days       []days      // by candidate: its days
	right      []bool      // by candidate: whether its days are want
	want, none days        // none: days that are read if no candidate is chosen
}

type days struct{ from, to eventseer.Date }

// readDated reads a page as Extract does, up to its candidates for the days of the event.
func readDated(x *Extractor, page *webgraph.Page, want days) (datedPage, error) {
	t, err := tagtree.Parse(page)
	if err != nil {
		return datedPage{}, err
	}
	r := x.prepareReading(t, x.models())
	title, _ := r.names.readTitle()
	entries := r.readDays(title).entries
	inTitle, _ := r.days.titleDates()
	d := datedPage{want: want, none: days{inTitle.From.Date(), inTitle.To.Date()}}
	for _, c := range r.days.eventCandidates(entries, title) {
		d.features = append(d.features, daysRanker.vector(c))
		d.days = append(d.days, days{c.date.From.Date(), c.date.To.Date()})
		d.right = append(d.right, d.days[len(d.days)-1] == want)
	}
	return d, nil
}

// otherPages returns the pages of ../shared/corpora/pages that are not about an event. None of their dates
// are days of an event.
func otherPages(t *testing.T, x *Extractor) []datedPage {
	text, err := os.ReadFile(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	group := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, "\t"); len(f) > 4 && f[2] == "false" && slices.Contains([]string{"homepage", "weblog", "institution_topic"}, f[1]) {
			group[f[0]] = f[4]
		}
	}
	var pages []datedPage
	eachPage(t, "corpora/pages/pages.warc.gz", func(page *webgraph.Page) {
		g, ok := group[page.URL]
		if !ok {
			return
		}
		if d, err := readDated(x, page, days{}); err == nil && len(d.days) > 0 {
			d.group, d.other = g, true
			pages = append(pages, d)
		}
	})
	return pages
}

// eachPage calls fn with the pages of a WARC file below ../shared.
func eachPage(t *testing.T, name string, fn func(*webgraph.Page)) {
	r, err := warc.Open(golden.SharedPath(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Scan() {
		rec, err := r.Record()
		if err != nil || rec.Header.Get("WARC-Type") != "response" {
			continue
		}
		answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(rec.Block)), nil)
		if err != nil {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		fn(&webgraph.Page{URL: rec.Header.Get("WARC-Target-URI"), Header: answer.Header, Body: body})
	}
}

// goldPages returns the pages of ../shared/corpora/gold.
func goldPages(t *testing.T, x *Extractor) []datedPage {
	type record struct {
		URL    string
		Source struct{ Repo string }
		From   eventseer.Date `json:"event_start"`
		To     eventseer.Date `json:"event_end"`
	}
	gold := map[string]record{}
	for _, r := range records[record](t, "corpora/gold/gold.jsonl") {
		if r.To == "" {
			r.To = r.From
		}
		gold[r.URL] = r
	}
	var pages []datedPage
	eachPage(t, "corpora/gold/pages.warc.gz", func(page *webgraph.Page) {
		g, ok := gold[page.URL]
		if !ok {
			return
		}
		d, err := readDated(x, page, days{g.From, g.To})
		if err != nil {
			t.Fatal(err)
		}
		d.group = g.Source.Repo
		pages = append(pages, d)
	})
	return pages
}

// sitePages returns the calls of the part of ../shared/corpora/sites for training.
func sitePages(t *testing.T, x *Extractor) []datedPage {
	work, owners := workSites(t)
	var pages []datedPage
	gold := map[string]goldRecord{}
	for _, r := range records[goldRecord](t, "corpora/sites/says.jsonl") {
		gold[r.URL] = r
	}
	eachPage(t, "corpora/sites/cfp.warc.gz", func(page *webgraph.Page) {
		g, ok := gold[page.URL]
		if !ok || !work[page.URL] {
			return
		}
		d, err := readDated(x, page, days{g.From, max(g.From, g.To)})
		if err != nil {
			t.Fatal(err)
		}
		d.group, d.site = owners[page.URL], true
		pages = append(pages, d)
	})
	return pages
}

// wikiPages returns the calls of ../shared/corpora/wikicfp. If the text does not contain the days that the
// poster typed, a candidate with the same start is right.
func wikiPages(t *testing.T, x *Extractor) []datedPage {
	type record struct {
		Text string
		From string `json:"start_date"`
		To   string `json:"end_date"`
	}
	var pages []datedPage
	for n, r := range records[record](t, "corpora/wikicfp/events.jsonl") {
		name := fmt.Sprintf("wikicfp-%d", n)
		page := &webgraph.Page{URL: name, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(r.Text)}
		d, err := readDated(x, page, days{typed(r.From), typed(r.To)})
		if err != nil {
			t.Fatal(err)
		}
		if d.want.from == "" {
			continue
		}
		d.group, d.call = name, true
		if !slices.Contains(d.right, true) {
			for i := range d.right {
				d.right[i] = d.days[i].from == d.want.from
			}
		}
		pages = append(pages, d)
	}
	return pages
}

// typed returns a day typed as 31/12/2027.
func typed(s string) eventseer.Date {
	if parts := strings.Split(s, "/"); len(parts) == 3 {
		return eventseer.Date(parts[2] + "-" + parts[1] + "-" + parts[0])
	}
	return ""
}

func records[R any](t *testing.T, name string) []R {
	t.Helper()
	text, err := os.ReadFile(golden.SharedPath(t, name))
	if err != nil {
		t.Fatal(err)
	}
	var rs []R
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var r R
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	return rs
}

const (
	learnSteps  = 300
	learnRate   = .5
	otherWeight = .1 // weight of a page that is not about an event; there are many
	learnPrior  = 2  // inverse variance of the Gaussian prior of a weight
)

// learnDays fits weights by gradient ascent (AdaGrad) on the log likelihood of a softmax over the
// candidates of each page and "none of them".
func learnDays(pages []datedPage) []float64 {
	w := make([]float64, len(eventFeatures))
	square := make([]float64, len(w))
	for range learnSteps {
		slope := make([]float64, len(w))
		for _, d := range pages {
			d.addSlope(w, slope)
		}
		for i := range w {
			slope[i] -= learnPrior * w[i]
			square[i] += slope[i] * slope[i]
			if square[i] > 0 {
				w[i] += learnRate * slope[i] / math.Sqrt(square[i])
			}
		}
	}
	return w
}

// addSlope adds the page's part of the gradient to slope. If no candidate is right, none must be chosen.
// Calls of WikiCFP are then skipped, because a poster may know days that the text does not contain.
func (d datedPage) addSlope(w, slope []float64) {
	odds := make([]float64, len(d.features))
	all, right := 1.0, 0.0
	for i, v := range d.features {
		odds[i] = math.Exp(dot(w, v))
		all += odds[i]
		if d.right[i] {
			right += odds[i]
		}
	}
	if right == 0 && d.call {
		return
	}
	weight := 1.0
	if d.other {
		weight = otherWeight
	}
	for i, v := range d.features {
		q := -odds[i] / all
		if d.right[i] {
			q += odds[i] / right
		}
		q *= weight
		for k := range v {
			slope[k] += q * v[k]
		}
	}
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// choose returns the days chosen by weights w and their score.
func (d datedPage) choose(w []float64) (days, float64) {
	best, top := d.none, 0.0
	for i, v := range d.features {
		if s := dot(w, v); s > top {
			best, top = d.days[i], s
		}
	}
	return best, top
}

// TestLearnEventDays measures weights on held-out sites and writes those learned from all pages:
//
//	go test ./eventseer/extract -run LearnEventDays -learn-event-days -v
func TestLearnEventDays(t *testing.T) {
	if !*learnEventDays {
		t.Skip("only with -learn-event-days")
	}
	x := newTestExtractor()
	pages := slices.Concat(goldPages(t, x), sitePages(t, x), wikiPages(t, x), otherPages(t, x))
	crossValidate(t, pages)
	var b bytes.Buffer
	fmt.Fprintln(&b, "// Code generated by go test ./eventseer/extract -run LearnEventDays -learn-event-days; DO NOT EDIT.\n\npackage extract\n\n// eventWeights are the weights of eventFeatures, in their order.\nvar eventWeights = [...]float64{")
	for i, w := range learnDays(pages) {
		fmt.Fprintf(&b, "%.2f, // %s\n", w, eventFeatures[i].name)
	}
	fmt.Fprintln(&b, "}")
	text, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("whenweights.go", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// crossValidate logs the number of correct days on held-out sites.
func crossValidate(t *testing.T, pages []datedPage) {
	const folds = 10
	var gold, sites struct{ right, spurious, missed int }
	var start, end, calls, others, invented int
	var chosen, good [4]int // by integer part of the score
	for f := range uint32(folds) {
		train := slices.DeleteFunc(slices.Clone(pages), func(d datedPage) bool { return groupFold(d.group, folds) == f })
		w := learnDays(train)
		for _, d := range pages {
			if groupFold(d.group, folds) != f {
				continue
			}
			got, score := d.choose(w)
			if d.other {
				others++
				invented += oneIf(score > 0)
				continue
			}
			if score > 0 {
				n := min(int(score), len(chosen)-1)
				chosen[n]++
				good[n] += oneIf(got == d.want)
			}
			if d.call {
				calls++
				start += oneIf(got.from == d.want.from)
				end += oneIf(got.to == d.want.to)
				continue
			}
			n := &gold
			if d.site {
				n = &sites
			}
			n.right += oneIf(got == d.want && got.from != "")
			n.spurious += oneIf(got != d.want && got.from != "")
			n.missed += oneIf(got != d.want && d.want.from != "")
		}
	}
	for _, n := range []struct{ right, spurious, missed int }{gold, sites} {
		t.Logf("F1 %.3f, %d right, %d spurious, %d missed", 2*float64(n.right)/float64(2*n.right+n.spurious+n.missed), n.right, n.spurious, n.missed)
	}
	t.Logf("WikiCFP: start %d, end %d of %d", start, end, calls)
	t.Logf("pages of no event but with dates: %d of %d with days", invented, others)
	t.Logf("right by score: %v of %v", good, chosen)
}

func groupFold(group string, folds uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(group))
	return h.Sum32() % folds
}

// workSites returns the addresses of the call pages of the part of the sites for training, and their
// owners.
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
