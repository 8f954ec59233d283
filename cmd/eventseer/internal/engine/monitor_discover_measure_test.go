//go:build measure

package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/datasets/files"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// TestMeasureDiscovery prints how well new links that lead to events are recognised. It uses the
// version histories and lists whose links appear in the order of the page.
//
//	CI=true go test ./cmd/eventseer/internal/engine -tags measure -run TestMeasureDiscovery -v
func TestMeasureDiscovery(t *testing.T) {
	model, err := judges.CrossFittedSet().Links()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct {
		name  string
		pages []linkHistory
	}{
		{"version histories", versionLinks(t)},
		{"growing lists (gold)", goldLists(t)},
		{"growing lists (labelled)", labelledLists(t)},
	} {
		for _, d := range discoverersOf(model.LinkProbabilities) {
			t.Log(discovery(set.name, d, set.pages))
		}
	}
}

// newLinks returns the links of a version that the one before has not.
func newLinks(old, tree *tagtree.Tree) (links []webgraph.Link) {
	for _, s := range (monitor.AllNew{}).Discover(old, tree, monitor.Known{}) {
		links = append(links, s.Link)
	}
	return links
}

// A linkHistory is a page with what its links lead to.
type linkHistory struct {
	site     string
	versions []*tagtree.Tree
	times    []int64
	truth    func(url string) (gives, known bool)
}

// A linkScore counts new links of a site.
type linkScore struct{ hit, wrong, missed, left int }

// discovery replays all histories in time order. The results of the links of the first version are known
// after it, later those of the followed links.
func discovery(set string, d monitor.Discoverer, pages []linkHistory) string {
	words := monitor.Tallies{}
	known := make([]monitor.Known, len(pages))
	scores := map[string]*linkScore{}
	type step struct{ page, version int }
	var steps []step
	for i, p := range pages {
		for v := range p.versions {
			steps = append(steps, step{i, v})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		return int(pages[a.page].times[a.version]/1000 - pages[b.page].times[b.version]/1000)
	})
	for _, s := range steps {
		p, k := pages[s.page], &known[s.page]
		tree := p.versions[s.version]
		k.Source, k.Kind, k.Words = tree.Page.URL, monitor.Index, words
		follow := func(l webgraph.Link) {
			gave, ok := p.truth(l.Target)
			if !ok || slices.Contains(k.Gave, l.Target) || slices.Contains(k.Vain, l.Target) {
				return
			}
			words.CountFollowed(l.Anchor, gave)
			if gave {
				k.Gave = append(k.Gave, l.Target)
			} else {
				k.Vain = append(k.Vain, l.Target)
			}
		}
		if s.version == 0 {
			for _, l := range newLinks(nil, tree) {
				follow(l)
			}
			continue
		}
		old := p.versions[s.version-1]
		survived := map[string]bool{}
		var take []webgraph.Link
		for _, l := range d.Discover(old, tree, *k) {
			survived[l.Link.Target] = true
			take = append(take, l.Link)
		}
		score := scores[p.site]
		if score == nil {
			score = &linkScore{}
			scores[p.site] = score
		}
		for _, l := range newLinks(old, tree) {
			gives, ok := p.truth(l.Target)
			switch {
			case !ok:
			case gives && survived[l.Target]:
				score.hit++
			case gives:
				score.missed++
			case survived[l.Target]:
				score.wrong++
			default:
				score.left++
			}
		}
		for _, l := range take {
			follow(l)
		}
	}
	return scoreLine(set, d.Name(), scores)
}

func scoreLine(set, name string, bySite map[string]*linkScore) string {
	var all []linkScore
	for _, site := range sortedKeys(bySite) {
		all = append(all, *bySite[site])
	}
	figures := func(pick []linkScore) (f [3]float64) {
		var s linkScore
		for _, x := range pick {
			s.hit, s.wrong, s.missed = s.hit+x.hit, s.wrong+x.wrong, s.missed+x.missed
		}
		f[0] = float64(s.hit) / float64(max(s.hit+s.wrong, 1))
		f[1] = float64(s.hit) / float64(max(s.hit+s.missed, 1))
		f[2] = 2 * float64(s.hit) / float64(max(2*s.hit+s.wrong+s.missed, 1))
		return f
	}
	var total linkScore
	for _, x := range all {
		total = linkScore{total.hit + x.hit, total.wrong + x.wrong, total.missed + x.missed, total.left + x.left}
	}
	line := fmt.Sprintf("%-25s %-17s %4d sites %4d links %4d give", set, name, len(all), total.hit+total.wrong+total.missed+total.left, total.hit+total.missed)
	point := figures(all)
	var drawn [3][]float64
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		pick := make([]linkScore, len(all))
		for i := range pick {
			pick[i] = all[random.IntN(len(all))]
		}
		for i, x := range figures(pick) {
			drawn[i] = append(drawn[i], x)
		}
	}
	for i, name := range []string{"P", "R", "F1"} {
		slices.Sort(drawn[i])
		line += fmt.Sprintf("  %s %.3f [%.3f, %.3f]", name, point[i], drawn[i][50], drawn[i][1949])
	}
	return line
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// versionLinks are the version histories. testdata/newlinks.tsv has the links that lead to records.
func versionLinks(t *testing.T) (all []linkHistory) {
	text, err := os.ReadFile("testdata/newlinks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	gives := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if url, _, ok := strings.Cut(line, "\t"); ok {
			gives[url] = true
		}
	}
	path := golden.SharedPath(t, "corpora/revisions/revisions.jsonl.gz")
	r, err := files.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	histories, err := monitor.ReadHistories(r, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range histories {
		l := linkHistory{site: h.Site(), truth: func(url string) (bool, bool) { return gives[url], true }}
		for _, p := range h.Versions {
			tree, err := tagtree.Parse(p)
			if err != nil {
				t.Fatal(err)
			}
			l.versions, l.times = append(l.versions, tree), append(l.times, p.FetchedAt.UnixMilli())
		}
		all = append(all, l)
	}
	return all
}

// goldLists are the lists whose records were marked by hand: their links give.
func goldLists(t *testing.T) (all []linkHistory) {
	dir := golden.SharedPath(t, "corpora/wrapper")
	f, err := os.Open(filepath.Join(dir, "lists.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var g struct {
			File    string
			Source  struct{ Repo string }
			Records []struct{ Href string }
		}
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		body, err := os.ReadFile(filepath.Join(dir, "lists", g.File))
		if err != nil {
			t.Fatal(err)
		}
		page := &webgraph.Page{URL: "https://" + strings.ReplaceAll(g.Source.Repo, "/", ".") + ".example/lists/" + g.File, Status: 200, Body: body, Header: http.Header{"Content-Type": {"text/html"}}}
		gives := map[string]bool{}
		resolve := webgraph.NewResolver(page.URL)
		for _, r := range g.Records {
			if url, err := resolve.Resolve(r.Href); err == nil {
				gives[url] = true
			}
		}
		if len(gives) == 0 {
			continue
		}
		all = append(all, growing(t, page, g.Source.Repo, func(url string) (bool, bool) { return gives[url], true }))
	}
	return all
}

// labelledLists are the labelled lists of calls; only links count whose pages have a
// label, and those of events give.
func labelledLists(t *testing.T) (all []linkHistory) {
	text, err := os.ReadFile(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	types, groups := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "\t")
		types[f[0]], groups[f[0]] = f[1], f[4]
	}
	truth := func(url string) (bool, bool) {
		kind, ok := types[url]
		return kind == "cfp" || kind == "conference" || kind == "mail_announcement", ok
	}
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		if types[page.URL] != "cfp_list" {
			continue
		}
		h := growing(t, page, groups[page.URL], truth)
		known := 0
		for _, l := range newLinks(nil, h.versions[len(h.versions)-1]) {
			if _, ok := truth(l.Target); ok {
				known++
			}
		}
		if known >= 3 {
			all = append(all, h)
		}
	}
	return all
}

// growths is the number of versions over which the links of a page appear.
const growths = 6

var hrefs = regexp.MustCompile(`(?i)(<a\b[^>]*?\s)href(\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))`)

// growing makes versions of a page in which its links appear gradually, in the order of the page. A link that
// has not appeared yet is there without its address.
func growing(t *testing.T, page *webgraph.Page, site string, truth func(string) (bool, bool)) linkHistory {
	h := linkHistory{site: site, truth: truth}
	total := len(hrefs.FindAllIndex(page.Body, -1))
	for v := 1; v <= growths; v++ {
		shown, n := total*v/growths, 0
		version := *page
		version.Body = hrefs.ReplaceAllFunc(page.Body, func(m []byte) []byte {
			if n++; n <= shown {
				return m
			}
			return hrefs.ReplaceAll(m, []byte("${1}data-x${2}"))
		})
		tree, err := tagtree.Parse(&version)
		if err != nil {
			t.Fatal(err)
		}
		h.versions, h.times = append(h.versions, tree), append(h.times, int64(v)*1_000_000)
	}
	return h
}
