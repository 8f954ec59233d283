package extract

import "eventseer/eventseer/extract/name"

// namePage is what the name and the acronym of the event are looked for in.
func (p *page) namePage() *name.Page {
	var targets []string
	for _, l := range p.t.Links() {
		targets = append(targets, l.Target)
	}
	return &name.Page{
		URL: p.url, Title: p.t.Title(), Blocks: p.blocks, Menu: p.menu, Head: p.head, Hints: p.t.Hints(),
		Roles: p.roles, Guess: p.guesses, Targets: targets, Hosts: p.hosts(), Part: namesPart,
		Dates: func(i int) [][2]int {
			var out [][2]int
			for _, d := range p.datesIn(i) {
				if d.From.Day != 0 {
					out = append(out, [2]int{d.Start, d.End})
				}
			}
			return out
		},
	}
}
