package extract

var (
	// excludesExtension matches words beside a date which say that it will not be extended.
	excludesExtension = compilePattern(`(?i)\b(firm|strict|hard|final and strict)( and final)? (deadline|date|cut-?off)|deadlines?:? (is|are|will be) (\w+ )?(firm|strict|hard)\b|\((absolutely |very |this is )?(firm|strict|hard|final)( deadline)?!?\)|[-–,!:] ?(firm|strict|hard)\b ?[!.)]?\s*$|` + noExtensionWords)
	// excludesAllExtensions matches a sentence which says that no date around it will be extended.
	excludesAllExtensions = compilePattern(`(?i)\bdeadlines (are|will be) (\w+ )?(firm|strict|hard|final)\b|deadlines [^.]{0,30}strictly|strictly enforced|` + noExtensionWords)
)

const noExtensionWords = `\bno (further |more |additional |other )?(deadline )?extensions?\b|(will|can|shall)( ?not|n['’]t) be (further )?(extended|postponed)|one and only extension|(last|final) extension\b|keine (weitere )?(frist)?verlängerung|sin prórroga|no habrá (más )?prórroga|ne sera pas (prolongé|repouss)|nessuna proroga|不再延期|不会延期|延長(は|し|いたし)`

// noExtensionHeadings returns the block indexes of headings below which a separate sentence excludes
// extensions.
func (p *page) noExtensionHeadings() map[int]bool {
	firm := map[int]bool{}
	for i, b := range p.blocks {
		if len(b.Text) <= maxLabel && len(p.datesIn(i)) == 0 && p.mayMatch(i, excludesAllExtensions) && excludesAllExtensions.MatchString(b.Text) {
			firm[p.head[i]] = true
		}
	}
	delete(firm, -1)
	return firm
}

// rulesOutExtension reports whether the page excludes an extension of e's date. heads is the result of
// noExtensionHeadings.
func (p *page) rulesOutExtension(e entry, heads map[int]bool) bool {
	s := e.label + " " + e.around
	if len(p.datesIn(e.date.block)) == 1 {
		s = cutToBytes(p.blocks[e.date.block].Text, maxLabel)
	}
	return excludesExtension.MatchString(s) || e.kind.IsSubmission() && heads[p.head[e.date.block]]
}
