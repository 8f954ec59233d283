package wrapper

import (
	"fmt"
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// printedOf returns how a page may print what is known of its event, by meaning: as
// the record has it, and as it stands where that was read.
func printedOf(t *tagtree.Tree, e eventseer.Event) map[string][]string {
	p := printing{tree: t, event: e, texts: map[string][]string{}}
	p.add(Title, e.Title, p.at(e.Sources["title"]))
	p.acronym()
	days := p.at(e.Sources["event_start"])
	if to := p.at(e.Sources["event_end"]); to != days {
		days += " " + to
	}
	p.add(Dates, days)
	if v := e.Location; v != nil {
		for _, place := range []string{v.Text, v.String(), p.at(e.Sources["location"])} {
			if days == "" || !strings.Contains(place, days) {
				p.add(Place, place)
				place = days + " " + place
			}
			if days != "" {
				p.add(DatesPlace, place)
			}
		}
	}
	p.deadlines()
	p.add(Topics, strings.Join(e.Topics, " "))
	p.committee()
	p.add(SubmissionURL, e.SubmissionURL)
	p.add(Publisher, e.Publisher, p.at(e.Sources["publisher"]))
	return p.texts
}

type printing struct {
	tree  *tagtree.Tree
	event eventseer.Event
	texts map[string][]string
}

// add keeps the texts that say something.
func (p *printing) add(meaning string, texts ...string) {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			p.texts[meaning] = append(p.texts[meaning], text)
		}
	}
}

// at returns what the page prints where a value was read, "" if that was elsewhere.
func (p *printing) at(src eventseer.Provenance) string {
	text, from, to := p.tree.Text(), src.Offset[0], src.Offset[1]
	if src.URL != "" && src.URL != p.event.URL || p.event.URL != p.tree.Page.URL || from < 0 || to > len(text) || from >= to {
		return ""
	}
	return text[from:to]
}

// deadlines of a kind may be printed alone, together, and with or without labels.
func (p *printing) deadlines() {
	var all []string
	byKind := map[eventseer.DeadlineKind][]string{}
	for _, d := range p.event.Deadlines {
		day := p.at(d.Source)
		p.add(deadlinePrefix+string(d.Kind), day, d.Text)
		byKind[d.Kind] = append(byKind[d.Kind], day)
		all = append(all, d.Text)
	}
	for _, kind := range deadlineKinds {
		if days := byKind[kind]; len(days) > 1 {
			p.add(deadlinePrefix+string(kind), strings.Join(days, " "))
		}
	}
	if len(all) > 1 {
		p.add(Deadlines, strings.Join(all, " "))
	}
}

func (p *printing) committee() {
	var names, affiliated []string
	for _, person := range p.event.Committee {
		names = append(names, person.Name)
		affiliated = append(affiliated, person.Name, person.Affiliation, person.Country)
	}
	p.add(Committee, strings.Join(names, " "), strings.Join(affiliated, " "))
}

// acronym may be printed with the year, in four digits or two.
func (p *printing) acronym() {
	name, year := p.event.Acronym, p.event.Year
	if name == "" {
		return
	}
	p.add(Acronym, name, p.at(p.event.Sources["acronym"]))
	if year > 0 {
		p.add(Acronym, fmt.Sprintf("%s %d", name, year), fmt.Sprintf("%s %02d", name, year%100))
	}
}
