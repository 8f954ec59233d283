package extract

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/name"
)

const (
	// minNameProb is the minimum probability for accepting a name.
	minNameProb = 0.4
	// minAcronymProb is the minimum probability for accepting an acronym.
	minAcronymProb = 0.42
)

// A nameReader collects the candidates for the name of an event from its page, and returns the chosen ones.
type nameReader struct {
	*page
	hostList   []name.Host // cache of hosts
	hostsRead  bool
	titleTexts titleTexts
	low        string // cache of lowText
}

// readTitle returns the event's name and its source. It returns "" if the best candidate has a probability
// below minNameProb; see titleFromAcronym.
func (n *nameReader) readTitle() (string, eventseer.Provenance) {
	c := n.called.Name
	if c.Text == "" || c.Prob < minNameProb {
		return "", eventseer.Provenance{}
	}
	src := n.nameSource(c, "title-")
	return withoutLostQuotes(nameWithoutRemarks(c.Text)), src
}

var (
	lostOpeningQuote = regexp.MustCompile(`(^|[\s(])\?(\pL)`)
	lostClosingQuote = regexp.MustCompile(`(\pL)\?($|[\s).,:;])`)
)

// withoutLostQuotes removes question marks that an archive of mails wrote instead of quotation marks. One of them
// is before a word.
func withoutLostQuotes(s string) string {
	if !lostOpeningQuote.MatchString(s) {
		return s
	}
	return lostClosingQuote.ReplaceAllString(lostOpeningQuote.ReplaceAllString(s, "$1$2"), "$1$2")
}

// nameWithoutRemarks returns a name without remarks about the call, such as "2nd notice:" or "--- Call for
// Papers". The name is unchanged if it would lose its noun for an event.
func nameWithoutRemarks(s string) string {
	t := cleanTitle(s)
	if t == "" || !strings.Contains(s, t) || nouns.MatchString(s) && !nouns.MatchString(t) {
		return s
	}
	return t
}

// readAcronym returns the event's acronym and its source; "" if no acronym has a probability of minAcronymProb.
func (n *nameReader) readAcronym() (string, eventseer.Provenance) {
	c := n.called.Acronym
	if c.Text == "" || c.Prob < minAcronymProb {
		return "", eventseer.Provenance{}
	}
	return c.Text, n.nameSource(c, "acronym-")
}

// nameSource returns the source of a name, with the given prefix of its rule.
func (n *nameReader) nameSource(c name.Choice, rule string) eventseer.Provenance {
	src := eventseer.Provenance{URL: n.url, Path: "html/head/title", Snippet: snippet(n.t.Title(), 0)}
	switch {
	case c.Block >= 0:
		b, end := n.blocks[c.Block], n.blocks[c.Last]
		from, to := 0, end.Start+len(end.Text)-b.Start
		if at := strings.Index(b.Text, c.Text); at >= 0 {
			from, to = at, at+len(c.Text)
		}
		src = n.provenanceOf(c.Block, from, to, "")
	case !c.Element:
		src.Inferred = "from metadata that the page does not show"
	}
	src.Rule, src.Confidence = rule+c.From, c.Prob
	return src
}

// titleFromAcronym adds a warning if the event's name is doubtful. A record without a title then gets its
// acronym and year as title.
func (n *nameReader) titleFromAcronym(e *eventseer.Event) {
	if n.called.Name.Text == "" || n.called.Name.Prob >= warnBelow {
		return
	}
	e.Warnings = append(e.Warnings, eventseer.Warning{Rule: "doubtful-title", Text: "the page does not print the name of the event clearly; the title may be wrong"})
	if e.Title != "" || e.Acronym == "" {
		return
	}
	e.Title = e.Acronym
	if e.Year != 0 {
		e.Title += " " + strconv.Itoa(e.Year)
	}
	src := e.Sources["acronym"]
	src.Rule, src.Inferred = "title-from-acronym", "acronym and year of the edition joined"
	e.Sources["title"] = src
}

// warnBelow is the probability of a name below which the record gets a warning.
const warnBelow = 0.5
