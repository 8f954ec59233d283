package strategy

import (
	"fmt"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
)

// TestIntelligentLearnsOdds visits pages whose links lead to calls if their address says so or if
// their page is about owls. Both kinds of evidence must order new links.
func TestIntelligentLearnsOdds(t *testing.T) {
	s := newStrategy(t, "intelligent")
	visit := func(url, pageType, parent, text string, links ...string) map[string]float64 {
		body := "<title>" + pageType + "</title><p>" + text
		for _, l := range links {
			body += fmt.Sprintf(`<p><a href="%s">x</a>`, l)
		}
		a := strategytest.ArrivalOf(t, url, body)
		a.Lease.How, a.Lease.Parent = crawler.Forward, parent
		return strategytest.Scores(strategytest.Visit(t, s, a).Forward)
	}
	first := visit("http://start.example/", "other", "", "Nothing yet.", "http://a.example/cfp", "http://a.example/pets")
	if first["http://a.example/cfp"] != 0.5 || first["http://a.example/pets"] != 0.5 {
		t.Errorf("before anything is known links score %v", first)
	}
	for i := range 60 {
		owls, pets := fmt.Sprintf("http://owls%d.example/", i), fmt.Sprintf("http://dogs%d.example/", i)
		call, other := owls+"cfp", pets+"shop"
		visit(owls, "other", "", "Songs of owls at night.", call)
		visit(call, "cfp", owls, "A call.")
		visit(pets, "other", "", "Dogs that bark by day.", other)
		visit(other, "other", pets, "A shop.")
	}
	byAddress := visit("http://new.example/", "other", "", "Neither.", "http://z.example/cfp", "http://z.example/shop")
	if !(byAddress["http://z.example/cfp"] > 0.5 && byAddress["http://z.example/shop"] < 0.5) {
		t.Errorf("links by address: %v", byAddress)
	}
	owls := visit("http://new1.example/", "other", "", "Songs of owls at night.", "http://y.example/1")
	dogs := visit("http://new2.example/", "other", "", "Dogs that bark by day.", "http://y.example/2")
	if !(owls["http://y.example/1"] > 0.5 && dogs["http://y.example/2"] < 0.5) {
		t.Errorf("links by the words of their page: %v and %v", owls, dogs)
	}
}

// A link of a page of which others led to targets is worth more: siblings.
func TestIntelligentCountsSiblings(t *testing.T) {
	s := newStrategy(t, "intelligent").(*intelligentCrawler)
	for i := range 200 {
		s.all = s.all.addOutcome(i%10 == 0)
	}
	s.pages.Put("http://good.example/", &fetchedPage{Links: featureCounts{8, 6}})
	s.pages.Put("http://bad.example/", &fetchedPage{Links: featureCounts{8, 0}})
	good, bad := s.logInterestRatio("http://x.example/", []string{"http://good.example/"}), s.logInterestRatio("http://x.example/", []string{"http://bad.example/"})
	if !(good > 1) || bad != 0 {
		t.Errorf("interest %.2f beside six targets of eight, %.2f beside none of eight, which may be chance", good, bad)
	}
}

// In a crawl on a topic a link that is off it scores less than the same link on it.
func TestIntelligentSinksWhatIsOffTopic(t *testing.T) {
	p := fullParts()
	p.Focus = elsewhere{}
	made, err := New("intelligent", p)
	if err != nil {
		t.Fatal(err)
	}
	a := strategytest.ArrivalOf(t, "http://me.example/", `<title>other</title><p><a href="http://a.example/">x</a>`)
	off, on := strategytest.Visit(t, made, a).Forward[0].Score, strategytest.Visit(t, newStrategy(t, "intelligent"), a).Forward[0].Score
	if !(off > 0 && off < on) {
		t.Errorf("off the topic %.2f, on it %.2f", off, on)
	}
}
