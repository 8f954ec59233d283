//go:build measure

package extract

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// A movedPage is a page with the pairs of its dates of which a classifier judges whether one replaces the other.
type movedPage struct {
	url, owner, set string
	fold            int
	page            *deadlineReader
	entries         []entry
	pairs           []movedPair
	moved           []answer // of pairs
}

// An answer is what a reader says of a pair.
type answer int

const (
	unknown answer = iota
	stays
	moves
)

// A movedRecord is a reader's record of a page or site.
type movedRecord struct {
	Deadlines []struct {
		Kind         eventseer.DeadlineKind
		Date         eventseer.Date
		ExtendedFrom eventseer.Date `json:"extended_from"`
	}
}

// answer returns what a record says of a pair.
func (r movedRecord) answer(m movedPair, es []entry) answer {
	oldLive, newLive, otherMove := false, false, false
	for _, d := range r.Deadlines {
		isNew := isDay(d.Date, es[m.new].date.Span)
		if isNew && isDay(d.ExtendedFrom, m.was.Span) {
			return moves
		}
		oldLive, newLive = oldLive || isDay(d.Date, m.was.Span), newLive || isNew
		otherMove = otherMove || isNew && d.ExtendedFrom != "" || isDay(d.ExtendedFrom, m.was.Span) || isDay(d.ExtendedFrom, es[m.new].date.Span)
	}
	switch {
	case oldLive && newLive:
		return stays
	case otherMove:
		return unknown
	case oldLive || newLive && !m.was.struck:
		return stays
	}
	return unknown
}

// isDay reports whether a printed date may be a day of a record.
func isDay(d eventseer.Date, sp date.Span) bool {
	on, ok := d.Time()
	if !ok {
		return false
	}
	for _, x := range []date.Day{sp.From, sp.To} {
		if day := date.DayOf(on); x.Month == day.Month && x.Day == day.Day && (x.Year == 0 || x.Year == day.Year) {
			return true
		}
	}
	return false
}

// readMoves reads the pairs of a page as Extract does, with the models w.
func readMoves(x *Extractor, w *weights, page *webgraph.Page) (*movedPage, error) {
	t, err := tagtree.Parse(page)
	if err != nil {
		return nil, err
	}
	r := x.prepareReading(t, w)
	title, _ := r.names.readTitle()
	days := r.readDays(title)
	es, c := r.deadlines.prepareDeadlines(days.entries, days.event)
	es = r.deadlines.assignKinds(es, c)
	return &movedPage{url: page.URL, page: r.deadlines, entries: es, pairs: r.deadlines.movedPairs(es)}, nil
}

// foldWeights returns the models of each fold in the folder EVENTSEER_FOLDS.
func foldWeights(t *testing.T) []*weights {
	var ws []*weights
	for k := range trainingFolds {
		w, err := readWeights(os.DirFS(filepath.Join(os.Getenv("EVENTSEER_FOLDS"), strconv.Itoa(k))))
		if err != nil {
			t.Fatal(err)
		}
		ws = append(ws, w)
	}
	return ws
}

// movedPages returns the pages of gold and of the work sites with the answers of their records.
func movedPages(t *testing.T, x *Extractor, ws []*weights) []*movedPage {
	var pages []*movedPage
	for tp := range trainingPages(t, goldCorpus, callCorpus, siteCorpus) {
		if len(tp.record) == 0 || string(tp.record) == "null" {
			continue
		}
		var r movedRecord
		decode(t, tp.record, &r)
		m, err := readMoves(x, ws[foldOf(tp.owner)], tp.page)
		if err != nil || len(m.pairs) == 0 {
			continue
		}
		m.owner, m.set = tp.owner, string(tp.corpus)
		m.fold = foldOf(m.owner)
		for _, pair := range m.pairs {
			m.moved = append(m.moved, r.answer(pair, m.entries))
		}
		pages = append(pages, m)
	}
	return pages
}

// unreadMoves returns pages of ../shared/corpora/pages without a record, with the answers of
// datasets/moved.tsv. Pages near one of a validation site are left out.
func unreadMoves(t *testing.T, x *Extractor, w *weights) []*movedPage {
	set, err := datasets.Open(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]datasets.Label{}
	for _, l := range set.Labels() {
		if l.IsCFP || l.PageType == "cfp" || l.PageType == "conference" || l.PageType == "mail_announcement" {
			labels[l.URL] = l
		}
	}
	us, err := split.UnseenPages()
	if err != nil {
		t.Fatal(err)
	}
	unseen := map[string]bool{}
	for _, u := range us {
		unseen[strings.ToLower(u.Owner)] = true
		delete(labels, u.URL)
	}
	table, err := os.ReadFile("../../datasets/moved.tsv")
	if err != nil {
		t.Fatal(err)
	}
	read := map[[3]string]answer{} // by address and both dates
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		read[[3]string{f[0], f[2], f[3]}] = map[string]answer{"stays": stays, "moves": moves}[f[4]]
	}
	left, validation := leftOut(t), validationOwners()
	var pages []*movedPage
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil || p.Status != http.StatusOK {
			continue
		}
		l, ok := labels[p.URL]
		if !ok {
			continue
		}
		delete(labels, p.URL)
		repo, _, _ := strings.Cut(l.Source, ":")
		owner := strings.ToLower(nameOwner(repo))
		if l.PageType == "mail_announcement" {
			owner = p.URL
		}
		if validation[owner] || unseen[owner] {
			continue
		}
		tree, err := tagtree.Parse(p)
		if err != nil || left.near(contentsOf(Blocks(tree))) {
			continue
		}
		m, err := readMoves(x, w, p)
		if err != nil || len(m.pairs) == 0 {
			continue
		}
		m.owner, m.set, m.fold = owner, "read", foldOf(owner)
		for _, pair := range m.pairs {
			m.moved = append(m.moved, read[[3]string{m.url, pairPlace(m, pair.was), pairPlace(m, m.entries[pair.new].date)}])
		}
		pages = append(pages, m)
	}
	return pages
}

var moveOptions = loglinear.Options{Epochs: 12, Rate: 0.1, L1: 0.3, L2: 0.5, MinGroups: 3, Seed: 1}

// trainMoves trains a classifier of pairs without the pages of a fold; with -1 it uses all.
func trainMoves(t *testing.T, pages []*movedPage, without int) *classify.LogLinear {
	var es []loglinear.Example
	m := classify.Meta{Task: "moved-date", Algo: "log-linear", Classes: []string{"stays", "moved"}, Counts: make([]int, 2)}
	for _, p := range pages {
		if p.fold == without {
			continue
		}
		known := 0
		for _, a := range p.moved {
			if a != unknown {
				known++
			}
		}
		for i, pair := range p.pairs {
			if p.moved[i] == unknown {
				continue
			}
			w := 1.0
			if p.set == string(siteCorpus) {
				w = 0.5
			}
			if p.moved[i] == stays && !pair.ruled && known > 20 {
				w *= 20 / float64(known) // a long list of dates has many pairs
			}
			class := int(p.moved[i] - stays)
			m.Counts[class]++
			es = append(es, loglinear.Example{Terms: pair.terms, Class: class, Group: p.owner, Weight: w})
		}
	}
	l, err := loglinear.Train(context.Background(), m, 2, es, nil, moveOptions)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A moveCount counts pairs.
type moveCount struct{ right, wrong, missed int }

func (c moveCount) String() string {
	return fmt.Sprintf("%d right, %d wrong, %d missed, F1 %.3f", c.right, c.wrong, c.missed, 2*float64(c.right)/float64(max(1, 2*c.right+c.wrong+c.missed)))
}

func (c *moveCount) add(said, is bool) {
	switch {
	case said && is:
		c.right++
	case said:
		c.wrong++
	case is:
		c.missed++
	}
}

func oddsOf(m *classify.LogLinear, terms []classify.Term) float64 {
	scores := make([]float64, 2)
	m.Scores(terms, scores)
	return scores[1] - scores[0]
}

// TestMovedDates compares the rules of moved dates with a classifier trained without the page's owner. The
// classifier does not know what the rules say. It does so on the pages of gold, on the calls and other pages of work sites,
// and on pages of ../shared/corpora/pages of which the pairs in datasets/moved.tsv were read by hand. The rules
// are used; see doc/decisions/065. EVENTSEER_FOLDS is as in TestTrainPlace. EVENTSEER_UNREAD is a file for further
// pairs to be read:
//
//	EVENTSEER_FOLDS=DIR go test -tags measure -run TestMovedDates -v ./eventseer/extract
func TestMovedDates(t *testing.T) {
	if os.Getenv("EVENTSEER_FOLDS") == "" {
		t.Skip("EVENTSEER_FOLDS is not set")
	}
	x, unread := newTestExtractor(), os.Getenv("EVENTSEER_UNREAD")
	pages := movedPages(t, x, foldWeights(t))
	others := unreadMoves(t, x, shippedWeights())
	if unread != "" {
		drawMoves(t, pages, others, unread)
	}
	pages = append(pages, others...)
	rules, learned := map[string]*moveCount{}, map[string]*moveCount{}
	for k := range trainingFolds {
		m := trainMoves(t, pages, k)
		for _, p := range pages {
			if p.fold != k {
				continue
			}
			if rules[p.set] == nil {
				rules[p.set], learned[p.set] = &moveCount{}, &moveCount{}
			}
			for i, pair := range p.pairs {
				if p.moved[i] != unknown {
					rules[p.set].add(pair.ruled, p.moved[i] == moves)
					learned[p.set].add(oddsOf(m, pair.terms) > 0, p.moved[i] == moves)
				}
			}
		}
	}
	for _, set := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%s: rules %s", set, rules[set])
		t.Logf("%s: classifier %s", set, learned[set])
	}
	if n := rules["read"]; n == nil || n.right+n.missed < 60 {
		t.Errorf("of the moved dates in datasets/moved.tsv only %v were found again", n)
	}
}

// drawOdds are the log odds by a classifier of known pages from which a pair of an unread page is drawn.
const drawOdds = -3

// drawMoves prints to a file the pairs of unread pages that may be moves by the rules or a classifier. The
// text around them is printed, but neither opinion.
func drawMoves(t *testing.T, known, pages []*movedPage, file string) {
	m := trainMoves(t, known, -1)
	slices.SortFunc(pages, func(a, b *movedPage) int {
		x, y := sha256.Sum256([]byte(a.url)), sha256.Sum256([]byte(b.url))
		return bytes.Compare(x[:], y[:])
	})
	var text, key strings.Builder
	n, agreed := 0, 0
	owners := map[string]int{}
	for _, p := range pages {
		type drawn struct {
			i    int
			odds float64
		}
		var ds []drawn
		for i, pair := range p.pairs {
			if p.moved[i] != unknown {
				continue
			}
			odds := oddsOf(m, pair.terms)
			if !pair.ruled && odds < drawOdds {
				agreed++
				continue
			}
			ds = append(ds, drawn{i, odds})
		}
		slices.SortStableFunc(ds, func(a, b drawn) int { return cmp.Compare(b.odds, a.odds) })
		seen := map[string]bool{}
		for _, d := range ds {
			pair := p.pairs[d.i]
			days := fmt.Sprint(pair.was.To, p.entries[pair.new].date.To)
			if owners[p.owner] >= 4 || seen[days] {
				continue
			}
			seen[days] = true
			owners[p.owner]++
			n++
			fmt.Fprintf(&key, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%v\t%.2f\t%s\n", n, p.set, p.url, p.owner, pairPlace(p, pair.was), pairPlace(p, p.entries[pair.new].date), "?", pair.ruled, d.odds, p.entries[pair.new].kind)
			p.print(&text, n, pair)
		}
	}
	t.Logf("%d unread pages, %d pairs drawn, %d agreed", len(pages), n, agreed)
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".key", []byte(key.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pairPlace names a date of a page: hash of its block, offset in it.
func pairPlace(p *movedPage, d foundDate) string {
	sum := sha256.Sum256([]byte(p.page.blocks[d.block].Text))
	return fmt.Sprintf("%x:%d", sum[:4], d.Start)
}

// print writes a pair with the blocks around it.
func (m *movedPage) print(w *strings.Builder, n int, pair movedPair) {
	p, e := m.page, m.entries[pair.new]
	fmt.Fprintf(w, "#%d %s %d %s\n", n, m.url[max(0, len(m.url)-30):], p.year, p.called.Name.Text)
	i, j := pair.was.block, e.date.block
	show := map[int]bool{p.head[i]: true, p.head[j]: true, i: true, j: true, i - 1: true, j - 1: true}
	for b := range p.blocks {
		if !show[b] {
			continue
		}
		s := p.blocks[b].Text
		type cut struct {
			at   int
			text string
		}
		var cuts []cut
		if b == i {
			cuts = append(cuts, cut{pair.was.Start, "«O "}, cut{pair.was.End, "»"})
		}
		if b == j {
			cuts = append(cuts, cut{e.date.Start, "«N "}, cut{e.date.End, "»"})
		}
		for _, sp := range p.blocks[b].Struck {
			cuts = append(cuts, cut{sp.Start, "~~"}, cut{sp.End, "~~"})
		}
		slices.SortStableFunc(cuts, func(x, y cut) int { return cmp.Compare(x.at, y.at) })
		from, to := 0, min(len(s), 60)
		if b == i || b == j {
			lo, hi := len(s), 0
			if b == i {
				lo, hi = min(lo, pair.was.Start), max(hi, pair.was.End)
			}
			if b == j {
				lo, hi = min(lo, e.date.Start), max(hi, e.date.End)
			}
			from, to = max(0, lo-90), min(len(s), hi+60)
		}
		var line strings.Builder
		at := from
		for _, c := range cuts {
			if c.at < at || c.at > to {
				continue
			}
			line.WriteString(s[at:c.at] + c.text)
			at = c.at
		}
		line.WriteString(s[at:to])
		tag := " "
		if b == p.head[i] || b == p.head[j] {
			tag = "H"
		}
		fmt.Fprintf(w, "%s %d: %s\n", tag, b, strings.ToValidUTF8(line.String(), ""))
	}
}
