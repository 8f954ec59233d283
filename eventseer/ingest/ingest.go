// Package ingest turns pages into stored events. It reads a page, validates the record, and puts the record,
// its clips and its changes into the store.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Options are the options of New.
type Options struct {
	// Extractor reads the pages. Store stores the records. Both are required.
	Extractor eventseer.Extractor
	Store     eventseer.Store
	// Clipper makes the clips. If it is nil, each page has one clip, the passage from the start of the block
	// with the first deadline.
	Clipper eventseer.Clipper
	// Wrapped reads pages of known templates, in addition to Extractor. It may be nil.
	Wrapped WrapperReader
	// Previous returns the stored version of a page before the current one, or nil without an error if there
	// is none. It is used to report changes outside the record. If it is nil, such changes are not reported.
	Previous func(url string) (*webgraph.Page, error)
	// Before is called before the Store is changed. Its error is the error of the page. It may be nil.
	Before func() error
	// Now returns the time for pages without a fetch time. Nil means time.Now.
	Now func() time.Time
}

// A WrapperReader reads pages by what it learned from other pages of their templates. It is safe for concurrent
// use.
type WrapperReader interface {
	// Learn learns from a page or a new version of it. read is the Extractor's record of the page.
	Learn(ctx context.Context, t *tagtree.Tree, read eventseer.Event) error
	// Read returns the record of a page, whose Sources have the rule WrapperRule. It returns false if there
	// is no verified template for the page. It does not learn.
	Read(t *tagtree.Tree, read eventseer.Event) (eventseer.Event, bool)
}

// An Ingester turns calls and other pages of their events into stored events. It is safe for concurrent use
// if its parts are.
type Ingester struct {
	o Options
}

// New returns an ingester.
func New(o Options) *Ingester {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Ingester{o: o}
}

// StorePage extracts the event of a page, validates and stores it, and returns the ids of its clips. It
// stores nothing if the page does not announce an event. A page without a name is stored as by StoreRelated.
// relevance is the classifier's probability that the page is a call. Storing the same page again stores the
// same record under the same ids.
func (in *Ingester) StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	e, ok, learnErr := in.extractAfterLearning(ctx, t)
	if e.Title == "" {
		return nil, errors.Join(in.storeRelated(ctx, t, e, relevance), learnErr)
	}
	if !ok {
		return nil, learnErr
	}
	e.Pages = []string{e.URL}
	e = in.completeRecord(t, e, relevance)
	clips := in.clipsOf(t, e)
	if err := in.storeWithChanges(ctx, t, e, clips); err != nil {
		return nil, errors.Join(err, learnErr)
	}
	ids := make([]string, len(clips))
	for i, c := range clips {
		ids[i] = c.ID
	}
	return ids, learnErr
}

// StoreRelated reads a page that is not a call but may belong to an event, such as its home or committee page.
// The record is added to the event of its site once there is one; see IsRelated. A page with dates needs no
// name. It is idempotent like StorePage.
func (in *Ingester) StoreRelated(ctx context.Context, t *tagtree.Tree, relevance float64) error {
	e, _, learnErr := in.extractAfterLearning(ctx, t) // a page without an event is expected here
	return errors.Join(in.storeRelated(ctx, t, e, relevance), learnErr)
}

// leastSideTopics is the minimum confidence of the topics of a page that is not a call. It is between 0.55 and
// 0.65, which are equally good for the topics of work sites.
const leastSideTopics = 0.6

// storeRelated stores a record for the event whose site contains the page. The record must have a name or
// deadlines. Topics and committee of a page without a name are removed, because they may belong to another
// event, and so are uncertain topics.
func (in *Ingester) storeRelated(ctx context.Context, t *tagtree.Tree, e eventseer.Event, relevance float64) error {
	if e.Title == "" && len(e.Deadlines) == 0 {
		return nil
	}
	if sure := e.Sources["topics"].Confidence; e.Title == "" || sure > 0 && sure < leastSideTopics {
		e.Topics = nil
		delete(e.Sources, "topics")
	}
	if e.Title == "" {
		e.Committee = nil
		delete(e.Sources, "committee")
	}
	e.Pages, e.Related = nil, []string{e.URL}
	return in.storeWithChanges(ctx, t, in.completeRecord(t, e, relevance), nil)
}

// A Lister is a Wrapped that also reads lists of events.
type Lister interface {
	WrapperReader
	// List reads a page that lists events. It calls take with a record of each new or changed event, with the
	// URL of the event's own page. If take fails, List returns its error, and the records not taken are
	// passed again next time.
	List(ctx context.Context, t *tagtree.Tree, take func(eventseer.Event) error) error
}

// TakeList stores the new events on a page that lists events, if Wrapped is a Lister. They are weak evidence,
// because the events' own pages are more reliable. It is idempotent.
func (in *Ingester) TakeList(ctx context.Context, t *tagtree.Tree) error {
	lists, ok := in.o.Wrapped.(Lister)
	if !ok {
		return nil
	}
	err := lists.List(ctx, t, func(e eventseer.Event) error {
		return in.putInStore(ctx, in.completeRecord(t, e, 0), nil, nil)
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", t.Page.URL, err)
	}
	return nil
}

// extractAfterLearning extracts the event of a page after Wrapped has learned from the page. ok is false if the page does
// not announce an event. An error of Wrapped does not prevent storing the page.
func (in *Ingester) extractAfterLearning(ctx context.Context, t *tagtree.Tree) (e eventseer.Event, ok bool, err error) {
	e, ok = in.o.Extractor.Extract(t)
	if in.o.Wrapped != nil {
		if err = in.o.Wrapped.Learn(ctx, t, e); err != nil {
			err = fmt.Errorf("learn the template of %s: %w", t.Page.URL, err)
		}
	}
	e, ok = in.withWrapper(t, e, ok)
	return e, ok, err
}

// withWrapper merges the extractor's record with that of a wrapper, if there is one.
func (in *Ingester) withWrapper(t *tagtree.Tree, e eventseer.Event, ok bool) (eventseer.Event, bool) {
	if in.o.Wrapped == nil {
		return e, ok
	}
	if w, known := in.o.Wrapped.Read(t, e); known {
		return merge.Reconcile(w, e), true
	}
	return e, ok
}

// completeRecord completes the record of a page: times, validation, calls, name, id, series and home page.
func (in *Ingester) completeRecord(t *tagtree.Tree, e eventseer.Event, relevance float64) eventseer.Event {
	seen := in.o.Now().UTC()
	if t.Page != nil && !t.Page.FetchedAt.IsZero() {
		seen = t.Page.FetchedAt.UTC()
	}
	e.CFPScore = relevance
	e.FirstSeen, e.LastSeen = seen, seen
	e = validate.Event(withSubject(t, eventseer.OfCalls(withAnnouncedYear(t, withAnnouncedName(t, e)), headingOf(t, e))))
	e.ID, e.Series = series.MakeID(e), series.Of(e)
	e = withHomepage(t, e)
	if t.Page != nil && !t.Page.Sent.IsZero() {
		for i := range e.Deadlines {
			e.Deadlines[i].Source.Sent = eventseer.Date(t.Page.Sent.UTC().Format(time.DateOnly))
		}
	}
	return e
}

// storeWithChanges stores a record with the kinds of changes since the previous version of its page. An unreadable
// previous version is reported as an error, but the record is stored.
func (in *Ingester) storeWithChanges(ctx context.Context, t *tagtree.Tree, e eventseer.Event, clips []eventseer.Clip) error {
	kinds, err := in.changeKinds(t, e)
	if t.Page != nil {
		e.Version = string(t.Page.Digest())
	}
	e.Text = TextOf(t)
	if err := errors.Join(err, in.putInStore(ctx, e, clips, kinds)); err != nil {
		return fmt.Errorf("ingest %s: %w", e.URL, err)
	}
	return nil
}

// putInStore puts a record into the Store.
func (in *Ingester) putInStore(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds []eventseer.ChangeKind) error {
	if in.o.Before != nil {
		if err := in.o.Before(); err != nil {
			return err
		}
	}
	_, err := in.o.Store.Put(ctx, e, clips, kinds...)
	return err
}

// TextOf returns the main text of a page in the form that is stored, see eventseer.PageText.
func TextOf(t *tagtree.Tree) string {
	return eventseer.RedactLines(t.Analysis().Outline(eventseer.HeadingMark, eventseer.RestMark, eventseer.MaxPageText))
}

// changeKinds returns the kinds of changes since the previous version of the page. e is the current record.
func (in *Ingester) changeKinds(t *tagtree.Tree, e eventseer.Event) ([]eventseer.ChangeKind, error) {
	if in.o.Previous == nil || t.Page == nil {
		return nil, nil
	}
	page, err := in.o.Previous(t.Page.URL)
	if err != nil || page == nil || page.Digest() == t.Page.Digest() {
		return nil, err
	}
	old, err := tagtree.Parse(page)
	if err != nil {
		return nil, fmt.Errorf("version of %s: %w", page.FetchedAt, err)
	}
	before, ok := in.o.Extractor.Extract(old)
	before, _ = in.withWrapper(old, before, ok)
	x := in.o.Extractor
	return change.ChangesBetween(eventseer.ReadingOf(x, old, before), eventseer.ReadingOf(x, t, e), diff.Compare(old, t)).Kinds, nil
}

// clipsOf returns the clip of the call and the clips of keywords, without duplicates.
func (in *Ingester) clipsOf(t *tagtree.Tree, e eventseer.Event) []eventseer.Clip {
	clips := []eventseer.Clip{in.callClip(t, e)}
	if in.o.Clipper != nil {
		clips = append(clips, in.o.Clipper.Clips(t)...)
	}
	kept := clips[:0]
	seen := make(map[string]bool) // the passages of a keyword and of the call may be equal
	for _, c := range clips {
		c.Event, c.URL, c.Seen = e.ID, e.URL, e.LastSeen
		c.ID = text.Hash(c.URL + "\x00" + c.Summary)
		c.Title, c.Summary = eventseer.Redact(c.Title), eventseer.Redact(c.Summary)
		if !seen[c.ID] {
			seen[c.ID] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// callClip returns the published excerpt of a page: its title with a passage. The passage is around the first
// submission deadline, otherwise the invitation, otherwise the first longer block.
func (in *Ingester) callClip(t *tagtree.Tree, e eventseer.Event) eventseer.Clip {
	b, at := quotedPassage(t.Blocks(), e)
	if in.o.Clipper != nil {
		if summary, path := in.o.Clipper.Passage(t, at); summary != "" {
			return eventseer.Clip{Title: e.Title, Summary: summary, Path: path}
		}
	}
	return eventseer.Clip{Title: e.Title, Summary: excerptFrom(t.Text(), b.Start), Path: b.Path}
}

var invitation = regexp.MustCompile(`(?i)\b(invites?|invited|solicits?|seeks?|welcomes?|call for|submissions?)\b`)

// minPassage is the minimum length of a block to be quoted, in bytes.
const minPassage = 60

// quotedPassage returns the block to quote and the offset in the page's text around which to quote, -1 if there is
// no block.
func quotedPassage(blocks []tagtree.Block, e eventseer.Event) (tagtree.Block, int) {
	for _, d := range e.Deadlines {
		if !d.Kind.IsSubmission() || d.Source.Offset[1] == 0 {
			continue
		}
		for _, b := range blocks {
			if at := d.Source.Offset[0]; at >= b.Start && at < b.Start+len(b.Text) {
				return b, at
			}
		}
	}
	for _, b := range blocks {
		if len(b.Text) >= minPassage && invitation.MatchString(b.Text) {
			return b, b.Start + invitation.FindStringIndex(b.Text)[0]
		}
	}
	for _, b := range blocks {
		if len(b.Text) >= minPassage {
			return b, b.Start
		}
	}
	if len(blocks) > 0 {
		return blocks[0], blocks[0].Start
	}
	return tagtree.Block{}, -1
}

// excerptFrom returns about MaxSnippet runes of text from an offset on, in one line, cut between words.
func excerptFrom(text string, from int) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text[min(from, len(text)):min(len(text), from+utf8.UTFMax*eventseer.MaxSnippet)]) {
		word = strings.ToValidUTF8(word, "")
		if n += len([]rune(word)) + 1; n > eventseer.MaxSnippet {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}
