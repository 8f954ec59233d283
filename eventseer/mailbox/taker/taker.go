// Package taker judges messages, reads those about an event, and merges them into a store.
package taker

import (
	"context"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Results for a message and for its event.
const (
	Call   = "call"
	None   = "none"
	Broken = "error"

	ChangeNew    = "new"
	ChangeMerged = "merged"
	ChangeKnown  = "known"
)

// Result is the result for a message: one line of `mail import --format jsonl`.
type Result struct {
	URL      string            `json:"url"`
	Result   string            `json:"result"`
	Event    eventseer.EventID `json:"event,omitempty"`
	Change   string            `json:"change,omitempty"`
	Fields   []string          `json:"fields,omitempty"`
	Title    string            `json:"title,omitempty"`
	CFPScore float64           `json:"cfp_score"`
	Error    string            `json:"error,omitempty"`

	Err error `json:"-"` // error of a broken message
}

// BrokenMail reports that a message cannot be read.
func BrokenMail(url string, err error) Result {
	return Result{URL: url, Result: Broken, Error: err.Error(), Err: err}
}

// A Processor judges messages, reads those about an event and merges them into the store. It is not
// safe for concurrent use.
type Processor struct {
	Options
	ingester *ingest.Ingester
	store    *recordingStore
	seen     uint64 // number of the last change of the store that was reported
}

// A Store also returns the number of its newest change.
type Store interface {
	eventseer.Store
	// LastChange returns the number of the newest change, 0 if there is none.
	LastChange(ctx context.Context) (uint64, error)
}

// Options are the settings of a Taker; all are required.
type Options struct {
	Store     Store
	Judge     func(pageURL string) *classify.Judge
	Extractor Extractor
	// IsEvent reports whether a page has a record; e is its extracted record, plain means that it
	// has no markup.
	IsEvent func(said classify.Judgement, e eventseer.Event, plain bool) bool
	Now     func() time.Time
}

// An Extractor can extract a page before the ingester does, and caches the result.
type Extractor interface {
	eventseer.Extractor
	ReadAhead(t *tagtree.Tree) (eventseer.Event, bool)
}

// New returns a Taker that reports changes from now on.
func New(ctx context.Context, o Options) (*Processor, error) {
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		return nil, err
	}
	t := &Processor{Options: o, store: &recordingStore{Store: o.Store}}
	t.ingester = ingest.New(ingest.Options{Extractor: t.Extractor, Store: t.store, Clipper: clipper, Now: o.Now})
	t.seen, err = o.Store.LastChange(ctx)
	return t, err
}

// A recordingStore is a store that remembers the event of the last record put.
type recordingStore struct {
	Store
	put eventseer.EventID
}

// Put implements eventseer.Store.
func (s *recordingStore) Put(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds ...eventseer.ChangeKind) (eventseer.EventID, error) {
	id, err := s.Store.Put(ctx, e, clips, kinds...)
	s.put = id
	return id, err
}

// ReadMessage reads one message into the store. Its error is that of the store; errors of the
// message are in the result.
func (t *Processor) ReadMessage(ctx context.Context, page *webgraph.Page) (Result, error) {
	if message, ok := mailbox.ArchivedMessage(page); ok {
		page = message
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return BrokenMail(page.URL, err), nil
	}
	read, _ := t.Extractor.ReadAhead(tree)
	e := validate.Event(read)
	said := t.Judge(page.URL).JudgeDocument(features.Read(tree))
	out := Result{URL: page.URL, Result: None, CFPScore: said.CFPScore}
	if e.Title == "" || !t.IsEvent(said, e, tree.Root() == nil) {
		return out, nil
	}
	t.store.put = ""
	if _, err := t.ingester.StorePage(ctx, tree, said.CFPScore); err != nil || t.store.put == "" {
		return out, err
	}
	out.Result, out.Event = Call, t.store.put
	if out.Change, out.Fields, err = t.summarizeChanges(ctx); err != nil {
		return out, err
	}
	stored, err := t.store.Event(ctx, out.Event)
	out.Title = stored.Title
	return out, err
}

// summarizeChanges summarises the changes of the store since the last call.
func (t *Processor) summarizeChanges(ctx context.Context) (change string, fields []string, err error) {
	change = ChangeKnown
	for c, err := range t.store.Outbox(ctx, t.seen) {
		if err != nil {
			return change, fields, err
		}
		t.seen = c.Seq
		if !c.New && c.Into == "" && len(c.Fields) == 0 && len(c.Kinds) == 0 {
			continue // a change of only the page's text
		}
		if c.New {
			change = ChangeNew
		} else if change == ChangeKnown {
			change = ChangeMerged
		}
		for _, f := range c.Fields {
			fields = append(fields, f.Field)
		}
	}
	return change, fields, nil
}
