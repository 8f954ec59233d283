package monitor

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// minYield is how many links of a page must have led to records for it to be watched
// though nobody recognised it as a list.
const minYield = 3

// A Recorder writes down what came of each page that is a source, and makes sources of
// the pages that are worth it: calls, lists of calls, and pages of which several links
// led to calls. It is a crawler.Observer.
type Recorder struct {
	DB *DB
	// ListType is the page type of lists of calls.
	ListType string
	// Visited is told of each visit of a source when it is on disk, and whether that
	// raised an alarm. It may be nil.
	Visited func(s Source, raised bool)
	// Parse reads a version that is kept. Nil means tagtree.Parse.
	Parse func(*webgraph.Page) (*tagtree.Tree, error)
}

var _ crawler.Observer = (*Recorder)(nil)

// An arrived page is what a batch says of one page, worked out before the transaction.
type arrived struct {
	url   string // of the source
	kind  Kind   // to become, if it is none yet; "" for none
	by    By
	visit Visit
	told  *crawler.Told
	page  *webgraph.Page // a version to be kept; nil where there is none
	// link and parent are of a record: the link that led to it and the page it is on.
	link, parent string
}

// Arrived implements crawler.Observer: versions first, through to the disk, then one
// transaction that names them. Told the same again it changes nothing.
func (r *Recorder) Arrived(batch []crawler.Told) error {
	var all []arrived
	var pages []*webgraph.Page
	for i := range batch {
		a, err := r.look(&batch[i])
		if err != nil {
			return fmt.Errorf("monitor: %w", err)
		}
		if a.url == "" && a.parent == "" {
			continue
		}
		if a.page != nil {
			pages = append(pages, a.page)
		}
		all = append(all, a)
	}
	if len(all) == 0 {
		return nil
	}
	kept, err := r.DB.archive(pages)
	if err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	var visited []visitedSource
	err = r.DB.db.Update(func(tx *bbolt.Tx) error {
		if err := putVersions(tx, kept); err != nil {
			return err
		}
		for _, a := range all {
			if err := r.record(tx, a, &visited); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	for _, v := range visited {
		if r.Visited != nil {
			r.Visited(v.Source, v.raised)
		}
	}
	return nil
}

type visitedSource struct {
	Source
	raised bool
}

// look works out what one arrival is for the monitor. The zero value is nothing.
func (r *Recorder) look(t *crawler.Told) (a arrived, err error) {
	o, l := &t.Arrival.Outcome, &t.Arrival.Lease
	if o.Fate == crawler.Deferred || o.Unasked && o.Fate == crawler.Unchanged {
		return a, nil // nobody asked for the page
	}
	a = arrived{told: t}
	if t.Verdict.Target && l.Parent != "" && l.How == crawler.Forward {
		a.link, a.parent = l.URL, l.Parent
	}
	source, known, err := r.sourceOf(t.Arrival)
	if err != nil {
		return a, err
	}
	a.kind, a.by = r.recognise(t)
	if !known && a.kind == "" {
		return a, nil
	}
	a.url = source.URL
	if a.visit = r.visitOf(t.Arrival); !a.visit.Fate.answered() {
		return a, nil
	}
	if last := source.Last(); len(source.Visits) > 0 && !a.visit.At.After(last.At) {
		return a, nil // told before
	}
	a.visit.Fate, a.page, err = r.compare(source, t.Arrival, a.visit.Fate)
	return a, err
}

// sourceOf returns the source that an arrival is a visit of: that of the address that
// was asked for, or of the one that answered.
func (r *Recorder) sourceOf(a crawler.Arrival) (s Source, known bool, err error) {
	for _, url := range []string{a.Lease.URL, a.URL()} {
		if s, known, err = r.DB.Source(url); known || err != nil {
			return s, known, err
		}
	}
	return Source{URL: a.URL()}, false, nil
}

// recognise says what kind of source a page is, "" for none.
func (r *Recorder) recognise(t *crawler.Told) (Kind, By) {
	tree := t.Arrival.Tree
	switch {
	case tree == nil:
		return "", ""
	case tree.Page.Entries != nil:
		return "", "" // a list is worth a visit if its links are
	case t.Verdict.PageType == r.ListType && r.ListType != "":
		return Index, ByType
	case t.Verdict.Target:
		return Event, ByType
	}
	return "", ""
}

// visitOf says what came of a visit as far as the answer alone tells.
func (r *Recorder) visitOf(a crawler.Arrival) Visit {
	o := &a.Outcome
	v := Visit{At: o.At.UTC().Truncate(time.Millisecond), Fate: Failed}
	switch {
	case o.Fate == crawler.Unchanged:
		v.Fate = Unchanged
	case o.Fate == crawler.Fetched && (o.Status == http.StatusNotFound || o.Status == http.StatusGone):
		v.Fate = Gone
	case o.Fate == crawler.Fetched && o.Status/100 == 2 && a.Tree != nil:
		v.Fate = Changed
	case o.Fate == crawler.Fetched && o.Text != 0: // it says what another page of its host says
		v.Fate = Unchanged
	case o.Fate == crawler.Fetched && o.Reason == crawler.SoftMissing:
		v.Fate = Gone
	}
	if at, err := http.ParseTime(o.LastModified); err == nil && v.Fate.answered() {
		v.Modified = at.UTC()
	}
	return v
}

// compare finds out whether a page is a new version and what of it is to be kept. A
// page that says what the last version says, for a reader, is unchanged; it is kept all
// the same where anything else that can be seen differs.
func (r *Recorder) compare(s Source, a crawler.Arrival, fate Fate) (Fate, *webgraph.Page, error) {
	switch {
	case fate == Unchanged, s.Digest != "" && a.Outcome.Digest == s.Digest:
		return Unchanged, nil, nil
	}
	old, err := r.lastTree(s.URL)
	if err != nil {
		return Failed, nil, err
	}
	page := *a.Tree.Page
	page.URL, page.FetchedAt = s.URL, a.Outcome.At
	if old == nil {
		return Changed, &page, nil
	}
	switch kept, changed := differ(old, a.Tree); {
	case changed:
		return Changed, &page, nil
	case kept:
		return Unchanged, &page, nil
	}
	return Unchanged, nil, nil
}

// differ compares two versions of a page: whether the new one is worth keeping and
// whether it says anything new.
func differ(old, new *tagtree.Tree) (kept, changed bool) {
	c := tagtree.Compare(old, new)
	changed = len(c.Hunks) > 0 || len(c.Restyled) > 0 || len(c.Added) > 0 || len(c.Removed) > 0
	return changed || c.Noise, changed
}

// lastTree returns the last version of a page, nil if there is none.
func (r *Recorder) lastTree(url string) (*tagtree.Tree, error) {
	return lastTree(r.DB, url, r.Parse)
}

func lastTree(d *DB, url string, parse func(*webgraph.Page) (*tagtree.Tree, error)) (*tagtree.Tree, error) {
	page, err := d.Last(url)
	if errors.Is(err, ErrNoVersion) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if parse == nil {
		parse = tagtree.Parse
	}
	return parse(page)
}

// record writes what came of one page.
func (r *Recorder) record(tx *bbolt.Tx, a arrived, visited *[]visitedSource) error {
	if a.parent != "" {
		if err := r.yielded(tx, a); err != nil {
			return err
		}
	}
	if a.url == "" {
		return nil
	}
	s, ok, err := sourceIn(tx, a.url)
	if err != nil {
		return err
	}
	if !ok {
		s = Source{URL: a.url, Kind: a.kind, By: a.by, Added: a.visit.At}
	}
	if !s.visit(a.visit) {
		return nil
	}
	s.know(a.told.Arrival)
	if s.Kind == Index {
		s.Kind = kindOf(a.told.Arrival.Tree)
	}
	raised := s.settle()
	*visited = append(*visited, visitedSource{s, raised})
	return putSource(tx, s)
}

// know takes over the validators of an answer as far as there is a version that they are
// of: without one the next visit must bring the page.
func (s *Source) know(a crawler.Arrival) {
	o := &a.Outcome
	switch {
	case o.Fate == crawler.Fetched && o.Status/100 == 2 && a.Tree != nil:
		s.Digest, s.ETag, s.LastModified = o.Digest, o.ETag, o.LastModified
	case o.Fate == crawler.Unchanged && s.Digest != "":
		s.ETag, s.LastModified = o.ETag, o.LastModified
	}
}

// kindOf tells lists for machines from pages that are lists.
func kindOf(t *tagtree.Tree) Kind {
	if t == nil || len(t.Page.Entries) == 0 {
		return Index
	}
	for _, e := range t.Page.Entries {
		if e.Title != "" || e.Summary != "" {
			return Feed
		}
	}
	return Sitemap
}

// yielded notes that a link led to a record, and makes its page a source when enough
// have.
func (r *Recorder) yielded(tx *bbolt.Tx, a arrived) error {
	y, err := gave(tx, a.parent, a.link)
	if err != nil || y.Records < minYield {
		return err
	}
	if _, ok, err := sourceIn(tx, a.parent); ok || err != nil {
		return err
	}
	at := a.told.Arrival.Outcome.At.UTC()
	return putSource(tx, Source{URL: a.parent, Kind: Index, By: ByYield, Added: at})
}
