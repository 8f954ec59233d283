package slicer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// endless answers every URL with a page that matches and links to two new ones.
func endless(url string) string {
	return fmt.Sprintf(`<p><a href="%s/a">wanted %s</a> <a href="%s/b">wanted</a></p>`, url, url, url)
}

// TestBlackHole ends in a site that makes up matching pages without end, by
// page distance, and at once in one whose pages match no more.
func TestBlackHole(t *testing.T) {
	w := &world{grow: endless}
	_, sum := w.run(t, "http://a.example/h", "wanted", Options{})
	if sum.End != Exhausted || sum.Pages != 1+2+4+8+16+32 {
		t.Errorf("summary = %+v, want 63 pages up to distance 5", sum)
	}
	w = &world{grow: func(url string) string { return `<a href="` + url + `/a">more</a>` }}
	w.pages = map[string]string{p1: `<p><a href="/h">wanted</a></p>`}
	results, sum := w.run(t, p1, "wanted", Options{Precision: 9})
	if diff := cmp.Diff([]string{p1, "(http://a.example/h)"}, urls(results)); diff != "" || sum.End != Exhausted {
		t.Errorf("%v:\n%s", sum.End, diff)
	}
	w.pages = map[string]string{p1: "<p>nothing here</p>"}
	if results, sum := w.run(t, p1, "wanted", Options{}); len(results) != 1 || sum.Shown != 0 || sum.End != Exhausted {
		t.Errorf("%d results, %+v", len(results), sum)
	}
}

// TestSeen reads no page twice: not by another spelling, a redirect, or under
// another URL with the same bytes.
func TestSeen(t *testing.T) {
	const copied = `<p>wanted, and the same everywhere</p>`
	w := &world{pages: map[string]string{
		p1: `<p>wanted <a href="/p2#a">1</a> <a href="HTTP://A.example:80/p2?utm_source=x">2</a> <a href="/old">3</a>
			<a href="/home">4</a> <a href="/copy1">5</a> <a href="/copy2">6</a> <a href="/picture.png">7</a></p>`,
		p2: `<p>wanted <a href="/p1?">back</a></p>`, "http://a.example/old": "→" + p2, "http://a.example/home": "→" + p1,
		"http://a.example/copy1": copied, "http://a.example/copy2": copied,
	}}
	results, sum := w.run(t, p1, "wanted", Options{Precision: 1})
	if diff := cmp.Diff([]string{p1, p2, "http://a.example/copy1"}, urls(results)); diff != "" {
		t.Errorf("shown:\n%s", diff)
	}
	if len(w.asked) != 5 || sum.Pages != 3 {
		t.Errorf("asked for %q, %d pages", w.asked, sum.Pages)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		o     Options
		cost  time.Duration
		pages int
		end   End
	}{
		{"time", Options{MaxTime: 2 * time.Second}, 300 * time.Millisecond, 1 + 6, TimeUp},
		{"default time", Options{}, time.Second, 1 + 9, TimeUp}, // the tenth ends at 10 s, too late
		{"pages", Options{MaxPages: 7}, 0, 7, PagesUp},
		{"bytes", Options{MaxBytes: 300}, 0, 3, BytesUp},
		{"no fetcher", Options{MaxPages: 1}, 0, 1, PagesUp},
	} {
		w := &world{grow: endless, cost: tt.cost}
		results, sum := w.run(t, "http://a.example/h", "wanted", tt.o)
		if sum.Pages != tt.pages || len(results) != tt.pages || sum.End != tt.end {
			t.Errorf("%s: %d pages, %s; want %d, %s", tt.name, sum.Pages, sum.End, tt.pages, tt.end)
		}
		if len(sum.Left) == 0 || sum.Left[0].URL == "" {
			t.Errorf("%s: left = %v", tt.name, sum.Left)
		}
		for i := 1; i < len(sum.Left); i++ {
			if sum.Left[i].D < sum.Left[i-1].D {
				t.Errorf("%s: links left are out of order", tt.name)
			}
		}
	}
}

// TestSlowPage cancels a fetch that would take all the time there is.
func TestSlowPage(t *testing.T) {
	w := &world{pages: map[string]string{p1: `<p>wanted <a href="/p2">slow</a> <a href="/n">next</a></p>`, p2: "!"}}
	results, sum := w.run(t, p1, "wanted", Options{Precision: 1, MaxTime: 20 * time.Millisecond, Now: time.Now})
	if diff := cmp.Diff([]string{p1}, urls(results)); diff != "" || sum.End != TimeUp || sum.Failed != 0 {
		t.Errorf("%+v:\n%s", sum, diff)
	}
	if len(sum.Left) != 2 || sum.Took > 5*time.Second {
		t.Errorf("left = %v after %s", sum.Left, sum.Took)
	}
}

// TestFailures shows pages that could not be fetched and continues.
func TestFailures(t *testing.T) {
	w := &world{pages: map[string]string{
		p1: `<p>wanted <a href="/gone">1</a> <a href="/secret">2</a> <a href="/p2">3</a></p>`,
		p2: "<p>wanted</p>", "http://a.example/secret": "refused",
	}}
	results, sum := w.run(t, p1, "wanted", Options{Precision: 1})
	want := []string{p1, "(http://a.example/gone)", "(http://a.example/secret)", p2}
	if diff := cmp.Diff(want, urls(results)); diff != "" || sum.Failed != 2 {
		t.Errorf("%+v:\n%s", sum, diff)
	}
	if results[2].Err == nil || !strings.Contains(results[2].Err.Error(), "robots") || results[2].LeftOut() != nil {
		t.Errorf("error = %v", results[2].Err)
	}
}

// TestInterconnected reads frames as parts of their page. It reads pages that contain the first
// before pages that only link to it, and no page that links to a neighbour. TestTooLate leaves
// links to hosts that may not be asked in time to the reader, nearest first, and follows the
// others.
func TestTooLate(t *testing.T) {
	w := &world{pages: map[string]string{
		p1:                      `<p><a href="http://b.example/">wanted</a> <a href="/2">wanted</a> <a href="/3">wanted</a></p>`,
		"http://b.example/":     "late",
		"http://a.example/2":    `<p>wanted <a href="http://b.example/deep">wanted</a></p>`,
		"http://b.example/deep": "late",
		"http://a.example/3":    `<p>wanted</p>`,
	}}
	results, sum := w.run(t, p1, "wanted", Options{})
	if diff := cmp.Diff([]string{p1, "http://a.example/2", "http://a.example/3"}, urls(results)); diff != "" {
		t.Errorf("shown:\n%s", diff)
	}
	if sum.End != TimeUp || sum.Failed != 0 || len(sum.Left) != 2 || sum.Left[0].URL != "http://b.example/" {
		t.Errorf("summary = %+v", sum)
	}
}

func TestInterconnected(t *testing.T) {
	w := &world{
		pages: map[string]string{
			p1:                     `<h1>Nothing by itself</h1><iframe src="/f"></iframe>`,
			"http://a.example/f":   `<p>wanted <a href="/p2">two</a></p>`,
			p2:                     `<p>wanted</p>`,
			"http://c.example/in":  `<p>See wanted <a href="http://a.example/p1">there</a>, <a href="/more">more</a></p>`,
			"http://c.example/box": `<p>wanted</p><iframe src="http://a.example/p1"></iframe>`,
			"http://d.example/box": `<frameset><frame src="http://a.example/p1"></frameset>`,
		},
		backlinks: []webgraph.Link{
			{Source: "http://c.example/in", Target: p1}, {Source: "http://c.example/side", Target: "http://a.example/other"},
			{Source: "http://c.example/box", Target: p1, Path: "html/body/iframe"}, {Source: "http://d.example/box", Target: "https://a.example/p1"},
		},
	}
	results, sum := w.run(t, p1, "wanted", Options{Precision: 1, MaxPages: 5, Backlinker: w})
	type row struct {
		URL            string
		How            Connection
		D              int64
		Pages, Domains int
	}
	var got []row
	for _, r := range results {
		got = append(got, row{r.URL, r.How, r.D, r.Pages, r.Domains})
	}
	want := []row{
		{p1, Start, 0, 0, 0}, {p2, Link, 1, 1, 0},
		{"http://c.example/box", Container, 1_000_000, 0, 1},
		{"http://c.example/in", Backlink, 1_001_000, 1, 1}, {"http://d.example/box", Container, 1_001_000, 0, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || sum.End != PagesUp {
		t.Errorf("%s:\n%s", sum.End, diff)
	}
	if len(sum.Left) != 1 || sum.Left[0].URL != "http://c.example/more" {
		t.Errorf("left = %+v", sum.Left)
	}
}

// TestFrames fetches at most maxFrames of a page, each once, and none that shows
// the first page again.
func TestFrames(t *testing.T) {
	var b strings.Builder
	for i := range maxFrames + 5 {
		fmt.Fprintf(&b, `<iframe src="/f%d"></iframe>`, i)
	}
	w := &world{pages: map[string]string{
		p1: `<p>wanted <a href="/p2">two</a></p>` + b.String(),
		p2: `<p>wanted <a href="/f1">framed before</a></p><iframe src="/f0"></iframe><iframe src="/p1"></iframe>`,
	}, grow: func(url string) string { return "<p>frame " + url + "</p>" }}
	results, _ := w.run(t, p1, "wanted", Options{Precision: 1, MaxPages: 2})
	if len(w.asked) != maxFrames+1 {
		t.Errorf("asked for %q", w.asked)
	}
	if text := results[1].Tree.Text(); !strings.Contains(text, "frame http://a.example/f0") || strings.Contains(text, "two") {
		t.Errorf("text of P2 = %q", text)
	}
}

// TestRedirectedDomain counts the domain that answers, not the one linked to.
func TestRedirectedDomain(t *testing.T) {
	w := &world{pages: map[string]string{
		p1: `<p>wanted <a href="http://b.example/moved">two</a></p>`, "http://b.example/moved": "→" + p2, p2: "<p>wanted</p>",
	}}
	if results, _ := w.run(t, p1, "wanted", Options{Precision: 1}); results[1].URL != p2 || results[1].Domains != 0 {
		t.Errorf("%s is %d domains away", results[1].URL, results[1].Domains)
	}
}

func TestLeftOut(t *testing.T) {
	w := &world{pages: map[string]string{
		p1: `<div><ul><li>wanted <a href="/in">in</a></li></ul><div><div><a href="/out">out</a> <a href="/out">again</a> <a href="/in">in</a></div></div></div>`,
	}}
	results, _ := w.run(t, p1, "wanted", Options{Precision: 1, MaxPages: 1})
	left := results[0].LeftOut()
	if len(left) != 1 || left[0].Target != "http://a.example/out" || left[0].Anchor != "out" {
		t.Errorf("left out = %+v", left)
	}
}

func TestQueue(t *testing.T) {
	q := linkQueue{kp: 1000, kd: 1_000_000, byURL: map[string]*Waiting{}}
	add := func(url string, d, pages int) {
		q.pushLink(Waiting{URL: url, Distance: crawler.Distance{Tree: d}, pages: pages})
	}
	add("a", 3, 4)
	add("b", 1, 2)
	add("c", 1, 2)
	add("a", 1, 5) // nearer now, in its old place; found in fewer pages before
	add("b", 2, 1) // nearer in pages only
	for _, want := range []Waiting{{URL: "a", pages: 4}, {URL: "b", pages: 1}, {URL: "c", pages: 2}} {
		if w := q.popNearest(); w.URL != want.URL || w.D != 1 || w.pages != want.pages {
			t.Errorf("pop = %+v, want %+v", w, want)
		}
	}
	if w := q.popNearest(); w != nil {
		t.Errorf("pop of nothing = %+v", w)
	}
	for i := range maxWaiting + 5 {
		add(fmt.Sprint(i), 1, 1)
	}
	if len(q.remaining()) != maxWaiting {
		t.Errorf("%d links wait, want %d", len(q.remaining()), maxWaiting)
	}
}

func TestErrors(t *testing.T) {
	w := &world{grow: endless}
	p, _ := w.page(p1)
	query, err := slice.ParseQuery("wanted")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Query: query, Precision: -1}, {Query: query, Precision: MaxPrecision + 1}, {Query: query, MaxPages: -1}} {
		if _, err := Run(t.Context(), p, o, nil); err == nil {
			t.Errorf("Run(%+v) has no error", o)
		}
	}
	broken := errors.New("reader has left")
	if _, err := Run(t.Context(), p, Options{Query: query, Fetcher: w}, func(*Result) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error of show = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	sum, err := Run(ctx, p, Options{Query: query, Fetcher: w}, func(*Result) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 3 || sum.End != Interrupted {
		t.Errorf("after %d pages: %v, end %q", n, err, sum.End)
	}
}
