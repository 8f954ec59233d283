package main

import (
	"testing"

	"eventseer/classify"
	"eventseer/models"

	"github.com/google/go-cmp/cmp"
)

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
		return pending{classification: classification{URL: url, PageType: pageType, PageTypeScores: said.PageTypeScores}, alone: said}
	}
	unread := "not read"
	pages := []pending{
		page("https://a.example/1", "weblog", 0.95), page("https://a.example/2", "weblog", 0.9),
		page("https://a.example/3", "weblog", 0.9), page("https://a.example/doubt", "other", 0.3),
		page("https://b.example/", "other", 0.3),
		{classification: classification{URL: "https://a.example/4", PageType: classify.Other, Error: &unread}},
	}
	rows := func(order ...int) map[string]classification {
		hosts := classify.NewHostContext(m.PageType().Meta)
		for _, i := range order {
			hosts.Add(pages[i].URL, pages[i].alone)
		}
		got := map[string]classification{}
		for _, i := range order {
			got[pages[i].URL] = pages[i].inContext(hosts)
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
