package template

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// A clustering gives each page of the corpus its cluster.
type clustering struct {
	name string
	of   func(pages []groupPage) []string
}

// ours clusters site by site, page by page.
func ours(name string, o ClusterOptions) clustering {
	return clustering{name, func(pages []groupPage) []string {
		sites := make(map[webgraph.Host]*Clusters)
		ids := make([]string, len(pages))
		for i, p := range pages {
			host := webgraph.HostOf(p.url)
			if sites[host] == nil {
				sites[host] = &Clusters{Options: o}
			}
			k, _ := sites[host].Add(p.url, p.shape)
			ids[i] = fmt.Sprint(host, k.ID)
		}
		return ids
	}}
}

// byURL clusters by a pattern of the URL only.
func byURL(name string, pattern func(url string) string) clustering {
	return clustering{name, func(pages []groupPage) []string {
		ids := make([]string, len(pages))
		for i, p := range pages {
			ids[i] = pattern(p.url)
		}
		return ids
	}}
}

// thorOf clusters site by site, all pages at once.
func thorOf(name string, thor THOR) clustering {
	return clustering{name, func(pages []groupPage) []string {
		bySite := make(map[webgraph.Host][]int)
		for i, p := range pages {
			bySite[webgraph.HostOf(p.url)] = append(bySite[webgraph.HostOf(p.url)], i)
		}
		ids := make([]string, len(pages))
		for host, site := range bySite {
			nodes := make([]*tagtree.Node, len(site))
			for j, i := range site {
				nodes[j] = pages[i].tree.Outline()
			}
			for j, of := range thor.Cluster(nodes) {
				ids[site[j]] = fmt.Sprint(host, of)
			}
		}
		return ids
	}}
}

// TestClustersOfCorpus clusters the pages of the wrapper corpus among the other pages
// of their sites. The ways to do it that we do not use are measured by .ci/nightly.
func TestClustersOfCorpus(t *testing.T) {
	pages := groupPages(t)
	groups := make([]string, len(pages))
	noise := 0
	for i, p := range pages {
		if groups[i] = p.group; p.group == "" {
			noise++
		}
	}
	t.Logf("%d pages of groups among %d others", len(pages)-noise, noise)
	measure := func(c clustering) clusterScore {
		s := scoreClusters(groups, c.of(pages))
		t.Logf("%-27s adjusted Rand %.3f, V-measure %.3f, purity %.3f, %d clusters", c.name, s.rand, s.v, s.purity, s.clusters)
		return s
	}
	both := measure(ours("URL pattern, then distance", ClusterOptions{}))
	if both.rand < 0.95 || both.v < 0.95 || both.purity < 0.95 {
		t.Errorf("%+v", both)
	}
	if !nightly.Enabled() {
		return
	}
	measure(byURL("common URL prefix", path.Dir))
	measure(byURL("URL pattern", URLPattern))
	measure(ours("distance", ClusterOptions{Same: DefaultOther}))
	measure(thorOf("THOR", THOR{Seed: 1}))
	// Without their URLs, and with all sites as one, the shapes alone must separate the groups.
	for i := range pages {
		pages[i].url = fmt.Sprintf("https://all.example/%d", i)
	}
	measure(ours("all in one: distance", ClusterOptions{Same: DefaultOther}))
	measure(thorOf("all in one: THOR", THOR{Seed: 1, MaxClusters: 40}))
}

// TestKindsOfClusters checks that most pages of each group of the wrapper corpus are recognised as
// record pages, and most lists as category pages.
func TestKindsOfClusters(t *testing.T) {
	categories, pages := make(map[string]int), make(map[string]int)
	for _, p := range groupPages(t) {
		name := p.group
		if strings.HasPrefix(p.url, listsSite) {
			name = "lists"
		}
		if name == "" {
			continue
		}
		pages[name]++
		if record.ListShare(p.tree) >= record.ListShareOfCategory {
			categories[name]++
		}
	}
	for name, n := range pages {
		t.Logf("%-24s %2d of %2d are of a category", name, categories[name], n)
		if (2*categories[name] > n) != (name == "lists") {
			t.Errorf("%s: %d of %d pages are of a category", name, categories[name], n)
		}
	}
}

// listsSite is where the record lists are put.
const listsSite = "https://lists.example/"

// A groupPage is a page of the wrapper corpus or of the sites it was taken from.
type groupPage struct {
	url   string
	group string // "" of noise: the site's other pages
	tree  *tagtree.Tree
	shape *Shape
}

// groupPages reads the pages of ../shared/corpora/wrapper/templates with their groups, and other
// pages as noise. Noise is its record lists and the pages of corpora/pages from the same sites,
// except pages that belong to a group by their paths or are copies under names with "@" that a tool
// gave them. They are in the order of their URLs' digests, as a crawl meets them: mixed.
func groupPages(t testing.TB) []groupPage {
	t.Helper()
	if corpusGroups != nil {
		return slices.Clone(corpusGroups)
	}
	sites := corpusSites(t)
	var pages []groupPage
	var repos, places []string // places are repository and path of the groups' pages, numbers and slugs aside
	dir := golden.SharedPath(t, "corpora/wrapper/templates")
	files, err := filepath.Glob(filepath.Join(dir, "*", "group.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("groups of %s: %v", dir, err)
	}
	for _, file := range files {
		var group struct {
			Source struct {
				Repo  string
				Paths []string
			}
		}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &group)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range group.Source.Paths {
			body, err := os.ReadFile(filepath.Join(filepath.Dir(file), strconv.Itoa(i+1)+".html"))
			if err != nil {
				t.Fatal(err)
			}
			site := sites[group.Source.Repo]
			if site == "" {
				site = "https://" + strings.ToLower(strings.ReplaceAll(group.Source.Repo, "/", ".")) + ".example/"
			}
			pages = append(pages, parsedPage(t, site+strings.TrimSuffix(p, "index.html"), filepath.Base(filepath.Dir(file)), body))
			repos = append(repos, group.Source.Repo)
			places = append(places, placeOf(group.Source.Repo+":"+p))
		}
	}
	noise, err := filepath.Glob(filepath.Join(golden.SharedPath(t, "corpora/wrapper/lists"), "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range noise {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, parsedPage(t, listsSite+filepath.Base(file), "", body))
	}
	sources := corpusSources(t)
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		repo, _, _ := strings.Cut(sources[p.URL], ":")
		if !slices.Contains(repos, repo) || strings.Contains(p.URL, "@") || slices.Contains(places, placeOf(sources[p.URL])) {
			continue
		}
		if tree, err := tagtree.Parse(p); err == nil && tree.Outline() != nil {
			pages = append(pages, groupPage{url: p.URL, tree: tree, shape: NewShape(tree.Outline())})
		}
	}
	slices.SortFunc(pages, func(a, b groupPage) int {
		return strings.Compare(string(webgraph.DigestOf([]byte(a.url))), string(webgraph.DigestOf([]byte(b.url))))
	})
	corpusGroups = pages
	return slices.Clone(pages)
}

// corpusGroups is what groupPages has read.
var corpusGroups []groupPage

func parsedPage(t testing.TB, url, group string, body []byte) groupPage {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: url, Body: body, Header: map[string][]string{"Content-Type": {"text/html"}}})
	if err != nil {
		t.Fatal(err)
	}
	return groupPage{url: url, group: group, tree: tree, shape: NewShape(tree.Outline())}
}

// corpusSources returns the repository and path of each page of corpora/pages.
func corpusSources(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	sources := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		sources[f[0]] = f[len(f)-1]
	}
	return sources
}

// corpusSites returns the address of the sites of the groups, by repository.
func corpusSites(t testing.TB) map[string]string {
	t.Helper()
	sites := make(map[string]string)
	for url, source := range corpusSources(t) {
		repo, p, _ := strings.Cut(source, ":")
		if site, ok := strings.CutSuffix(url, strings.TrimSuffix(p, "index.html")); ok {
			sites[repo] = site
		}
	}
	return sites
}

var varying = regexp.MustCompile(`\d+`)

// placeOf returns a page's source without what varies within a group: the names in
// a folder that has one name itself, else the numbers.
func placeOf(source string) string {
	repo, file, _ := strings.Cut(strings.TrimSuffix(source, "/index.html"), ":")
	dir := path.Dir(file)
	if dir == "." || varying.MatchString(path.Base(dir)) {
		return repo + ":" + varying.ReplaceAllString(file, "0")
	}
	return repo + ":" + varying.ReplaceAllString(dir, "0") + "/*"
}
