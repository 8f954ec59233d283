// Package backlink finds the pages that link to a page. It uses the reversed links of local crawls
// (LinkDB), files of links, and external services. Each is a Provider; a Chain queries them in
// turn.
//
// A query has a scope, as in commercial services: the page, its directory, its host, or its domain.
// Only links from other sites count. The sources that link to the most pages of the scope come
// first, equal ones in order of URL. A backlink counts as verified only when a local fetch of the
// source found the link; see Chain.ObservePages.
package backlink

import (
	"cmp"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// Link returns the link without the provider's additional data.
func (b Backlink) Link() webgraph.Link {
	return webgraph.Link{Source: b.Source, Target: b.Target, Anchor: b.Anchor, NoFollow: b.NoFollow}
}

// firstLinkPerSource reduces the links to a scope to the first one per source. Sources that link to the most
// pages of the scope come first.
func firstLinkPerSource(links []Backlink) []Backlink {
	slices.SortStableFunc(links, func(a, b Backlink) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	type source struct{ first, targets int }
	var sources []source
	for i, l := range links {
		switch {
		case i == 0 || l.Source != links[i-1].Source:
			sources = append(sources, source{i, 1})
		case l.Target != links[i-1].Target:
			sources[len(sources)-1].targets++
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(b.targets, a.targets) })
	answer := make([]Backlink, 0, len(sources))
	for _, s := range sources {
		answer = append(answer, links[s.first])
	}
	return answer
}

// mergeBySource appends the links of more whose sources are new to answer, up to limit.
func mergeBySource(answer, more []Backlink, limit int) []Backlink {
	seen := make(map[string]bool, len(answer))
	for _, l := range answer {
		seen[l.Source] = true
	}
	for _, l := range more {
		if len(answer) >= limit {
			break
		}
		if !seen[l.Source] {
			seen[l.Source] = true
			answer = append(answer, l)
		}
	}
	return answer
}

// A Cursor is a position in an answer that is computed window by window. The sources of a window
// are ranked and returned from offset on. Its text is OFFSET or OFFSET@START, with the start of the
// window in base64.
type Cursor struct {
	Offset int
	Start  string
}

// String returns the text that ParseCursor reads.
func (c Cursor) String() string {
	text := strconv.Itoa(c.Offset)
	if c.Start != "" {
		text += "@" + base64.RawURLEncoding.EncodeToString([]byte(c.Start))
	}
	return text
}

// ErrCursor means that a cursor was not written by Cursor.String.
var ErrCursor = errors.New("the cursor is not one of this provider")

// ParseCursor parses the output of Cursor.String; "" is the beginning.
func ParseCursor(text string) (c Cursor, ok bool) {
	if text == "" {
		return c, true
	}
	offset, start, _ := strings.Cut(text, "@")
	n, err1 := strconv.Atoi(offset)
	s, err2 := base64.RawURLEncoding.DecodeString(start)
	return Cursor{n, string(s)}, err1 == nil && err2 == nil && n >= 0
}

// pageOf returns the page at c from a window's ranked links. next is the start of the next window,
// "" if there is none.
func pageOf(ranked []Backlink, c Cursor, limit int, next string) Answer {
	limit = max(1, min(limit, MaxLimit))
	first := min(c.Offset, len(ranked))
	last := min(first+limit, len(ranked))
	a := Answer{Links: ranked[first:last]}
	switch {
	case last < len(ranked):
		a.Next = Cursor{last, c.Start}.String()
	case next != "":
		a.Next = Cursor{0, next}.String()
	}
	return a
}
