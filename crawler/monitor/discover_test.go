package monitor

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// listPage is a page with a menu, a list of calls and a footer.
func listPage(t testing.TB, menu, list, foot []string) *tagtree.Tree {
	t.Helper()
	items := func(links []string) (s string) {
		for _, l := range links {
			href, anchor, _ := strings.Cut(l, " ")
			s += fmt.Sprintf("<li><a href=%q>%s</a></li>\n", href, anchor)
		}
		return s
	}
	body := fmt.Sprintf(`<html><body><div><ul>%s</ul></div><div><h1>Calls</h1><ol>%s</ol></div><p>%s</p></body></html>`, items(menu), items(list), items(foot))
	tree, err := tagtree.Parse(&webgraph.Page{URL: "https://lists.example/calls/", Status: 200, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html"}}})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func targets(all []SelectedLink) (urls []string) {
	for _, s := range all {
		urls = append(urls, strings.TrimPrefix(s.Link.Target, "https://lists.example"))
	}
	return urls
}

// TestSemantic reproduces figure 3 of the paper. Links of the records' pattern survive in the
// subtree of the records, elsewhere by their words only, and others do not.
func TestSemantic(t *testing.T) {
	old := listPage(t, []string{"/about About"}, []string{"/call/1 Alpha call", "/call/2 Beta call", "/call/3 Gamma"}, []string{"/call/9 Old call"})
	next := listPage(t,
		[]string{"/about About", "/call/login Log in", "/call/7 Delta call"},
		[]string{"/call/4 Epsilon", "/call/1 Alpha call", "/call/2 Beta call", "/call/3 Gamma", "/news/5 News"},
		[]string{"/call/9 Old call", "/call/8 Sponsors"})
	words := Tallies{}
	for _, text := range []string{"Alpha call", "Beta call", "Old call"} {
		words.CountFollowed(text, true)
	}
	words.CountFollowed("Gamma", true)
	for _, text := range []string{"About", "Sponsors", "Log in"} {
		words.CountFollowed(text, false)
	}
	gave := []string{"https://lists.example/call/1", "https://lists.example/call/2", "https://lists.example/call/3", "https://lists.example/call/9"}
	// A record in the menu too, so that few of the records are near the new links.
	gave = append(gave, "https://lists.example/about")
	for _, c := range []struct {
		name string
		d    Discoverer
		gave []string
		want []string
	}{
		{"cold start", Semantic{}, nil, []string{"/call/login", "/call/7", "/call/4", "/news/5", "/call/8"}},
		{"prefix", Semantic{}, gave, []string{"/call/4"}},
		{"pattern", Semantic{Pattern: template.URLPattern}, gave, []string{"/call/4"}},
		{"all", AllNew{}, gave, []string{"/call/login", "/call/7", "/call/4", "/news/5", "/call/8"}},
		{"every record", Semantic{Least: 1}, gave, nil},
	} {
		got := c.d.Discover(old, next, Known{Source: next.Page.URL, Gave: c.gave, Words: words})
		if diff := cmp.Diff(c.want, targets(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
		for _, s := range got {
			if !strings.Contains(s.Why, "new on the page") {
				t.Errorf("%s: why %q", c.name, s.Why)
			}
		}
	}
	got := Semantic{}.Discover(old, next, Known{Gave: gave, Words: words})
	if want := "4 links to URLs like https://lists.example/call/ gave records, 3 of them in the same part of the page, html/body/div[2]/ol"; len(got) != 1 || !strings.Contains(got[0].Why, want) {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// TestSemanticWords checks that the words decide if few similar records are near.
func TestSemanticWords(t *testing.T) {
	old := listPage(t, []string{"/call/0 Zeta call"}, []string{"/call/1 Alpha call", "/call/2 Beta call", "/call/3 Gamma call"}, nil)
	next := listPage(t, []string{"/call/0 Zeta call", "/call/5 Last call", "/call/6 Imprint"}, []string{"/call/1 Alpha call", "/call/2 Beta call", "/call/3 Gamma call"}, nil)
	words := Tallies{}
	var gave []string
	for i, l := range old.Links() {
		words.CountFollowed(l.Anchor, true)
		gave = append(gave, fmt.Sprintf("https://lists.example/call/%d", i))
	}
	for _, text := range []string{"Imprint", "Home", "Search"} {
		words.CountFollowed(text, false)
	}
	got := Semantic{}.Discover(old, next, Known{Gave: gave, Words: words})
	if len(got) != 1 || !strings.Contains(got[0].Why, `its words "call"`) {
		t.Errorf("got %+v", got)
	}
}

// TestWeighed checks that the results of similar links outweigh the link's own evidence, also on lists whose
// links lead to other sites.
func TestWeighed(t *testing.T) {
	var links, gave, vain []string
	for i := range 8 {
		url := fmt.Sprintf("https://conf%d.example/", i)
		links, gave = append(links, url+" A conference"), append(gave, url)
	}
	menu := []string{"/a About", "/b Board", "/c Contact"}
	for _, l := range menu {
		vain = append(vain, "https://lists.example"+l[:2])
	}
	old := listPage(t, menu, links, nil)
	next := listPage(t, append(menu, "/d Donate"), append(links, "https://conf9.example/ Another"), nil)
	known := Known{Source: next.Page.URL, Gave: gave, Vain: vain}
	doubtful := func(t *tagtree.Tree) []float64 {
		all := make([]float64, len(t.Links()))
		for i := range all {
			all[i] = 0.1
		}
		return all
	}
	for _, c := range []struct {
		name string
		d    Discoverer
		want []string
	}{
		{"without a chance", Weighed{Least: 0.65}, []string{"https://conf9.example/"}},
		{"with one", Weighed{Chance: doubtful, Least: 0.65}, []string{"https://conf9.example/"}},
		{"the chance alone", Likely{Chance: doubtful}, nil},
		{"the paper", Semantic{}, nil},
	} {
		got := c.d.Discover(old, next, known)
		if diff := cmp.Diff(c.want, targets(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s%+v", c.name, diff, got)
		}
	}
	if got := (Weighed{Least: 0.65}).Discover(old, next, known); len(got) == 1 && !strings.Contains(got[0].Why, "of similar links") {
		t.Errorf("why %q", got[0].Why)
	}
}

func TestCommonPath(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"html/body/ul/li[1]/a", "html/body/ul/li[2]/a", "html/body/ul"},
		{"html/body/ul/li[1]/a", "html/body/ul/li[10]/a", "html/body/ul"},
		{"html/body/ul/li", "html/body/ul/li/a", "html/body/ul/li"},
		{"html/body/a", "html/body/a", "html/body/a"},
		{"html/body", "", ""},
		{"a", "b", ""},
	} {
		if got := commonPath(c.a, c.b); got != c.want {
			t.Errorf("commonPath(%s, %s) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestWordsKept: what links were worth is counted once, and is there again after a
// restart.
func TestWordsKept(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	teach := func(link, anchor string, gave bool) {
		t.Helper()
		err := d.db.Update(func(tx *bolt.Tx) error {
			_, fresh, err := followedLink(tx, "https://lists.example/", link, gave)
			if err != nil || !fresh {
				return err
			}
			return countFollowed(tx, anchor, gave)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	teach("https://lists.example/1", "First call", true)
	teach("https://lists.example/1", "First call", true)
	teach("https://lists.example/2", "Imprint", false)
	teach("https://lists.example/2", "Imprint", false)
	teach("https://lists.example/2", "Imprint", true) // it has become a call
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = Open(dir, Options{MustExist: true}); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := map[string]Tally{}
	for _, word := range []string{"", "call", "imprint", "never"} {
		got[word] = d.Words().Tally(word)
	}
	want := map[string]Tally{"": {2, 1}, "call": {1, 0}, "imprint": {1, 1}, "never": {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	y, err := d.LinkResults("https://lists.example/")
	if diff := cmp.Diff(Yielded{Records: 2, Links: []string{"https://lists.example/1", "https://lists.example/2"}, Vain: []string{}}, y); err != nil || diff != "" && len(y.Vain) > 0 {
		t.Errorf("%v %s", err, diff)
	}
	if broken := d.Check(); len(broken) > 0 {
		t.Error(broken)
	}
}
