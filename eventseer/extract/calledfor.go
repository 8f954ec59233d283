package extract

import (
	"eventseer/eventseer"
)

var calls = compile(`(?i)\bcall for ((?:\w+ )?(abstracts?|posters?|demos?|demonstrations|(workshop|symposi\w+|panel|tutorial)s?( proposals)?))\b|\b(abstract|poster) submissions?\b`)

// calledFor returns what a page with no paper deadline calls for by its title
// or headings, else by what its text asks authors to send in, or "".
func (p *page) calledFor(es []entry) eventseer.DeadlineKind {
	for _, e := range es {
		if e.kind == eventseer.Submission && !e.prose && !generic(e.label) {
			return ""
		}
	}
	texts := []string{p.t.Title()}
	for i, b := range p.blocks {
		if i < 2*maxTop && isHeading(b) {
			texts = append(texts, b.Text)
		}
	}
	for _, s := range texts {
		if m := calls.FindString(clip(s, maxLabel)); m != "" {
			switch k := labelKind(m); k {
			case eventseer.Abstract, eventseer.Poster, eventseer.Demo, eventseer.WorkshopProposal, eventseer.TutorialProposal:
				return k
			}
		}
	}
	if abstracts, papers := p.asked(); abstracts > 2*papers {
		return eventseer.Abstract
	}
	return ""
}

const (
	// handIn asks for something, abstractWords and paperWords say for what.
	handIn        = `(?:submi(?:t|ss)\w*|send|invit\w+|accept\w*|solicit\w*|provide|welcom\w+|call for|einreich\w*|enviar|env[ií]o de|soumettre|soumission)`
	abstractWords = `(?:abstracts?|summar(?:y|ies)|res[uú]men(?:es)?|résumés?|resumos?|kurzfassung(?:en)?|exposés?)`
	paperWords    = `(?:papers?|manuscripts?|articles?|full[- ]texts?|beiträge)`
	fewWords      = `(?:[^\s.;:]+ ){0,4}`
	ofLength      = `(?:should|must|shall|may|of (?:no|up|max|\d)|are (?:invited|welcome|due|limited)|\(?(?:max|up to|\d)|submission|deadline)`
)

var (
	asksAbstract = compile(`(?i)\b` + handIn + ` ` + fewWords + abstractWords + `\b|\b` + abstractWords + ` ` + ofLength + `|\babstracts [^.;:]{0,60}\bwelcome|\blength of (?:the )?abstracts?\b|^\W*abstract length\b|摘要(?:截|提交|投稿|收集|征集|格式|要求)|要旨`)
	asksPaper    = compile(`(?i)\b` + handIn + ` ` + fewWords + paperWords + `\b|\b(?:full|long|short|regular|research|original|complete)[- ]` + paperWords + `|\b` + paperWords + ` (?:` + ofLength + `|submitted|length|format)|全文(?:截|提交|投稿|格式|要求)|论文(?:截|提交|格式|模板)`)
	// anyPaper matches words that calls for abstracts print as well.
	anyPaper = compile(`(?i)\b(call for|final) papers?`)
)

// asked counts how often the text asks for abstracts and for papers.
func (p *page) asked() (abstracts, papers int) {
	for _, b := range p.blocks {
		s := anyPaper.ReplaceAllString(b.Text, "")
		abstracts += len(asksAbstract.FindAllStringIndex(s, -1))
		papers += len(asksPaper.FindAllStringIndex(s, -1))
	}
	return abstracts, papers
}
