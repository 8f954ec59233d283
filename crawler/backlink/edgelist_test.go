package backlink

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// toy is a small web: a list and a homepage link to conf.org, which links to itself.
const toy = "source\ttarget\tanchor\tvia\torigin\tnofollow\n" +
	"https://list.net/\thttps://conf.org/2027/cfp.html\tCFP\t\treal\t\n" +
	"https://list.net/\thttps://conf.org/2027/index.html\tthe conference\t\treal\t1\n" +
	"https://home.edu/~ann/\thttp://conf.org/2027/cfp.html\tcall\t\treal\t\n" +
	"https://home.edu/~ann/\thttp://conf.org/2027/cfp.html\tagain\t\treal\t\n" +
	"https://www.conf.org/\thttps://conf.org/2027/cfp.html\town site\t\treal\t\n" +
	"https://blog.com/\thttps://conf.org/\told\t\treal\t\n" +
	"https://blog.com/\tmailto:ann@home.edu\tmail\t\treal\t\n" +
	"rotten line\n"

func edgeList(t testing.TB, text string, s Spec) *EdgeList {
	t.Helper()
	l, err := readEdgeList(strings.NewReader(text), s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// answerOf asks a provider one question.
func answerOf(t testing.TB, p Provider, url string, s Scope, limit int) Answer {
	t.Helper()
	a, err := p.Backlinks(t.Context(), Query{Target: url, Scope: s, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// allOf follows the cursors of an answer to its end.
func allOf(t testing.TB, p Provider, url string, s Scope) (links []Backlink) {
	t.Helper()
	q := Query{Target: url, Scope: s, Limit: MaxLimit}
	for range 100 {
		a, err := p.Backlinks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, a.Links...)
		if q.Cursor = a.Next; q.Cursor == "" {
			return links
		}
	}
	t.Fatalf("%s has no end", url)
	return nil
}

// plain are the links of an answer as a page would hold them.
func plain(a Answer) []webgraph.Link {
	var links []webgraph.Link
	for _, l := range a.Links {
		links = append(links, l.Link())
	}
	return links
}

func TestWidening(t *testing.T) {
	all := []Scope{Page, Directory, Host, Domain}
	for url, want := range map[string][]string{
		"https://conf.org/2027/cfp.html":        {"conf.org/2027/", "conf.org/", "conf.org"},
		"http://www.conf.org/2027/?page=/a/b":   {"www.conf.org/2027/", "www.conf.org/", "conf.org"},
		"https://conf.org/":                     {"conf.org/", "conf.org"},
		"https://conf.org/cfp.html":             {"conf.org/", "conf.org"},
		"http://127.0.0.1:8080/a/b/c":           {"127.0.0.1:8080/a/b/", "127.0.0.1:8080/", "127.0.0.1"},
		"https://cs.uni.edu/~ann/index.html?":   {"cs.uni.edu/~ann/", "cs.uni.edu/"},
		"https://alice.github.io/conf/cfp.html": {"alice.github.io/conf/", "alice.github.io/", "alice.github.io"},
	} {
		var got []string
		for _, s := range wideningScopes(all, url) {
			got = append(got, s.DescribeSubject(url))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
}

func TestEdgeList(t *testing.T) {
	l := edgeList(t, toy, Spec{Coverage: 1})
	if l.Len() != 5 || l.Skipped != 2 {
		t.Errorf("%d links, %d skipped; want 5 and 2", l.Len(), l.Skipped)
	}
	list := webgraph.Link{Source: "https://list.net/", Target: "https://conf.org/2027/cfp.html", Anchor: "CFP"}
	home := webgraph.Link{Source: "https://home.edu/~ann/", Target: "http://conf.org/2027/cfp.html", Anchor: "call"}
	for _, test := range []struct {
		url   string
		scope Scope
		limit int
		want  []webgraph.Link
	}{
		{"https://conf.org/2027/x", Directory, 9, []webgraph.Link{list, home}},
		{"https://conf.org/2027/cfp.html", Page, 9, []webgraph.Link{home, list}},
		{"https://conf.org/2027/", Page, 9, nil},
		{"https://conf.org/2027/", Host, 1, []webgraph.Link{list}},
		{"https://www.conf.org/", Host, 9, nil},
		{"https://www.conf.org/", Domain, 9, []webgraph.Link{list, {Source: "https://blog.com/", Target: "https://conf.org/", Anchor: "old"}, home}},
		{"https://conf.org/2026/", Directory, 9, nil},
		{"https://conf.or/", Host, 1, nil},
	} {
		if diff := cmp.Diff(test.want, plain(answerOf(t, l, test.url, test.scope, test.limit))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.scope, test.url, diff)
		}
	}
}

func TestEdgeListRefuses(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "no header": "https://a.org/\thttps://b.org/\n", "endless line": "source\ttarget\n" + strings.Repeat("x", 2*maxLine)} {
		if _, err := readEdgeList(strings.NewReader(text), Spec{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	path := filepath.Join(t.TempDir(), "cut.tsv.gz")
	var b strings.Builder
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, toy)
	z.Close()
	if err := os.WriteFile(path, []byte(b.String()[:b.Len()-20]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEdgeList(Spec{Path: path}); err == nil {
		t.Error("cut gzip file: no error")
	}
}

// Coverage and staleness are as requested, and the same every time.
func TestImperfectService(t *testing.T) {
	var b strings.Builder
	b.WriteString("source\ttarget\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "https://s%d.net/page.html\thttps://conf.org/\n", i)
	}
	full := edgeList(t, b.String(), Spec{Coverage: 1})
	s := Spec{Coverage: 0.5, Stale: 0.25}
	l := edgeList(t, b.String(), s)
	if n := l.Len(); n < 1900 || n > 2100 {
		t.Errorf("coverage 0.5 of 4000 links knows %d", n)
	}
	answer := func(l *EdgeList) []Backlink { return allOf(t, l, "https://conf.org/", Host) }
	linking := map[string]bool{}
	for _, link := range answer(full) {
		linking[link.Source] = true
	}
	gone, wrong := 0, 0
	got := answer(l)
	for i, link := range got {
		if strings.Contains(link.Source, "gone-") {
			gone++
		} else if !linking[link.Source] {
			wrong++
		}
		if i > 0 && link.Source == got[i-1].Source {
			t.Errorf("%s twice", link.Source)
		}
	}
	if share := float64(gone) / float64(len(got)); share < 0.10 || share > 0.15 {
		t.Errorf("%d of %d sources are gone, want an eighth", gone, len(got))
	}
	if wrong != 0 { // every page of this web links to conf.org
		t.Errorf("%d sources are unknown", wrong)
	}
	if diff := cmp.Diff(got, answer(edgeList(t, b.String(), s))); diff != "" {
		t.Errorf("another answer the second time:\n%s", diff)
	}
}

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"l.tsv.gz":                          {Path: "l.tsv.gz", Coverage: 1},
		"l.tsv.gz:coverage=0.5":             {Path: "l.tsv.gz", Coverage: 0.5},
		"a:b/l.tsv:stale=0.2,coverage=0.25": {Path: "a:b/l.tsv", Coverage: 0.25, Stale: 0.2},
		"a:b":                               {Path: "a:b", Coverage: 1},
	} {
		if got, err := ParseSpec(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ":coverage=1", "l:coverage=2", "l:coverage=NaN", "l:cover=1", "l:stale=-1", "l:stale="} {
		if s, err := ParseSpec(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, s)
		}
	}
}

func FuzzEdgeList(f *testing.F) {
	f.Add(toy, "https://conf.org/2027/cfp.html")
	f.Add("source\ttarget\nhttps://a.org/\thttp://b.org\n", "http://b.org/?")
	f.Fuzz(func(t *testing.T, text, url string) {
		l, err := readEdgeList(strings.NewReader(text), Spec{Coverage: 0.9, Stale: 0.5})
		if err != nil {
			return
		}
		if url, err = webgraph.Canonical(url); err != nil {
			return
		}
		for _, s := range l.Scopes() {
			a, err := l.Backlinks(context.Background(), Query{Target: url, Scope: s, Limit: 10})
			if err != nil || len(a.Links) > 10 {
				t.Errorf("%d links, %v", len(a.Links), err)
			}
		}
	})
}

// The frozen web's links load, and a known page has in-links.
func TestFrozenWeb(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 444,000 links")
	}
	l, err := OpenEdgeList(Spec{Path: golden.SharedPath(t, "corpora/web/links.tsv.gz"), Coverage: 1})
	if err != nil {
		t.Fatal(err)
	}
	if l.Skipped*100 > l.Len() || l.Len() < 10000 {
		t.Errorf("%d links between sites, %d lines skipped", l.Len(), l.Skipped)
	}
	t.Logf("%d links between sites, %d lines skipped, %d URLs", l.Len(), l.Skipped, len(l.urls))
}

func BenchmarkLoad(b *testing.B) {
	path := golden.SharedPath(b, "corpora/web/links.tsv.gz")
	for b.Loop() {
		if _, err := OpenEdgeList(Spec{Path: path, Coverage: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// Values of a link in a file have the same limits as those on a page.
func TestEdgeListClipsAnchors(t *testing.T) {
	l := edgeList(t, "source\ttarget\tanchor\nhttps://a.net/\thttps://b.org/\t"+strings.Repeat("é ", 20_000)+"\n", Spec{Coverage: 1})
	links := allOf(t, l, "https://b.org/", Page)
	if len(links) != 1 || utf8.RuneCountInString(links[0].Anchor) != webgraph.MaxAnchor {
		t.Errorf("links %.300v", links)
	}
}
