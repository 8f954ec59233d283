package linkruns

import (
	"bytes"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/internal/bolt"
)

// A source yields links in order of key. Of equal keys of several sources, that of the smallest order
// comes first.
type source struct {
	key, value []byte
	order      int
	next       func(s *source) (bool, error) // sets key and value; returns false at the end
}

// ComesBefore orders sources by the keys of their next links.
func (s *source) ComesBefore(other *source) bool {
	c := bytes.Compare(s.key, other.key)
	return c < 0 || c == 0 && s.order < other.order
}

// sourceOfRun returns the links of a run whose keys are not smaller than from, nil if there are none.
func sourceOfRun(tx *bolt.Tx, id uint64, from []byte, order int) (*source, error) {
	r := newRunReader(tx, id)
	if ok, err := r.seek(from); !ok || err != nil {
		return nil, err
	}
	return &source{key: r.key, value: r.value, order: order, next: func(s *source) (bool, error) {
		ok, err := r.next()
		s.key, s.value = r.key, r.value
		return ok, err
	}}, nil
}

// sourceOfEntries returns a source of sorted links, nil if there are none.
func sourceOfEntries(entries []Entry, order int) *source {
	if len(entries) == 0 {
		return nil
	}
	return &source{key: entries[0].Key, value: entries[0].Value, order: order, next: func(s *source) (bool, error) {
		if entries = entries[1:]; len(entries) == 0 {
			return false, nil
		}
		s.key, s.value = entries[0].Key, entries[0].Value
		return true, nil
	}}
}

// mergeSources calls f for the links of all sources in order, until f returns false. A nil source is empty.
func mergeSources(sources []*source, f func(key, value []byte) (bool, error)) error {
	var heap []*source
	for _, s := range sources {
		if s != nil {
			heap = append(heap, s)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sortedlinks.SiftDown(heap, i)
	}
	for len(heap) > 0 {
		s := heap[0]
		if more, err := f(s.key, s.value); !more || err != nil {
			return err
		}
		ok, err := s.next(s)
		if err != nil {
			return err
		}
		if !ok {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sortedlinks.SiftDown(heap, 0)
	}
	return nil
}

// pageOf returns the part of a key up to the end of its page; without such an end, all of it.
func pageOf(key []byte) []byte {
	if i := bytes.IndexByte(key, sortedlinks.PageEnd); i >= 0 {
		return key[:i+1]
	}
	return key
}

// Scan calls f for the links of all runs, and the given pending links, whose keys have the prefix and are
// not smaller than from. It calls f in order of key, with at most so many sources of each page, until f
// returns false. Key and value are valid during the call.
//
// Pending links before from must be included if they lead to its page.
func Scan(tx *bolt.Tx, pending []Entry, prefix, from []byte, sources int, f func(key, value []byte) bool) error {
	runs, err := listRuns(tx)
	if err != nil {
		return err
	}
	start := ScanStart(prefix, from)
	all := make([]*source, 0, len(runs)+1)
	for i, r := range runs {
		s, err := sourceOfRun(tx, r.id, start, i)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	all = append(all, sourceOfEntries(pending, len(runs)))
	filter := sourceFilter{most: sources}
	return mergeSources(all, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		if !filter.accepts(key) || bytes.Compare(key, from) < 0 {
			return true, nil
		}
		return f(key, value), nil
	})
}

// ScanStart returns the key at which Scan begins to read, because the sources of a page are counted from the first.
func ScanStart(prefix, from []byte) []byte {
	if start := pageOf(from); bytes.Compare(start, prefix) > 0 {
		return start
	}
	return prefix
}
