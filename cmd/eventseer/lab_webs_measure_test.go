//go:build measure

package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// TestWebsOfLabs measures the webs of finished experiments, as far as their crawls visited them. It prints how the
// judge errs by kind of page, where the links of each kind lead, and how well the scores of strategies that
// learn nothing tell links to targets from others. EVENTSEER_LABS names the folders.
//
//	EVENTSEER_LABS=web-1,gen go test -tags measure -run TestWebsOfLabs -v ./cmd/eventseer
func TestWebsOfLabs(t *testing.T) {
	dirs := os.Getenv("EVENTSEER_LABS")
	if dirs == "" {
		t.Skip("EVENTSEER_LABS names no folders of experiments")
	}
	for dir := range strings.SplitSeq(dirs, ",") {
		t.Run(filepath.Base(dir), func(t *testing.T) { newWebMeter(t, dir).report(t) })
	}
}

// A webMeter reads the pages of the web of an experiment.
type webMeter struct {
	bench   *labBench
	judge   strategy.Judge
	links   strategy.LinkModel
	topic   topicModel
	targets map[string]bool
	visited []string // in order of URL
	pages   map[string]*meteredPage
}

// maxMetered bounds the visited pages that are measured; more are sampled evenly.
const maxMetered = 2000

// tenStrategies are those by which the ranks of a generated web are compared with those of the frozen one.
var tenStrategies = []string{"breadth-first", "best-first", "shark-search", "focused-svm", "hub", "online", "intelligent", "link-model", "bandit", "eventseer"}

// topicModel measures how similar a text is to calls.
type topicModel interface {
	PageCosine(t *tagtree.Tree) float64
	TextCosine(s string) float64
}

// A meteredPage is a page as strategies see it.
type meteredPage struct {
	url       string // after redirects
	said      classify.Judgement
	relevance float64
	cosine    float64
	tree      *tagtree.Tree
}

func newWebMeter(t *testing.T, dir string) *webMeter {
	t.Helper()
	record, _, err := lab.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := newTestApp(t)
	a.Config.Render = "off"
	b, err := openLabBench(t.Context(), a, record.Flags, dir)
	if err != nil {
		t.Fatal(err)
	}
	m := &webMeter{bench: b, targets: b.targetURLs(record.Flags), pages: map[string]*meteredPage{}}
	models, err := judges.Open(b.app, record.Flags.Models)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := models.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	m.judge = urlJudge{judge}
	if m.links, err = models.Links(); err != nil {
		t.Fatal(err)
	}
	topic, err := models.Model(classify.TaskTopic)
	if err != nil {
		t.Fatal(err)
	}
	m.topic = strategy.NewTopic(topic)
	files, err := filepath.Glob(filepath.Join(dir, lab.RunsDir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, run := range files {
		if !slices.Contains(tenStrategies, filepath.Base(filepath.Dir(run))) {
			continue
		}
		end, err := lab.ReadCell(run, record.Flags.Budget)
		if err != nil {
			t.Fatal(err)
		}
		for v, err := range end.Visits {
			if err != nil {
				t.Fatal(err)
			}
			if !v.Call && v.Status == 200 {
				seen[v.URL] = true
			}
		}
	}
	for url := range seen {
		m.visited = append(m.visited, url)
	}
	slices.Sort(m.visited)
	if n := len(m.visited); n > maxMetered {
		for i := range maxMetered {
			m.visited[i] = m.visited[i*n/maxMetered]
		}
		m.visited = m.visited[:maxMetered]
	}
	return m
}

// page fetches a page; nil without one.
func (m *webMeter) page(t *testing.T, url string) *meteredPage {
	if p, ok := m.pages[url]; ok {
		return p
	}
	m.pages[url] = nil
	page, err := m.bench.web.Fetcher.Fetch(t.Context(), crawler.Request{URL: url})
	if err != nil || page.Status != 200 {
		return nil
	}
	p := &meteredPage{url: page.URL}
	m.pages[url] = p
	if p.tree, err = tagtree.Parse(page); err != nil {
		p.tree = nil
	}
	return p
}

// A linkScores are the scores of links by one strategy.
type linkScores struct{ good, bad []float64 }

// auc returns the area under the ROC curve, with half of each tie.
func (s *linkScores) auc() float64 {
	slices.Sort(s.bad)
	sum := 0.0
	for _, x := range s.good {
		lo, _ := slices.BinarySearch(s.bad, x)
		hi, _ := slices.BinarySearch(s.bad, math.Nextafter(x, math.Inf(1)))
		sum += float64(lo) + float64(hi-lo)/2
	}
	return sum / float64(max(1, len(s.good)*len(s.bad)))
}

// A pageClass counts pages and what they link to.
type pageClass struct {
	pages, called, links, toTargets, withTarget int
	relevance, cosine                           float64
}

func (m *webMeter) report(t *testing.T) {
	classes, order := map[string]*pageClass{}, []string{}
	class := func(name string) *pageClass {
		if classes[name] == nil {
			classes[name] = &pageClass{}
			order = append(order, name)
		}
		return classes[name]
	}
	scores := map[string]*linkScores{}
	score := func(name string, good bool, x float64) {
		s := cmp.Or(scores[name], &linkScores{})
		scores[name] = s
		if good {
			s.good = append(s.good, x)
		} else {
			s.bad = append(s.bad, x)
		}
	}
	var degrees []int
	inTargets := map[string]map[string]bool{} // target → sites that link to it
	for _, url := range m.visited {
		p := m.page(t, url)
		if p == nil || p.tree == nil {
			continue
		}
		p.said = m.judge.JudgePage(p.tree)
		p.relevance, p.cosine = p.said.CFPScore, m.topic.PageCosine(p.tree)
		called := p.said.IsCFP && p.said.PageType != "cfp_list"
		model, host := m.links.LinkProbabilities(p.tree), webgraph.HostOf(p.url)
		band := "below 0.1"
		for _, least := range []struct {
			from float64
			name string
		}{{0.1, "0.1 to 0.5"}, {0.5, "0.5 to 0.9"}, {0.9, "0.9 to 1"}} {
			if p.relevance >= least.from {
				band = least.name
			}
		}
		truth := "no target"
		if m.targets[p.url] {
			truth = "a target"
		}
		of := []*pageClass{class("all"), class(truth), class(truth + ", score " + band), class("judged " + p.said.PageType)}
		for _, c := range of {
			c.pages++
			c.relevance += p.relevance
			c.cosine += p.cosine
			if called {
				c.called++
			}
		}
		cosines, known, hits, n := map[string]float64{}, map[string]bool{}, 0, 0
		cosine := func(text string) float64 {
			x, ok := cosines[text]
			if !ok {
				x = max(0, m.topic.TextCosine(text))
				cosines[text] = x
			}
			return x
		}
		for i, l := range p.tree.Links() {
			to := m.page(t, l.Target)
			if to == nil || to.url == p.url || known[to.url] {
				continue
			}
			known[to.url] = true
			n++
			good := m.targets[to.url]
			where := "away"
			if webgraph.SameSite(webgraph.HostOf(to.url), host) {
				where = "within"
			}
			if good {
				hits++
				if inTargets[to.url] == nil {
					inTargets[to.url] = map[string]bool{}
				}
				inTargets[to.url][string(host)] = true
			}
			anchor, around := cosine(l.Anchor), 1.0
			place := p.tree.LinkPlace(i)
			text := cosine(place.Before + " " + place.After)
			if anchor == 0 {
				around = text
			}
			for _, name := range []string{"", " " + where} {
				score("link model"+name, good, model[i])
				score("relevance of page"+name, good, p.relevance)
				score("cosine of page"+name, good, p.cosine)
				score("cosine of anchor"+name, good, anchor)
				score("cosine around link"+name, good, text)
				score("best-first"+name, good, (max(0, p.cosine)+anchor)/2)
				score("shark-search"+name, good, p.cosine/4+(0.8*anchor+0.2*around)/2)
			}
		}
		degrees = append(degrees, n)
		for _, c := range of {
			c.links += n
			c.toTargets += hits
			if hits > 0 {
				c.withTarget++
			}
		}
	}
	slices.Sort(degrees)
	inSites := 0
	for _, sites := range inTargets {
		inSites += len(sites)
	}
	big, logs := 0, 0.0
	for _, d := range degrees {
		if d >= 10 {
			big++
			logs += math.Log(float64(d) / 9.5)
		}
	}
	q := func(share float64) int { return degrees[min(len(degrees)-1, int(share*float64(len(degrees))))] }
	t.Logf("%d targets, %d linked from visited pages, by %.1f sites each; %d pages visited; out-degree 10/50/90/99/100 %% %d/%d/%d/%d/%d, exponent from 10 links %.2f", len(m.targets), len(inTargets),
		float64(inSites)/float64(max(1, len(inTargets))), len(degrees), q(.1), q(.5), q(.9), q(.99), degrees[len(degrees)-1], 1+float64(big)/logs)
	slices.Sort(order)
	for _, name := range order {
		c := classes[name]
		n := float64(c.pages)
		t.Logf("%-34s %5d pages, called a call %.3f, score %.2f, cosine %.3f, links %5.1f, of them to a target %.4f, pages with one %.3f", name, c.pages, float64(c.called)/n, c.relevance/n, c.cosine/n,
			float64(c.links)/n, float64(c.toTargets)/float64(max(1, c.links)), float64(c.withTarget)/n)
	}
	var names []string
	for name := range scores {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s := scores[name]
		t.Logf("%-34s %6d links, %5d to a target, area under the ROC curve %.3f", name, len(s.good)+len(s.bad), len(s.good), s.auc())
	}
}

// urlJudge judges each page by the judge of its URL.
type urlJudge struct {
	of interface{ For(string) *classify.Judge }
}

func (j urlJudge) JudgePage(t *tagtree.Tree) classify.Judgement {
	return j.of.For(t.Page.URL).JudgePage(t)
}

// frozenAreas are the mean areas to 1,000 pages of tenStrategies on the three parts of the frozen web, in their order
// (doc/figures.md).
var frozenAreas = []float64{0.156, 0.327, 0.212, 0.249, 0.233, 0.362, 0.209, 0.251, 0.200, 0.610}

// TestRanksOnGeneratedWebs runs ten strategies on generated webs that were not used to choose how webs are generated
// (seeds 14 to 17, four draws each). It compares the ranks of their mean areas with those on the frozen web.
//
//	go test -tags measure -run TestRanksOnGeneratedWebs -v -timeout 1h ./cmd/eventseer
func TestRanksOnGeneratedWebs(t *testing.T) {
	areas, runs := make([]float64, len(tenStrategies)), make([]int, len(tenStrategies))
	for seed := 14; seed <= 17; seed++ {
		dir := filepath.Join(t.TempDir(), "lab")
		spec := fmt.Sprintf("sim:hosts=1000,pages=26000,seed=%d,draws=4", seed)
		code, _, stderr := runCaptured(t, "lab", "run", "--web", spec, "--strategies", strings.Join(tenStrategies, ","), "--budget", "1000", "-o", dir, "--quiet")
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", spec, code, stderr)
		}
		file, err := os.Open(filepath.Join(dir, "runs.csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		name, area := slices.Index(rows[0], "strategy"), slices.Index(rows[0], "area_1000")
		for _, row := range rows[1:] {
			x, err := strconv.ParseFloat(row[area], 64)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.Index(tenStrategies, row[name])
			areas[i] += x
			runs[i]++
		}
		t.Logf("seed %d: rank correlation of the means so far %.3f", seed, spearman(areas, frozenAreas))
	}
	for i, name := range tenStrategies {
		t.Logf("%-14s generated %.3f, frozen %.3f (%d runs)", name, areas[i]/float64(max(1, runs[i])), frozenAreas[i], runs[i])
	}
	if rho := spearman(areas, frozenAreas); rho < 0.8 {
		t.Errorf("rank correlation %.3f, want at least 0.8", rho)
	}
}

// spearman returns the rank correlation of two lists without ties.
func spearman(x, y []float64) float64 {
	rank := func(list []float64, i int) float64 {
		r := 0.0
		for _, v := range list {
			if v > list[i] {
				r++
			}
		}
		return r
	}
	sum, n := 0.0, float64(len(x))
	for i := range x {
		d := rank(x, i) - rank(y, i)
		sum += d * d
	}
	return 1 - 6*sum/(n*(n*n-1))
}
