package part

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"eventseer/crawler"
	"eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// HashOf returns the hash by which a URL is remembered.
func HashOf(url string) uint64 { return xxh3.HashString(url) }

// NoteOf keeps x under a key.
func NoteOf(key string, x any) crawler.Note {
	value, _ := json.Marshal(x) // strings and finite numbers always encode
	return crawler.Note{Key: key, Value: value}
}

// ErrNoJudge is the error of a strategy that is made without a judge.
var ErrNoJudge = errors.New("a strategy needs a judge of pages")

// ListPage is the page type of lists of calls, and maybeList its probability from
// which a page is not taken for one call, however much its words are those of
// calls: read as one it would mix the events it names.
const (
	ListPage  = "cfp_list"
	maybeList = 0.2
)

// Judged starts a verdict with what the judge says of the page, its numbers from 0
// to 1, and whether it is a call. A target is a call, and on the topic of the crawl
// if it has one.
func Judged(j Judge, f Focus, a crawler.Arrival) (v crawler.Verdict, call bool) {
	if a.Tree == nil {
		return v, false
	}
	is := j.Page(a.Tree)
	one := is.PageType != ListPage && is.PageTypeScores[ListPage] < maybeList
	call = is.IsCFP && one
	v = crawler.Verdict{Relevance: Unit(is.CFPScore), PageType: is.PageType, Target: call}
	if g, ok := j.(Gate); ok && one && !call {
		v.Related = g.Related(is)
	}
	if f != nil {
		p, on := f.PageShare(a.Tree)
		v.TopicScore, v.Target = Unit(p), call && on
	}
	return v, call
}

// Candidate proposes to follow l.
func Candidate(l webgraph.Link, score float64) crawler.Candidate {
	return crawler.Candidate{URL: l.Target, Score: score, Parent: l.Source, Anchor: l.Anchor}
}

// Why makes the Why of a candidate: a line for people, at most
// crawler.MaxWhy bytes of valid UTF-8, cut between characters.
func Why(format string, args ...any) string {
	s := strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD")
	if len(s) <= crawler.MaxWhy {
		return s
	}
	n := crawler.MaxWhy
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Unit brings a number that another part gave into the range from 0 to 1; NaN
// becomes 0.
func Unit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}
