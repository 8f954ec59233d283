package edgeindex

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on the work for one answer.
const (
	edgeWindow     = 20_000 // links that are ranked together
	maxEdgeWindows = 50     // consecutive windows without links to the scope
	maxCursor      = 8 << 10
)

// Backlinks returns links in any scope, at no cost. A source is listed once in a window of 20,000
// links, with its first link. Sources that link to the most pages of the scope come first, equal
// ones in order of URL. A larger scope is returned window by window, in the order of the targets,
// and a source may be repeated there.
func (x *Index) Backlinks(ctx context.Context, q backlink.Query) (backlink.Answer, error) {
	answer, err := x.answerQuery(ctx, q)
	if err == nil {
		return answer, nil
	}
	trouble := backlink.Nonsense
	if ctx.Err() != nil {
		trouble = backlink.Unreachable
	}
	return answer, &backlink.ProviderError{Provider: x.Name(), Trouble: trouble, Err: err}
}

func (x *Index) answerQuery(ctx context.Context, q backlink.Query) (backlink.Answer, error) {
	var answer backlink.Answer
	url, err := webgraph.Canonical(q.Target)
	if err != nil {
		return answer, err
	}
	if q.Scope > backlink.Domain {
		return answer, fmt.Errorf("no such scope: %v", q.Scope)
	}
	r := rangeOf(url, q.Scope)
	skip, from, err := readCursor(q.Cursor, r)
	if err != nil {
		return answer, err
	}
	limit := min(max(q.Limit, 1), backlink.MaxLimit)
	for range maxEdgeWindows {
		w, err := x.collectWindow(ctx, r, from)
		if err != nil {
			return answer, err
		}
		answer.Dropped += w.others
		sources := w.bySourceRank()
		sources = sources[min(skip, len(sources)):]
		for _, s := range sources[:min(limit, len(sources))] {
			link, err := edgeOf([]byte(s.entry[:s.key]), []byte(s.entry[s.key:]))
			if err != nil {
				return answer, err
			}
			link.Scope = q.Scope
			answer.Links = append(answer.Links, link)
		}
		switch {
		case len(sources) > limit:
			answer.Next = backlink.Cursor{Offset: skip + limit, Start: string(from)}.String()
			return answer, nil
		case w.next == nil:
			answer.Next = ""
			return answer, nil
		}
		skip, from = 0, w.next
		answer.Next = backlink.Cursor{Offset: skip, Start: string(from)}.String()
		if len(answer.Links) > 0 {
			return answer, nil
		}
	}
	return answer, nil
}

// An edgeSource is a source with its first link.
type edgeSource struct {
	entry  string // key and value of its first link
	key    int    // length of the key
	source string // part of the key
	last   string // the page it links to, without scheme
	pages  int    // it links to
}

// A window is a part of a range.
type window struct {
	sources []edgeSource
	others  int    // number of links to other sites in between
	next    []byte // key of the first link after it; nil if there is none
}

// collectWindow collects up to edgeWindow links of the range from a key on.
func (x *Index) collectWindow(ctx context.Context, r edgeRange, from []byte) (window, error) {
	var w window
	var entry []byte
	places := map[string]int{}
	n := 0
	err := x.scanFrom(ctx, from, func(key, value []byte) bool {
		if !bytes.HasPrefix(key, r.prefix) {
			return false
		}
		if n++; n > edgeWindow {
			w.next = bytes.Clone(key)
			return false
		}
		target, source := cutKey(key)
		if !r.contains(target) {
			w.others++
			return true
		}
		page := target[:len(target)-1]
		i, known := places[string(source)]
		if !known {
			entry = append(append(entry[:0], key...), value...)
			s := edgeSource{entry: string(entry), key: len(key), pages: 1}
			s.source, s.last = s.entry[len(target):len(key)], s.entry[:len(page)]
			places[s.source] = len(w.sources)
			w.sources = append(w.sources, s)
		} else if s := &w.sources[i]; s.last != string(page) {
			s.last = string(page)
			s.pages++
		}
		return true
	})
	return w, err
}

// bySourceRank returns the sources, best first.
func (w window) bySourceRank() []edgeSource {
	slices.SortFunc(w.sources, func(a, b edgeSource) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.source, b.source))
	})
	return w.sources
}

// readCursor decodes a cursor: the number of sources of a window returned before, and the first key
// of the window. "" is the beginning of the range. A cursor stays valid when the index is rebuilt.
func readCursor(text string, r edgeRange) (skip int, from []byte, err error) {
	if text == "" {
		return 0, r.prefix, nil
	}
	if len(text) > maxCursor {
		return 0, nil, fmt.Errorf("%w: %d bytes", backlink.ErrCursor, len(text))
	}
	c, ok := backlink.ParseCursor(text)
	if !ok || !strings.HasPrefix(c.Start, string(r.prefix)) {
		return 0, nil, fmt.Errorf("%w, or of another query: %.100q", backlink.ErrCursor, text)
	}
	return c.Offset, []byte(c.Start), nil
}
