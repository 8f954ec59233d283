package extract

import (
	"regexp"
	"strings"

	"eventseer/eventseer"
)

var (
	submissionHost = regexp.MustCompile(`(?i)^https?://([^/]*\.)?(easychair\.org/(conferences|my)|cmt3?\.research\.microsoft\.com|cmt\.org|openreview\.net/group|[^/]*hotcrp\.com|edas\.info|[^/]*precisionconference\.com|new\.precisionconference|softconf\.com|conftool\.(net|com|org)|[^/]*\.conftool|equinocs\.springernature|ocs\.springer|oxfordabstracts\.com|sessionize\.com|pretalx\.com|papercall\.io|manuscriptcentral|editorialmanager|linklings\.net)`)
	submitAnchor   = regexp.MustCompile(`(?i)^(submit|submission (site|system|page|link|portal|website)|paper submission|submit (your |a )?(paper|abstract|proposal|manuscript|here|now)|online submission|easychair|hotcrp|cmt|openreview)\b`)
	publishers     = regexp.MustCompile(`(?i)\b(springer(?: nature)?(?:[- ](?:verlag|LNCS))?|IEEE Xplore|ACM Digital Library|ACM ICPS|Elsevier|CEUR(?:[- ]WS)?(?:\.org)?|LIPIcs|PMLR|JMLR(?: W&CP)?|ACL Anthology|EPTCS|Lecture Notes in [A-Z][\w ]{3,40}|LNCS|MDPI|Taylor & Francis|IOS Press|Eurographics Digital Library|World Scientific|Wiley)\b`)
	publishWords   = regexp.MustCompile(`(?i)publish|proceedings|appear|indexed|available`)
)

// submissionURL returns the link to where papers are handed in.
func (p *page) submissionURL() string {
	for _, l := range p.t.Links() {
		if submissionHost.MatchString(l.Target) {
			return l.Target
		}
	}
	for _, l := range p.t.Links() {
		if submitAnchor.MatchString(strings.TrimSpace(l.Anchor)) {
			return l.Target
		}
	}
	return ""
}

// publisher returns who publishes the proceedings, as printed.
func (p *page) publisher() (string, eventseer.Provenance) {
	for i, b := range p.blocks {
		text := clip(b.Text, maxBlockBytes)
		if !publishWords.MatchString(text) {
			continue
		}
		if m := publishers.FindStringIndex(text); m != nil {
			return text[m[0]:m[1]], p.source(i, m[0], m[1], "publisher")
		}
	}
	return "", eventseer.Provenance{}
}
