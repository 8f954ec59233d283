// Package ingest turns pages into stored events. It reads a page, validates what it says, and puts
// the record, its clips and its changes into the store.
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

// Options configures an Ingester.
type Options struct {
	// Extractor reads the pages and Store keeps what they say; both are needed.
	Extractor eventseer.Extractor
	Store     eventseer.Store
	// Clipper cuts the clips. Nil means one of the passage from the start of the
	// block that names the first deadline.
	Clipper eventseer.Clipper
	// Wrapped reads pages whose templates are known, beside the Extractor. Nil: there
	// are none.
	Wrapped Wrapped
	// Previous returns the stored version of a page before the current one, nil without an error if
	// there is none. What a new version changes besides the record is then reported. Nil: no
	// versions are kept.
	Previous func(url string) (*webgraph.Page, error)
	// Before is called before the Store is changed; its error is the error of the page. Nil: nothing
	// is.
	Before func() error
	// Now is the clock for pages without a time of fetching. Nil means time.Now.
	Now func() time.Time
}

// A Wrapped reads pages by what was learned of others of their template. It is safe
// for concurrent use.
type Wrapped interface {
	// Learn trains on a page, or a new version of it; read is the Extractor's record of it.
	Learn(ctx context.Context, t *tagtree.Tree, read eventseer.Event) error
	// Read returns the record of a page, whose Sources name the rule WrapperRule. It returns false
	// if no trusted template is for the page. It learns nothing.
	Read(t *tagtree.Tree, read eventseer.Event) (eventseer.Event, bool)
}

// An Ingester turns pages judged to be calls, and other pages of their events, into
// stored events. It is safe for concurrent use if its parts are.
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

// StorePage reads one page, checks and stores what it says, and returns the ids of
// the clips made; none when the page calls for nothing. A page without a name is stored as
// TakeRelated does. relevance is the
// classifier's probability that the page is a call. Taking the same page again
// stores the same record under the same ids.
func (in *Ingester) StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	e, ok, learnErr := in.learn(ctx, t)
	if e.Title == "" {
		return nil, errors.Join(in.putRelated(ctx, t, e, relevance), learnErr)
	}
	if !ok {
		return nil, learnErr
	}
	e.Pages = []string{e.URL}
	e = in.record(t, e, relevance)
	clips := in.clips(t, e)
	if err := in.put(ctx, t, e, clips); err != nil {
		return nil, errors.Join(err, learnErr)
	}
	ids := make([]string, len(clips))
	for i, c := range clips {
		ids[i] = c.ID
	}
	return ids, learnErr
}

// TakeRelated reads a page that is not a call but may belong to an event, such as its home or its
// committee. It adds the record to that event once there is one; see IsRelated. A page with days
// needs no name: its site says whose it is. It is as idempotent as Take.
func (in *Ingester) TakeRelated(ctx context.Context, t *tagtree.Tree, relevance float64) error {
	e, _, learnErr := in.learn(ctx, t) // that the page calls for nothing is known
	return errors.Join(in.putRelated(ctx, t, e, relevance), learnErr)
}

// putRelated stores a record for the event on whose site its page is, if it has a name or days.
// The lists of a page without a name may be those of guests or of another event: they are left out.
func (in *Ingester) putRelated(ctx context.Context, t *tagtree.Tree, e eventseer.Event, relevance float64) error {
	if e.Title == "" && len(e.Deadlines) == 0 {
		return nil
	}
	if e.Title == "" {
		e.Topics, e.Committee = nil, nil
		delete(e.Sources, "topics")
		delete(e.Sources, "committee")
	}
	e.Pages, e.Related = nil, []string{e.URL}
	return in.put(ctx, t, in.record(t, e, relevance), nil)
}

// A Lister is a Wrapped that reads lists of events too.
type Lister interface {
	Wrapped
	// List reads a page that lists events. It calls take with a record of each new or changed one,
	// under the address of its own page. If take fails, List ends with its error and what was not
	// taken comes again.
	List(ctx context.Context, t *tagtree.Tree, take func(eventseer.Event) error) error
}

// TakeList reads a page that lists events, if Wrapped is a Lister, and stores what is new on it.
// This is weak evidence, because the pages listed know better. It is idempotent.
func (in *Ingester) TakeList(ctx context.Context, t *tagtree.Tree) error {
	lists, ok := in.o.Wrapped.(Lister)
	if !ok {
		return nil
	}
	err := lists.List(ctx, t, func(e eventseer.Event) error {
		return in.store(ctx, in.record(t, e, 0), nil, nil)
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", t.Page.URL, err)
	}
	return nil
}

// learn returns what a page says, and whether that is an event, after what can be learned of it for
// others of its template. A page from which nothing can be learned, as the error says, is still
// stored.
func (in *Ingester) learn(ctx context.Context, t *tagtree.Tree) (e eventseer.Event, ok bool, err error) {
	e, ok = in.o.Extractor.Extract(t)
	if in.o.Wrapped != nil {
		if err = in.o.Wrapped.Learn(ctx, t, e); err != nil {
			err = fmt.Errorf("learn the template of %s: %w", t.Page.URL, err)
		}
	}
	e, ok = in.reconciled(t, e, ok)
	return e, ok, err
}

// reconciled joins what the extractor reads on a page with what a wrapper does.
func (in *Ingester) reconciled(t *tagtree.Tree, e eventseer.Event, ok bool) (eventseer.Event, bool) {
	if in.o.Wrapped == nil {
		return e, ok
	}
	if w, known := in.o.Wrapped.Read(t, e); known {
		return merge.Reconcile(w, e), true
	}
	return e, ok
}

// record completes what is read on a page.
func (in *Ingester) record(t *tagtree.Tree, e eventseer.Event, relevance float64) eventseer.Event {
	seen := in.o.Now().UTC()
	if t.Page != nil && !t.Page.FetchedAt.IsZero() {
		seen = t.Page.FetchedAt.UTC()
	}
	e.CFPScore = relevance
	e.FirstSeen, e.LastSeen = seen, seen
	e = validate.Event(withSubject(t, eventseer.OfCalls(withAnnouncedName(t, e), headingOf(t, e))))
	e.ID, e.Series = series.MakeID(e), series.Of(e)
	e = withHomepage(t, e)
	return e
}

// put stores a record with what the version of its page changes. A version kept
// before that cannot be read loses nothing of the record.
func (in *Ingester) put(ctx context.Context, t *tagtree.Tree, e eventseer.Event, clips []eventseer.Clip) error {
	kinds, err := in.changes(t, e)
	if t.Page != nil {
		e.Version = string(t.Page.Digest())
	}
	e.Text = textOf(t)
	if err := errors.Join(err, in.store(ctx, e, clips, kinds)); err != nil {
		return fmt.Errorf("ingest %s: %w", e.URL, err)
	}
	return nil
}

// store puts a record into the Store.
func (in *Ingester) store(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds []eventseer.ChangeKind) error {
	if in.o.Before != nil {
		if err := in.o.Before(); err != nil {
			return err
		}
	}
	_, err := in.o.Store.Put(ctx, e, clips, kinds...)
	return err
}

// textOf returns the main text of a page as stores keep it.
func textOf(t *tagtree.Tree) string {
	return eventseer.RedactLines(t.Analysis().Outline(eventseer.HeadingMark, eventseer.RestMark, eventseer.MaxPageText))
}

// changes returns the kinds of what is new since the version of the page before; e is
// what it says now.
func (in *Ingester) changes(t *tagtree.Tree, e eventseer.Event) ([]eventseer.ChangeKind, error) {
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
	before, _ = in.reconciled(old, before, ok)
	x := in.o.Extractor
	return change.Between(eventseer.ReadingOf(x, old, before), eventseer.ReadingOf(x, t, e), diff.Compare(old, t)).Kinds, nil
}

// clips returns the clip of the call and those of keywords.
func (in *Ingester) clips(t *tagtree.Tree, e eventseer.Event) []eventseer.Clip {
	clips := []eventseer.Clip{in.callClip(t, e)}
	if in.o.Clipper != nil {
		clips = append(clips, in.o.Clipper.Clips(t)...)
	}
	kept := clips[:0]
	seen := make(map[string]bool) // a keyword's passage may be the call's
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

// callClip cuts the published excerpt of a page. It is its title with the passage around the first
// submission deadline, else with the invitation, else with the first longer block.
func (in *Ingester) callClip(t *tagtree.Tree, e eventseer.Event) eventseer.Clip {
	b, at := passage(t.Blocks(), e)
	if in.o.Clipper != nil {
		if summary, path := in.o.Clipper.Passage(t, at); summary != "" {
			return eventseer.Clip{Title: e.Title, Summary: summary, Path: path}
		}
	}
	return eventseer.Clip{Title: e.Title, Summary: excerpt(t.Text(), b.Start), Path: b.Path}
}

var invitation = regexp.MustCompile(`(?i)\b(invites?|invited|solicits?|seeks?|welcomes?|call for|submissions?)\b`)

// minPassage is the length in bytes from which a block is worth quoting.
const minPassage = 60

// passage returns the block to quote, and the byte of the text that it is
// quoted for.
func passage(blocks []tagtree.Block, e eventseer.Event) (tagtree.Block, int) {
	for _, d := range e.Deadlines {
		if !d.Kind.Submits() || d.Source.Offset[1] == 0 {
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

// excerpt returns MaxSnippet runes of text from an offset on, in one line, cut
// at a word.
func excerpt(text string, from int) string {
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
