// Package series finds from the names of an event which series and edition it is of. It also
// estimates from the editions of a series when the next is due.
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

// Of names the series of the event e. It is that of the shipped table if e is found there, else its
// name, the same for all editions. See Table.Of.
func Of(e eventseer.Event) string { return Shipped().Of(e) }

// Of names the series of the event e. It is the id of the matching series of the table, else the
// event's acronym, else its title, without year, number of the edition and place: "icx" of
// "ICX'27", "conference-on-x" of the "4th Conference on X, Trondheim 2027". An event whose acronym
// is that of a known series, which it is not of, goes by its title. It is "" for a record without a
// name, and at most 60 bytes of [a-z0-9-] but for ids of the table.
func (t *Table) Of(e eventseer.Event) string {
	return t.memo.of(memoKey(e), func() string { return t.seriesOf(e) })
}

func (t *Table) seriesOf(e eventseer.Event) string {
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

// IDOf returns the series that an event is filed under: what its record says, else Of.
func IDOf(e eventseer.Event) string {
	if e.Series != "" {
		return e.Series
	}
	return Of(e)
}

// PageOf returns what an event's record says for finding its series.
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

// titleSlug names a series by the title of an edition.
func titleSlug(e eventseer.Event) string {
	place := "the annual"
	if v := e.Location; v != nil {
		place += " " + text.Fold(v.City+" "+v.Region+" "+v.Country)
	}
	left := text.WordSet(place)
	title := listTag.ReplaceAllString(BareYear(text.Head(e.Title)), "")
	words := strings.Fields(title)
	if len(words) > 2 && romanWord.MatchString(words[0]) {
		title = strings.Join(words[1:], " ")
	}
	var kept []string
	for _, w := range strings.Fields(text.Fold(heldWith.ReplaceAllString(title, ""))) {
		if !left[w] && !IsOrdinal(w) {
			kept = append(kept, w)
		}
	}
	if name := strings.Join(kept, " "); !IsArchive(name) {
		return text.Slug(name)
	}
	return ""
}

// MakeID names the edition e is a record of. It is the folded acronym with the year ("icx-2027"),
// else the id of the shipped table's series, else the title's words, both with the year, else a
// hash of the URL. The same record always gives the same id, of at most 80 bytes of [a-z0-9-]. Two
// editions may share it (two conferences of one acronym): a store that holds another event under
// the id appends a number.
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
	name = cmp.Or(name, text.Slug(BareYear(e.Title)))
	switch {
	case name == "":
		return eventseer.EventID("page-" + text.Hash(e.URL))
	case year == "":
		return eventseer.EventID(name + "-" + text.Hash(e.URL))
	}
	return eventseer.EventID(name + year)
}
