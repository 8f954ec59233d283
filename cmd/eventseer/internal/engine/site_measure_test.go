//go:build measure

package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

// nearGate is the probability at the gate from which pages of sites without an event are used for
// training. Those that pass it are too few, and those a little below are like them.
const nearGate = 0.1

// A siteExample is the set of pages of a site that are not calls.
type siteExample struct {
	owner   string // of folds
	event   bool   // the site is that of an edition that calls
	pages   []eventseer.Event
	signals [classify.SiteWeighs]float64
	chance  float64 // by the fold that has not seen its owner
}

// siteExamples reads the sites of a set. From the work sites of ../shared/corpora/sites it takes
// the pages that pass the gate and are not calls. From the frozen web it takes the pages from
// nearGate on of hosts without a page labelled as a call, a mail or a page of a conference.
func siteExamples(t *testing.T) (examples []siteExample, hosts int) {
	owners := workPages(t)
	bySite := map[string][]eventseer.Event{}
	eachGatePage(t, "corpora/sites/sites.warc.gz", func(u string) bool { return owners[u] != "" }, Gate().Threshold, func(e eventseer.Event) {
		bySite[owners[e.URL]] = append(bySite[owners[e.URL]], e)
	})
	for _, owner := range sortedKeys(bySite) {
		examples = append(examples, siteExample{owner: owner, event: true, pages: oneSite(bySite[owner])})
	}
	none := hostsWithoutEvents(t)
	byHost := map[string][]eventseer.Event{}
	eachGatePage(t, "corpora/web/web.warc.gz", func(u string) bool { return none[hostOf(u)] }, nearGate, func(e eventseer.Event) {
		byHost[hostOf(e.URL)] = append(byHost[hostOf(e.URL)], e)
	})
	for _, host := range sortedKeys(byHost) {
		examples = append(examples, siteExample{owner: host, pages: oneSite(byHost[host])})
	}
	for i := range examples {
		examples[i].signals = siteSignals(examples[i].pages)
	}
	return examples, len(none)
}

// oneSite returns the largest set of pages that belong to one site together with one of them.
func oneSite(pages []eventseer.Event) (most []eventseer.Event) {
	keys := make([]*match.EventKey, len(pages))
	for i, e := range pages {
		keys[i] = match.NewEventKey(e)
	}
	for i := range pages {
		var of []eventseer.Event
		for j, e := range pages {
			if i == j || match.AreOnOneSite(keys[i], keys[j]) {
				of = append(of, e)
			}
		}
		if len(of) > len(most) {
			most = of
		}
	}
	return most
}

// eachGatePage reads the wanted pages of a file that are neither calls nor lists and may pass the gate.
func eachGatePage(t *testing.T, file string, wanted func(url string) bool, chance float64, each func(eventseer.Event)) {
	judge, err := judges.CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: time.Now}
	a.Config.Quiet = true
	extractor := NewExtractor(a, judges.Set{})
	for page, err := range warc.Pages(golden.SharedPath(t, file)) {
		if err != nil || !wanted(page.URL) {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue
		}
		said := judge.For(page.URL).JudgeDocument(features.Read(tree))
		if said.IsCFP || said.PageTypeScores["cfp_list"] >= 0.2 || Gate().Probability(said) < chance {
			continue
		}
		if e, _ := extractor.Extract(tree); e.Title != "" {
			e.CFPScore = said.CFPScore
			each(e)
		}
	}
}

// workPages returns the owner of each page of the work sites by URL.
func workPages(t *testing.T) map[string]string {
	split, err := os.ReadFile("../../../../datasets/split/sites.tsv")
	if err != nil {
		t.Fatal(err)
	}
	work := map[string]bool{}
	for line := range strings.Lines(string(split)) {
		if site, part, _ := strings.Cut(strings.TrimSpace(line), "\t"); part == "work" {
			work[site] = true
		}
	}
	sites, err := os.ReadFile(golden.SharedPath(t, "corpora/sites/sites.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	owners, all := map[string]string{}, pageOwners(t)
	for line := range strings.Lines(string(sites)) {
		var r struct {
			Site, Home string
			Pages      []string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if !work[r.Site] {
			continue
		}
		for _, u := range r.Pages {
			for _, u := range []string{u, r.Home, strings.TrimSuffix(u, "index.html")} {
				owners[u] = all[r.Pages[0]]
			}
		}
	}
	return owners
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

// hostsWithoutEvents are the hosts of real pages of the frozen web that are labelled, and
// none of them as a page of an event.
func hostsWithoutEvents(t *testing.T) map[string]bool {
	f, err := os.Open(golden.SharedPath(t, "corpora/web/nodes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	none, events := map[string]bool{}, map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		x := strings.Split(lines.Text(), "\t") // url, status, page_type, is_cfp, event_site, added, host, kind
		if len(x) < 8 || x[7] != "real" || x[2] == "" {
			continue
		}
		if host := hostOf(x[0]); x[3] == "true" || slices.Contains([]string{"cfp", "conference", "mail_announcement"}, x[2]) {
			events[host] = true
		} else {
			none[host] = true
		}
	}
	for host := range events {
		delete(none, host)
	}
	return none
}

// fitSite fits the weights, none below 0, by projected gradient descent on the sites of all
// folds but one; the classes weigh the same.
func fitSite(examples []siteExample, without int) (g classify.SiteGate) {
	const steps, rate, shrink = 20000, 0.02, 0.001
	count := map[bool]float64{}
	for _, e := range examples {
		if foldOf(e.owner) != without {
			count[e.event]++
		}
	}
	for range steps {
		var gradient [classify.SiteWeighs]float64
		bias := 0.0
		for _, e := range examples {
			if foldOf(e.owner) == without {
				continue
			}
			truth := 0.0
			if e.event {
				truth = 1
			}
			miss := (g.Probability(e.signals) - truth) / (2 * count[e.event])
			bias += miss
			for i := range gradient {
				gradient[i] += miss * e.signals[i]
			}
		}
		g.Bias -= rate * bias
		for i := range g.Weights {
			g.Weights[i] = math.Max(0, g.Weights[i]-rate*(gradient[i]+shrink*g.Weights[i]))
		}
	}
	return g
}

// siteThreshold is the chance from which the pages of a site found an edition.
const siteThreshold = 0.5

// fitSiteGate returns the gate of sites, its weights rounded to hundredths, and the section of its
// card. The section has for each threshold how many sites found an edition, by weights fitted
// without their owner.
func fitSiteGate(t *testing.T) (g classify.SiteGate, section string) {
	examples, hosts := siteExamples(t)
	g = fitSite(examples, -1)
	g.Threshold, g.Bias = siteThreshold, math.Round(100*g.Bias)/100
	for i, w := range g.Weights {
		g.Weights[i] = math.Round(100*w) / 100
	}
	for fold := range gateFolds {
		without := fitSite(examples, fold)
		for i, e := range examples {
			if foldOf(e.owner) == fold {
				examples[i].chance = without.Probability(e.signals)
			}
		}
	}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("\n## Sites\n\nPages of one site that are no calls found an edition if one of them names it, one has a day or an address to hand something in, and chance = 1/(1+exp(-z)) reaches %.2f, ", g.Threshold)
	p("z = %.2f + %.2f·log odds of a call of the likeliest page + %.2f·of the next + %.2f·ln(1 + pages) + %.2f·ln(1 + pages with a day to hand something in) + %.2f·ln(1 + pages that agree in the first day). ", g.Bias, g.Weights[0], g.Weights[1], g.Weights[2], g.Weights[3], g.Weights[4])
	sites := count(examples, func(e siteExample) bool { return e.event })
	p("Fitted on %d work sites of `sites/`, of which the pages count that pass the gate and are no calls, and on %d of the %d labelled hosts of `web/` without a page of an event, of which the pages from a chance of %.2f on count, more than the gate lets through. ", sites, len(examples)-sites, hosts, nearGate)
	p("No weight is below 0, so that the order in which pages come does not matter. The models that judge pages were trained without these sites. Command: `go test -tags measure -run TestFitSite ./cmd/eventseer/internal/engine -update`. By weights fitted without the owner of the site found an edition:\n\n| from a chance of |")
	thresholds := []float64{0.1, 0.3, 0.5, 0.7, 0.9}
	for _, threshold := range thresholds {
		p(" %.2f |", threshold)
	}
	p("\n|---|%s\n", strings.Repeat("---|", len(thresholds)))
	for _, row := range []struct {
		name  string
		event bool
	}{{fmt.Sprintf("of %d work sites", sites), true}, {fmt.Sprintf("of %d hosts without an event", hosts), false}} {
		p("| %s |", row.name)
		for _, threshold := range thresholds {
			p(" %d |", count(examples, func(e siteExample) bool { return e.event == row.event && e.chance >= threshold && namesCall(e.pages) }))
		}
		p("\n")
	}
	return g, b.String()
}

func count(examples []siteExample, is func(siteExample) bool) (n int) {
	for _, e := range examples {
		if is(e) {
			n++
		}
	}
	return n
}

// What weights has the gate of sites? Fits them, and measures by those of folds that have
// not seen the owner of a site. The shipped gate must have them; with -update they are
// written to it, and its card's section on sites:
//
//	go test -tags measure -run TestFitSite -v ./cmd/eventseer/internal/engine -update
func TestFitSite(t *testing.T) {
	site, section := fitSiteGate(t)
	g := *Gate()
	g.Site = site
	file, card := gateFile(t, &g), withSection(readGateCard(t), sitesTitle, section)
	if golden.Updating() {
		if err := errors.Join(os.WriteFile(gateDir+GateFile, file, 0o644), os.WriteFile(gateDir+"gate.md", []byte(card), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(gateDir + GateFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, file) {
		t.Errorf("the shipped gate of sites is not the one that was fitted: %+v", site)
	}
	if diff := cmp.Diff(readGateCard(t), card); diff != "" {
		t.Errorf("the card (-shipped +fitted):\n%s", diff)
	}
}

const gateDir = "../../../../models/"

func readGateCard(t *testing.T) string {
	card, err := os.ReadFile(gateDir + "gate.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(card)
}

const (
	sitesTitle   = "\n## Sites\n"
	callsTitle   = "\n## Calls in the context of their hosts\n"
	licenceTitle = "\n## Licence\n"
)

// sectionOf returns the section of a card that a title begins, "" if it has none.
func sectionOf(card, title string) string {
	_, body, found := strings.Cut(card, title)
	if !found {
		return ""
	}
	body, _, _ = strings.Cut(body, "\n## ")
	return title + body
}

// withSection returns a card with another section of a title, a new one before the licence.
func withSection(card, title, section string) string {
	if was := sectionOf(card, title); was != "" {
		return strings.Replace(card, was, section, 1)
	}
	return strings.Replace(card, licenceTitle, section+licenceTitle, 1)
}
