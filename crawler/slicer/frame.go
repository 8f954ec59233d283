package slicer

import (
	"context"
	"net/http"
	"strings"

	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// parse reads a page with what its frames show as subtrees, so that a slice
// goes through them. A frame that is not to be had in time stays a link.
func (s *search) parse(ctx context.Context, p *webgraph.Page) (*tagtree.Tree, error) {
	if s.o.Fetcher == nil {
		return tagtree.Parse(p)
	}
	left := maxFrames
	return tagtree.ParseWithFrames(p, func(url string) *webgraph.Page {
		if frame, known := s.framed[url]; known || left == 0 || s.limit(ctx) != "" {
			return frame
		}
		left--
		frame, err := s.o.Fetcher.Fetch(ctx, crawler.Request{URL: url})
		if err != nil || frame.Status != http.StatusOK || s.timeLeft() <= 0 {
			frame = nil
		} else {
			s.sum.Bytes += len(frame.Body)
			s.remember(frame)
		}
		s.framed[url] = frame
		return frame
	})
}

// isFrame reports whether a link is the src of a frame or iframe.
func isFrame(l webgraph.Link) bool {
	element := l.Path[strings.LastIndexByte(l.Path, '/')+1:]
	element, _, _ = strings.Cut(element, "[")
	return element == "frame" || element == "iframe"
}

// frames reports whether a page shows url in a frame. The first
// page is never a subtree of another, so its frame is still a link.
func frames(t *tagtree.Tree, url string) bool {
	for _, l := range t.Links() {
		if isFrame(l) && samePage(l.Target, url) {
			return true
		}
	}
	return false
}
