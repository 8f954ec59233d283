package part

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// NoteOf encodes x as the note of a key.
func NoteOf(key string, x any) crawler.Note {
	value, _ := json.Marshal(x) // strings and finite numbers always encode
	return crawler.Note{Key: key, Value: value}
}

// RestoreNotes restores the notes of Judged and Value from an earlier part of the crawl. A strategy with further
// notes has its own method Recall that calls RecallNotes.
func (p *Parts) RestoreNotes(notes []crawler.Note) error {
	return p.RecallNotes(notes, func(string, string, []byte) error { return nil })
}

// RecallNotes calls each with the notes of an earlier part of the crawl, except those of Judged
// and Value, which it restores itself. kind is the part of the key before the first slash, name the part after
// it.
func (p *Parts) RecallNotes(notes []crawler.Note, each func(kind, name string, value []byte) error) error {
	var places []classify.PlaceState
	for _, n := range notes {
		kind, name, _ := strings.Cut(n.Key, "/")
		if kind == placeNote {
			key, err := strconv.ParseUint(name, 36, 64)
			if err != nil {
				return fmt.Errorf("recall %s: %w", n.Key, err)
			}
			places = append(places, classify.PlaceState{Key: key, State: n.Value})
			continue
		}
		if kind == findsNote && p.Finds != nil {
			if err := p.Finds.restoreNote(name, n.Value); err != nil {
				return fmt.Errorf("recall %s: %w", n.Key, err)
			}
			continue
		}
		if err := each(kind, name, n.Value); err != nil {
			return fmt.Errorf("recall %s: %w", n.Key, err)
		}
	}
	if p.Hosts == nil {
		return nil
	}
	if err := p.Hosts.Restore(places); err != nil {
		return fmt.Errorf("recall %s: %w", placeNote, err)
	}
	return nil
}

// placeNote begins the keys of the notes of hosts and their folders; the key of a
// classify.PlaceState in base 36 follows.
const placeNote = "hosts"

// inContext returns the judgement of a page given the visited pages of its host, and the notes to
// store about the page.
func (p *Parts) inContext(t *tagtree.Tree, alone classify.Judgement) (is classify.Judgement, notes []crawler.Note) {
	if p.Hosts == nil {
		return alone, nil
	}
	for _, s := range p.Hosts.Add(t.Page.URL, alone) {
		notes = append(notes, crawler.Note{Key: placeNote + "/" + strconv.FormatUint(s.Key, 36), Value: s.State})
	}
	return p.Hosts.Judge(t.Page.URL, alone), notes
}

// ListPage is the page type of lists of calls. A page with this most probable type never counts as
// one call, even if its words resemble one: the record would mix several events. If its probability
// reaches maybeList, a page that is not a call is not related to an event either.
const (
	ListPage  = "cfp_list"
	maybeList = 0.2
)

// Judged returns the judge's verdict on the page, with numbers from 0 to 1, and whether the page is
// a call. A target is a call, and on the topic of the crawl if it has one. Whether the page is
// related to an event is judged in the context of its host, and by its days (Parts.OfEvent). Whether
// it is a call, and the type that decides on its links, is judged without context
// (doc/decisions/042).
func (p *Parts) Judged(a crawler.Arrival) (v crawler.Verdict, call bool) {
	if a.Tree == nil {
		return v, false
	}
	is := p.Judge.JudgePage(a.Tree)
	call = is.IsCFP && is.PageType != ListPage
	v = crawler.Verdict{Relevance: ClampUnit(is.CFPScore), PageType: is.PageType, Target: call}
	together, notes := p.inContext(a.Tree, is)
	v.Notes = notes
	if g, ok := p.Judge.(Gate); ok && !call && min(is.PageTypeScores[ListPage], together.PageTypeScores[ListPage]) < maybeList {
		v.Related = g.IsRelated(together) || p.OfEvent != nil && p.OfEvent(a.Tree, together)
	}
	if p.Focus != nil {
		share, on := p.Focus.PageShare(a.Tree)
		v.TopicScore, v.Target = ClampUnit(share), call && on
	}
	return v, call
}

// Candidate returns l as a candidate with its score and explanation.
func Candidate(l webgraph.Link, score float64, why string) crawler.Candidate {
	return crawler.Candidate{URL: l.Target, Score: score, Parent: l.Source, Anchor: l.Anchor, Why: why}
}

// FormatWhy formats the Why of a candidate: one line of at most crawler.MaxWhy bytes of valid UTF-8.
func FormatWhy(format string, args ...any) string {
	return text.CutBytes(strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD"), crawler.MaxWhy)
}

// ClampUnit limits a number to the range from 0 to 1; NaN becomes 0.
func ClampUnit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}
