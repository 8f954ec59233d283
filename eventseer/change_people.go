package eventseer

import "strings"

// speakers finds names that are new under a heading of speakers.
func (d *differ) speakers() {
	if d.turned {
		return
	}
	for i, e := range d.edits {
		if e.old != "" || !d.speaks[e.section] || d.isSection(e) || isNotice(e.new) {
			continue
		}
		if d.explained[i] = true; !d.has(SpeakersAdded) {
			d.find(SpeakersAdded, e.section, "", e.new)
		}
	}
}

func isNotice(s string) bool { return undecided.MatchString(s) || newsNotice.MatchString(s) }

// committee finds names and roles that came or went under a heading of a committee.
func (d *differ) committee() {
	for i, e := range d.edits {
		if d.explained[i] || d.turned && e.new == "" || !d.isOffice(e) {
			continue
		}
		if d.explained[i] = true; !d.has(CommitteeChanged) {
			d.find(CommitteeChanged, e.section, e.old, e.new)
		}
	}
}

// isOffice reports whether an edit is of a role, or of a line under a heading of a
// committee.
func (d *differ) isOffice(e edit) bool {
	text := e.new
	if text == "" {
		text = e.old
	}
	if len(text) > 2*maxHeadLine || strings.ToUpper(text) != text && strings.ToLower(text) == text || e.slight() || e.numbersOnly() || strings.Contains(text, "@") {
		return false
	}
	member := d.serves[e.section] && !d.isSection(e)
	role := !e.menu && len(text) <= maxHeadLine && !strings.HasSuffix(text, ".") && committeeWords.MatchString(text)
	return (member || role) && !credits.MatchString(text) && !undecided.MatchString(text) && !d.dated(e)
}

// dated reports whether an edit is of a line with a day.
func (d *differ) dated(e edit) bool { return datedWords.MatchString(e.old + " " + e.new) }

// isSection reports whether an edit is of a heading.
func (d *differ) isSection(e edit) bool {
	if e.newBlock >= 0 {
		return isSection(d.c.New.Blocks()[e.newBlock])
	}
	return isSection(d.c.Old.Blocks()[e.oldBlock])
}
