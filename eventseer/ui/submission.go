package ui

import (
	"context"

	"eventseer/eventseer"
)

// A Submitter reads pages that visitors name. It asks no private address and keeps
// to robots.txt and the pauses of the crawl.
type Submitter interface {
	// Read fetches a page and returns the event read from it; ok is false if it is no
	// call. What is wrong with the URL or the page is an *eventseer.InputError.
	Read(ctx context.Context, url string) (e eventseer.Event, ok bool, err error)
	// Queue asks the crawler to visit the page.
	Queue(ctx context.Context, url string) error
}
