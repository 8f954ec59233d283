package eventseer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
)

// Links with a word that led to calls are scored higher than those with a word that led nowhere. This holds for
// new links, and for links of other pages that have waited for long.
func TestEventSeerLearnsWords(t *testing.T) {
	made, err := Without(Nothing)(part.Parts{Judge: strategytest.Typed{}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := made.(*eventSeer)
	const good, bad = "http://z1.example/a gatherings", "http://z2.example/a leaflets"
	url := func(link string) string { u, _, _ := strings.Cut(link, " "); return u }
	scores := strategytest.Scores(strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://old.example/", "other", good, bad))).Forward)
	if scores[url(good)] != scores[url(bad)] {
		t.Fatalf("at first the links score %v; want the same", scores)
	}
	var links []string
	for i := range 12 {
		links = append(links, fmt.Sprintf("http://g%d.example/a gatherings", i), fmt.Sprintf("http://b%d.example/a leaflets", i))
	}
	strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://new.example/", "other", links...)))
	for i := range 12 {
		for _, x := range [...]struct{ host, kind string }{{"g", "cfp"}, {"b", "other"}} {
			v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, fmt.Sprintf("http://%s%d.example/a", x.host, i), x.kind)))
			for u, score := range strategytest.Scores(v.Rescore) {
				scores[u] = score
			}
		}
	}
	if scores[url(good)] < 2*scores[url(bad)] {
		t.Errorf("waiting links score %v and %v, want the first twice as much", scores[url(good)], scores[url(bad)])
	}
	v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://last.example/", "other", "http://y1.example/a gatherings", "http://y2.example/a leaflets")))
	fresh, why := strategytest.Scores(v.Forward), whys(v.Forward)
	if fresh["http://y1.example/a"] < 2*fresh["http://y2.example/a"] {
		t.Errorf("new links score %v, want the first twice as much", fresh)
	}
	if !strings.Contains(why["http://y1.example/a"], "links with such words led to calls") {
		t.Errorf("the reasons are %v", why)
	}
}

// The words of a link are bounded, each has a hash once, and hashes ascend.
func TestLinkWords(t *testing.T) {
	var anchor strings.Builder
	for i := range 100 {
		fmt.Fprintf(&anchor, "mountain%c%c ", 'a'+i%10, 'a'+i/10)
	}
	a := strategytest.Arrive(t, "http://me.example/", "other", "http://a.example/x "+anchor.String(), "http://b.example/x "+anchor.String(), "http://c.example/y gatherings")
	sets := linkWords(a.Tree)
	if len(sets) != 3 || len(sets[0]) < 20 || len(sets[0]) > 2*maxWords || string(sets[0]) != string(sets[1]) || len(sets[2]) == 0 {
		t.Errorf("the words are %x", sets)
	}
	last := -1
	sets[0].each(func(h uint16) {
		if int(h) <= last {
			t.Errorf("hash %d comes after %d", h, last)
		}
		last = int(h)
	})
}
