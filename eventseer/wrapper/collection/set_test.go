package collection

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

const owlSite = "https://owls.example/"

func pageOf(t testing.TB, url, body string) *tagtree.Tree {
	t.Helper()
	p := &webgraph.Page{URL: url, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}
	tree, err := tagtree.Parse(p)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// talkPage is a record page.
func talkPage(t testing.TB, n int) *tagtree.Tree {
	return pageOf(t, fmt.Sprintf("%stalks/%d", owlSite, n), fmt.Sprintf(
		`<div class=menu><a href="/">Home</a></div><div class=talk><h1>Talk number %[1]d</h1><p class=who>Speaker %[1]d</p>
		<p>What the owls of wood %[1]d do by night, and why.</p></div><div class=foot>All rights reserved</div>`, n))
}

// newTalkPage is a page of the template after the redesign of the site.
func newTalkPage(t testing.TB, n int) *tagtree.Tree {
	return pageOf(t, fmt.Sprintf("%stalks/%d", owlSite, n), fmt.Sprintf(
		`<main><article><header><h2>Talk number %[1]d</h2></header><section><dl><dt>Who<dd>Speaker %[1]d</dl></section>
		<section>What the owls of wood %[1]d do by night, and why.</section></article></main><footer>Ours</footer>`, n))
}

// listPage is a category page of the talks given.
func listPage(t testing.TB, url string, talks ...string) *tagtree.Tree {
	var b strings.Builder
	b.WriteString("<h1>Talks of the year</h1><ul>")
	for i, title := range talks {
		fmt.Fprintf(&b, `<li><a href="/talks/%d">%s</a> <span class=day>%d May</span></li>`, i, title, i+1)
	}
	return pageOf(t, owlSite+url, b.String()+"</ul>")
}

func openSet(t testing.TB, dir string, o SetOptions) *Set {
	t.Helper()
	s, err := OpenSet(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// learnPages reads pages and returns the names of their wrappers, or "".
func learnPages(t testing.TB, s *Set, pages ...*tagtree.Tree) []string {
	t.Helper()
	var names []string
	for _, p := range pages {
		err := s.LearnPage(p, func(l *Lesson) error {
			name := ""
			if l.Wrapper != nil {
				l.Read()
				name = fmt.Sprintf("%s %s %d pages", l.Kind, l.Pattern, l.Wrapper.Pages)
			}
			names = append(names, name)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// archive has the pages of a map by URL.
type archive map[string]*tagtree.Tree

func (a archive) LastVersion(url string) (*webgraph.Page, error) {
	if t := a[url]; t != nil {
		return t.Page, nil
	}
	return nil, nil
}

func TestSetRoutesPagesToTheirWrappers(t *testing.T) {
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{})
	got := learnPages(t, s, talkPage(t, 1), talkPage(t, 2), talkPage(t, 3), talkPage(t, 3), newTalkPage(t, 4), newTalkPage(t, 5))
	want := []string{
		"", "record owls.example/talks/# 1 pages", "record owls.example/talks/# 2 pages", "record owls.example/talks/# 2 pages",
		"", "record owls.example/talks/# 1 pages",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	// Another process finds all as it was, and a page that was learned teaches no more.
	again := openSet(t, dir, SetOptions{})
	if diff := cmp.Diff([]string{"record owls.example/talks/# 2 pages", "record owls.example/talks/# 3 pages"}, learnPages(t, again, talkPage(t, 3), talkPage(t, 6))); diff != "" {
		t.Error(diff)
	}
	list, err := again.List()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range list {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"owls.example-1", "owls.example-2"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestSetViewChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{})
	learnPages(t, s, talkPage(t, 1), talkPage(t, 2))
	before := files(t, dir)
	for _, c := range []struct {
		page  *tagtree.Tree
		known bool
	}{
		{talkPage(t, 9), true},
		{newTalkPage(t, 9), false},
		{pageOf(t, "https://bats.example/talks/1", "<p>A bat</p>"), false},
		{pageOf(t, "mailto:x@owls.example", "<p>An owl</p>"), false},
	} {
		known := false
		if err := s.View(c.page, func(l *Lesson) error { known = l.Wrapper != nil; return nil }); err != nil {
			t.Fatal(err)
		}
		if known != c.known {
			t.Errorf("%s: known %v, want %v", c.page.Page.URL, known, c.known)
		}
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// files returns the files of a folder.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	content := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		content[e.Name()] = string(data)
	}
	return content
}

func TestSetBeginsWithTheArchive(t *testing.T) {
	a := archive{}
	for i := range 9 {
		p := talkPage(t, i)
		a[p.Page.URL] = p
	}
	s := openSet(t, t.TempDir(), SetOptions{Archive: a})
	if got := learnPages(t, s, talkPage(t, 1), talkPage(t, 2)); got[1] != "record owls.example/talks/# 2 pages" {
		t.Errorf("after two pages: %q", got)
	}
	learnPages(t, s, talkPage(t, 3), talkPage(t, 4))
	for _, c := range []struct {
		n     int
		done  bool
		pages int
	}{{5, false, 4}, {4, true, 4}} {
		err := s.LearnPage(talkPage(t, 5), func(l *Lesson) error {
			if done := l.RelearnFromArchive(c.n); done != c.done || l.Wrapper.Pages != c.pages {
				t.Errorf("Reinduce(%d) = %v, %d pages, want %v, %d", c.n, done, l.Wrapper.Pages, c.done, c.pages)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSetDoesNotLearnFromWhatIsSetAside(t *testing.T) {
	s := openSet(t, t.TempDir(), SetOptions{})
	learnPages(t, s, talkPage(t, 1), talkPage(t, 2))
	if err := s.Update("owls.example-1", func(w *wrapper.Wrapper) error { w.Status = wrapper.Broken; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := learnPages(t, s, talkPage(t, 3)); got[0] != "record owls.example/talks/# 1 pages" {
		t.Errorf("%q", got)
	}
}

func TestSetForgetsWhatUseRefuses(t *testing.T) {
	s := openSet(t, t.TempDir(), SetOptions{})
	learnPages(t, s, talkPage(t, 1), talkPage(t, 2))
	refused := errors.New("refused")
	if err := s.LearnPage(talkPage(t, 3), func(l *Lesson) error { l.Read(); return refused }); !errors.Is(err, refused) {
		t.Errorf("%v, want %v", err, refused)
	}
	if got := learnPages(t, s, talkPage(t, 3)); got[0] != "record owls.example/talks/# 2 pages" {
		t.Errorf("taken again: %q", got)
	}
}

func TestSetUpdate(t *testing.T) {
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{})
	learnPages(t, s, talkPage(t, 1), talkPage(t, 2))
	refused := errors.New("refused")
	if err := s.Update("owls.example-1", func(w *wrapper.Wrapper) error { w.Status = wrapper.Broken; return refused }); !errors.Is(err, refused) {
		t.Errorf("%v, want %v", err, refused)
	}
	for _, name := range []string{"owls.example-7", "owls.example", "../owls.example-1", "-1", "owls.example-x"} {
		if err := s.Update(name, func(*wrapper.Wrapper) error { return nil }); !errors.Is(err, ErrNoWrapper) {
			t.Errorf("Update(%q): %v", name, err)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Wrapper.Status == wrapper.Broken {
		t.Errorf("a refused change stays: %v, %v", list, err)
	}
}

func TestBadFilesHideNoOthers(t *testing.T) {
	dir := t.TempDir()
	learnPages(t, openSet(t, dir, SetOptions{}), talkPage(t, 1), talkPage(t, 2), newTalkPage(t, 4), newTalkPage(t, 5))
	for _, name := range []string{"owls.example-1.wrapper", "owls.example.site"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)/2], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	warnings := 0
	s := openSet(t, dir, SetOptions{Warn: func(error) { mu.Lock(); warnings++; mu.Unlock() }})
	if list, err := s.List(); err == nil || len(list) != 1 || list[0].Name != "owls.example-2" {
		t.Errorf("List: %v, %v", list, err)
	}
	learnPages(t, s, talkPage(t, 6), talkPage(t, 7))
	list, err := s.List()
	if err == nil {
		t.Error("the damaged wrapper is not told of")
	}
	var names []string
	for _, n := range list {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"owls.example-2", "owls.example-3"}, names); diff != "" {
		t.Errorf("a lost site file lets its wrappers be overwritten: %s", diff)
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want 1, of the site's file", warnings)
	}
	if _, err := os.Stat(filepath.Join(dir, "owls.example.site.bad")); err != nil {
		t.Error(err)
	}
}

func TestSetIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := openSet(t, dir, SetOptions{Clusters: template.ClusterOptions{Max: 2}})
	learnPages(t, s, talkPage(t, 1), talkPage(t, 2), talkPage(t, 3))
	for i := range 5 {
		odd := pageOf(t, fmt.Sprintf("%sx%c", owlSite, 'a'+i), fmt.Sprintf("<x%[1]d><y%[1]d>owl</y%[1]d><p class=z%[2]c>owl</x%[1]d>", i, 'a'+i))
		learnPages(t, s, odd, pageOf(t, odd.Page.URL+"/2", string(odd.Page.Body)))
	}
	var wrappers []string
	for name := range files(t, dir) {
		if strings.HasSuffix(name, wrapperSuffix) {
			wrappers = append(wrappers, name)
		}
	}
	if len(wrappers) != 2 {
		t.Errorf("wrappers %q, want 2", wrappers)
	}
	for i := range maxSites + 10 {
		learnPages(t, s, pageOf(t, fmt.Sprintf("https://h%d.example/", i), "<p>An owl</p>"))
	}
	if len(s.sites) != maxSites || len(s.used) != maxSites {
		t.Errorf("%d sites in memory", len(s.sites))
	}
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	s := openSet(t, t.TempDir(), SetOptions{})
	var wg sync.WaitGroup
	for i := range 4 {
		pages := []*tagtree.Tree{talkPage(t, i), talkPage(t, i+4), newTalkPage(t, i+8)}
		for j := range maxSites {
			pages = append(pages, pageOf(t, fmt.Sprintf("https://h%d.example/%d", j, i), "<p>An owl</p>"))
		}
		wg.Go(func() {
			for _, p := range pages {
				if err := s.LearnPage(p, func(l *Lesson) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if _, err := s.List(); err != nil {
		t.Error(err)
	}
}
