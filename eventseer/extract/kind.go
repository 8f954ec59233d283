package extract

import (
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

var kindWords = []struct {
	kind    eventseer.Kind
	pattern *pattern.Pattern
}{
	{eventseer.SpecialIssue, compilePattern(`(?i)special (issue|section)|theme issue|número especial|sonderheft|专刊|\bjournal\b`)},
	{eventseer.SummerSchool, compilePattern(`(?i)(summer|winter|spring|autumn|research) school|(sommer|winter|herbst|frühjahrs|frühlings)(schule|akademie)|(école|ecole) (d['’]été|d['’]hiver|de printemps|thématique)|escuela de (verano|invierno|primavera|otoño)|escola de (verão|inverno)|scuola (estiva|invernale)|летняя школа|зимняя школа|サマースクール|여름학교|暑期学校`)},
	{eventseer.Workshop, compilePattern(`(?i)workshop|atelier|taller\b|ワークショップ|워크숍`)},
	{eventseer.Symposium, compilePattern(`(?i)symposi(um|a)|simp[oó]sio|simposi[ou]|sempozyum|sympozjum|симпозиум|シンポジウム`)},
	{eventseer.Conference, compilePattern(`(?i)conference|congress|meeting|summit|convention|jornadas?|congreso|conferencia|conferência|conférence|journées\b|colloque|tagung|konferen[zc]|конференци|convegno|congresso|会议|大会|會議|研討會|학술대회|colloquium`)},
}

// kindOf reads the kind of event from its title, else from the title element,
// else from what the first blocks call it most often.
func kindOf(p *page, title string) eventseer.Kind {
	for _, s := range []string{title, p.t.Title()} {
		if bothKinds.MatchString(s) {
			return eventseer.Conference
		}
		for _, k := range kindWords {
			if k.pattern.MatchString(s) {
				return k.kind
			}
		}
	}
	best, most := eventseer.OtherKind, 0
	counts := make([]int, len(kindWords))
	for i, b := range p.blocks[:min(maxTop, len(p.blocks))] {
		if p.menu[i] {
			continue
		}
		for k, w := range kindWords {
			if !p.mayMatch(i, w.pattern) {
				continue
			}
			if counts[k] += len(w.pattern.FindAllStringIndex(cutToBytes(b.Text, maxTitle), 4)); counts[k] > most {
				best, most = w.kind, counts[k]
			}
		}
	}
	return best
}

// bothKinds matches "Conference and Workshop on".
var bothKinds = compilePattern(`(?i)\b(conference|congress|symposium)s?\b[^,:;–—|]{0,40}\b(and|&|cum)\b[^,:;–—|]{0,24}\bworkshops?\b`)
