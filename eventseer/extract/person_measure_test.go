//go:build measure

package extract

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// Parameters of training, and the folds.
const (
	personFolds  = 5
	personEpochs = 3
	personOrders = 3 // number of orders of the examples, see fit
	personL1     = 0.5
	personGroups = 3 // minimum number of owners with a feature
	personSeed   = 1
)

// A crowd is a page with the people known to be named on it.
type crowd struct {
	url, owner string
	kind       string // gold, call, site, made
	known      []string
	keynotes   []string
	site       []knownPerson // for a call: people of the whole site
	made       []*crowd      // for a call: pages generated from it
	page       *person.Page
	blocks     int
	examples   []loglinear.Example
	at         [][2]int // by example: block and index of the name
	odds       [][]float64
	read       *readPeople // what was read of the page by hand, nil for nothing
}

// A knownPerson is a person with a role, labelled by a reader.
type knownPerson struct{ Name, Role, Affiliation string }

type personRecord struct {
	URL, Site, CFP string
	Pages          []string
	Source         struct{ Repo string }
	Committee      []knownPerson
	Says, Event    struct{ Committee []knownPerson }
}

func readRecords(t *testing.T, name string) (rs []personRecord) {
	b, err := os.ReadFile(golden.SharedPath(t, "corpora/"+name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r personRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	return rs
}

func ownerOf(r personRecord) string {
	owner, _, _ := strings.Cut(strings.ToLower(r.Source.Repo), "/")
	return owner
}

func personFold(owner string) int {
	return int(sha256.Sum256([]byte("fold " + owner))[0]) % personFolds
}

// crowds returns the pages of gold and of the work sites.
func crowds(t *testing.T) []*crowd {
	known := map[string]*crowd{}
	for _, r := range readRecords(t, "gold/gold.jsonl") {
		c := &crowd{url: r.URL, owner: ownerOf(r), kind: "gold"}
		for _, m := range r.Committee {
			if m.Role == "keynote" {
				c.keynotes = append(c.keynotes, m.Name)
			} else {
				c.known = append(c.known, m.Name)
			}
		}
		known[r.URL] = c
	}
	for _, r := range readRecords(t, "sites/sites.jsonl") {
		if split.IsValidation(r.Site) {
			continue
		}
		for _, url := range r.Pages {
			c := &crowd{url: url, owner: ownerOf(r), kind: "site"}
			for _, m := range r.Event.Committee {
				c.known = append(c.known, m.Name)
			}
			known[url] = c
		}
	}
	validation := map[string]bool{}
	for line := range strings.Lines(split.SitesTable) {
		site, _, _ := strings.Cut(line, "\t")
		validation[site] = split.IsValidation(site)
	}
	for _, r := range readRecords(t, "sites/sites.jsonl") {
		if c := known[r.CFP]; c != nil && !validation[r.Site] {
			c.kind, c.known, c.site = "call", nil, r.Event.Committee
			for _, m := range r.Says.Committee {
				c.known = append(c.known, m.Name)
			}
		}
	}
	var models []*block.Model
	for k := range personFolds {
		dir := "../../models"
		if folds := os.Getenv("EVENTSEER_FOLDS"); folds != "" {
			dir = filepath.Join(folds, fmt.Sprint(k))
		}
		m, err := readModel(os.DirFS(dir), "block-role.model", block.ReadModel)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	type job struct {
		c    *crowd
		page *webgraph.Page
	}
	table := readPeopleTable(t)
	jobs, done := make(chan job), map[*crowd]bool{}
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				tree, err := tagtree.Parse(j.page)
				if err != nil {
					continue
				}
				p := j.c.readPage(tree, models)
				j.c.setRead(t, table[j.c.url], p)
				if j.c.kind == "call" {
					j.c.made = madeCrowds(t, j.c, p, models)
				}
			}
		}()
	}
	for _, name := range []string{"gold/pages.warc.gz", "sites/cfp.warc.gz", "sites/sites.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+name)) {
			if err != nil {
				continue
			}
			c := known[page.URL]
			if c == nil {
				c = known[page.URL+"index.html"] // which the records name, and redirects to its folder
			}
			if c != nil && !done[c] && page.Status == http.StatusOK {
				done[c] = true
				jobs <- job{c, page}
			}
		}
	}
	close(jobs)
	wg.Wait()
	var cs []*crowd
	for _, c := range known {
		if c.page != nil {
			cs = append(cs, c)
			cs = append(cs, c.made...)
		}
	}
	slices.SortFunc(cs, func(a, b *crowd) int { return strings.Compare(a.owner+" "+a.url, b.owner+" "+b.url) })
	return cs
}

var printedTitle = regexp.MustCompile(`^(?:(?i:professor|prof|dr|mr|ms|mrs|emeritus|emerita)\.?\s+)+`)

// nameKey returns a key that is equal for forms of one name: words in any order, without accents.
func nameKey(s string) string {
	ws := strings.FieldsFunc(foldAccents(printedTitle.ReplaceAllString(s, "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	slices.Sort(ws)
	return strings.Join(ws, " ")
}

// learn sets the examples of a page.
func (c *crowd) learn() {
	right, other := map[string]bool{}, map[string]bool{}
	for _, n := range c.known {
		right[nameKey(n)] = true
	}
	for _, n := range c.keynotes {
		other[nameKey(n)] = true
	}
	for i := range c.blocks {
		names := c.page.Names(i)
		for k, n := range names {
			key := nameKey(n)
			e := loglinear.Example{Group: c.owner}
			switch {
			case other[key]:
				continue
			case right[key]:
				e.Class = 1
			}
			switch c.kind {
			case "made":
				e.Weight = madePeopleWeight
			case "gold", "call": // labelled by the text of the page itself
				e.Weight = 2
			}
			e.Terms = c.page.AppendTerms(nil, i, k)
			c.examples = append(c.examples, e)
			c.at = append(c.at, [2]int{i, k})
		}
	}
}

// readPeople is a line of datasets/people.tsv: names that were read by hand on a page of a work site. The model
// of the page's fold was unsure of them. These names are used to measure, not to train, see decision 062.
type readPeople struct {
	digest         string   // of the blocks of the page, see datasets.BlockDigest
	none           [][2]int // ranges of blocks in which no name is that of a person with a role
	people, others []string // digests of names of people with a role, and of other names, see split.FactDigest
}

// readPeopleTable returns the lines of datasets/people.tsv by address.
func readPeopleTable(t *testing.T) map[string]*readPeople {
	b, err := os.ReadFile("../../datasets/people.tsv")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]*readPeople{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			t.Fatalf("people.tsv: %q is not six columns", line)
		}
		if f[0] == "url" {
			continue
		}
		r := &readPeople{digest: f[2], people: strings.Split(f[4], "|"), others: strings.Split(f[5], "|")}
		for at := range strings.FieldsSeq(f[3]) {
			var from, to int
			if _, err := fmt.Sscanf(at, "%d-%d", &from, &to); err != nil {
				t.Fatalf("people.tsv: %s: %s: %v", f[0], at, err)
			}
			r.none = append(r.none, [2]int{from, to})
		}
		table[f[0]] = r
	}
	return table
}

// says reports whether name in block i is a person with a role, and whether that was read by hand.
func (r *readPeople) says(url string, i int, name string) (isPerson, sure bool) {
	if r == nil {
		return false, false
	}
	digest := split.FactDigest(url, name)
	if slices.Contains(r.others, digest) || slices.ContainsFunc(r.none, func(at [2]int) bool { return at[0] <= i && i <= at[1] }) {
		return false, true
	}
	isPerson = slices.Contains(r.people, digest)
	return isPerson, isPerson
}

// setRead sets what was read of the page by hand. The page must have the blocks that were read. It runs beside other pages and thus may not end the test.
func (c *crowd) setRead(t *testing.T, r *readPeople, p *page) {
	if r == nil {
		return
	}
	var texts []string
	for _, b := range p.blocks {
		texts = append(texts, b.Text)
	}
	if datasets.BlockDigest(texts) != r.digest {
		t.Errorf("%s has other blocks than those that were read", c.url)
		return
	}
	c.read = r
}

// countRead adds what a model found of the names that were read by hand.
func (c *crowd) countRead(count *nameCount, found []person.Person) {
	if c.read == nil {
		return
	}
	left := map[string]bool{}
	for _, d := range c.read.people {
		left[d] = d != ""
	}
	for _, q := range found {
		digest := split.FactDigest(c.url, q.Name)
		switch isPerson, sure := c.read.says(c.url, q.Block, q.Name); {
		case sure && !isPerson:
			count.wrong++
		case left[digest]:
			left[digest] = false
			count.right++
		}
	}
	for _, is := range left {
		count.missed += int(bitOf(is))
	}
}

// A personTrainer trains and measures models of people.
type personTrainer struct {
	t        *testing.T
	crowds   []*crowd
	first    []loglinear.Example
	second   []loglinear.Example
	of       []int // by example: its page
	doubtful []bool
	firsts   [personFolds]*classify.LogLinear
}

// fit trains a pass as the mean of models that see the examples in different orders. With a single order
// the result depends on chance, since the names of one page are found or missed together.
func (pt *personTrainer) fit(examples []loglinear.Example, use func(owner string) bool) *classify.LogLinear {
	bias, weights := make([]float64, 2), map[uint32][]float64{}
	for seed := range uint64(personOrders) {
		m, err := loglinear.Train(context.Background(), classify.Meta{}, 2, examples, func(i int) bool { return use(examples[i].Group) && (pt.doubtful == nil || !pt.doubtful[i]) },
			loglinear.Options{Epochs: personEpochs, L1: personL1, MinGroups: personGroups, Seed: personSeed + seed})
		if err != nil {
			pt.t.Fatal(err)
		}
		for k, x := range m.Bias() {
			bias[k] += float64(x) / personOrders
		}
		for _, id := range m.IDs() {
			if weights[id] == nil {
				weights[id] = make([]float64, 2)
			}
			outputs, ws := m.Weights(id)
			for k, w := range ws {
				weights[id][outputs[k]] += float64(w) / personOrders
			}
		}
	}
	m, err := classify.NewLogLinear(classify.Meta{}, bias, weights)
	if err != nil {
		pt.t.Fatal(err)
	}
	return m
}

func newPersonTrainer(t *testing.T) *personTrainer {
	pt := &personTrainer{t: t, crowds: crowds(t)}
	positives := 0
	for n, c := range pt.crowds {
		c.learn()
		for _, e := range c.examples {
			pt.first = append(pt.first, e)
			pt.of = append(pt.of, n)
			positives += e.Class
		}
	}
	t.Logf("%d pages, %d examples, %d of them right", len(pt.crowds), len(pt.first), positives)
	// Results of first passes for the pages of the fold that each was trained without.
	second := slices.Clone(pt.first)
	at := 0
	starts := make([]int, len(pt.crowds))
	for n, c := range pt.crowds {
		starts[n] = at
		at += len(c.examples)
	}
	var wg sync.WaitGroup
	for f := range personFolds {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var odds func(terms []classify.Term) float64
			scores := make([]float64, 2)
			if loadedPeople() {
				m := readFoldPeople(t, f)
				odds = func(terms []classify.Term) float64 { m.Scores(terms, scores); return scores[0] }
			} else {
				m := pt.fit(pt.first, func(owner string) bool { return personFold(owner) != f })
				pt.firsts[f] = m
				odds = func(terms []classify.Term) float64 { m.Scores(terms, scores); return scores[1] - scores[0] }
			}
			var terms []classify.Term
			for n, c := range pt.crowds {
				if personFold(c.owner) != f {
					continue
				}
				c.odds = make([][]float64, c.blocks)
				for i := range c.blocks {
					for k := range c.page.Names(i) {
						terms = c.page.AppendTerms(terms[:0], i, k)
						c.odds[i] = append(c.odds[i], odds(terms))
					}
				}
				ctx := c.page.Context(c.odds)
				for e := range c.examples {
					second[starts[n]+e].Terms = ctx.AppendTerms(slices.Clip(c.examples[e].Terms), c.at[e][0], c.at[e][1])
				}
			}
		}()
	}
	wg.Wait()
	pt.second = second
	// The label of a site's people is not that of each of its pages. Names on pages other than the call are
	// not used as examples if first passes are certain about them.
	pt.doubtful = make([]bool, len(pt.first))
	dropped := [2]int{}
	for n, c := range pt.crowds {
		if c.kind != "site" {
			continue
		}
		for e := range c.examples {
			x := c.odds[c.at[e][0]][c.at[e][1]]
			if c.examples[e].Class == 0 && x > 0 || c.examples[e].Class == 1 && x < -4 && c.page.IsOutsideCommittee(c.at[e][0]) {
				pt.doubtful[starts[n]+e] = true
				dropped[c.examples[e].Class]++
			}
		}
	}
	t.Logf("left out as doubtful: %d", dropped)
	return pt
}

// join trains the second pass, and the first one if it is nil.
func (pt *personTrainer) join(first *classify.LogLinear, use func(owner string) bool) *person.Model {
	if first == nil {
		doubtful := pt.doubtful
		pt.doubtful = nil // as for the first passes of the folds
		first = pt.fit(pt.first, use)
		pt.doubtful = doubtful
	}
	m, err := person.JoinPasses(classify.Meta{Task: "person"}, first, pt.fit(pt.second, use))
	if err != nil {
		pt.t.Fatal(err)
	}
	return m
}

// A nameCount counts names that are right, wrong and missed.
type nameCount struct {
	right, wrong, missed int
	pages                []float64
}

func (c *nameCount) add(known, read []string, soft bool) {
	left := map[string]int{}
	for _, n := range read {
		left[nameKey(n)]++
	}
	right := 0
	for _, n := range known {
		if left[nameKey(n)] > 0 {
			left[nameKey(n)]--
			right++
		}
	}
	missed := len(known) - right
	if soft {
		missed = 0
	}
	c.right += right
	c.wrong += len(read) - right
	c.missed += missed
	if n := 2*right + len(read) - right + missed; n > 0 {
		c.pages = append(c.pages, float64(2*right)/float64(n))
	}
}

func (c nameCount) String() string {
	sum := 0.0
	for _, x := range c.pages {
		sum += x
	}
	return fmt.Sprintf("right %d wrong %d missed %d precision %.3f recall %.3f F1 %.3f, page-averaged %.3f over %d", c.right, c.wrong, c.missed,
		float64(c.right)/float64(c.right+c.wrong), float64(c.right)/float64(c.right+c.missed), float64(2*c.right)/float64(2*c.right+c.wrong+c.missed), sum/float64(len(c.pages)), len(c.pages))
}

// byOwner counts names by owner.
type byOwner map[string]*nameCount

func (b byOwner) figures(name string) []classify.Figure {
	owners := sortedKeys(b)
	draw := rand.New(rand.NewPCG(personSeed, 0))
	total := func(next func(i int) string) [4]float64 {
		var sum nameCount
		for i := range owners {
			c := b[next(i)]
			sum.right, sum.wrong, sum.missed = sum.right+c.right, sum.wrong+c.wrong, sum.missed+c.missed
			sum.pages = append(sum.pages, c.pages...)
		}
		r, pages := float64(sum.right), 0.0
		for _, x := range sum.pages {
			pages += x / float64(len(sum.pages))
		}
		return [4]float64{r / max(r+float64(sum.wrong), 1), r / max(r+float64(sum.missed), 1), 2 * r / max(2*r+float64(sum.wrong+sum.missed), 1), pages}
	}
	var draws [][4]float64
	for range 400 {
		draws = append(draws, total(func(int) string { return owners[draw.IntN(len(owners))] }))
	}
	point := total(func(i int) string { return owners[i] })
	var fs []classify.Figure
	for k, what := range []string{"precision", "recall", "f1", "f1_by_page"} {
		slices.SortFunc(draws, func(a, b [4]float64) int { return cmp.Compare(a[k], b[k]) })
		fs = append(fs, classify.Figure{Name: name + "_" + what, Value: point[k], Low: draws[10][k], High: draws[389][k]})
	}
	return fs
}

func (pt *personTrainer) meta(figures []classify.Figure) classify.Meta {
	owners, counts, sum := map[string]bool{}, make([]int, 2), sha256.New()
	for _, c := range pt.crowds {
		fmt.Fprintln(sum, c.url, c.kind, c.known, c.keynotes)
	}
	for i, e := range pt.first {
		if !pt.doubtful[i] {
			counts[e.Class]++
			owners[e.Group] = true
		}
	}
	return classify.Meta{
		Task: "person", Algo: "log-linear", Seed: personSeed, Classes: []string{"no", "yes"}, Counts: counts, Groups: len(owners),
		Options: fmt.Sprintf("two passes of FTRL-Proximal over hashed features: the mean of %d orders of the examples, %d epochs, L1 %g, features of at least %d owners", personOrders, personEpochs, personL1, personGroups),
		Data:    fmt.Sprintf("sha256:%x", sum.Sum(nil)),
		Program: "EVENTSEER_FOLDS=FOLDS go test -tags measure -run TestTrainPerson -timeout 60m ./eventseer/extract -update",
		Figures: figures,
	}
}

// personCard returns the model card of the model of people.
func personCard(m *person.Model, made int, calibration string) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# person\n\nClassifies parts of a text, runs of capitalised words or of words in a script without capitals: is it the name of a person with a role in the event: chairs, members of committees, organizers, contacts. Invited speakers, authors and people on earlier editions are not.\n\n")
	p("Intended use: reading the committee of a call for papers, within EventSeer. Not for looking up people, nor for judging them.\n\n")
	p("## How it was made\n\n- algorithm: %s: %s; seed %d\n- command, in the root of the repository: `%s`; FOLDS/0 to FOLDS/4 hold models of block roles trained without the owners of each fold\n", m.Algo, m.Options, m.Seed, m.Program)
	p("- %d features have a weight; they are hashes of the form of a name, of its words and their n-grams of characters, of the words and marks around it, of the headings and labels above, and the probabilities of block roles\n", m.Features())
	p("- data: %d possible names on pages of %d owners: the pages of gold and of the sites to work on, with the people that their records name; and %d pages made of the calls, with people of their sites as those with a role or as speakers and authors, by labels, sentences and mark-up drawn by chance; digest of the labels `%s`. No page of the validation sites. Names that the site's record leaves open (on pages other than the call, where a first model is sure against the record) were left out.\n\n", m.Examples(), m.Groups, made, m.Data)
	p("| class | possible names |\n|---|---|\n")
	for k, class := range m.Classes {
		p("| %s | %d |\n", class, m.Counts[k])
	}
	p("\n## What it can do\n\nEach page read by models of block roles and of people that were trained without its owner. Names must be equal but for order, accents and titles. `call` are the calls of the work sites, `gold` the pages of gold (speakers not counted), `list` other pages of the work sites that name half the people of the site's record or more, where that record may leave out people; `f1_by_page` is the mean over pages with people or with names read. Intervals are 95 %%, by bootstrap over owners.\n\n| figure | value | interval |\n|---|---|---|\n")
	for _, f := range m.Figures {
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	p("\nThe probability printed is a sigmoid of two parameters of the mean probability of the people read, fitted to the lists read of calls, gold and committee pages, of which each counts for at most %d people. Predicted and observed in thirds, each fold by the curve of the others:%s.\n", mostJudged, calibration)
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds hashes of features and weights, no page and no list of names.\n")
	return b.String()
}

// TestTrainPerson trains the model of people on the pages of gold and of the work sites. It prints the
// results of models trained without the owners of the pages, and with -update writes models/person.model.
// If EVENTSEER_FOLDS is set, block roles are those of its models, which were trained without the owner of
// the page. The models of the folds are written to EVENTSEER_OUT:
//
//	EVENTSEER_FOLDS=DIR go test -tags measure -run TestTrainPerson -timeout 60m -v ./eventseer/extract -update
//
// With LOAD=1 the models of the folds are read instead of trained; with -update the shipped model is
// trained on their results.
func TestTrainPerson(t *testing.T) {
	var pt *personTrainer
	if !loadedPeople() || golden.Updating() {
		pt = newPersonTrainer(t)
	} else {
		pt = &personTrainer{t: t, crowds: crowds(t)}
	}
	counts := map[string]*nameCount{}
	owners := map[string]byOwner{"call": {}, "gold": {}, "list": {}}
	type line struct {
		n    int
		text string
	}
	var errors []line
	models := make([]*person.Model, personFolds)
	var wg sync.WaitGroup
	for f := range personFolds {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if loadedPeople() {
				models[f] = readFoldPeople(t, f)
				return
			}
			models[f] = pt.join(pt.firsts[f], func(owner string) bool { return personFold(owner) != f })
		}()
	}
	wg.Wait()
	people := map[*crowd][]person.Person{}
	var lists []judgedList
	var hard nameCount
	for _, least := range []float64{0.3, 0.4, 0.5, 0.6} {
		for _, c := range pt.crowds {
			people[c] = models[personFold(c.owner)].People(c.page, least)
		}
		for _, c := range pt.crowds {
			var read []string
			seen := map[string]bool{}
			for _, q := range people[c] {
				if key := nameKey(q.Name); !seen[key] {
					seen[key] = true
					read = append(read, q.Name)
				}
			}
			key := fmt.Sprintf("%s %.1f", c.kind, least)
			known := c.known
			if c.kind == "site" { // names that occur on the page
				all := map[string]bool{}
				for i := range c.blocks {
					for _, n := range c.page.Names(i) {
						all[nameKey(n)] = true
					}
				}
				known = nil
				for _, n := range c.known {
					if all[nameKey(n)] {
						known = append(known, n)
					}
				}
				if len(known) >= 3 && 2*len(known) >= len(c.known) { // the page with the site's committee
					key = fmt.Sprintf("list %.1f", least)
				}
			}
			if kind, _, _ := strings.Cut(key, " "); least == leastPerson && owners[kind] != nil && len(people[c]) > 0 {
				var one nameCount
				one.add(slices.Concat(known, c.keynotes), read, false)
				sum := 0.0
				for _, q := range people[c] {
					sum += q.Right / float64(len(people[c]))
				}
				lists = append(lists, judgedList{decision: logOdds(sum), right: one.right, n: len(read), fold: personFold(c.owner)})
			}
			if counts[key] == nil {
				counts[key] = &nameCount{}
			}
			counts[key].add(known, read, false)
			if least == leastPerson {
				c.countRead(&hard, people[c])
				kind, _, _ := strings.Cut(key, " ")
				if b := owners[kind]; b != nil {
					if b[c.owner] == nil {
						b[c.owner] = &nameCount{}
					}
					b[c.owner].add(known, read, false)
				}
				var one nameCount
				one.add(known, read, false)
				var wrong, missed []string
				k, r := map[string]bool{}, map[string]bool{}
				for _, n := range known {
					k[nameKey(n)] = true
				}
				for _, n := range read {
					r[nameKey(n)] = true
					if !k[nameKey(n)] {
						wrong = append(wrong, n)
					}
				}
				for _, n := range known {
					if !r[nameKey(n)] {
						missed = append(missed, n)
					}
				}
				if one.wrong+one.missed > 0 {
					errors = append(errors, line{one.wrong + one.missed, fmt.Sprintf("%s %s right %d\n   MISSED %q\n   WRONG %q", key, c.url, one.right, missed, wrong)})
				}
			}
		}
	}
	t.Logf("names of datasets/people.tsv: right %d of %d, %d read of those that are none", hard.right, hard.right+hard.missed, hard.wrong)
	figures := slices.Concat(owners["call"].figures("call"), owners["gold"].figures("gold"), owners["list"].figures("list"))
	for _, key := range sortedKeys(counts) {
		t.Log(key, counts[key])
	}
	if name := os.Getenv("EVENTSEER_ERRORS"); name != "" {
		slices.SortStableFunc(errors, func(a, b line) int { return b.n - a.n })
		var b strings.Builder
		for _, e := range errors {
			fmt.Fprintln(&b, e.text)
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bins, made := listBins(t, lists), 0
	for _, c := range pt.crowds {
		made += int(bitOf(c.kind == "made"))
	}
	t.Log("calibration:", bins)
	if out := os.Getenv("EVENTSEER_OUT"); out != "" {
		for f, m := range models {
			curve := fitLists(t, lists, f)
			m.Calibration = &curve
			var b bytes.Buffer
			if err := classify.WriteLogLinear(&b, m.LogLinear); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, fmt.Sprint(f), "person.model"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if golden.Updating() {
		var b bytes.Buffer
		m := pt.join(nil, func(string) bool { return true })
		m.Meta = pt.meta(figures)
		curve := fitLists(t, lists, -1)
		m.Calibration = &curve
		if err := classify.WriteLogLinear(&b, m.LogLinear); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../../models/person.model", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../../models/person.md", []byte(personCard(m, made, bins)), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d features, %d bytes", m.Features(), b.Len())
	}
}

// loadedPeople reports whether the models of the folds are read from EVENTSEER_FOLDS.
func loadedPeople() bool { return os.Getenv("LOAD") != "" }

func readFoldPeople(t *testing.T, fold int) *person.Model {
	m, err := readModel(os.DirFS(filepath.Join(os.Getenv("EVENTSEER_FOLDS"), fmt.Sprint(fold))), "person.model", person.ReadModel)
	if err != nil {
		t.Error(err)
	}
	return m
}

func sortedKeys[V any](m map[string]V) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}
