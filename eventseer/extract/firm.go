package extract

var (
	// firmDate matches words beside a date which say that it will not be extended.
	firmDate = compile(`(?i)\b(firm|strict|hard|final and strict)( and final)? (deadline|date|cut-?off)|deadlines?:? (is|are|will be) (\w+ )?(firm|strict|hard)\b|\((absolutely |very |this is )?(firm|strict|hard|final)( deadline)?!?\)|[-–,!:] ?(firm|strict|hard)\b ?[!.)]?\s*$|` + noExtension)
	// firmDates matches a sentence which says that no date around it will be extended.
	firmDates = compile(`(?i)\bdeadlines (are|will be) (\w+ )?(firm|strict|hard|final)\b|deadlines [^.]{0,30}strictly|strictly enforced|` + noExtension)
)

const noExtension = `\bno (further |more |additional |other )?(deadline )?extensions?\b|(will|can|shall)( ?not|n['’]t) be (further )?(extended|postponed)|one and only extension|(last|final) extension\b|keine (weitere )?(frist)?verlängerung|sin prórroga|no habrá (más )?prórroga|ne sera pas (prolongé|repouss)|nessuna proroga|不再延期|不会延期|延長(は|し|いたし)`

// firmHeads returns the block indexes of headings below which a separate sentence excludes extensions.
func (p *page) firmHeads() map[int]bool {
	firm := map[int]bool{}
	for i, b := range p.blocks {
		if len(b.Text) <= maxLabel && len(p.datesIn(i)) == 0 && firmDates.MatchString(b.Text) {
			firm[p.head[i]] = true
		}
	}
	delete(firm, -1)
	return firm
}

// isFirm reports whether the page excludes an extension of e's date. heads is the result of firmHeads.
func (p *page) isFirm(e entry, heads map[int]bool) bool {
	s := e.label + " " + e.around
	if len(p.datesIn(e.date.block)) == 1 {
		s = clip(p.blocks[e.date.block].Text, maxLabel)
	}
	return firmDate.MatchString(s) || e.kind.Submits() && heads[p.head[e.date.block]]
}
