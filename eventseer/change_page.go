package eventseer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	turnedTemplate = 0.2 // distance of the templates of a page that is another one now
	turnedText     = 0.3 // share of its old text that is gone
	minTurned      = 500 // bytes of text of a page that can turn into another
	minRestyled    = 3   // blocks marked otherwise before that is worth a word
)

// page finds what changed besides days.
func (d *differ) page() {
	d.notices()
	d.years()
	d.place()
	d.placeStruck()
	d.speakers()
	d.committee()
	d.program()
	d.links()
	d.news()
	d.template()
}

// turnedInto reports whether the page is another one now: built otherwise, with much of
// its old text gone.
func (d *differ) turnedInto() bool {
	for _, e := range d.edits {
		if e.old == "" && movedAway.MatchString(e.new) {
			return true
		}
	}
	if d.c.TemplateDistance() < turnedTemplate {
		return false
	}
	gone, all := 0, 0
	for _, b := range d.c.Old.Blocks() {
		all += len(b.Text)
	}
	for _, e := range d.edits {
		if e.new == "" {
			gone += len(e.old)
		}
	}
	return all >= minTurned && float64(gone) >= turnedText*float64(all)
}

// notices finds what says that deadlines were moved without a day.
func (d *differ) notices() {
	for i, e := range d.edits {
		if e.new == "" || !saysExtended(e.new) || saysExtended(e.old) {
			continue
		}
		if d.explained[i] = true; !d.has(DeadlineExtended) {
			d.find(DeadlineExtended, "", e.old, e.new)
		}
		if d.amongNews(e) {
			d.find(NewsItem, "", e.old, e.new)
		}
	}
}

// saysExtended reports whether a text says that a deadline was moved.
func saysExtended(s string) bool {
	return extensionNotice.MatchString(s) && extensionNotice.MatchString(extendedText.ReplaceAllString(s, ""))
}

// template finds that the page is built otherwise, or bears another name.
func (d *differ) template() {
	o, n := d.c.Old.Title(), d.c.New.Title()
	switch {
	case d.turned:
		d.find(TemplateChange, "", o, n)
	case d.has(DeadlineExtended, DeadlineAdded):
	case !sameName(o, n, d.has(DateCorrected)):
		d.find(TemplateChange, "title", o, n)
	}
}

// sameName reports whether two titles are one but for how they are written, and for the
// year where that is said already.
func sameName(a, b string, dated bool) bool {
	if dated {
		a, b = anyNumber.ReplaceAllString(a, ""), anyNumber.ReplaceAllString(b, "")
	}
	return squeezed(a) == squeezed(b) || slices.Equal(sortedWords(a), sortedWords(b))
}

func sortedWords(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return words
}

var anyNumber = regexp.MustCompile(`\d+`)

// cosmetic notes what changed in how things are written and marked, and that something
// visible changed where nothing else was found.
func (d *differ) cosmetic() {
	c := d.c
	other := 0
	for _, r := range c.Restyled {
		if d.restated[r.Old] {
			continue
		}
		other++
		old, new := c.Old.Blocks()[r.Old], c.New.Blocks()[r.New]
		if len(old.Struck) != len(new.Struck) || other >= minRestyled {
			d.find(Cosmetic, "", old.Text, new.Text)
			return
		}
	}
	if len(d.found) == 0 && (len(c.Hunks) > 0 || other > 0 || c.Noise || c.TemplateDistance() > 0 || c.LooksChanged() || c.Old.Title() != c.New.Title() || !c.SameLinks()) {
		d.find(Cosmetic, "", "", "")
	}
}
