package main

import (
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/slicer"
	"eventseer/eventseer/ui/tools"
	"eventseer/features/tagtree/sanitize"
	"eventseer/features/tagtree/slice"
	"eventseer/internal/text"
)

// slicedPages makes of results the pages that ui writes.
type slicedPages struct {
	highlight bool
	query     *slice.Query
	places    map[*slicer.Result]int // of those shown
}

// page returns a result for ui, and whether it is shown: the first page always,
// the others if they say something.
func (s *slicedPages) page(r *slicer.Result) (tools.SlicedPage, bool) {
	if r.How != slicer.Start && !r.Shown() {
		return tools.SlicedPage{}, false
	}
	if s.places == nil {
		s.places = map[*slicer.Result]int{}
	}
	parent := -1
	if r.Parent != nil {
		parent = s.places[r.Parent]
	}
	s.places[r] = len(s.places)
	p := tools.SlicedPage{
		URL: r.URL, Title: r.Tree.Title(), Parent: parent, Link: r.Link, Anchor: slicer.AnchorOf(r), How: string(r.How),
		Pages: r.Pages, Domains: r.Domains, Matches: r.Slice.Keys(), TimeLeft: r.TimeLeft,
		Write: func(w io.Writer, after func(io.Writer, int) error) error {
			o := sanitize.Options{Fragment: true, Mark: true, After: after}
			if s.highlight {
				return sanitize.WriteHighlighted(w, r.Tree, s.query, o)
			}
			return sanitize.Write(w, r.Slice, o)
		},
	}
	if !s.highlight {
		for _, l := range r.LeftOut() {
			p.LeftOut = append(p.LeftOut, tools.SliceLink{URL: l.Target, Anchor: l.Anchor})
		}
	}
	return p, true
}

// sliceEnd says for ui how a search ended.
func sliceEnd(sum slicer.Summary) tools.SliceEnd {
	end := tools.SliceEnd{Reason: endReasons[sum.End], Pages: sum.Pages, Failed: sum.Failed, Took: sum.Took}
	for _, w := range sum.Left {
		end.Waiting = append(end.Waiting, tools.SliceLink{URL: w.URL, Anchor: w.Anchor})
	}
	return end
}

var endReasons = map[slicer.End]string{
	"":                 "It was broken off.",
	slicer.Interrupted: "It was broken off.",
	slicer.Exhausted:   "That is all there is.",
	slicer.TimeUp:      "The time is up.",
	slicer.PagesUp:     "As many pages as asked for are read.",
	slicer.BytesUp:     "The pages became too large to go on.",
}

// sayResult tells of a page as soon as it is read.
func sayResult(a *app.App, r *slicer.Result) {
	switch {
	case a.Config.Progress == "none":
	case r.Err != nil:
		a.Logf("%5.1f s left  %s: %v", r.TimeLeft.Seconds(), r.URL, crawler.FetchCause(r.Err))
	case a.Config.Progress == "json" && !a.Config.Quiet:
		_ = app.WriteJSONLine(a.Stderr, map[string]any{"message_type": "page", "url": r.URL, "distance": r.D, "keys": r.Slice.Keys(), "seconds_left": r.TimeLeft.Seconds()})
	default:
		a.Logf("%5.1f s left  D %-8d %s  %s", r.TimeLeft.Seconds(), r.D, text.Count(r.Slice.Keys(), "match", "matches"), r.URL)
	}
}

// saySummary tells how a search ended.
func saySummary(a *app.App, sum slicer.Summary, f sliceFlags) {
	if sum.BacklinkErr != nil {
		a.Logf("who links to the page is not known: %v", sum.BacklinkErr)
	}
	if sum.Shown == 0 {
		hint := ""
		if len(f.synonyms) == 0 {
			hint = "; --synonyms own looks for words of the same meaning too"
		}
		a.Logf("nothing found: no page read says anything about %s%s", f.query, hint)
	}
	a.Logf("%s %s read, %d with matches, %d not to be had, %s not followed, in %.1f s", endReasons[sum.End],
		text.Count(sum.Pages, "page", "pages"), sum.Shown, sum.Failed, text.Count(len(sum.Left), "relevant link", "relevant links"), sum.Took.Seconds())
}
