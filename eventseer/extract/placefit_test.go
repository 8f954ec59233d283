//go:build measure

package extract

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/text/unicode/norm"
)

const placeFolds = 5

// placeOptions are the parameters of training the ranker.
var placeOptions = loglinear.Options{Epochs: 8, Rate: .1, L1: .3, MinGroups: 3, Seed: 1}

// Weights of pages relative to a page whose own place a reader labelled.
const (
	sitePageWeight = .25 // weight of all other pages of a site together, times the square root of their number
	callWeight     = .5  // weight of a plain-text call, whose place its poster typed
	readWeight     = .4  // weight of all pages of an owner in datasets/places.tsv, times the square root of their number
	houseGain      = .3  // gain of a city in the name of a university, on those other pages
)

// A knownPlace is the place of a page's event, labelled by a reader.
type knownPlace struct{ City, Country, Text string }

// A placedPage is a page with its known place.
type placedPage struct {
	url, owner, corpus string
	fold               int
	weight             float64
	known              knownPlace
	lesson             *placeRanking
	choice             loglinear.Choice
}

// TestTrainPlace trains the ranker of places. With -update it writes models/place.model and its card. It
// prints the share of correct places on each corpus, read by models trained without the page's owner. Block
// roles are those of the folders EVENTSEER_FOLDS/0 to 4, as in TestCrossFittedExtract, otherwise of the
// shipped model. The five models of places are trained here and written to PLACE_OUT/0 to 4 if that is set:
//
//	EVENTSEER_FOLDS=DIR go test -tags measure -run TestTrainPlace ./eventseer/extract -update
func TestTrainPlace(t *testing.T) {
	pages := placedPages(t)
	var choices []loglinear.Choice
	for i := range pages {
		choices = append(choices, pages[i].choice)
	}
	ms := make([]*classify.LogLinear, placeFolds)
	for k := range ms {
		ms[k] = trainPlace(t, choices, func(i int) bool { return pages[i].fold != k })
	}
	judged := judgedPlaces(pages, ms)
	steps := fitPlaces(t, judged, -1)
	for _, bin := range placeBins(t, judged) {
		t.Log(bin)
	}
	var figures []classify.Figure
	for _, corpus := range []string{"work", "gold", "wikicfp", "read", "sites"} {
		country, city := placeTallies(pages, corpus, ms)
		t.Logf("%s country %v %.3f city %v %.3f", corpus, sum(country), sum(country).f1(), sum(city), sum(city).f1())
		if corpus == "sites" { // their labels describe the site, not the text of the page
			continue
		}
		figures = append(figures, figure("F1 of countries, "+corpus, country), figure("F1 of cities, "+corpus, city))
	}
	if n, _ := strconv.Atoi(os.Getenv("ERRORS")); n > 0 {
		printPlaceErrors(t, pages, ms)
	}
	if dir := os.Getenv("PLACE_OUT"); dir != "" {
		for k, m := range ms {
			own := fitPlaces(t, judged, k)
			m.Calibration = &own
			writePlace(t, filepath.Join(dir, strconv.Itoa(k), "place.model"), m)
		}
	}
	if golden.Updating() {
		m := trainPlace(t, choices, nil)
		m.Calibration = &steps
		owners := map[string]bool{}
		for _, p := range pages {
			owners[p.owner] = true
		}
		m.Classes, m.Counts, m.Groups, m.Figures = []string{"page"}, []int{len(pages)}, len(owners), figures
		writePlace(t, filepath.Join("..", "..", "models", "place.model"), m)
		writePlaceCard(t, pages, m, placeBins(t, judged))
	}
}

// A judgedPlace is the place of a page chosen by models trained without its owner.
type judgedPlace struct {
	belief float64
	right  bool
	fold   int
	call   bool // of gold or work, whose readers labelled the text of the page itself
}

// judgedPlaces returns the choices for gold and work, and for maxJudged other pages of each owner of whole
// sites. The latter name earlier editions and addresses more often, like pages in a crawl.
func judgedPlaces(pages []placedPage, ms []*classify.LogLinear) (out []judgedPlace) {
	others := map[string]int{}
	byAddress := slices.Clone(pages)
	slices.SortFunc(byAddress, func(a, b placedPage) int {
		x, y := sha256.Sum256([]byte(a.url)), sha256.Sum256([]byte(b.url))
		return bytes.Compare(x[:], y[:])
	})
	for _, p := range byAddress {
		if p.corpus == "wikicfp" || p.corpus == "read" || len(p.lesson.list) == 0 || p.corpus == "sites" && others[p.owner] == maxJudged {
			continue
		}
		if m, belief, ok := p.lesson.choosePlace(p.lesson.probabilities(ms[p.fold])); ok {
			if p.corpus == "sites" {
				others[p.owner]++
			}
			out = append(out, judgedPlace{belief, p.known.right(m), p.fold, p.corpus != "sites"})
		}
	}
	return out
}

const maxJudged = 4

// fitPlaces fits the calibration to the choices of all folds except one.
func fitPlaces(t *testing.T, judged []judgedPlace, without int) classify.Isotonic {
	var lists []judgedList
	for _, j := range judged {
		lists = append(lists, judgedList{decision: logOdds(j.belief), right: int(bitOf(j.right)), n: 1, fold: j.fold})
	}
	curve := fitLists(t, lists, without)
	for k, d := range curve.Decisions {
		curve.Decisions[k] = sigmoid(d)
	}
	return curve
}

// placeBins returns predicted and observed shares in thirds, each calibrated without its fold.
func placeBins(t *testing.T, judged []judgedPlace) (out []string) {
	type point struct{ said, held float64 }
	var calls, others []point
	for k := range placeFolds {
		steps := fitPlaces(t, judged, k)
		for _, j := range judged {
			if j.fold != k {
				continue
			}
			x := point{steps.Probability(j.belief), float64(bitOf(j.right))}
			if j.call {
				calls = append(calls, x)
			} else {
				others = append(others, x)
			}
		}
	}
	for name, list := range map[string][]point{"calls": calls, "other pages": others} {
		slices.SortFunc(list, func(a, b point) int { return cmp.Compare(a.said, b.said) })
		line := "calibration, " + name + ":"
		for k := range 3 {
			var said, held float64
			bin := list[k*len(list)/3 : (k+1)*len(list)/3]
			for _, x := range bin {
				said, held = said+x.said/float64(len(bin)), held+x.held/float64(len(bin))
			}
			line += fmt.Sprintf(" %.2f→%.2f (%d)", said, held, len(bin))
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func trainPlace(t *testing.T, choices []loglinear.Choice, use func(i int) bool) *classify.LogLinear {
	o := placeOptions
	m, err := loglinear.TrainRanker(context.Background(), classify.Meta{
		Task: "place", Algo: "conditional logit", Seed: o.Seed, Program: placeCommand,
		Options: fmt.Sprintf("epochs %d, rate %g, l1 %g, min groups %d", o.Epochs, o.Rate, o.L1, o.MinGroups),
	}, choices, use, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writePlace(t *testing.T, path string, m *classify.LogLinear) {
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// placeCommand is the command that trains the model.
const placeCommand = "EVENTSEER_FOLDS=DIR go test -tags measure -run TestTrainPlace ./eventseer/extract -update"

func writePlaceCard(t *testing.T, pages []placedPage, m *classify.LogLinear, bins []string) {
	places, counts := 0, map[string]int{}
	for _, p := range pages {
		counts[p.corpus]++
		places += len(p.lesson.list)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# place

Chooses among the places that a page names the one where its event takes place, or none.

Intended use: the place of a record, within EventSeer. Not for judging where people work or live.

## How it was made

- algorithm: conditional logit over hashed features, trained by FTRL-Proximal: %s; seed %d
- command, in the root of the repository: %s. DIR holds in the folders 0 to 4 models of block roles that were trained without the owners of that fold, as TestCrossFittedExtract reads them; without it the shipped one is used.
- %d features have a weight
- data: %d pages of %d owners that name %d places: %d of gold, %d calls of whole sites (the part to work on), %d other pages of these sites with the place of the site's event, %d plain-text calls of WikiCFP with the place their posters typed, %d pages of corpora/pages that were read for it (datasets/places.tsv, doc/decisions/061). No text is kept, weights of hashed words only.
- features: block roles of the block, of those around it and of all blocks that name the place; how the place is written; its distance from the event's days; words around it, of its heading and of the block before; years beside it; what the gazetteer knows of the name; where else it stands; how many places are named near it. No list of words.

## Figures

F1 on pages of owners that neither this model nor the model of block roles was trained on, before what pages say for programs:

| figure | value | 95 %% interval, by pages |
|---|---|---|
`+"", m.Options, m.Seed, "`"+placeCommand+"`", m.Features(), m.Examples(), m.Groups, places, counts["gold"], counts["work"], counts["sites"], counts["wikicfp"], counts["read"])
	for _, f := range m.Figures {
		fmt.Fprintf(&b, "| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	b.WriteString(`
The probability printed is a sigmoid of the log odds of the share of the softmax that goes to the place, fitted to the cross-fitted choices on gold, work and four other pages of each owner of whole sites. Predicted and observed in thirds, each fold calibrated without it:

`)
	for _, bin := range bins {
		b.WriteString("- " + bin + "\n")
	}
	b.WriteString(`
## Weaknesses

Cities that the gazetteer does not know are found only with their country. Readers disagree whether "University of Vienna" alone names a city. Of two cities that host together one is chosen. Scripts other than Latin, Cyrillic and Chinese are hardly in the data.
`)
	if err := os.WriteFile(filepath.Join("..", "..", "models", "place.md"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// foldPlace returns a city's name in the form that score_extract.py compares.
func foldPlace(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return strings.Join(strings.Fields(s), " ")
}

func (k knownPlace) code() string {
	r, _ := countryIn(k.Country)
	return r.code
}

// sameCountry reports whether a mention is in the known country. It is true if none is known.
func (k knownPlace) sameCountry(m mention) bool {
	return k.Country == "" || k.code() == m.venue.CountryCode
}

func (k knownPlace) right(m mention) bool {
	return foldPlace(k.City) == foldPlace(m.venue.City) && (k.City != "" || k.Country != "") && (k.sameCountry(m) || m.venue.CountryCode == "")
}

// gain returns the value of a mention as the answer.
func (k knownPlace) gain(m mention) float64 {
	sameCity := foldPlace(k.City) == foldPlace(m.venue.City)
	switch {
	case k.City != "" && sameCity && k.sameCountry(m):
		return 1
	case k.City != "" && sameCity && m.venue.CountryCode == "":
		return .8
	case k.City != "" && k.Country != "" && m.venue.City == "" && k.sameCountry(m):
		return .25
	case k.City == "" && k.Country != "" && k.sameCountry(m) && sameCity:
		return 1
	case k.City == "" && k.Country != "" && k.sameCountry(m):
		return .2
	}
	return 0
}

func (p *placedPage) learn() {
	c := loglinear.Choice{Candidates: p.lesson.allTerms(), Group: p.owner, Weight: p.weight}
	some := false
	for _, m := range p.lesson.list {
		g := p.known.gain(m)
		if p.corpus == "sites" && m.form == cityInName {
			g *= houseGain
		}
		some = some || g > 0
		c.Gain = append(c.Gain, g)
	}
	none := 1.0
	if some {
		none = 0
	}
	c.Gain = append(c.Gain, none)
	if p.corpus == "wikicfp" && !some || len(p.lesson.list) == 0 {
		c.Gain = make([]float64, len(c.Candidates)) // not used for training
	}
	p.choice = c
}

// A tally counts values that are right, wrong and missed.
type tally [3]int

func (n tally) f1() float64 { return 2 * float64(n[0]) / float64(2*n[0]+n[1]+n[2]) }

func sum(ns []tally) (all tally) {
	for _, n := range ns {
		for k := range n {
			all[k] += n[k]
		}
	}
	return all
}

// figure returns the F1 of the tallies of pages with its 95 % interval from 400 samples of pages.
func figure(name string, ns []tally) classify.Figure {
	draw := rand.New(rand.NewPCG(1, 0))
	var values []float64
	drawn := make([]tally, len(ns))
	for range 400 {
		for i := range drawn {
			drawn[i] = ns[draw.IntN(len(ns))]
		}
		values = append(values, sum(drawn).f1())
	}
	slices.Sort(values)
	return classify.Figure{Name: name, Value: sum(ns).f1(), Low: values[10], High: values[389]}
}

// placeTallies counts the correct places on the pages of a corpus, as score_extract.py does. A country that
// a reader did not label, although there is a place, is not counted.
func placeTallies(pages []placedPage, corpus string, ms []*classify.LogLinear) (country, city []tally) {
	count := func(known, said string, same bool) (n tally) {
		if known != "" && said != "" && same {
			n[0] = 1
			return n
		}
		n[1], n[2] = int(bitOf(said != "")), int(bitOf(known != ""))
		return n
	}
	for _, p := range pages {
		if p.corpus != corpus {
			continue
		}
		var m mention
		if len(p.lesson.list) > 0 {
			if found, _, ok := p.lesson.choosePlace(p.lesson.probabilities(ms[p.fold])); ok {
				m = found
			}
		}
		city = append(city, count(p.known.City, m.venue.City, foldPlace(p.known.City) == foldPlace(m.venue.City)))
		if p.known.Country == "" && (p.known.City != "" || p.known.Text != "") {
			m.venue.CountryCode = ""
		}
		country = append(country, count(p.known.Country, m.venue.CountryCode, p.known.code() == m.venue.CountryCode))
	}
	return country, city
}

func printPlaceErrors(t *testing.T, pages []placedPage, ms []*classify.LogLinear) {
	for _, p := range pages {
		if p.corpus == "wikicfp" {
			continue
		}
		var m mention
		none := 1.0
		var ps []float64
		ok := false
		if len(p.lesson.list) > 0 {
			ps = p.lesson.probabilities(ms[p.fold])
			none = ps[len(ps)-1]
			m, _, ok = p.lesson.choosePlace(ps)
		}
		if ok && p.known.right(m) || !ok && p.known.City == "" && p.known.Country == "" {
			continue
		}
		t.Logf("%s %s\n  KNOWN %+v  none %.2f", p.corpus, p.url, p.known, none)
		order := make([]int, len(p.lesson.list))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(1e6 * (ps[b] - ps[a])) })
		for _, i := range order[:min(5, len(order))] {
			m := p.lesson.list[i]
			t.Logf("     %.2f gain %.1f %s/%s form %d block %d: …%s[%s]%s", ps[i], p.known.gain(m), m.venue.City, m.venue.CountryCode, m.form, m.block, m.text[len(cutToBytes(m.text, max(0, m.from-50))):m.from], m.text[m.from:m.to], cutToBytes(m.text[m.to:], 30))
		}
		some := false
		for _, m := range p.lesson.list {
			some = some || p.known.gain(m) == 1
		}
		if !some && p.known.City+p.known.Country != "" {
			t.Logf("     NO CANDIDATE")
		}
	}
}

// placedPages returns gold, the pages of the work sites and the calls of WikiCFP.
func placedPages(t *testing.T) []placedPage {
	cities, err := datasets.Cities()
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (found []City) {
		for _, c := range cities.Lookup(name) {
			found = append(found, City(c))
		}
		return found
	}
	var xs []*Extractor
	for k := range placeFolds {
		fsys := models.Files()
		if dir := os.Getenv("EVENTSEER_FOLDS"); dir != "" {
			if path := filepath.Join(dir, strconv.Itoa(k)); true {
				if _, err := os.Stat(filepath.Join(path, "block-role.model")); err == nil {
					fsys = os.DirFS(path)
				} else {
					t.Log(err)
				}
			}
		}
		roles, err := readModel(fsys, "block-role.model", block.ReadModel)
		if err != nil {
			t.Fatal(err)
		}
		x := New(Options{Now: func() time.Time { return time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC) }, Cities: lookup})
		without := *shippedWeights() // the other readers do not depend on places
		without.roles, without.place = roles, nil
		x.models = func() *weights { return &without }
		xs = append(xs, x)
	}
	var pages []placedPage
	type task struct {
		at   int
		tree *tagtree.Tree
	}
	var tasks []task
	add := func(tree *tagtree.Tree, p placedPage) {
		p.fold = int(sha256.Sum256([]byte("fold " + p.owner))[0]) % placeFolds
		pages = append(pages, p)
		tasks = append(tasks, task{len(pages) - 1, tree})
	}
	known := knownPages(t)
	for _, file := range []string{"corpora/gold/pages.warc.gz", "corpora/sites/cfp.warc.gz", "corpora/sites/sites.warc.gz", "corpora/pages/pages.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, file)) {
			if err != nil || page.Status != http.StatusOK {
				continue
			}
			listed := page.URL
			if _, ok := known[listed]; !ok {
				listed += "index.html" // the address of a home as sites.jsonl lists it
			}
			p, ok := known[listed]
			if !ok {
				continue
			}
			tree, err := tagtree.Parse(page)
			if err != nil {
				continue
			}
			p.url = page.URL
			delete(known, listed)
			add(tree, p)
		}
	}
	p0 := &placeReader{page: &page{}, cities: lookup}
	for i, line := range sharedLines(t, "corpora/wikicfp/events.jsonl") {
		var r struct{ Location, Text string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		spots := p0.placesNamedIn(r.Location)
		if len(spots) == 0 {
			continue
		}
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://calls.example/", Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(r.Text)})
		if err != nil {
			t.Fatal(err)
		}
		v := spots[0].venue
		add(tree, placedPage{url: fmt.Sprint("call ", i), owner: fmt.Sprint("call ", i), corpus: "wikicfp", weight: callWeight, known: knownPlace{City: v.City, Country: v.Country}})
	}
	n := runtime.GOMAXPROCS(0)
	done := make(chan bool)
	for w := range n {
		go func() {
			for i := w; i < len(tasks); i += n {
				p := &pages[tasks[i].at]
				_, read := xs[p.fold].extract(tasks[i].tree)
				p.lesson = read.places.ranking
				p.learn()
			}
			done <- true
		}()
	}
	for range n {
		<-done
	}
	slices.SortStableFunc(pages, func(a, b placedPage) int { return strings.Compare(a.owner, b.owner) })
	return pages
}

// knownPages returns the labelled places of pages of gold and of the work sites. The page with the call has
// its own label, other pages that of the site.
func knownPages(t *testing.T) map[string]placedPage {
	out := map[string]placedPage{}
	type place struct {
		Location *knownPlace
	}
	for _, line := range sharedLines(t, "corpora/sites/sites.jsonl") {
		var r struct {
			Site, CFP   string
			Pages       []string
			Event, Says place
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if split.IsValidation(r.Site) {
			continue
		}
		owner, _, _ := strings.Cut(strings.ToLower(r.Site), "__")
		if r.Event.Location == nil {
			r.Event.Location = &knownPlace{}
		}
		for _, url := range r.Pages {
			out[url] = placedPage{owner: owner, corpus: "sites", known: *r.Event.Location, weight: sitePageWeight / math.Sqrt(float64(len(r.Pages)))}
		}
		if r.Says.Location == nil {
			r.Says.Location = &knownPlace{}
		}
		out[r.CFP] = placedPage{owner: owner, corpus: "work", known: *r.Says.Location, weight: 1}
	}
	for _, line := range sharedLines(t, "corpora/gold/gold.jsonl") {
		var r struct {
			URL      string
			Location *knownPlace
			Source   struct{ Repo string }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		owner, _, _ := strings.Cut(strings.ToLower(r.Source.Repo), "/")
		if r.Location == nil {
			r.Location = &knownPlace{}
		}
		out[r.URL] = placedPage{owner: owner, corpus: "gold", known: *r.Location, weight: 1}
	}
	ofOwner := map[string]int{}
	for _, r := range readPlaces(t) {
		ofOwner[r[1]]++
	}
	for _, r := range readPlaces(t) {
		if _, labelled := out[r[0]]; !labelled {
			out[r[0]] = placedPage{owner: r[1], corpus: "read", known: knownPlace{City: r[2], Country: r[3]}, weight: readWeight / math.Sqrt(float64(ofOwner[r[1]]))}
		}
	}
	return out
}

// readPlaces returns the lines of datasets/places.tsv, without the first. They are the address, owner, city
// and country of pages of ../shared/corpora/pages, read without an opinion of a model in view. The city is empty if the page names
// no place of its event.
func readPlaces(t *testing.T) (out [][]string) {
	table, err := os.ReadFile("../../datasets/places.tsv")
	if err != nil {
		t.Fatal(err)
	}
	validation := validationOwners()
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || validation[f[1]] {
			t.Fatalf("places.tsv: %q is not the address, owner, city and country of a page to work on", line)
		}
		out = append(out, f)
	}
	return out[1:]
}
