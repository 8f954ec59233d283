package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// publisherName matches publishers and series matches series of proceedings; the first match in a text
// counts. publishWords matches words of blocks that are about publishing.
var (
	publisherName = compilePattern(`(?i)\b(springer(?:[- ]verlag| nature)?|IEEE (?:Xplore|Computer Society Press|CS Press|CS digital library|Press|digital library)|ACM (?:Digital Library|DL\b|Press|ICPS|International Conference Proceedings?(?: Series)?)|Elsevier|CEUR(?:[- ]WS)?(?:\.org)?|LIPIcs|Leibniz International Proceedings in Informatics|OASIcs|PMLR|Proceedings of Machine Learning Research|JMLR(?: W&CP| Workshop and Conference Proceedings)?|ACL Anthology|EPTCS|Electronic Proceedings in Theoretical Computer Science|MDPI|Taylor (?:&|and) Francis|IOS Press|Eurographics (?:Digital Library|Association)|World Scientific|Wiley|AAAI Press|AAAI Technical Reports?|USENIX|SciTePress|IGI Global|Cambridge University Press|Oxford University Press|MIT Press|De Gruyter|Atlantis Press|BMC\b|BioMed Central|Hindawi|PLOS ONE|Inderscience|IEEE|Linköping University Electronic Press|LiU Electronic Press|EDP Sciences|IOP|AIP|Brill|Routledge|Palgrave|CRC Press|ISCA Archive|EasyChair (?:EPiC|Proceedings)|SBC[- ]?(?:OpenLib|SOL))`)
	series        = compilePattern(`\b(LNCS|LNAI|LNBI|LNBIP|LNEE|LNNS|LNICST|CCIS|AISC|AICT|ICPS|LNI|LNM)\b|Lecture Notes (?:in|of|on) (?:the )?(?:Institute for )?([A-Z][\p{L}]+(?:(?: in| and| of|,)? [A-Z][\p{L}]+){0,4})|(Communications in Computer and Information Science|Advances in Intelligent Systems and Computing)`)
	publishWords  = compilePattern(`(?i)publish|proceedings|appear|indexed|available|publicad|veröffentlich|publié|volume|series`)
)

// seriesCodes maps the words after "Lecture Notes in" to the short name of a series. publisherNames maps
// names of publishers to short names. Keys are in lower case.
var (
	seriesCodes    = map[string]string{"computer science": "LNCS", "artificial intelligence": "LNAI", "bioinformatics": "LNBI", "business information processing": "LNBIP", "electrical engineering": "LNEE", "networks and systems": "LNNS", "computer sciences": "LNICST", "informatics": "LNI", "mathematics": "LNM"}
	publisherNames = map[string]string{"springer": "Springer", "elsevier": "Elsevier", "mdpi": "MDPI", "wiley": "Wiley", "springer-verlag": "Springer", "springer verlag": "Springer", "springer nature": "Springer", "acm dl": "ACM Digital Library", "acm international conference proceedings series": "ACM ICPS", "acm international conference proceeding series": "ACM ICPS", "acm international conference proceedings": "ACM ICPS", "leibniz international proceedings in informatics": "LIPIcs", "electronic proceedings in theoretical computer science": "EPTCS", "proceedings of machine learning research": "PMLR", "ceur-ws": "CEUR", "ceur-ws.org": "CEUR", "ceur ws": "CEUR", "liu electronic press": "Linköping University Electronic Press"}
)

// publisherRight is the share of correct publishers on the gold pages.
const publisherRight = 0.85

// readPublisher returns the publisher of the proceedings, with the series if the page names it: "Springer
// LNCS". It returns "" for none.
func readPublisher(p *page) (string, eventseer.Provenance) {
	found, src := "", eventseer.Provenance{}
	for i, b := range p.blocks {
		text := cutToBytes(b.Text, maxBlockBytes)
		if !p.mayMatch(i, publishWords) || !publishWords.MatchString(text) {
			continue
		}
		name, from, to := publisherIn(text)
		if name == "" || found != "" && !strings.HasPrefix(name, found+" ") {
			continue
		}
		found, src = name, p.provenanceOf(i, from, to, "publisher")
		src.Confidence = publisherRight
		if !strings.EqualFold(found, text[from:to]) {
			src.Inferred = "short form of the printed name"
		}
		if found != "Springer" {
			break
		}
	}
	return found, src
}

// maxSeriesGap is the maximum number of bytes between a publisher and its series.
const maxSeriesGap = 120

// publisherIn returns the first publisher in a text with its series, or the series alone, and its offsets.
// name is "" for none.
func publisherIn(text string) (name string, from, to int) {
	s := series.FindStringSubmatchIndex(text)
	m := publisherName.FindStringIndex(text)
	// IEEE alone is usually the sponsor.
	if m != nil && strings.EqualFold(text[m[0]:m[1]], "IEEE") && s == nil {
		m = nil
		for _, at := range publisherName.FindAllStringIndex(text, maxURLs) {
			if !strings.EqualFold(text[at[0]:at[1]], "IEEE") {
				m = at
				break
			}
		}
	}
	switch {
	case m == nil && s == nil:
		return "", 0, 0
	case m == nil:
		return seriesName(text, s), s[0], s[1]
	}
	name, from, to = text[m[0]:m[1]], m[0], m[1]
	if known := publisherNames[strings.ToLower(name)]; known != "" {
		name = known
	}
	name = strings.Replace(name, "digital library", "Digital Library", 1)
	if s != nil && strings.HasPrefix(name, "Springer") && max(s[0]-to, from-s[1]) <= maxSeriesGap {
		name, from, to = "Springer "+strings.TrimPrefix(seriesName(text, s), "Springer "), min(from, s[0]), max(to, s[1])
	}
	return name, from, to
}

// seriesName returns the short name of a series, with its publisher if that is certain. m are the offsets
// of a match of the expression series.
func seriesName(text string, m []int) string {
	name := text[m[0]:m[1]]
	if m[4] >= 0 {
		if code := seriesCodes[strings.ToLower(text[m[4]:m[5]])]; code != "" {
			name = code
		}
	}
	switch name {
	case "LNCS", "LNAI", "LNBI", "LNBIP", "LNEE", "LNNS", "LNICST", "CCIS", "AISC":
		return "Springer " + name
	case "ICPS":
		return "ACM ICPS"
	}
	return name
}
