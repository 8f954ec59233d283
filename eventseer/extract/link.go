package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// Limits on the search for the address for submissions.
const (
	maxURL        = 500 // bytes of a printed URL
	maxSubmitText = 400 // bytes of text at a link that are searched for its purpose
)

var (
	submitAnchor = compilePattern(`(?i)^\W*(submit|submission (site|system|page|link|portal|website|server|form|platform|web ?site)|paper submission|(electronic |abstract |proposal |manuscript )submission (site|system|page|link|portal|form)|submit (your |a |an )?(paper|abstract|proposal|manuscript|talk|here|now)|online submission|easychair|hotcrp|cmt3?|openreview|edas|softconf|conftool|sessionize|submissões|submiss[ãa]o|soumettre|soumission|einreichen|einreichung|enviar)\b|^\W*(投稿|提交)`)
	// notSubmission matches the texts of links to information about submissions.
	notSubmission = compilePattern(`(?i)guideline|instruction|template|format|requirement|policy|policies|faq|deadline|dates|award|registration|camera|review|withdraw|committee|program|call for|sponsor|hotel|travel|visa|proceedings`)
	// otherForm matches text at the link to a form that is not for submissions.
	otherForm  = compilePattern(`(?i)regist|feedback|survey|volunt|mailing|newsletter|subscri|rsvp|inscri|attend|review(er)? (form|application)|poll\b|vote|nominat|sponsor|anmeld|注册|報名|报名|参加`)
	printedURL = compilePattern(`(?i)\b(?:https?://|www\.|(?:easychair|openreview|softconf|edas|cmt3?\.research|[\w-]{2,30}\.hotcrp|sessionize|pretalx|papercall)\.[a-z.]{2,20}/)[^\s<>"'()\[\]{}|]{1,480}`)
)

// A submissionAddress is the address for submitting papers.
type submissionAddress struct {
	url, system string
	source      eventseer.Provenance
}

// readSubmission returns the address for submissions, a link or a printed URL. A known submission system is
// preferred, then a link with a text such as "submit here", then a form without another purpose. The url is
// "" if there is none.
func readSubmission(p *page) submissionAddress {
	links := p.t.Links()
	for i, l := range links {
		if s := systemOf(l.Target); s != "" {
			return submissionAddress{l.Target, s, linkSource(p, i, "submission-system")}
		}
	}
	if s, ok := printedSubmissionSystem(p); ok {
		return s
	}
	for i, l := range links {
		if submitAnchor.MatchString(l.Anchor) && !notSubmission.MatchString(l.Anchor) && !isFile(l.Target) {
			return submissionAddress{l.Target, formOf(l.Target), linkSource(p, i, "submission-anchor")}
		}
	}
	for i, l := range links {
		if s := formOf(l.Target); s != "" && !otherForm.MatchString(cutToBytes(l.Anchor+" "+l.Context, maxSubmitText)) {
			return submissionAddress{l.Target, s, linkSource(p, i, "submission-form")}
		}
	}
	return submissionAddress{}
}

// printedSubmissionSystem returns the first printed URL of a known submission system, as mails contain it.
func printedSubmissionSystem(p *page) (submissionAddress, bool) {
	for i, b := range p.blocks {
		text := cutToBytes(b.Text, maxBlockBytes)
		if !strings.ContainsRune(text, '/') {
			continue
		}
		for _, m := range printedURL.FindAllStringIndex(text, maxURLs) {
			target := strings.TrimRight(text[m[0]:m[1]], ".,;:!?*_")
			if !strings.Contains(target, "://") {
				target = "https://" + target
			}
			if s := systemOf(target); s != "" && len(target) <= maxURL {
				return submissionAddress{target, s, p.provenanceOf(i, m[0], m[1], "submission-printed")}, true
			}
		}
	}
	return submissionAddress{}, false
}

// maxURLs is the maximum number of URLs read per block.
const maxURLs = 50

// linkSource returns the source of link i: its block, or the whole page if no block contains the link.
func linkSource(p *page, i int, rule string) eventseer.Provenance {
	place := p.t.LinkPlace(i)
	src := eventseer.Provenance{URL: p.url, Path: place.Path, Rule: rule, Snippet: snippet(place.Context, 0), Confidence: submissionRight[rule]}
	if b := place.Block; b != nil {
		at := max(0, strings.Index(b.Text, place.Anchor))
		src.Path, src.Inferred = b.Path, "address from the link"
		src.Offset = [2]int{b.Start + at, b.Start + min(at+len(place.Anchor), len(b.Text))}
	}
	return src
}

// submissionRight is, by rule, the share of correct URLs on the gold pages.
var submissionRight = map[string]float64{"submission-system": 0.96, "submission-printed": 0.9, "submission-anchor": 0.8, "submission-form": 0.8}

// isFile reports whether a URL is that of a document or a mailbox.
func isFile(target string) bool {
	target = strings.ToLower(target)
	for _, end := range []string{".pdf", ".doc", ".docx", ".zip", ".tex", ".odt", ".rtf", ".png", ".jpg"} {
		if strings.HasSuffix(target, end) {
			return true
		}
	}
	return strings.HasPrefix(target, "mailto:")
}
