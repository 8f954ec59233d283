package extract

import (
	"regexp"

	"eventseer/eventseer"
)

var kindWords = []struct {
	kind    eventseer.Kind
	pattern *regexp.Regexp
}{
	{eventseer.SpecialIssue, regexp.MustCompile(`(?i)special (issue|section)|theme issue|número especial|sonderheft|专刊|\bjournal\b`)},
	{eventseer.SummerSchool, regexp.MustCompile(`(?i)(summer|winter|spring|autumn|research) school`)},
	{eventseer.Workshop, regexp.MustCompile(`(?i)workshop|atelier|taller\b|ワークショップ|워크숍`)},
	{eventseer.Symposium, regexp.MustCompile(`(?i)symposi(um|a)|simp[oó]sio|シンポジウム`)},
	{eventseer.Conference, regexp.MustCompile(`(?i)conference|congress|meeting|summit|convention|jornadas?|congreso|conferencia|conférence|colloque|tagung|konferenz|convegno|congresso|会议|大会|會議|研討會|학술대회|colloquium`)},
}

// kindOf reads the kind of event from its title, else from its page's top.
func (p *page) kindOf(title string) eventseer.Kind {
	texts := []string{title, p.t.Title()}
	for i, b := range p.blocks {
		if i < maxTop {
			texts = append(texts, clip(b.Text, maxTitle))
		}
	}
	for _, s := range texts {
		for _, k := range kindWords {
			if k.pattern.MatchString(s) {
				return k.kind
			}
		}
	}
	return eventseer.OtherKind
}
