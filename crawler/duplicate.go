package crawler

import (
	"context"
	"strings"

	"eventseer/features/tagtree"
)

// minTwin is how many words a page must show for its text to be compared with
// that of other pages: short ones say the same by chance.
const minTwin = 20

// compare finds out whether a page that was read says anything new. What does not, is no page:
// its tree goes, and the strategy is told as of one that cannot be read. It cost
// what it cost, for the answer came.
//
// Of pages with one text that are in hand at the same time the frontier knows
// nothing yet: with many workers two of them may be kept.
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
	first, err := c.o.Frontier.Twin(ctx, host, text.gist.same)
	if err == nil && first != "" && first != a.Lease.URL && first != a.URL() {
		a.Tree, a.Outcome.Reason = nil, "duplicate of "+first
	}
	return a, text, err
}

// SoftMissing is the Outcome.Reason of a page that only says that there is none.
const SoftMissing = "soft 404"

const (
	// minSoft is how many pages of a host must have said in a row, in about the
	// same words, that there is no such page, until the next is believed.
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
