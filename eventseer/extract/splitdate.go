package extract

import (
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// dayInAdjacentBlock is the reason given for a date whose day and month are in different blocks.
const dayInAdjacentBlock = "day from the block beside it"

// joinDays combines days with months if a page prints them as separate adjacent blocks, as a tear-off
// calendar does. An example is 31st above March 2027.
func (p *page) joinDays() {
	for n := range p.dates {
		d := &p.dates[n]
		i := d.block
		if d.From.Day != 0 || d.From != d.To || len(strings.TrimSpace(p.blocks[i].Text)) > d.End-d.Start+1 {
			continue
		}
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j >= len(p.blocks) || sharedSteps(p.blocks[i].Path, p.blocks[j].Path) < sharedSteps(p.blocks[i].Path, p.blocks[max(0, min(len(p.blocks)-1, 2*i-j))].Path) {
				continue
			}
			if day, ok := date.LoneDay(p.blocks[j].Text); ok {
				d.From.Day, d.To.Day, d.inferred = day, day, dayInAdjacentBlock
				if !d.From.IsValid() {
					d.From.Day, d.To.Day, d.inferred = 0, 0, ""
				}
				break
			}
		}
	}
}
