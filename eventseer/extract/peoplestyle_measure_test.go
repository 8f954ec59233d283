//go:build measure

package extract

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Sizes of pages generated from calls, see madeCrowds.
const (
	madePeoplePages  = 4 // generated pages per call
	madePeopleBlocks = 24
	leastMadePeople  = 2
)

// madePeopleWeight is the weight in training of a name on a generated page.
const madePeopleWeight = 0.5

// roleForms are labels of people with a role (true) and without one, for generated pages.
var roleForms = map[bool][]string{
	true: {"Organizers", "Organisers", "Workshop organizers", "Conference organizers", "Organizing Committee", "Program Committee", "Programme Chairs", "Program co-chairs", "General Chairs", "Conference Chair",
		"Steering Committee", "Publicity Chairs", "Local Chair", "Contacts", "Editors", "Scientific Committee", "Guest editors", "Comité organizador", "Comité d'organisation", "Comissão organizadora", "Organisationskomitee",
		"Comité scientifique", "Comitato organizzatore", "Programmkomitee", "Organizasyon komitesi", "Komitet organizacyjny", "Secretary", "Convenors", "Coordinators"},
	false: {"Keynote speakers", "Invited speakers", "Keynotes", "Confirmed speakers", "Plenary talks", "Speakers", "Authors", "Accepted papers", "Best paper award", "Ponentes invitados", "Conférenciers invités",
		"Palestrantes convidados", "Eingeladene Vorträge", "Relatori", "In memory of", "Winners", "Photos by", "Presenters"},
}

// madeCrowds returns pages generated from a call. They have some of its own text and, in random mark-up,
// sentences and labels with some of the people of its site as people with a role, and others as speakers or
// authors. The model thereby learns that the label or sentence decides, in any mark-up, more than the words
// of a name.
func madeCrowds(t *testing.T, c *crowd, p *page, models []*block.Model) (made []*crowd) {
	var people []knownPerson
	seen := map[string]bool{}
	for _, k := range c.site {
		if key := nameKey(k.Name); !seen[key] {
			seen[key] = true
			people = append(people, k)
		}
	}
	if len(people) < 2*leastMadePeople {
		return nil
	}
	for n := range madePeoplePages {
		sum := sha256.Sum256(fmt.Appendf(nil, "people %s %d", c.url, n))
		draw := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 0))
		draw.Shuffle(len(people), func(i, k int) { people[i], people[k] = people[k], people[i] })
		some := leastMadePeople + draw.IntN(min(len(people)/2, 8)-leastMadePeople+1)
		m := &crowd{url: fmt.Sprintf("%s#made%d", c.url, n), owner: c.owner, kind: "made"}
		for _, k := range people[:some] {
			m.known = append(m.known, k.Name)
		}
		lists := []string{styledPeople(people[:some], true, draw)}
		if others := people[some:]; draw.IntN(3) > 0 {
			lists = append(lists, styledPeople(others[:min(len(others), 1+draw.IntN(4))], false, draw))
		}
		draw.Shuffle(len(lists), func(i, k int) { lists[i], lists[k] = lists[k], lists[i] })
		m.readPage(parse(t, "p.html", madeText(p, seen, lists, draw)), models)
		made = append(made, m)
	}
	return made
}

// madeText returns a page of some of the blocks of p without any known person, and of lists between them.
func madeText(p *page, known map[string]bool, lists []string, draw *rand.Rand) string {
	var b strings.Builder
	from := draw.IntN(max(len(p.blocks)-madePeopleBlocks, 1))
	blocks := p.blocks[from:min(from+madePeopleBlocks, len(p.blocks))]
	at := map[int]string{}
	for _, l := range lists {
		at[draw.IntN(len(blocks)+1)] += l
	}
	for i := 0; i <= len(blocks); i++ {
		b.WriteString(at[i])
		if i == len(blocks) {
			break
		}
		x := &blocks[i]
		key := " " + nameKey(x.Text) + " "
		named := false
		for k := range known { // all words of a name, in any order
			all := true
			for w := range strings.FieldsSeq(k) {
				all = all && strings.Contains(key, " "+w+" ")
			}
			named = named || all
		}
		if named {
			continue
		}
		s := html.EscapeString(x.Text)
		switch {
		case x.Kind == tagtree.Heading:
			fmt.Fprintf(&b, "<h%d>%s</h%d>\n", x.Level, s, x.Level)
		case x.Kind == tagtree.Item:
			b.WriteString("<ul><li>" + s + "</li></ul>\n")
		default:
			b.WriteString("<p>" + s + "</p>\n")
		}
	}
	return b.String()
}

// styledPeople prints people with a label for people with or without a role.
func styledPeople(people []knownPerson, role bool, draw *rand.Rand) string {
	label := roleForms[role][draw.IntN(len(roleForms[role]))]
	titled := draw.IntN(4) == 0
	var plain, bracketed, comma []string
	for _, k := range people {
		n := html.EscapeString(k.Name)
		if titled {
			n = []string{"Dr. ", "Prof. ", "Prof. Dr. "}[draw.IntN(3)] + n
		}
		plain = append(plain, n)
		a := html.EscapeString(k.Affiliation)
		if a == "" {
			bracketed, comma = append(bracketed, n), append(comma, n)
			continue
		}
		bracketed, comma = append(bracketed, n+" ("+a+")"), append(comma, n+", "+a)
	}
	series := func(items []string) string {
		if len(items) == 1 {
			return items[0]
		}
		and := []string{" and ", ", ", " & "}[draw.IntN(3)]
		return strings.Join(items[:len(items)-1], ", ") + and + items[len(items)-1]
	}
	switch draw.IntN(9) {
	case 0:
		return "<p>" + label + ": " + series(plain) + "</p>\n"
	case 1:
		return "<p>" + label + ": " + series(bracketed) + "</p>\n"
	case 2:
		return "<p><b>" + label + "</b><br>" + strings.Join(comma, "<br>") + "</p>\n"
	case 3:
		return "<h3>" + label + "</h3>\n<ul><li>" + strings.Join(comma, "</li><li>") + "</li></ul>\n"
	case 4:
		var b strings.Builder
		b.WriteString("<h2>" + label + "</h2>\n<table>")
		for _, k := range people {
			b.WriteString("<tr><td>" + html.EscapeString(k.Name) + "</td><td>" + html.EscapeString(k.Affiliation) + "</td></tr>\n")
		}
		return b.String() + "</table>\n"
	case 5:
		var b strings.Builder
		b.WriteString("<h3>" + label + "</h3>\n")
		for i, k := range people {
			fmt.Fprintf(&b, "<div><p>%s</p><p>%s</p></div>\n", plain[i], html.EscapeString(k.Affiliation))
		}
		return b.String()
	case 6:
		var b strings.Builder
		for _, n := range comma {
			b.WriteString("<p>" + label + ": " + n + "</p>\n")
		}
		return b.String()
	case 7:
		return "<p>The " + strings.ToLower(label) + " this year are " + series(bracketed) + ". We look forward to a good meeting.</p>\n"
	}
	if role {
		return "<p>The meeting takes place every year. It is organized by " + series(bracketed) + ".</p>\n"
	}
	return "<p>There will be talks by " + series(bracketed) + ".</p>\n"
}

// readPage finds the possible names of a page.
func (c *crowd) readPage(tree *tagtree.Tree, models []*block.Model) *page {
	p := preparePage(tree, 2036)
	p.roles = models[personFold(c.owner)].Roles(tree, p.blocks)
	c.page, c.blocks = newPeoplePage(peopleBlocks(p)), len(p.blocks)
	return p
}
