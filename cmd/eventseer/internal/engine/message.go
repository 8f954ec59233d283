package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A messageSink reads a page of a mailing list's archive as its message, like `mail import`.
// Otherwise the title and frame of the page would be those of the list, not the event. Other pages
// are unchanged.
type messageSink struct {
	*ingest.Ingester
	reader eventseer.Extractor
}

// StorePage implements crawler.Sink. Of a digest, each message with a submission deadline is read
// separately.
func (s messageSink) StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	trees := s.messagesAhead(t)
	if len(trees) == 1 {
		return s.Ingester.StorePage(ctx, trees[0], relevance)
	}
	var ids []string
	var errs []error
	for _, message := range trees {
		if e, ok := s.reader.Extract(message); !ok || !slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind.IsSubmission() }) {
			continue
		}
		clips, err := s.Ingester.StorePage(ctx, message, relevance)
		ids, errs = append(ids, clips...), append(errs, err)
	}
	return ids, errors.Join(errs...)
}

// StoreRelated implements crawler.Sink.
func (s messageSink) StoreRelated(ctx context.Context, t *tagtree.Tree, relevance float64) error {
	if trees := s.messagesAhead(t); len(trees) == 1 {
		return s.Ingester.StoreRelated(ctx, trees[0], relevance)
	}
	return nil // for a digest without a call
}

// messagesAhead returns the messages that a page shows, as they were read ahead.
func (s messageSink) messagesAhead(t *tagtree.Tree) []*tagtree.Tree {
	if r, ok := s.reader.(*ReadOnce); ok {
		return r.messagesAhead(t)
	}
	return messagesOf(t)
}

// messagesOf returns the messages on a page, or the page itself if there are none.
func messagesOf(t *tagtree.Tree) (trees []*tagtree.Tree) {
	if t.Page == nil {
		return []*tagtree.Tree{t}
	}
	for _, message := range mailbox.Messages(t.Page) {
		if tree, err := tagtree.Parse(message); err == nil {
			trees = append(trees, tree)
		}
	}
	if len(trees) == 0 {
		return []*tagtree.Tree{t}
	}
	return trees
}

// previousMessage is previousVersion for pages in the form of messageSink.
func (s State) previousMessage(url string) (*webgraph.Page, error) {
	page, err := s.previousVersion(url)
	if err != nil || page == nil {
		return nil, err
	}
	if message, ok := mailbox.ArchivedMessage(page); ok {
		return message, nil
	}
	return page, nil
}
