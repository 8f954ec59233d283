package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// dueLabel matches a label which says that something happens by its date. A label without such a word, such
// as "Posters", may also be the title of a text.
var dueLabel = compilePattern(`(?i)deadline|\bdue\b|submi|notif|camera|\bfinal\b|regist|accept|decision|rebuttal|response|proposals?\b|closes?\b|closing|dates?\b|\b(by|before|until|till|later than)\b[^.]{0,20}$|\bsend\b|receiv|arriv|\bupload|cut-?off|\bends?\b|expire|call for|extended|early[- ]bird|reviews?\b|proceedings|frist|abgabe|einreich|anmeld|benachricht|rückmeldung|soumi|remise|l[ií]mite|submet|someti|inscri|envi|env[ií]o|entrega|plazo|prazo|recep|scadenza|\bfino al|iscri|invio|resultad|ergebnis|inform|hand[- ]?in|termin|nadsył|wersj|versi|indiening|tarih|gönder|bildirim|` + finalStems + `|` + notifyStems + `|` + registerStems + `|` + submitStems)

// bareWords is the maximum number of words of a label that dueLabel does not match.
const bareWords = 6

// isAmbiguousLabel reports whether a label names a possible purpose of a date without saying that it is a
// deadline. Labels in East Asian scripts and Cyrillic never count as weak.
func isAmbiguousLabel(label string) bool {
	for _, r := range label {
		if unicode.Is(unicode.Han, r) || unicode.Is(unicode.Cyrillic, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r) {
			return false
		}
	}
	return !dueLabel.MatchString(label)
}

// dropAmbiguousLabels removes the kind of dates with weak labels. Dates below a heading about dates keep
// it, and so do short labels on a page that calls for something or has other deadlines. es is modified.
func (p *page) dropAmbiguousLabels(es []entry) {
	sure := slices.ContainsFunc(p.blocks[:min(2*maxTop, len(p.blocks))], func(b tagtree.Block) bool {
		return announcements.MatchString(cutToBytes(b.Text, maxLabel))
	}) || slices.ContainsFunc(es, func(e entry) bool {
		return isDeadline(e.kind) && e.kind != eventseer.OtherDeadline && !e.prose && !isAmbiguousLabel(e.label)
	})
	for k := range es {
		e := &es[k]
		if !isDeadline(e.kind) || !isAmbiguousLabel(e.label) || datesHeading.MatchString(p.headingAbove(e.date.block)) {
			continue
		}
		if !sure || len(strings.Fields(cutToBytes(e.label, maxLabel))) > bareWords {
			e.kind = ""
		}
	}
}
