package extract

import (
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/name"
)

const (
	// minNameProb is the least probability at which a name is believed.
	minNameProb = 0.4
	// minAcronymProb is that of an acronym.
	minAcronymProb = 0.42
)

// title returns the event's name and where it is printed; "" where what looks most like one is more
// likely wrong than right, see shortTitle.
func (p *page) title() (string, eventseer.Provenance) {
	c := p.called.Name
	if c.Text == "" || c.Prob < minNameProb {
		return "", eventseer.Provenance{}
	}
	src := p.nameSource(c, "title-")
	return nameAlone(c.Text), src
}

// nameAlone returns a name without remarks on the call, such as "2nd notice:" or "--- Call for
// Papers". A name that would lose the noun for an event stays as it is.
func nameAlone(s string) string {
	t := cleanTitle(s)
	if t == "" || !strings.Contains(s, t) || nouns.MatchString(s) && !nouns.MatchString(t) {
		return s
	}
	return t
}

// acronym returns the event's acronym, "" for none, and where it is printed.
func (p *page) acronym() (string, eventseer.Provenance) {
	c := p.called.Acronym
	if c.Text == "" || c.Prob < minAcronymProb {
		return "", eventseer.Provenance{}
	}
	return c.Text, p.nameSource(c, "acronym-")
}

// nameSource reports where a name is printed.
func (p *page) nameSource(c name.Choice, rule string) eventseer.Provenance {
	src := eventseer.Provenance{URL: p.url, Path: "html/head/title", Snippet: snippet(p.t.Title(), 0)}
	switch {
	case c.Block >= 0:
		b, end := p.blocks[c.Block], p.blocks[c.Last]
		from, to := 0, end.Start+len(end.Text)-b.Start
		if at := strings.Index(b.Text, c.Text); at >= 0 {
			from, to = at, at+len(c.Text)
		}
		src = p.source(c.Block, from, to, "")
	case !c.Element:
		src.Inferred = "said for programs, not shown"
	}
	src.Rule, src.Confidence = rule+c.From, c.Prob
	return src
}

// shortTitle warns of a name in doubt, and gives a record without name its acronym and
// year for a title.
func (p *page) shortTitle(e *eventseer.Event) {
	if p.called.Name.Text == "" || p.called.Name.Prob >= doubtful {
		return
	}
	e.Warnings = append(e.Warnings, eventseer.Warning{Rule: "doubtful-title", Text: "nothing on the page tells for certain what the event is called"})
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

// doubtful is the probability below which a name is warned of.
const doubtful = 0.5
