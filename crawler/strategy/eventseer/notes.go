package eventseer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"

	"github.com/zeebo/xxh3"
)

// The keys and values of the strategy's notes:
//
//	learned         → state of corrector and asking
//	site/DOMAIN     → account
//	origin/URL      → origin; no note if none of its links wait
//	cited/URL       → number of sites whose backlinks contain the source
//	visited/HASH    → 1
//	word/HASH       → what was learned about a word
const learnedKey = "learned"

// A learnedState is the value of the note learned.
type learnedState struct {
	Corrector corrector
	Asking    backlinkValue
	Born      int `json:",omitempty"` // of the next origin
	Next      int `json:",omitempty"` // number of the origin whose links are scored again next
}

// wordNote stores what was learned about a word.
func wordNote(hash uint16, w wordWeight) crawler.Note {
	return part.NoteOf("word/"+strconv.FormatUint(uint64(hash), 36), w)
}

func (s *eventSeer) learnedNote() crawler.Note {
	return part.NoteOf(learnedKey, learnedState{s.learned, s.backlinkValue, s.born, s.next})
}

// originNote stores an origin, or deletes it.
func (s *eventSeer) originNote(page string) crawler.Note {
	if o := s.origins[page]; o != nil {
		return part.NoteOf("origin/"+page, o)
	}
	return crawler.Note{Key: "origin/" + page}
}

// recordVisit records the changes of a visit, and that it was made.
func (s *eventSeer) recordVisit(v *crawler.Verdict, a crawler.Arrival, w *path) {
	for _, url := range []string{a.Lease.URL, a.URL()} {
		h := xxh3.HashString(url)
		if url != "" && !s.visited[h] && len(s.visited) < maxVisited {
			s.visited[h] = true
			v.Notes = append(v.Notes, crawler.Note{Key: "visited/" + strconv.FormatUint(h, 36), Value: []byte{1}})
		}
	}
	for _, page := range w.touched {
		if o := s.origins[page]; o != nil && len(o.Waiting) == 0 {
			s.removeOrigin(page)
		}
		v.Notes = append(v.Notes, s.originNote(page))
	}
	if a.Lease.URL != "" {
		s.rescoreNext(v)
		v.Notes = append(v.Notes, s.learnedNote())
	}
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *eventSeer) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pages []recalledOrigin
	err := s.RecallNotes(notes, func(kind, name string, value []byte) error { return s.restoreNote(kind, name, value, &pages) })
	if err != nil {
		return err
	}
	slices.SortFunc(pages, func(a, b recalledOrigin) int { return cmp.Compare(a.Born, b.Born) })
	for _, r := range pages {
		s.storeOrigin(r.page, r.origin)
	}
	return nil
}

type recalledOrigin struct {
	page string
	*origin
}

func (s *eventSeer) restoreNote(kind, name string, value []byte, pages *[]recalledOrigin) error {
	switch kind {
	case learnedKey:
		return s.restoreLearned(value)
	case "site":
		a := &siteAccount{}
		s.sites[name] = a
		return json.Unmarshal(value, a)
	case "origin":
		o := &origin{}
		*pages = append(*pages, recalledOrigin{name, o})
		return json.Unmarshal(value, o)
	case "cited":
		count, err := strconv.Atoi(string(value))
		s.cited[name] = count
		return err
	case "word":
		h, err := strconv.ParseUint(name, 36, 16)
		if err != nil {
			return err
		}
		return json.Unmarshal(value, &s.learned.Words[h])
	case "visited":
		h, err := strconv.ParseUint(name, 36, 64)
		s.visited[h] = true
		return err
	}
	return nil
}

func (s *eventSeer) restoreLearned(value []byte) error {
	t := learnedState{Corrector: newCorrector(), Asking: newBacklinkValue()}
	if err := json.Unmarshal(value, &t); err != nil {
		return err
	}
	for kind := range firstWorths {
		if t.Corrector.Kinds[kind] == nil {
			return fmt.Errorf("no statistics of pages of type %s are stored", kind)
		}
	}
	t.Corrector.Words = s.learned.Words // from their own notes
	s.learned, s.backlinkValue, s.born, s.next = t.Corrector, t.Asking, t.Born, t.Next
	return nil
}
