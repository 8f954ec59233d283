package main

import (
	"errors"
	"io"
	"math"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/slicer"
	"eventseer/eventseer/ui/tools"
	"eventseer/features/tagtree/sanitize"
	"eventseer/features/tagtree/slice"
	"eventseer/internal/text"
)

// A slicedRecord is one line of `slice --format jsonl`: a page that says
// something about the query, or one that could not be had. Distance, d_t, d_p
// and d_d are those of the link that led to it, as in table 1 of paper 003.
type slicedRecord struct {
	URL            string       `json:"url"`
	Title          string       `json:"title,omitempty"`
	How            slicer.How   `json:"how"`
	Distance       int64        `json:"distance"`
	Relevance      *float64     `json:"relevance"` // null where it is infinite
	DT             int          `json:"d_t"`
	DP             int          `json:"d_p"`
	DD             int          `json:"d_d"`
	PageDistance   int          `json:"page_distance"` // of the page itself
	DomainDistance int          `json:"domain_distance"`
	Parent         *string      `json:"parent"`
	Anchor         string       `json:"anchor,omitempty"`
	Keys           int          `json:"keys"`
	Text           string       `json:"text"`
	Left           []linkRecord `json:"left"`
	Error          string       `json:"error,omitempty"`
}

func newSlicedRecord(r *slicer.Result) slicedRecord {
	rec := slicedRecord{
		URL: r.URL, How: r.How, Distance: r.D, DT: r.Distance.Tree, DP: r.Distance.Pages, DD: r.Distance.Domains,
		PageDistance: r.Pages, DomainDistance: r.Domains, Anchor: anchorOf(r), Left: []linkRecord{},
	}
	if !math.IsInf(r.Relevance, 1) {
		rec.Relevance = &r.Relevance
	}
	if r.Parent != nil {
		rec.Parent = &r.Parent.URL
	}
	if r.Err != nil {
		rec.Error = cause(r.Err).Error()
		return rec
	}
	rec.Title, rec.Keys, rec.Text = r.Tree.Title(), r.Slice.Keys(), r.Slice.Text()
	for _, l := range r.LeftOut() {
		rec.Left = append(rec.Left, linkRecord{l.Target, l.Anchor})
	}
	return rec
}

// anchorOf returns the text of the link that led to a page.
func anchorOf(r *slicer.Result) string {
	if r.Link < 0 {
		return ""
	}
	return r.Parent.Tree.Links()[r.Link].Anchor
}

// jsonlSlice writes a line a page that says something or could not be had.
type jsonlSlice struct{ w io.Writer }

func (s jsonlSlice) add(r *slicer.Result) error {
	if r.Err == nil && !r.Shown() {
		return nil
	}
	return app.WriteJSONLine(s.w, newSlicedRecord(r))
}

func (s jsonlSlice) close(slicer.Summary) error { return nil }

// htmlSlice makes one page of all.
type htmlSlice struct {
	out   *tools.SliceWriter
	pages slicedPages
}

func (s *htmlSlice) add(r *slicer.Result) error {
	p, shown := s.pages.page(r)
	if !shown {
		return nil
	}
	return s.out.Add(p)
}

func (s *htmlSlice) close(sum slicer.Summary) error { return s.out.Close(sliceEnd(sum)) }

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
		URL: r.URL, Title: r.Tree.Title(), Parent: parent, Link: r.Link, Anchor: anchorOf(r), How: string(r.How),
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
		a.Logf("%5.1f s left  %s: %v", r.TimeLeft.Seconds(), r.URL, cause(r.Err))
	case a.Config.Progress == "json" && !a.Config.Quiet:
		_ = app.WriteJSONLine(a.Stderr, map[string]any{"message_type": "page", "url": r.URL, "distance": r.D, "keys": r.Slice.Keys(), "seconds_left": r.TimeLeft.Seconds()})
	default:
		a.Logf("%5.1f s left  D %-8d %s  %s", r.TimeLeft.Seconds(), r.D, text.Count(r.Slice.Keys(), "match", "matches"), r.URL)
	}
}

// cause is an error of a fetch without the URL, which is said beside it.
func cause(err error) error {
	var fe *crawler.FetchError
	if errors.As(err, &fe) {
		return fe.Err
	}
	return err
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
