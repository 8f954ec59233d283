package crawler

import (
	"context"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// minTwin is how many words a page must show for its text to be compared with that of other pages.
// Short texts agree by chance.
const minTwin = 20

// compare finds out whether a page that was read says anything new. A page without news is dropped:
// its tree is removed, and the strategy sees an unreadable page. It cost what it cost, for the
// answer came.
//
// The frontier does not know pages with one text that are fetched at the same time: with many
// workers two of them may be stored.
//
// It returns the arrival with what was found out, and the page's text for learn,
// nil if that is not compared.
func (c *Crawler) compare(ctx context.Context, a Arrival) (Arrival, *pageText, error) {
	if c.o.NoTraps || a.Tree.Page.Entries != nil {
		return a, nil, nil
	}
	host, text := hostOf(a), &pageText{gist: gistOf(a.Tree.Title(), a.Tree.Text())}
	text.missing = saysMissing(a.Tree, text.gist.words)
	if r := c.memory.get(softKey(host)); text.missing && r.length >= minSoft && r.alike(text.gist) {
		a.Tree, a.Outcome.Reason = nil, SoftMissing
		return a, text, nil
	}
	if text.gist.words < minTwin {
		return a, text, nil
	}
	a.Outcome.Text = text.gist.same
	first, err := c.o.Frontier.FirstWithText(ctx, host, text.gist.same)
	if err == nil && first != "" && first != a.Lease.URL && first != a.URL() {
		a.Tree, a.Outcome.Reason = nil, "duplicate of "+first
	}
	return a, text, err
}

// SoftMissing is the Outcome.Reason of a page that only says that there is none.
const SoftMissing = "soft 404"

const (
	// minSoft is how many pages of a host in a row must say, in about the same words, that there is
	// no such page. Only then is the next believed.
	minSoft = 2
	// maxMissing is how many words a page has at most whose text, and not only its
	// title, may say so.
	maxMissing = 100
)

// missing are what pages say that answer for pages that do not exist.
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

// saysMissing reports whether a page says that there is no such page.
func saysMissing(t *tagtree.Tree, words int) bool {
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

// Limits on a link's URL beyond which it counts as a trap: a site that makes endless links.
// Heritrix has rules like these (PathologicalPathDecideRule, TooManyPathSegmentsDecideRule), Zeno
// has some.
const (
	maxSegments = 20 // of the path
	maxParams   = 12 // of the query
	maxSegment  = 3  // times that one segment is in a path, numbers aside
	maxParam    = 4  // times that one parameter is in a query
)

// trapOf reports why the URL itself looks like a trap, "" if it does not. Calendars look like
// anything else; see learn.
func trapOf(url string) string {
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
			return fmt.Sprintf("trap: %q comes again in the path", s)
		}
	}
	return ""
}

// isName reports whether a segment is more than a number or a letter, such as
// stand side by side in dates.
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
				return fmt.Sprintf("trap: %q comes again in the query", p)
			}
			if before, _, _ := strings.Cut(earlier, "="); before == name {
				n++
			}
		}
		if n >= maxParam {
			return fmt.Sprintf("trap: the parameter %q comes %d times", name, n)
		}
		params = append(params, p)
	}
	return ""
}

const (
	// maxAlike is how many pages of one shape of URL may say the same in a row
	// before the shape is closed.
	maxAlike = 20
	// minNear is how many words a text must have to be like another that is not
	// equal: shorter ones have too few shingles.
	minNear = 40
	// yields is the relevance above which a page repays its visit, whatever its
	// text has in common with others.
	yields = 0.5
)

// closed returns why no more pages like url are fetched, "" if they are.
func (m *memory) closed(url string) string {
	if !m.anyLong() {
		return ""
	}
	key, ok := shapeKey(url)
	if !ok || m.get(key).length < maxAlike {
		return ""
	}
	shape, _ := shapeOf(url)
	return fmt.Sprintf("trap: %d pages in a row said the same at %s", maxAlike, shape)
}

// alike reports whether a text is like the first of a run.
func (r run) alike(g gist) bool {
	if r.length == 0 {
		return false
	}
	if g.words < minNear {
		return r.near == g.near
	}
	return r.near.Distance(g.near) <= webgraph.NearDistance
}

// next returns the run with one thing more.
func (r run) next(g gist) run {
	if !r.alike(g) {
		r.length, r.near = 0, g.near
	}
	r.length++
	return r
}

// learn updates at the commit what the page shows of others, and returns the notes about that. A
// page worth its visit ends a run: a list of calls, however long, is not a trap. A revisited page
// repeats its content, which is not a sign of a trap either.
func (c *Crawler) learn(p *pageResult) (notes []Note) {
	remember := func(r run) { notes = append(notes, c.memory.put(r)...) }
	for _, more := range p.listed {
		r := c.memory.get(more.key)
		r.length += more.length
		remember(r)
	}
	if p.text == nil {
		return notes
	}
	if key, ok := shapeKey(p.arrival.Lease.URL); ok && p.arrival.Lease.How != Monitor {
		r := c.memory.get(key)
		switch {
		case !p.verdict.repaysVisit():
			remember(r.next(p.text.gist))
		case r.length > 0:
			r.length = 0
			remember(r)
		}
	}
	if p.text.missing {
		remember(c.memory.get(softKey(hostOf(p.arrival))).next(p.text.gist))
	}
	return notes
}
