package crawler

import (
	"context"
	"strings"

	"eventseer/features/tagtree"
)

// minTwin is how many words a page must show for its text to be compared with
// that of other pages: short ones say the same by chance.
const minTwin = 20

// compare asks whether the page says anything new. What does not, is no page:
// its tree goes, and the strategy is told as of one that cannot be read. It cost
// what it cost, for the answer came.
//
// Of pages with one text that are in hand at the same time the frontier knows
// nothing yet: with many workers two of them may be kept.
func (s *step) compare(ctx context.Context) error {
	tree := s.a.Tree
	if s.o.NoTraps || tree == nil || tree.Page.Entries != nil {
		return nil
	}
	s.compared = true
	s.gist = gistOf(tree.Title(), tree.Text())
	s.missing = saysMissing(tree, s.gist.words)
	if r := s.memory.get(softKey(hostOf(s.a))); s.missing && r.length >= minSoft && r.alike(s.gist) {
		s.worthless(SoftMissing)
		return nil
	}
	if s.gist.words < minTwin {
		return nil
	}
	s.a.Outcome.Text = s.gist.same
	first, err := s.o.Frontier.Twin(ctx, hostOf(s.a), s.gist.same)
	if err == nil && first != "" && first != s.a.Lease.URL && first != s.a.URL() {
		s.worthless("duplicate of " + first)
	}
	return err
}

// SoftMissing is the Outcome.Reason of a page that only says that there is none.
const SoftMissing = "soft 404"

func (s *step) worthless(reason string) {
	s.a.Tree, s.a.Outcome.Reason = nil, reason
}

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
