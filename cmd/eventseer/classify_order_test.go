package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/internal/spill"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// However many pages wait, only some are in memory, and all come back unchanged. Among them are layer
// 0, a page without a language, names that are not UTF-8, and the terms of types.
func TestClassifyWaitsInFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	zero, lang := 0, "en"
	var s spill.Values[pendingPage]
	for round := range 2 { // it can be filled again
		var want []pendingPage
		for i := range 1000 {
			p := pendingPage{
				Row: classification{PageType: "weblog", PageTypeScores: map[string]float64{"weblog": 1 / (3 + float64(i))}, CFPScore: 1.0 / 3},
				URL: fmt.Appendf(nil, "https://a.example/\xff%d", i), Alone: classify.Judgement{PageType: "weblog", PageTypeScores: map[string]float64{"weblog": 1.0 / 7}},
			}
			if i%2 == 0 {
				p.Row.Layer, p.Row.Lang, p.Call, p.Types = &zero, &lang, []reason{}, map[string][]reason{"weblog": {{"w\x00x", 0.1}}}
			}
			if err := s.Add(p); err != nil {
				t.Fatal(err)
			}
			want = append(want, p)
		}
		if s.Len() != len(want) {
			t.Errorf("%d wait", s.Len())
		}
		var got []pendingPage
		for p, err := range s.RemoveAll() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", round, diff)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	var none spill.Values[pendingPage]
	for range 1000 {
		if err := none.Add(pendingPage{}); err != nil {
			return
		}
	}
	t.Error("no error without a folder for temporary files")
}

// Rows of pages do not depend on the order of the pages, and the other pages of a host decide about a
// doubtful page. A page that cannot be read keeps its row and does not influence its host.
func TestClassifyInAnyOrder(t *testing.T) {
	m, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	types := m.PageType().Classes
	page := func(url, pageType string, p float64) pendingPage {
		said := classify.Judgement{PageType: pageType, PageTypeScores: map[string]float64{}}
		for _, class := range types {
			said.PageTypeScores[class] = (1 - p) / float64(len(types)-1)
		}
		said.PageTypeScores[pageType] = p
		return pendingPage{Row: classification{PageType: pageType, PageTypeScores: said.PageTypeScores}, URL: []byte(url), Alone: said}
	}
	unread := "not read"
	pages := []pendingPage{
		page("https://a.example/1", "weblog", 0.95), page("https://a.example/2", "weblog", 0.9),
		page("https://a.example/3", "weblog", 0.9), page("https://a.example/doubt", "other", 0.3),
		page("https://b.example/", "other", 0.3),
		{Row: classification{PageType: classify.Other, Error: &unread}, URL: []byte("https://a.example/4")},
	}
	rows := func(order ...int) map[string]classification {
		hosts := classify.NewHostContext(m.PageType().Meta)
		for _, i := range order {
			hosts.Add(string(pages[i].URL), pages[i].Alone)
		}
		got := map[string]classification{}
		for _, i := range order {
			got[string(pages[i].URL)] = pages[i].judgedInContext(hosts)
		}
		return got
	}
	got := rows(0, 1, 2, 3, 4, 5)
	if diff := cmp.Diff(got, rows(3, 5, 1, 4, 2, 0)); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}
	for url, want := range map[string]string{"https://a.example/doubt": "weblog", "https://b.example/": "other", "https://a.example/4": "other"} {
		if got[url].PageType != want {
			t.Errorf("%s is %s, not %s: %v", url, got[url].PageType, want, got[url].PageTypeScores)
		}
	}
}

// Redirects and error pages keep their rows, but say nothing about the other pages of their host, nor these
// about them.
func TestClassifyWithoutRedirects(t *testing.T) {
	set := judges.Set{}
	judge, err := set.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := set.Layers(judge)
	if err != nil {
		t.Fatal(err)
	}
	hosts := engine.NewCallContext(judge.For(""))
	read := func(path string, status int) (pendingPage, bool) {
		page := &webgraph.Page{URL: "https://kites.example/" + path, Status: status, Body: []byte("<title>Kites</title><p>Programme of the workshop, May 2027 in Bergen.")}
		p, err := classifyPage(classifier{judge, layers}, page, nil, hosts, true)
		if err != nil || p.Row.Explain != nil || len(p.Types) == 0 || len(p.Row.PageTypeScores) == 0 {
			t.Errorf("status %d: %+v, %v", status, p, err)
		}
		return p, len(hosts.Add(page.URL, p.Alone)) > 0
	}
	for status, want := range map[int]bool{http.StatusOK: true, 0: true, http.StatusMovedPermanently: false, http.StatusNotFound: false} {
		p, kept := read(fmt.Sprint(status), status)
		if kept != want {
			t.Errorf("status %d: its host knows of it: %t", status, kept)
		}
		row := p.judgedInContext(hosts)
		if same := cmp.Equal(row.PageTypeScores, p.Row.PageTypeScores); !want && !same || row.Explain == nil {
			t.Errorf("status %d: alone %v, beside others %v, reasons %v", status, p.Row.PageTypeScores, row.PageTypeScores, row.Explain)
		}
	}
}

// Extract yields the same records for many pages in any order. The gate judges them in the context of
// their hosts, and a page alone on its host is judged by itself. All waited, most in a file.
func TestExtractInContext(t *testing.T) {
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: time.Now, Stderr: io.Discard}
	dir := t.TempDir()
	var paths []string
	for i := range 300 {
		text := fmt.Sprintf("<title>Workshop on Paper Kites %d</title><h1>Workshop on Paper Kites</h1><p>The programme and the committee, May %d 2027 in Bergen.", i, 1+i%28)
		path := filepath.Join(dir, fmt.Sprintf("%03d.html", i))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	reader := pageReader{extractor: engine.NewExtractor(a, judges.Set{}), judge: judge}
	rows := func(paths []string) map[string]pageRecord {
		got := map[string]pageRecord{}
		var c extractCount
		for r, err := range reader.readInputs(t.Context(), a, paths, "", &c) {
			if err != nil {
				t.Fatal(err)
			}
			got[string(r.URL)] = r
		}
		if c.All != len(paths) || len(got) != len(paths) {
			t.Errorf("%d pages counted, %d yielded, of %d", c.All, len(got), len(paths))
		}
		return got
	}
	all := rows(paths)
	slices.Reverse(paths)
	if diff := cmp.Diff(all, rows(paths), cmp.AllowUnexported(pageRecord{})); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}
	// The gate judges pages of one host together, and a page alone on its host.
	said := classify.Judgement{CFPScore: 0.3, PageType: "other", PageTypeScores: map[string]float64{"conference": 0.5, "other": 0.35, "cfp": 0.05, "homepage": 0.1}}
	p := pageRecord{URL: []byte("https://kites.example/venue"), Said: said, Says: true}
	hosts := classify.NewHostContext(judge.For("").PageType().Meta)
	if got, alone := reader.isEvent(p, hosts), reader.isEvent(p, nil); got || alone {
		t.Errorf("a page in doubt: %t, judged alone %t", got, alone)
	}
	for i := range 20 {
		hosts.Add(fmt.Sprintf("https://kites.example/%d", i), classify.Judgement{PageTypeScores: map[string]float64{"conference": 0.95, "other": 0.05}})
	}
	if !reader.isEvent(p, hosts) {
		t.Errorf("a page in doubt on the site of an event is none of it: %+v", hosts.Judge(string(p.URL), said))
	}
}
