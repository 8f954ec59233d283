package search

import (
	"bytes"
	"time"

	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search"
)

// byDeadline sorts documents by their first deadline at or after a time, those
// without one last. bleve's own sort knows only the first deadline of all.
type byDeadline struct {
	after []byte // prefix-coded time; such codes sort as the times do
	next  []byte // the best deadline of the document being visited
}

var _ search.SearchSort = (*byDeadline)(nil)

func newByDeadline(after time.Time) *byDeadline {
	return &byDeadline{after: numeric.MustNewPrefixCodedInt64(indexable(after).UnixNano(), 0)}
}

func (s *byDeadline) UpdateVisitor(field string, term []byte) {
	if field != "deadline" || bytes.Compare(term, s.after) < 0 {
		return
	}
	if valid, shift := numeric.ValidPrefixCodedTermBytes(term); !valid || shift != 0 {
		return
	}
	if s.next == nil || bytes.Compare(term, s.next) < 0 {
		s.next = bytes.Clone(term)
	}
}

// Value returns the sort key of the document visited and forgets it.
func (s *byDeadline) Value(*search.DocumentMatch) string {
	value := search.HighTerm
	if s.next != nil {
		value = string(s.next)
	}
	s.next = nil
	return value
}

func (s *byDeadline) DecodeValue(value string) string { return value }
func (s *byDeadline) Descending() bool                { return false }
func (s *byDeadline) RequiresDocID() bool             { return false }
func (s *byDeadline) RequiresScoring() bool           { return false }
func (s *byDeadline) RequiresFields() []string        { return []string{"deadline"} }
func (s *byDeadline) Copy() search.SearchSort         { return &byDeadline{after: s.after} }

// Reverse is never asked for: it serves paging backwards by key.
func (s *byDeadline) Reverse() {}
