package crawler

import (
	"context"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// minTwin is the minimum number of words of a page whose text is compared with other pages. Short
// texts agree by chance.
const minTwin = 20

// compareText finds out whether the text of a page is new. If not, its tree is removed, and the strategy
// sees an unreadable page. The page still counts against the budget, because a response was received.
// Pages with equal texts that are fetched at the same time are not detected, so with many workers two may
// be stored.
//
// It returns the arrival with the result, and the page's text for updateMemory, or nil if the text is not
// compared.
func (c *Crawler) compareText(ctx context.Context, a Arrival) (Arrival, *pageText, error) {
	if c.o.NoTraps || a.Tree.Page.Entries != nil {
		return a, nil, nil
	}
	host, text := hostOf(a), &pageText{fingerprints: fingerprintsOf(a.Tree.Title(), a.Tree.Text())}
	text.missing = reportsMissing(a.Tree, text.fingerprints.words)
	if r := c.memory.runOf(missingPagesKey(host)); text.missing && r.length >= minSoft && r.isSimilar(text.fingerprints) {
		a.Tree, a.Outcome.Reason = nil, SoftMissing
		return a, text, nil
	}
	if text.fingerprints.words < minTwin {
		return a, text, nil
	}
	a.Outcome.Text = text.fingerprints.same
	first, err := c.o.Frontier.FirstWithText(ctx, host, text.fingerprints.same)
	if err == nil && first != "" && first != a.Lease.URL && first != a.URL() {
		a.Tree, a.Outcome.Reason = nil, "duplicate of "+first
	}
	return a, text, err
}

// SoftMissing is the Outcome.Reason of a page with status 200 that says it does not exist.
const SoftMissing = "soft 404"

const (
	// minSoft is how many pages of a host in a row must say, in similar words, that they do not
	// exist. From then on further such pages are recognised.
	minSoft = 2
	// maxMissing is the maximum length, in words, of a page recognised by its text. Longer pages
	// are recognised by the title only.
	maxMissing = 100
)

// missing are phrases of pages returned for addresses that do not exist.
var missing = []string{
	"404", "not found", "not be found", "does not exist", "doesn't exist", "no longer available", "no longer exists", "page missing",
	"nicht gefunden", "existiert nicht", "nicht vorhanden",
	"introuvable", "n'existe pas", "pas été trouvée", "pas trouvé",
	"no encontrada", "no encontrado", "no se encuentra", "no existe",
	"non trovata", "non trovato", "non esiste",
	"não encontrada", "não encontrado", "não existe",
	"niet gevonden", "bestaat niet", "nie znaleziono", "nenalezena", "nem található", "hittades inte", "bulunamadı",
	"не найдена", "не найден", "не существует", "не знайдено",
	"見つかりません", "找不到", "不存在", "찾을 수 없",
}

// reportsMissing reports whether a page says that it does not exist.
func reportsMissing(t *tagtree.Tree, words int) bool {
	said := strings.ToLower(t.Title())
	if words <= maxMissing {
		said += "\n" + strings.ToLower(t.Text())
	}
	for _, s := range missing {
		if strings.Contains(said, s) {
			return true
		}
	}
	return false
}

// Limits beyond which the URL of a link counts as a trap: a site that generates endless links.
// Heritrix has similar rules (PathologicalPathDecideRule, TooManyPathSegmentsDecideRule); Zeno has
// some of them.
const (
	maxSegments = 20 // of the path
	maxParams   = 12 // of the query
	maxSegment  = 3  // occurrences of one segment in a path, except numbers
	maxParam    = 4  // occurrences of one parameter in a query
)

// trapReason reports why the URL itself looks like a trap, "" if it does not. Calendars cannot be recognised
// by their URL; see updateMemory.
func trapReason(url string) string {
	if len(url) > webgraph.MaxURL {
		return fmt.Sprintf("trap: more than %d bytes", webgraph.MaxURL)
	}
	_, rest, _ := strings.Cut(url, "://")
	rest, query, _ := strings.Cut(rest, "?")
	if _, path, ok := strings.Cut(rest, "/"); ok {
		if why := pathTrap(path); why != "" {
			return why
		}
	}
	return queryTrap(query)
}

func pathTrap(path string) string {
	var all [maxSegments]string
	segments := all[:0]
	for s := range strings.SplitSeq(path, "/") {
		if s == "" {
			continue
		}
		if len(segments) == maxSegments {
			return fmt.Sprintf("trap: more than %d segments in the path", maxSegments)
		}
		segments = append(segments, s)
	}
	for i, s := range segments {
		if !isName(s) {
			continue
		}
		n := 1
		for _, earlier := range segments[:i] {
			if earlier == s {
				n++
			}
		}
		pair := n > 1 && i >= 3 && s == segments[i-2] && segments[i-1] == segments[i-3] && isName(segments[i-1])
		if n >= maxSegment || pair {
			return fmt.Sprintf("trap: the segment %q repeats in the path", s)
		}
	}
	return ""
}

// isName reports whether a segment is more than a number or a single letter, which may repeat in
// dates.
func isName(segment string) bool {
	return len(segment) > 2 && strings.Trim(segment, "0123456789-_.") != ""
}

func queryTrap(query string) string {
	if query == "" {
		return ""
	}
	var all [maxParams]string
	params := all[:0]
	for p := range strings.SplitSeq(query, "&") {
		if len(params) == maxParams {
			return fmt.Sprintf("trap: more than %d parameters", maxParams)
		}
		name, _, _ := strings.Cut(p, "=")
		n := 1
		for _, earlier := range params {
			if earlier == p {
				return fmt.Sprintf("trap: %q repeats in the query", p)
			}
			if before, _, _ := strings.Cut(earlier, "="); before == name {
				n++
			}
		}
		if n >= maxParam {
			return fmt.Sprintf("trap: the parameter %q occurs %d times", name, n)
		}
		params = append(params, p)
	}
	return ""
}

const (
	// maxAlike is how many pages with URLs of one shape may have the same text in a row before
	// further ones are skipped.
	maxAlike = 20
	// minNear is the minimum number of words for the comparison of similar texts. Shorter texts
	// have too few shingles.
	minNear = 40
	// yields is the relevance above which a page is worth its visit, however similar its text is to
	// others.
	yields = 0.5
)

// closedReason returns why pages like url are no longer fetched, "" if they are.
func (m *memory) closedReason(url string) string {
	if !m.hasLongRun() {
		return ""
	}
	key, ok := shapeKey(url)
	if !ok || m.runOf(key).length < maxAlike {
		return ""
	}
	shape, _ := shapeOf(url)
	return fmt.Sprintf("trap: %d pages in a row had the same text at %s", maxAlike, shape)
}

// isSimilar reports whether a text is like the first of a run.
func (r run) isSimilar(g textFingerprints) bool {
	if r.length == 0 {
		return false
	}
	if g.words < minNear {
		return r.near == g.near
	}
	return r.near.Distance(g.near) <= webgraph.NearDistance
}

// extended returns the run lengthened by one page.
func (r run) extended(g textFingerprints) run {
	if !r.isSimilar(g) {
		r.length, r.near = 0, g.near
	}
	r.length++
	return r
}

// updateMemory updates the crawl's memory with a page when it is committed, and returns the notes to
// store. A relevant page ends a run of similar pages: a list of calls, however long, is not a trap.
// A revisited page repeats its content, which is not a sign of a trap either.
func (c *Crawler) updateMemory(p *pageResult) (notes []Note) {
	remember := func(r run) { notes = append(notes, c.memory.storeRun(r)...) }
	for _, more := range p.listed {
		r := c.memory.runOf(more.key)
		r.length += more.length
		remember(r)
	}
	if p.text == nil {
		return notes
	}
	if key, ok := shapeKey(p.arrival.Lease.URL); ok && p.arrival.Lease.How != Monitor {
		r := c.memory.runOf(key)
		switch {
		case !p.verdict.allowsFeeds():
			remember(r.extended(p.text.fingerprints))
		case r.length > 0:
			r.length = 0
			remember(r)
		}
	}
	if p.text.missing {
		remember(c.memory.runOf(missingPagesKey(hostOf(p.arrival))).extended(p.text.fingerprints))
	}
	return notes
}
