package monitor

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// minYield is the number of links of a page that must lead to records to make it a source. It need
// not be recognised as a list then.
const minYield = 3

// A Recorder stores the result of each visit of a source, and makes relevant pages sources. These
// are calls, lists of calls, and pages with several links to calls. It is a crawler.Observer.
type Recorder struct {
	DB *DB
	// ListType is the page type of lists of calls.
	ListType string
	// Visited is called for each visit of a source when it is on disk. why is the reason for a
	// missing page ("" if unknown, or if there was one); raised reports whether the visit raised an
	// alarm. It may be nil.
	Visited func(s Source, why string, raised bool)
	// Moved is called for each source whose address changed. It may be nil.
	Moved func(from, to string)
	// Parse parses a stored version. Nil means tagtree.Parse.
	Parse func(*webgraph.Page) (*tagtree.Tree, error)
}

var _ crawler.Observer = (*Recorder)(nil)

// An arrivalData is the data of a batch about one page, computed before the transaction.
type arrivalData struct {
	from   string // the former address of the source; "" if unchanged
	ledTo  string // see Source
	url    string // of the source
	kind   Kind   // its kind as a new source; "" for none
	by     By
	visit  Visit
	record *crawler.StepRecord
	page   *webgraph.Page // a version to store; nil if there is none
	// link and parent are a followed link and its source; gave means that it led to a record.
	link, parent string
	gave         bool
}

// ObservePages implements crawler.Observer: it syncs versions to disk, then names them in one
// transaction. A repeated batch changes nothing.
func (r *Recorder) ObservePages(batch []crawler.StepRecord) error {
	var all []arrivalData
	var pages []*webgraph.Page
	for i := range batch {
		a, err := r.readArrival(&batch[i])
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
	kept, err := r.DB.writeVersions(pages)
	if err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	var visited []visitedSource
	err = r.DB.db.Update(func(tx *bolt.Tx) error {
		if err := putVersions(tx, kept); err != nil {
			return err
		}
		for _, a := range all {
			if err := r.writeArrival(tx, a, &visited); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	for _, a := range all {
		if a.from != "" && r.Moved != nil {
			r.Moved(a.from, a.url)
		}
	}
	for _, v := range visited {
		if r.Visited != nil {
			r.Visited(v.Source, v.why, v.raised)
		}
	}
	return nil
}

type visitedSource struct {
	Source
	why    string
	raised bool
}

// readArrival returns the data that the monitor stores about one arrival. The zero value means that it stores
// none.
func (r *Recorder) readArrival(t *crawler.StepRecord) (a arrivalData, err error) {
	o, l := &t.Arrival.Outcome, &t.Arrival.Lease
	if o.Fate == crawler.Deferred || o.Unasked && o.Fate == crawler.Unchanged {
		return a, nil // the page was not requested
	}
	a = arrivalData{record: t}
	if a.gave = t.Verdict.Target; l.Parent != "" && l.How == crawler.Forward && (a.gave || t.Arrival.Tree != nil) {
		if followed, err := r.hasRecordedTarget(l.Parent, a.gave); err != nil {
			return a, err
		} else if followed {
			a.link, a.parent = l.URL, l.Parent
		}
	}
	source, known, err := r.sourceOf(t.Arrival)
	if err != nil {
		return a, err
	}
	a.kind, a.by = r.recognizeKind(t)
	if !known && (a.kind == "" || r.DB.isFull()) {
		return a, nil
	}
	a.url = source.URL
	if known && source.URL == t.Arrival.Lease.URL {
		var forGood bool
		if a.ledTo, forGood = finalAddress(&t.Arrival); a.ledTo != "" && (forGood || a.ledTo == source.LedTo) {
			a.from, a.url = source.URL, a.ledTo
		}
	}
	if a.visit = r.visitOf(t.Arrival); !a.visit.Fate.hasPage() {
		return a, nil
	}
	if last := source.Last(); len(source.Visits) > 0 && !a.visit.At.After(last.At) {
		return a, nil // already observed
	}
	if a.visit.Fate, a.page, err = r.findNewVersion(source, t.Arrival, a.visit.Fate); err == nil && a.from != "" && t.Arrival.Tree != nil {
		a.page = versionOf(a.url, t.Arrival) // the first one of this address
	}
	return a, err
}

// sourceOf returns the source visited by an arrival: that of the requested or the final address.
func (r *Recorder) sourceOf(a crawler.Arrival) (s Source, known bool, err error) {
	for _, url := range []string{a.Lease.URL, a.URL()} {
		if url != a.Lease.URL && a.Tree == nil {
			break // the page was not received
		}
		if s, known, err = r.DB.Source(url); known || err != nil {
			return s, known, err
		}
	}
	return Source{URL: a.URL()}, false, nil
}

// recognizeKind returns the kind of source that a page is, "" for none.
func (r *Recorder) recognizeKind(t *crawler.StepRecord) (Kind, By) {
	tree := t.Arrival.Tree
	switch {
	case tree == nil:
		return "", ""
	case tree.Page.Entries != nil:
		return "", "" // a list is worth visiting if its links are
	case t.Verdict.PageType == r.ListType && r.ListType != "":
		return Index, ByType
	case t.Verdict.Target:
		return Event, ByType
	}
	return "", ""
}

// visitOf returns the result of a visit that follows from the response alone.
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
	case o.Fate == crawler.Fetched && o.Text != 0: // its text equals that of another page of its host
		v.Fate = Unchanged
	case o.Fate == crawler.Fetched && o.Reason == crawler.SoftMissing:
		v.Fate = Gone
	}
	if at, err := http.ParseTime(o.LastModified); err == nil && v.Fate.hasPage() {
		v.Modified = at.UTC()
	}
	return v
}

// findNewVersion determines whether a page is a new version, and the version to store. A page with the
// last version's text is unchanged, but a version with other visible differences is stored too.
func (r *Recorder) findNewVersion(s Source, a crawler.Arrival, fate Fate) (Fate, *webgraph.Page, error) {
	switch {
	case fate == Unchanged, s.Digest != "" && a.Outcome.Digest == s.Digest:
		return Unchanged, nil, nil
	}
	old, err := r.DB.treeBy(s.URL, maxTime, r.Parse)
	if err != nil {
		return Failed, nil, err
	}
	page := versionOf(s.URL, a)
	if old == nil {
		return Changed, page, nil
	}
	switch kept, changed := compareVersions(old, a.Tree); {
	case changed:
		return Changed, page, nil
	case kept && a.Outcome.At.Sub(old.Page.FetchedAt) >= noiseInterval:
		return Unchanged, page, nil
	}
	return Unchanged, nil, nil
}

// noiseInterval is the minimum age of a version before another without news is stored, such as one
// with a different counter. Versions with news are always stored.
const noiseInterval = 24 * time.Hour

// versionOf returns a received page as a version of a source.
func versionOf(url string, a crawler.Arrival) *webgraph.Page {
	page := *a.Tree.Page
	page.URL, page.FetchedAt = url, a.Outcome.At
	return &page
}

// compareVersions compares two versions of a page: kept means that the new one should be stored, changed
// that it has news.
func compareVersions(old, new *tagtree.Tree) (kept, changed bool) {
	c := diff.Compare(old, new)
	changed = len(c.Hunks) > 0 || len(c.Restyled) > 0 || len(c.Added) > 0 || len(c.Removed) > 0
	return changed || c.Noise, changed
}

// treeBy returns the version of a page that was current at a time, nil if there was none or it
// cannot be read. A damaged version must not end all visits.
func (d *DB) treeBy(url string, at time.Time, parse func(*webgraph.Page) (*tagtree.Tree, error)) (*tagtree.Tree, error) {
	v, ok, err := d.versionBy(url, at)
	if err != nil || !ok {
		return nil, err
	}
	page, err := d.readVersion(url, v)
	var tree *tagtree.Tree
	if err == nil {
		if parse == nil {
			parse = tagtree.Parse
		}
		tree, err = parse(page)
	}
	if err != nil {
		d.o.Warn(fmt.Errorf("version of %s at %s: %w", url, v.At.Format(time.RFC3339), err))
		return nil, nil
	}
	return tree, nil
}

// writeArrival writes the results for one page.
func (r *Recorder) writeArrival(tx *bolt.Tx, a arrivalData, visited *[]visitedSource) error {
	if a.parent != "" {
		if err := r.recordLinkResult(tx, a); err != nil {
			return err
		}
	}
	if a.url == "" {
		return nil
	}
	if a.from != "" {
		if err := moveSource(tx, a.from, a.url); err != nil || a.record.Arrival.Tree == nil {
			return err // the next visit uses the new address
		}
		a.ledTo = ""
	}
	s, ok, err := sourceIn(tx, a.url)
	if err != nil {
		return err
	}
	if !ok {
		s = Source{URL: a.url, Kind: a.kind, By: a.by, Added: a.visit.At}
	}
	if !s.addVisit(a.visit) {
		return nil
	}
	s.storeValidators(a.record.Arrival)
	s.LedTo = a.ledTo
	if s.Kind == Index {
		s.Kind = kindOf(a.record.Arrival.Tree)
	}
	v := visitedSource{raised: s.updateAlarm()}
	if v.Source = s; !a.visit.Fate.hasPage() {
		v.why = a.record.Arrival.Outcome.Reason
	}
	*visited = append(*visited, v)
	return putSource(tx, s)
}

// storeValidators stores the validators of a response if its version is stored. Without a version the next
// visit must fetch the page.
func (s *Source) storeValidators(a crawler.Arrival) {
	o := &a.Outcome
	switch {
	case o.Fate == crawler.Fetched && o.Status/100 == 2 && a.Tree != nil:
		s.Digest, s.ETag, s.LastModified = o.Digest, o.ETag, o.LastModified
	case o.Fate == crawler.Unchanged && s.Digest != "":
		s.ETag, s.LastModified = cmp.Or(o.ETag, s.ETag), cmp.Or(o.LastModified, s.LastModified)
	}
}

// kindOf distinguishes machine-readable lists from pages that are lists.
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

// hasRecordedTarget reports whether the target of a followed link is recorded: for all pages if it was a
// record, otherwise for sources only.
func (r *Recorder) hasRecordedTarget(parent string, gave bool) (bool, error) {
	if gave {
		return true, nil
	}
	_, known, err := r.DB.Source(parent)
	return known, err
}

// recordLinkResult records the result of a link, and makes its page a source when enough have led to
// records.
func (r *Recorder) recordLinkResult(tx *bolt.Tx, a arrivalData) error {
	y, fresh, err := followedLink(tx, a.parent, a.link, a.gave)
	if err == nil && fresh {
		err = countFollowed(tx, a.record.Arrival.Lease.Anchor, a.gave)
	}
	if err != nil || y.Records < minYield {
		return err
	}
	if _, ok, err := sourceIn(tx, a.parent); ok || err != nil || isFull(tx) {
		return err
	}
	at := a.record.Arrival.Outcome.At.UTC()
	return putSource(tx, Source{URL: a.parent, Kind: Index, By: ByYield, Added: at})
}
