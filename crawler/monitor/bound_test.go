package monitor

import (
	"fmt"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Pages become sources by themselves up to a number, and there is room again when one is
// removed; what a person names is always taken.
func TestMaxSources(t *testing.T) {
	d := open(t, t.TempDir())
	r := &Recorder{DB: d, ListType: "cfp_list"}
	list := func(n int) {
		t.Helper()
		url := fmt.Sprintf("https://society%d.example/", n)
		v := toldPage(t, url, htmlPage(url, listOf("a"), day(1)), 200, day(1))
		v.Verdict.PageType = "cfp_list"
		must(t, r.ObservePages([]crawler.StepRecord{v}))
	}
	list(1)
	must(t, d.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(sourceBucket).SetSequence(maxSources) }))
	list(2)
	_, err := d.Add("https://society3.example/", Index, ByOperator)
	must(t, err)
	for _, url := range []string{"https://society1.example/", "https://society1.example/", "https://society3.example/"} {
		_, err := d.Remove(url)
		must(t, err)
	}
	list(4)
	sources, err := d.Sources()
	must(t, err)
	if len(sources) != 1 || sources[0].URL != "https://society4.example/" {
		t.Errorf("sources: %+v", sources)
	}
	if v, err := d.Versions("https://society2.example/"); err != nil || v != nil {
		t.Errorf("a version of a page that is no source: %v, %v", v, err)
	}
	closed(t, d)
}

// For a page with a different counter at each visit, one version a day is kept, and each version with new
// contents.
func TestNoiseVersions(t *testing.T) {
	d := open(t, t.TempDir())
	_, err := d.Add(calls, Index, ByOperator)
	must(t, err)
	r := &Recorder{DB: d}
	for hour := range 50 {
		body := listOf("a") + fmt.Sprintf("<p>This page has been visited %d times.</p>", 1000+hour)
		at := day(1 + float64(hour)/24)
		must(t, r.ObservePages([]crawler.StepRecord{toldPage(t, calls, htmlPage(calls, body, at), 200, at)}))
	}
	s, _, err := d.Source(calls)
	must(t, err)
	if v, err := d.Versions(calls); err != nil || len(v) != 3 || s.Changed != 1 || s.Visited != 50 {
		t.Errorf("%d versions, %v; %d of %d visits changed", len(v), err, s.Changed, s.Visited)
	}
	at := day(4)
	must(t, r.ObservePages([]crawler.StepRecord{toldPage(t, calls, htmlPage(calls, listOf("a", "b"), at), 200, at)}))
	if v, err := d.Versions(calls); err != nil || len(v) != 4 {
		t.Errorf("%d versions, %v, want the new one too", len(v), err)
	}
	closed(t, d)
}
