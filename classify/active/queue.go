// Package active selects the pages to label next: those about which the models are least certain (active
// learning by uncertainty sampling).
package active

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

const (
	// MaxQueue is the largest number of pages in a queue; the most uncertain ones are kept.
	MaxQueue = 1000
	// maxInRow is the largest number of consecutive pages of one group while pages of other groups are
	// left.
	maxInRow = 3
	// maxQueueText is the length to which the stored text of a page is cut, in bytes.
	maxQueueText = 64 << 10
)

// A candidate is a page without a label, with its judgements by the models.
type candidate struct {
	id, url, title, lang, text, group string
	doc                               *features.Document
	judge                             *classify.Judge // that judged it last
	alone                             classify.Judgement
	classify.Judgement                                  // in the context of the other pages of its host
	types                             []tools.TypeScore // likeliest first
	uncertainty                       [2]float64        // uncertainty for the queue's task, and for the other one to order equals; 1 is the highest
	isDone                            bool              // labelled or skipped
}

// judgeAlone judges c by the models of j, without the other pages of its host.
func (c *candidate) judgeAlone(j *classify.Judge) { c.judge, c.alone = j, j.JudgeDocument(c.doc) }

// setJudgement stores said as the judgement of c and computes from it the uncertainty for task and for the other
// task.
func (c *candidate) setJudgement(said classify.Judgement, task string) {
	c.Judgement = said
	c.types = nil // a new slice, because a page that is being shown may hold the old one
	for _, name := range c.judge.PageType().Classes {
		c.types = append(c.types, tools.TypeScore{PageType: name, Score: c.PageTypeScores[name]})
	}
	slices.SortStableFunc(c.types, func(a, b tools.TypeScore) int { return cmp.Compare(b.Score, a.Score) })
	threshold := c.judge.CFP().Threshold
	call := 1 - math.Abs(c.CFPScore-threshold)/max(threshold, 1-threshold)
	pageType := 1 - (c.types[0].Score - c.types[1].Score)
	c.uncertainty = [2]float64{call, pageType}
	if task == classify.TaskPageType {
		c.uncertainty = [2]float64{pageType, call}
	}
}

// byUncertainty orders the most uncertain candidate first; equal ones are ordered by URL.
func byUncertainty(a, b *candidate) int {
	return cmp.Or(
		cmp.Compare(b.uncertainty[0], a.uncertainty[0]), cmp.Compare(b.uncertainty[1], a.uncertainty[1]), cmp.Compare(a.url, b.url),
	)
}

// A Judge returns the judge to use for a page: one for all pages, or one per fold.
type Judge interface {
	For(pageURL string) *classify.Judge
}

// A Queue holds the pages to label, the most uncertain first. It is safe for concurrent use. The pages
// are selected by their judgements alone; they are ordered and shown by their judgements in the context
// of all pages of their hosts.
type Queue struct {
	judge  Judge
	hosts  *classify.HostContext
	task   string
	source string

	mu        sync.Mutex // guards below
	file      *File      // nil: labels cannot be given
	order     []*candidate
	byID      map[string]*candidate
	lastJudge *classify.Judge // the judge when pages were last judged, to detect that the models were replaced
	steps     []undoStep
	labelled  int
}

var _ tools.Labeler = (*Queue)(nil)

// An undoStep is a label or a skip that can be undone.
type undoStep struct {
	page *candidate
	line string // line in the labels file; "" for a skip
	what string
}

// NewQueue makes a queue of pages, except those whose URLs are in known. For a page that cannot be read,
// or whose URL cannot be stored in a labels file, it calls bad.
func NewQueue(judge Judge, task string, known map[string]bool, pages iter.Seq2[*webgraph.Page, error], bad func(url string, err error)) *Queue {
	q := &Queue{judge: judge, hosts: classify.NewHostContext(judge.For("").PageType().Meta), task: task, byID: map[string]*candidate{}, lastJudge: judge.For("")}
	seen := map[string]bool{}
	for page, err := range pages {
		if err == nil && (known[page.URL] || seen[page.URL]) {
			continue
		}
		c, err := newCandidate(page, err)
		if err != nil {
			bad(page.URL, err)
			continue
		}
		seen[c.url] = true
		c.judgeAlone(judge.For(c.url))
		c.setJudgement(c.alone, task)
		q.hosts.Add(c.url, c.alone)
		if q.order = append(q.order, c); len(q.order) == 2*MaxQueue {
			q.dropCertain()
		}
	}
	q.dropCertain()
	for _, c := range q.order {
		q.byID[c.id] = c
	}
	q.sortByUncertainty()
	return q
}

// sortByUncertainty judges the pages of the queue in the context of their hosts and sorts them by uncertainty.
func (q *Queue) sortByUncertainty() {
	for _, c := range q.order {
		c.setJudgement(q.hosts.Judge(c.url, c.alone), q.task)
	}
	slices.SortFunc(q.order, byUncertainty)
	q.order = limitGroupRuns(q.order)
}

// RecordIn makes the queue append labels to f, with the given source.
func (q *Queue) RecordIn(f *File, source string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.file, q.source = f, source
}

// Size returns the number of pages in the queue.
func (q *Queue) Size() int { return len(q.order) }

// An Entry is a page of the queue as it is shown to users.
type Entry struct {
	URL           string  `json:"url"`
	Title         string  `json:"title"`
	Uncertainty   float64 `json:"uncertainty"` // 1 is a toss-up
	CFPScore      float64 `json:"cfp_score"`
	Threshold     float64 `json:"threshold"`
	PageType      string  `json:"page_type"`
	PageTypeScore float64 `json:"page_type_score"`
	Group         string  `json:"group"`
	Lang          string  `json:"lang"`
}

// First returns the first n pages of the queue, or all if there are fewer.
func (q *Queue) First(n int) []Entry {
	var list []Entry
	for _, c := range q.order[:min(n, len(q.order))] {
		list = append(list, Entry{
			URL: c.url, Title: c.title, Uncertainty: c.uncertainty[0], CFPScore: c.CFPScore, Threshold: c.judge.CFP().Threshold,
			PageType: c.types[0].PageType, PageTypeScore: c.types[0].Score, Group: c.group, Lang: c.lang,
		})
	}
	return list
}

// dropCertain drops all but the MaxQueue most uncertain pages.
func (q *Queue) dropCertain() {
	slices.SortFunc(q.order, byUncertainty)
	if len(q.order) > MaxQueue {
		clear(q.order[MaxQueue:])
		q.order = q.order[:MaxQueue]
	}
}

func newCandidate(page *webgraph.Page, err error) (*candidate, error) {
	if err != nil {
		return nil, err
	}
	if !IsField(page.URL) {
		return nil, fmt.Errorf("a labels file cannot hold a URL with a tab or a line break, or one that is not UTF-8")
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return nil, err
	}
	doc := features.Read(tree)
	sum := sha256.Sum256([]byte(page.URL))
	c := &candidate{
		id: hex.EncodeToString(sum[:8]), url: page.URL, title: tree.Title(), lang: doc.Lang(),
		text: tree.Text(), group: webgraph.HostKey(page.URL), doc: doc,
	}
	if len(c.text) > maxQueueText {
		c.text = strings.ToValidUTF8(c.text[:maxQueueText], "")
	}
	return c, nil
}

// limitGroupRuns reorders candidates so that at most maxInRow of one group follow each other while another group
// has candidates left. The next one is always the most uncertain candidate that this rule allows.
func limitGroupRuns(sorted []*candidate) []*candidate {
	order := make([]*candidate, 0, len(sorted))
	waiting := slices.Clone(sorted)
	last, row := "", 0 // the group at the end of order and how many of its candidates are consecutive there
	for len(waiting) > 0 {
		next := 0
		if row >= maxInRow {
			next = max(0, slices.IndexFunc(waiting, func(c *candidate) bool { return c.group != last }))
		}
		c := waiting[next]
		if c.group != last {
			last, row = c.group, 0
		}
		row++
		order = append(order, c)
		waiting = slices.Delete(waiting, next, next+1)
	}
	return order
}

// rejudgeIfReplaced judges the pages again if the models were replaced.
func (q *Queue) rejudgeIfReplaced() {
	now := q.judge.For("")
	if now == q.lastJudge {
		return
	}
	q.lastJudge = now
	for _, c := range q.order {
		c.judgeAlone(q.judge.For(c.url))
		q.hosts.Add(c.url, c.alone)
	}
	q.sortByUncertainty()
}

// Page implements tools.Labeler.
func (q *Queue) Page(_ context.Context, id string) (*tools.LabelPage, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rejudgeIfReplaced()
	if id != "" {
		c, err := q.find(id)
		if err != nil {
			return nil, err
		}
		return c.labelPage(), nil
	}
	for _, c := range q.order {
		if !c.isDone {
			return c.labelPage(), nil
		}
	}
	return nil, nil
}

// find returns the candidate with the given id. If it is unknown, labelled or skipped, find returns
// eventseer.ErrNotFound.
func (q *Queue) find(id string) (*candidate, error) {
	if c := q.byID[id]; c != nil && !c.isDone {
		return c, nil
	}
	return nil, eventseer.ErrNotFound
}

func (c *candidate) labelPage() *tools.LabelPage {
	p := &tools.LabelPage{
		ID: c.id, URL: c.url, Title: c.title, Lang: c.lang, Text: c.text,
		Score: c.CFPScore, Threshold: c.judge.CFP().Threshold, Types: c.types,
		Call: explainDecision(c.judge.CFP(), c.doc, 1),
	}
	best := slices.Index(c.judge.PageType().Classes, c.types[0].PageType)
	p.Type = explainDecision(c.judge.PageType(), c.doc, best)
	return p
}

// maxReasons is the largest number of terms shown as reasons for a decision.
const maxReasons = 10

func explainDecision(m *classify.Model, d *features.Document, class int) []tools.LabelReason {
	var out []tools.LabelReason
	for _, r := range m.Explain(d, class, maxReasons) {
		out = append(out, tools.LabelReason{Text: features.TermText(r.Term), Weight: r.Weight})
	}
	return out
}

// Label implements tools.Labeler.
func (q *Queue) Label(_ context.Context, id string, l tools.PageLabel) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.byID[id]
	if c == nil {
		return eventseer.ErrNotFound
	}
	if c.isDone { // the same form was sent twice
		return nil
	}
	line, err := q.file.appendLabel(map[string]string{
		"url": c.url, "page_type": l.PageType, "is_cfp": strconv.FormatBool(l.IsCFP),
		"group": c.group, "lang": c.lang, "how": "read", "source": q.source,
	})
	if err != nil {
		return err
	}
	call := "no call"
	if l.IsCFP {
		call = "call"
	}
	c.isDone = true
	q.labelled++
	q.steps = append(q.steps, undoStep{c, line, call + ", " + l.PageType})
	return nil
}

// Skip implements tools.Labeler.
func (q *Queue) Skip(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.byID[id]
	if c == nil {
		return eventseer.ErrNotFound
	}
	if !c.isDone {
		c.isDone = true
		q.steps = append(q.steps, undoStep{c, "", "skipped"})
	}
	return nil
}

// Undo implements tools.Labeler.
func (q *Queue) Undo(context.Context) (string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.steps) == 0 {
		return "", nil
	}
	last := q.steps[len(q.steps)-1]
	if last.line != "" {
		if err := q.file.removeLastLine(last.line); err != nil {
			return "", err
		}
		q.labelled--
	}
	last.page.isDone = false
	q.steps = q.steps[:len(q.steps)-1]
	return last.page.id, nil
}

// Progress implements tools.Labeler.
func (q *Queue) Progress() tools.LabelProgress {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := tools.LabelProgress{Labelled: q.labelled, Skipped: len(q.steps) - q.labelled, Left: len(q.order) - len(q.steps)}
	if n := len(q.steps); n > 0 {
		p.Last = q.steps[n-1].what + ": " + q.steps[n-1].page.url
	}
	return p
}
