package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/models"

	"github.com/google/go-cmp/cmp"
)

// However many pages wait, only some are in memory, and all come back as they were: the layer 0, a page
// without a language, names that are not UTF-8, the terms of types.
func TestClassifyWaitsInFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	zero, lang := 0, "en"
	var s engine.Spill[pending]
	for round := range 2 { // it can be filled again
		var want []pending
		for i := range 1000 {
			p := pending{
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
		var got []pending
		for p, err := range s.Drain() {
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
	var none engine.Spill[pending]
	for range 1000 {
		if err := none.Add(pending{}); err != nil {
			return
		}
	}
	t.Error("no error without a folder for temporary files")
}

// Rows of pages are what they are in any order of the pages, and the other pages of a host decide
// of a page in doubt. A page that cannot be read keeps its row and says nothing of its host.
func TestClassifyInAnyOrder(t *testing.T) {
	m, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	types := m.PageType().Classes
	page := func(url, pageType string, p float64) pending {
		said := classify.Judgement{PageType: pageType, PageTypeScores: map[string]float64{}}
		for _, class := range types {
			said.PageTypeScores[class] = (1 - p) / float64(len(types)-1)
		}
		said.PageTypeScores[pageType] = p
		return pending{Row: classification{PageType: pageType, PageTypeScores: said.PageTypeScores}, URL: []byte(url), Alone: said}
	}
	unread := "not read"
	pages := []pending{
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
			got[string(pages[i].URL)] = pages[i].inContext(hosts)
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
