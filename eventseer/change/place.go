package change

import (
	"regexp"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/validate"
	"eventseer/features/tagtree"
	"eventseer/internal/text"
)

// place finds that the event is held elsewhere: the record says so and so does a block
// that changed.
func (d *differ) place() {
	o, n := d.old.Event.Location, d.new.Event.Location
	if o == nil || n == nil {
		return
	}
	moved := o.City != "" && n.City != "" && text.Fold(o.City) != text.Fold(n.City) || modeOf(o) != modeOf(n)
	if !moved || validate.YearIn(d.c.Old.Title()) != validate.YearIn(d.c.New.Title()) {
		return
	}
	for i, e := range d.edits {
		if changesName(e, o.City) || changesName(e, n.City) || e.old != "" && e.new != "" && attendance.FindString(e.old) != attendance.FindString(e.new) {
			d.find(eventseer.PlaceChanged, "", o.String(), n.String())
			d.explained[i] = true
			return
		}
	}
}

// modeOf says how one takes part: on the spot, from afar, or either.
func modeOf(v *eventseer.Venue) string {
	switch {
	case v.Hybrid:
		return "hybrid"
	case v.Online && v.City == "":
		return "online"
	case v.City == "":
		return ""
	}
	return "place"
}

var attendance = word(`hybrid|on-?line|virtual|in[- ]person|on-?site|remote`)

func changesName(e edit, city string) bool {
	return city != "" && names(e.old, city) != names(e.new, city)
}

// placeStruck finds that a place is struck out, or is no longer.
func (d *differ) placeStruck() {
	for _, v := range []*eventseer.Venue{d.old.Event.Location, d.new.Event.Location} {
		if v == nil || v.City == "" {
			continue
		}
		for _, r := range d.c.Restyled {
			old, new := d.c.Old.Blocks()[r.Old], d.c.New.Blocks()[r.New]
			if names(struckText(old), v.City) != names(struckText(new), v.City) {
				d.find(eventseer.PlaceChanged, "", v.String(), "")
				d.restated[r.Old] = true
				return
			}
		}
	}
}

func struckText(b tagtree.Block) string {
	var parts []string
	for _, s := range b.Struck {
		parts = append(parts, b.Text[s.Start:s.End])
	}
	return strings.Join(parts, " ")
}

// years finds lines about days in which another year stands.
func (d *differ) years() {
	for i, e := range d.edits {
		if d.explained[i] && len(e.words) != 1 || len(e.new) > maxNotice || !datedWords.MatchString(e.new) {
			continue
		}
		for _, w := range e.words {
			o, n := e.old[w.Old.Start:w.Old.End], e.new[w.New.Start:w.New.End]
			if fourDigits.MatchString(o) && fourDigits.MatchString(n) && validate.YearIn(n) != 0 {
				d.find(eventseer.DateCorrected, "", e.old, e.new)
				d.explained[i] = true
				break
			}
		}
	}
}

var fourDigits = regexp.MustCompile(`^\d{4}$`)

func names(passage, name string) bool { return strings.Contains(text.Fold(passage), text.Fold(name)) }
