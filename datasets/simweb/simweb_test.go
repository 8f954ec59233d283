package simweb

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

const testSeeds = 5

// webs are the webs of seeds 0 to testSeeds, made once for all tests.
var webs = sync.OnceValue(func() []*Web {
	var out []*Web
	for seed := range uint64(testSeeds + 1) {
		out = append(out, New(Options{Seed: seed}))
	}
	return out
})

func web(seed uint64) *Web { return webs()[seed] }

// digest is over every URL, content type and body of a web.
func digest(w *Web) string {
	h := sha256.New()
	for _, p := range w.pages {
		fmt.Fprintf(h, "%s\n%s\n%d\n", p.url(), p.contentType(), len(p.body))
		h.Write(p.body)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	first := digest(New(Options{Seed: 1}))
	if again := digest(New(Options{Seed: 1})); again != first {
		t.Errorf("digest of the second web is %s, of the first %s", again, first)
	}
	golden.Check(t, "seed1.digest", []byte(first+"\n"))
	seen := map[string]uint64{}
	for seed := range uint64(testSeeds + 1) {
		d := digest(web(seed))
		if other, ok := seen[d]; ok {
			t.Errorf("seeds %d and %d give the same web", seed, other)
		}
		seen[d] = seed
	}
}

func TestCounts(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		w := web(seed)
		near, calls, other := 0, 0, 0
		for _, p := range w.truth.Pages {
			if p.NearMiss != "" {
				near++
			}
			if p.IsCFP {
				calls++
			}
			if p.IsCFP && p.NearMiss != "" {
				t.Errorf("seed %d: %s is a call and nearly one", seed, p.URL)
			}
			if p.Type == Other {
				other++
			}
		}
		pages := len(w.truth.Pages)
		check := func(what string, got, low, high int) {
			if got < low || got > high {
				t.Errorf("seed %d: %s: got %d, want %d to %d", seed, what, got, low, high)
			}
		}
		check("pages", pages, 350, 450)
		check("hosts", len(w.sites), 50, 70)
		check("events called for", len(w.truth.Events), 25, 40)
		check("call pages", calls, 30, 60)
		check("near misses per mille", 1000*near/pages, 100, 160)
		check("off-topic per mille", 1000*other/pages, 500, 600)
		check("seeds", len(w.Seeds()), 4, 5)
	}
}

// TestCallsAreAllowed sees that seeds are calls and that no robots.txt keeps a
// crawler from one.
func TestCallsAreAllowed(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		w := web(seed)
		for _, url := range w.Seeds() {
			if p, _ := w.truth.Page(url); !p.IsCFP {
				t.Errorf("seed %d: seed %s is no call", seed, url)
			}
		}
		for _, p := range w.pages {
			for line := range strings.Lines(p.site.robots) {
				prefix, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: ")
				if ok && p.truth.IsCFP && strings.HasPrefix(p.path, prefix) {
					t.Errorf("seed %d: robots may not read %s", seed, p.url())
				}
			}
		}
	}
}

// adjacent returns the links of the web in both directions, by URL.
func adjacent(w *Web) (forward, back map[string][]string) {
	forward, back = map[string][]string{}, map[string][]string{}
	for l := range w.Links() {
		forward[l.Source] = append(forward[l.Source], l.Target)
		back[l.Target] = append(back[l.Target], l.Source)
	}
	return forward, back
}

// reach returns what the seeds lead to along any of the given links.
func reach(seeds []string, ways ...map[string][]string) map[string]bool {
	seen := map[string]bool{}
	for queue := seeds; len(queue) > 0; queue = queue[1:] {
		url := queue[0]
		if seen[url] {
			continue
		}
		seen[url] = true
		for _, way := range ways {
			queue = append(queue, way[url]...)
		}
	}
	return seen
}

func callsWithin(w *Web, seen map[string]bool) int {
	n := 0
	for _, e := range w.truth.Events {
		if slices.ContainsFunc(e.Pages, func(u string) bool { return seen[u] }) {
			n++
		}
	}
	return n
}

func TestCallsAreReachedOnlyByGoingBack(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		w := web(seed)
		forward, back := adjacent(w)
		all, ahead := callsWithin(w, reach(w.Seeds(), forward, back)), callsWithin(w, reach(w.Seeds(), forward))
		if all != len(w.truth.Events) {
			t.Errorf("seed %d: %d of %d calls are reachable", seed, all, len(w.truth.Events))
		}
		if 10*ahead > 9*all {
			t.Errorf("seed %d: %d of %d calls are reachable forward: going back would not matter", seed, ahead, all)
		}
		seen := reach(w.Seeds(), forward, back)
		for _, p := range w.truth.Pages {
			if !seen[p.URL] {
				t.Errorf("seed %d: no way leads to %s", seed, p.URL)
			}
		}
		t.Logf("seed %d: %d pages, %d calls, %d of them by forward links alone", seed, len(w.pages), all, ahead)
	}
}

// TestParentsOfEvents compares the pages that link event sites with the
// proportions of paper 002 (rounded; 4 points of slack).
func TestParentsOfEvents(t *testing.T) {
	want := map[PageType]float64{CFPList: .231, InstitutionTopic: .125, Conference: .096, MailAnnouncement: .058, Homepage: .317, Weblog: .173}
	got, total := map[PageType]float64{}, 0.0
	for seed := uint64(1); seed <= testSeeds; seed++ {
		w := web(seed)
		for _, s := range w.pages {
			seen := map[string]bool{}
			for _, l := range s.links {
				target := w.resolve(l.Target)
				p, ok := w.truth.Page(target)
				host, _ := splitURL(target)
				if ok && (p.Type == Conference || p.Type == CFP) && host != s.site.host && !seen[host] {
					seen[host] = true
					got[s.truth.Type]++
					total++
				}
			}
		}
	}
	for _, kind := range []PageType{CFPList, InstitutionTopic, Conference, MailAnnouncement, Homepage, Weblog} {
		share := got[kind] / total
		t.Logf("%-18s %.3f (paper 002: %.3f)", kind, share, want[kind])
		if share < want[kind]-.04 || share > want[kind]+.04 {
			t.Errorf("share of %s: got %.3f, want about %.3f", kind, share, want[kind])
		}
	}
}

func TestDeadlinesArePrinted(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		w := web(seed)
		for _, p := range w.pages {
			if p.truth.IsCFP && len(p.truth.Deadlines) == 0 {
				t.Errorf("seed %d: %s is a call without a deadline", seed, p.url())
			}
			for _, d := range p.truth.Deadlines {
				if d.Text == "" || !bytes.Contains(p.body, []byte(d.Text)) {
					t.Errorf("seed %d: %s does not print %q", seed, p.url(), d.Text)
				}
				if d.TZ != "" && !bytes.Contains(p.body, []byte(d.TZ)) {
					t.Errorf("seed %d: %s does not print the time zone %q", seed, p.url(), d.TZ)
				}
				if d.ExtendedFrom >= d.Date {
					t.Errorf("seed %d: %s: extended from %s to %s", seed, p.url(), d.ExtendedFrom, d.Date)
				}
			}
		}
	}
}

func TestEventsAreSound(t *testing.T) {
	open, past, extended := 0, 0, 0
	for seed := uint64(1); seed <= testSeeds; seed++ {
		now := time.Date(2026, time.November, 21, 13, 0, 0, 0, time.UTC).AddDate(0, int(seed)*5, int(seed))
		today := now.Format(time.DateOnly)
		w := New(Options{Seed: seed, Now: now})
		ids := map[string]bool{}
		for _, e := range w.truth.Events {
			if ids[e.ID] || e.Title == "" || len(e.Pages) == 0 || len(e.Deadlines) == 0 {
				t.Errorf("seed %d: bad event %+v", seed, e)
			}
			ids[e.ID] = true
			last := ""
			for _, d := range e.Deadlines {
				if e.Start != "" && d.Date >= e.Start {
					t.Errorf("seed %d: %s: %s on %s, but the event begins on %s", seed, e.ID, d.Kind, d.Date, e.Start)
				}
				if d.ExtendedFrom != "" {
					extended++
				}
				switch d.Kind {
				case "submission":
					if d.Date > today {
						open++
					} else {
						past++
					}
					fallthrough
				case "abstract", "notification", "camera_ready":
					if d.Date <= last {
						t.Errorf("seed %d: %s: %s on %s comes after %s", seed, e.ID, d.Kind, d.Date, last)
					}
					last = d.Date
				}
			}
		}
	}
	if past == 0 || open < 3*past || extended == 0 {
		t.Errorf("%d calls are open, %d past, %d dates extended; want most open, some past, some extended", open, past, extended)
	}
}

func TestLinksResolveOrAreMeantDead(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		p := newPlan(seed, time.Date(2027, time.January, 11, 0, 0, 0, 0, time.UTC))
		p.build()
		w := web(seed)
		for _, s := range p.sites {
			for _, pg := range s.order {
				pg.render(p)
			}
		}
		dead := 0
		for l := range w.Links() {
			host, path := splitURL(l.Target)
			_, ok := w.truth.Page(l.Target)
			switch s := w.sites[hostOf(host)]; {
			case ok:
			case p.dead[l.Target]:
				dead++
			case s != nil && (s.calendar && strings.HasPrefix(path, "/calendar") || s.soft404):
			default:
				t.Errorf("seed %d: %s links %s, which is nowhere", seed, l.Source, l.Target)
			}
		}
		if dead == 0 {
			t.Errorf("seed %d: no dead links", seed)
		}
	}
}

func TestLinksAreCanonical(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		for l := range web(seed).Links() {
			if c, err := webgraph.Canonical(l.Target); err != nil || c != l.Target {
				t.Errorf("seed %d: %s links %s, canonical %s, %v", seed, l.Source, l.Target, c, err)
			}
		}
	}
}

// TestPagesDiffer bounds how much two pages of the web share: the overlap of
// their runs of four words, and no two calls alike.
func TestPagesDiffer(t *testing.T) {
	w := web(1)
	runs := make([][]uint64, len(w.pages))
	for i, p := range w.pages {
		words := strings.Fields(visible(p))
		for k := 0; k+4 <= len(words); k++ {
			h := fnv.New64a()
			h.Write([]byte(strings.Join(words[k:k+4], " ")))
			runs[i] = append(runs[i], h.Sum64())
		}
		slices.Sort(runs[i])
		runs[i] = slices.Compact(runs[i])
	}
	worst := 0.0
	for i := range runs {
		for j := range i {
			if w.pages[i].site == w.pages[j].site {
				continue
			}
			shared := common(runs[i], runs[j])
			overlap := float64(shared) / float64(len(runs[i])+len(runs[j])-shared)
			worst = max(worst, overlap)
			if overlap > .4 {
				t.Errorf("%s and %s share %.2f of their text", w.pages[i].url(), w.pages[j].url(), overlap)
			}
		}
	}
	t.Logf("largest overlap of two pages of different sites: %.2f", worst)
}

// common counts the elements that two sorted lists share.
func common(a, b []uint64) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	return n
}

func TestRulesResolve(t *testing.T) {
	slots := strings.Fields("title short field Field topic topic2 city place dates pages uni uni2 uni3 mail oldyear Dept person Tool LINK deadline")
	g, _ := loadGrammar("calls.txt", "people.txt", "offtopic.txt")
	var walk func(rule, text string)
	walk = func(rule, text string) {
		for {
			at := strings.IndexByte(text, '{')
			if at < 0 {
				return
			}
			inner, rest := closeBrace(text[at+1:])
			text = rest
			if parts := splitChoice(inner); len(parts) > 1 {
				for _, p := range parts {
					walk(rule, p)
				}
			} else if !slices.Contains(slots, inner) && strings.ContainsRune(inner, ' ') {
				t.Errorf("%s: {%s} is a choice of one", rule, inner)
			} else if !slices.Contains(slots, inner) && g[inner] == nil {
				walk(rule, inner)
				if !strings.Contains(inner, "{") {
					t.Errorf("%s: {%s} is neither slot nor rule", rule, inner)
				}
			}
		}
	}
	for rule, variants := range g {
		for _, v := range variants {
			if strings.Count(v, "{") != strings.Count(v, "}") {
				t.Errorf("%s: braces do not match in %q", rule, v)
			}
			walk(rule, v)
		}
	}
}
