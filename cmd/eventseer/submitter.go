package main

import (
	"context"
	"errors"
	"net/url"

	"eventseer/crawler/slicer"
	"eventseer/eventseer"
	"eventseer/eventseer/ui"
	"eventseer/eventseer/ui/tools"
)

// A submitter reads pages that visitors name, as polite as /slice and no nearer to
// private addresses.
type submitter struct {
	web    webSlicer
	reader pageReader
	desk   eventseer.Desk
}

var _ ui.Submitter = submitter{}

// Read implements ui.Submitter.
func (s submitter) Read(ctx context.Context, address string) (eventseer.Event, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, slicer.DefaultTime)
	defer cancel()
	page, err := s.web.start(ctx, address)
	var said *tools.SliceError
	if errors.As(err, &said) {
		return eventseer.Event{}, false, &eventseer.InputError{Field: "url", Msg: said.Text}
	}
	if err != nil {
		return eventseer.Event{}, false, err
	}
	x, ok, err := s.reader.read(page, nil)
	if err != nil {
		return eventseer.Event{}, false, &eventseer.InputError{Field: "url", Msg: "The page holds no text that can be read."}
	}
	return x.Event, ok, nil
}

// Queue implements ui.Submitter: the page waits at the desk for the next turn of the
// crawl, over restarts too.
func (s submitter) Queue(ctx context.Context, address string) error {
	if u, err := url.Parse(address); err != nil || !isWebPort(u) { // the crawl itself asks any port
		return &eventseer.InputError{Field: "url", Msg: "Only pages at ports 80, 443 and those from 8000 on are visited."}
	}
	return s.desk.Leave(ctx, eventseer.Note{Kind: eventseer.Submitted, URL: address})
}
