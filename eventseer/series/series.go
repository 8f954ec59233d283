// Package series finds the series and edition of an event from its names. It also estimates from
// the editions of a series when the next is due.
package series

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// heldWith matches the part of a title that names the event this one is held
// with: "(co-located with ICX 2027)", "@ ICX", "at ICX'27".
var heldWith = pattern.Compile(`(\s*[,(–—-]+\s*|\s+)((?i:(held )?(in conjunction|co-?located|jointly) with)|@|at the \d|at [A-Z]\w* ?['’]?\d).*$`)

// Of returns the series of the event e: the id in the shipped table, otherwise a normalized name
// that is the same for all editions. See Table.Of.
func Of(e eventseer.Event) string { return Shipped().Of(e) }

// Of returns the series of the event e. It is the id of the matching series of the table, else the
// event's acronym, else its title, without year, number of the edition and place: "icx" of
// "ICX'27", "conference-on-x" of the "4th Conference on X, Trondheim 2027". If the acronym is that
// of a known series to which the event does not belong, the title is used. The result is "" for a
// record without a name, and at most 60 bytes of [a-z0-9-] except for ids of the table.
func (t *Table) Of(e eventseer.Event) string {
	return t.cache.cachedOrFound(seriesCacheKey(e), func() string { return t.findSeriesOf(e) })
}

func (t *Table) findSeriesOf(e eventseer.Event) string {
	if m, ok := t.Match(PageOf(e)); ok {
		return m.Series.ID
	}
	if id := text.Slug(BareAcronym(e)); id != "" && !t.Has(id) && len(t.acronym[acronymKey(id)]) == 0 {
		return id
	}
	if id := titleSlug(e); !t.Has(id) {
		return id
	}
	return ""
}

// IDOf returns the series under which an event is filed: that of its record, otherwise Of.
func IDOf(e eventseer.Event) string {
	if e.Series != "" {
		return e.Series
	}
	return Of(e)
}

// PageOf returns the data of an event's record for finding its series.
func PageOf(e eventseer.Event) Page {
	p := Page{Acronym: e.Acronym, Title: e.Title, Parent: e.Parent, Topics: e.Topics, Kind: e.Kind}
	for _, address := range append([]string{e.URL}, e.Pages...) {
		if address != "" && len(p.Addresses) < maxAddresses {
			p.Addresses = append(p.Addresses, address)
		}
	}
	if v := e.Location; v != nil {
		p.Place = strings.Join([]string{v.City, v.Region, v.Country}, " ")
	}
	return p
}

// titleSlug returns the name of a series from the title of an edition.
func titleSlug(e eventseer.Event) string {
	place := "the annual"
	if v := e.Location; v != nil {
		place += " " + text.FoldForComparison(v.City+" "+v.Region+" "+v.Country)
	}
	left := text.WordSet(place)
	title := listTag.ReplaceAllString(WithoutYears(text.CutName(e.Title)), "")
	words := strings.Fields(title)
	if len(words) > 2 && romanWord.MatchString(words[0]) {
		title = strings.Join(words[1:], " ")
	}
	var kept []string
	for _, w := range strings.Fields(text.FoldForComparison(heldWith.ReplaceAllString(title, ""))) {
		if !left[w] && !IsOrdinal(w) {
			kept = append(kept, w)
		}
	}
	if name := strings.Join(kept, " "); !IsArchive(name) {
		return text.Slug(name)
	}
	return ""
}

// MakeID returns the id of an edition. It is the folded acronym with the year ("icx-2027"), else
// the id of the shipped table's series, else the title's words, both with the year, else a hash of
// the URL. The same record always gives the same id, of at most 80 bytes of [a-z0-9-]. Two editions
// may share it (two conferences of one acronym): a store that has another event with the id appends
// a number.
func MakeID(e eventseer.Event) eventseer.EventID {
	year := ""
	if e.Year > 0 {
		year = "-" + strconv.Itoa(e.Year)
	}
	name := text.Slug(BareAcronym(e))
	if name == "" {
		if m, ok := Shipped().Match(PageOf(e)); ok {
			name = m.Series.ID
		}
	}
	name = cmp.Or(name, text.Slug(WithoutYears(e.Title)))
	switch {
	case name == "":
		return eventseer.EventID("page-" + text.Hash(e.URL))
	case year == "":
		return eventseer.EventID(name + "-" + text.Hash(e.URL))
	}
	return eventseer.EventID(name + year)
}
