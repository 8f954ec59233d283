package main

import (
	"context"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/clip"
	"eventseer/eventseer/ingest"
	"eventseer/eventseer/mailbox"
	"eventseer/eventseer/validate"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// What came of a message, and of the event it tells of.
const (
	mailCall   = "call"
	mailNone   = "none"
	mailBroken = "error"

	changeNew    = "new"
	changeMerged = "merged"
	changeKnown  = "known"
)

// taken says what came of a message: one line of `mail import --format jsonl`.
type taken struct {
	URL      string            `json:"url"`
	Result   string            `json:"result"`
	Event    eventseer.EventID `json:"event,omitempty"`
	Change   string            `json:"change,omitempty"`
	Fields   []string          `json:"fields,omitempty"`
	Title    string            `json:"title,omitempty"`
	CFPScore float64           `json:"cfp_score"`
	Error    string            `json:"error,omitempty"`

	err error
}

func brokenMail(url string, err error) taken {
	return taken{URL: url, Result: mailBroken, Error: err.Error(), err: err}
}

// A mailTaker judges messages, reads those about an event and merges them into
// the store. It is for one goroutine.
type mailTaker struct {
	judge     engine.PageJudge
	extractor *engine.ReadOnce
	ingester  *ingest.Ingester
	store     *putStore
	seen      uint64 // changes of the store up to here are told
}

func newMailTaker(ctx context.Context, a *app.App, st eventseer.Store) (*mailTaker, error) {
	judge, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		return nil, err
	}
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		return nil, err
	}
	t := &mailTaker{judge: judge, extractor: engine.NewReadOnce(engine.NewExtractor(a)), store: &putStore{Store: st}}
	t.ingester = ingest.New(ingest.Options{Extractor: t.extractor, Store: t.store, Clipper: clipper, Now: a.Now})
	t.seen, err = lastChange(ctx, st)
	return t, err
}

// A putStore remembers the event of the last record put.
type putStore struct {
	eventseer.Store
	put eventseer.EventID
}

// Put implements eventseer.Store.
func (s *putStore) Put(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds ...eventseer.ChangeKind) (eventseer.EventID, error) {
	id, err := s.Store.Put(ctx, e, clips, kinds...)
	s.put = id
	return id, err
}

// take reads one message into the store. An error is one of the store; what is
// wrong with the message is part of what came of it.
func (t *mailTaker) take(ctx context.Context, page *webgraph.Page) (taken, error) {
	if message, ok := mailbox.Archived(page); ok {
		page = message
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return brokenMail(page.URL, err), nil
	}
	read, _ := t.extractor.Ahead(tree)
	e := validate.Event(read)
	said := t.judge.For(page.URL).Document(features.Read(tree))
	out := taken{URL: page.URL, Result: mailNone, CFPScore: said.CFPScore}
	if e.Title == "" || !engine.IsEventPage(said, e, tree.Root() == nil) {
		return out, nil
	}
	t.store.put = ""
	if _, err := t.ingester.Take(ctx, tree, said.CFPScore); err != nil || t.store.put == "" {
		return out, err
	}
	out.Result, out.Event = mailCall, t.store.put
	if out.Change, out.Fields, err = t.changes(ctx); err != nil {
		return out, err
	}
	stored, err := t.store.Event(ctx, out.Event)
	out.Title = stored.Title
	return out, err
}

// changes sums up what the store has changed since it was asked last.
func (t *mailTaker) changes(ctx context.Context) (change string, fields []string, err error) {
	change = changeKnown
	for c, err := range t.store.Outbox(ctx, t.seen) {
		if err != nil {
			return change, fields, err
		}
		t.seen = c.Seq
		if c.New {
			change = changeNew
		} else if change == changeKnown {
			change = changeMerged
		}
		for _, f := range c.Fields {
			fields = append(fields, f.Field)
		}
	}
	return change, fields, nil
}

// lastChange is the number of the last change of a store, found by halving.
func lastChange(ctx context.Context, st eventseer.Store) (uint64, error) {
	after := func(seq uint64) (bool, error) {
		for _, err := range st.Outbox(ctx, seq) {
			return true, err
		}
		return false, nil
	}
	low, high := uint64(0), uint64(1)
	for {
		more, err := after(high)
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
		low, high = high, 2*high
	}
	for low < high {
		middle := low + (high-low)/2
		more, err := after(middle)
		if err != nil {
			return 0, err
		}
		if more {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}
