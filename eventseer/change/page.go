package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

const (
	turnedTemplate = 0.2 // distance of the templates from which a page counts as replaced
	turnedText     = 0.3 // share of the old text that is removed in a replaced page
	minTurned      = 500 // bytes of text of a page that can be replaced
	minRestyled    = 3   // blocks with changed mark-up that are reported
)

// findPageChanges finds changes other than dates.
func (d *differ) findPageChanges() {
	d.findExtensionNotices()
	d.findYearChanges()
	d.findPlace()
	d.findStruckPlace()
	d.findSpeakers()
	d.findCommittee()
	d.findProgram()
	d.findNewLinks()
	d.findNews()
	d.findTemplateChange()
}

// isReplacedPage reports whether the page was replaced by another: its template differs and much of its
// old text is gone.
func (d *differ) isReplacedPage() bool {
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

// findExtensionNotices finds announcements of extensions without a date.
func (d *differ) findExtensionNotices() {
	for i, e := range d.edits {
		if e.new == "" || !SaysExtended(e.new) || SaysExtended(e.old) {
			continue
		}
		d.addChangeOnce(i, eventseer.DeadlineExtended, "")
		if d.isInNewsSection(e) {
			d.addChange(eventseer.NewsItem, "", e.old, e.new)
		}
	}
}

// SaysExtended reports whether a text says that a deadline was moved.
func SaysExtended(s string) bool {
	return extensionNotice.MatchString(s) && extensionNotice.MatchString(extendedText.ReplaceAllString(s, ""))
}

// findTemplateChange finds that the page is built otherwise, or bears another name.
func (d *differ) findTemplateChange() {
	o, n := d.c.Old.Title(), d.c.New.Title()
	switch {
	case d.turned:
		d.addChange(eventseer.TemplateChange, "", o, n)
	case d.hasKind(eventseer.DeadlineExtended, eventseer.DeadlineAdded):
	case !sameName(o, n, d.hasKind(eventseer.DateCorrected)):
		d.addChange(eventseer.TemplateChange, "title", o, n)
	}
}

// sameName reports whether two titles are equal except for spelling, and for the year if that is
// known otherwise.
func sameName(a, b string, dated bool) bool {
	if dated {
		a, b = anyNumber.ReplaceAllString(a, ""), anyNumber.ReplaceAllString(b, "")
	}
	return lettersAndDigits(a) == lettersAndDigits(b) || slices.Equal(sortedWords(a), sortedWords(b))
}

func sortedWords(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return words
}

var anyNumber = regexp.MustCompile(`\d+`)

// findCosmeticChanges records changes of spelling and mark-up, and other visible changes without an
// explanation.
func (d *differ) findCosmeticChanges() {
	c := d.c
	other := 0
	for _, r := range c.Restyled {
		if d.restated[r.Old] {
			continue
		}
		other++
		old, new := c.Old.Blocks()[r.Old], c.New.Blocks()[r.New]
		if len(old.Struck) != len(new.Struck) || other >= minRestyled {
			d.addChange(eventseer.Cosmetic, "", old.Text, new.Text)
			return
		}
	}
	if len(d.found) == 0 && (len(c.Hunks) > 0 || other > 0 || c.Noise || c.TemplateDistance() > 0 || c.LooksChanged() || c.Old.Title() != c.New.Title() || !c.SameLinks()) {
		d.addChange(eventseer.Cosmetic, "", "", "")
	}
}

// findSpeakers finds names that are new under a heading of speakers.
func (d *differ) findSpeakers() {
	if d.turned {
		return
	}
	for i, e := range d.edits {
		if e.old != "" || !d.speaks[e.section] || d.isSection(e) || isNotice(e.new) {
			continue
		}
		d.addChangeOnce(i, eventseer.SpeakersAdded, e.section)
	}
}

func isNotice(s string) bool { return undecided.MatchString(s) || newsNotice.MatchString(s) }

// findCommittee finds names and roles added or removed under a heading of a committee.
func (d *differ) findCommittee() {
	for i, e := range d.edits {
		if d.explained[i] || d.turned && e.new == "" || !d.isCommitteeEdit(e) {
			continue
		}
		d.addChangeOnce(i, eventseer.CommitteeChanged, e.section)
	}
}

// isCommitteeEdit reports whether an edit is about a role, or in a section of a committee.
func (d *differ) isCommitteeEdit(e edit) bool {
	text := cmp.Or(e.new, e.old)
	if len(text) > 2*maxHeadLine || strings.ToUpper(text) != text && strings.ToLower(text) == text || e.isSpellingOnly() || e.isNumbersOnly() || strings.Contains(text, "@") {
		return false
	}
	member := d.serves[e.section] && !d.isSection(e)
	role := !e.menu && len(text) <= maxHeadLine && !strings.HasSuffix(text, ".") && committeeWords.MatchString(text)
	return (member || role) && !credits.MatchString(text) && !undecided.MatchString(text) && !d.isDated(e)
}

// isDated reports whether an edit is of a line with a day.
func (d *differ) isDated(e edit) bool { return datedWords.MatchString(e.old + " " + e.new) }

// isSection reports whether an edit is of a heading.
func (d *differ) isSection(e edit) bool {
	if e.newBlock >= 0 {
		return isSection(d.c.New.Blocks()[e.newBlock])
	}
	return isSection(d.c.Old.Blocks()[e.oldBlock])
}

// findPlace finds that the event was moved: the record and a changed block show it. A line with a
// changed year is about another edition.
func (d *differ) findPlace() {
	o, n := d.old.Event.Location, d.new.Event.Location
	if o == nil || n == nil {
		return
	}
	moved := o.City != "" && n.City != "" && text.FoldForComparison(o.City) != text.FoldForComparison(n.City) || attendanceMode(o) != attendanceMode(n)
	if !moved || validate.YearIn(d.c.Old.Title()) != validate.YearIn(d.c.New.Title()) {
		return
	}
	for i, e := range d.edits {
		if was, is := validate.YearIn(e.old), validate.YearIn(e.new); was != 0 && is != 0 && was != is {
			continue
		}
		if changesCityName(e, o.City) || changesCityName(e, n.City) || e.old != "" && e.new != "" && attendance.FindString(e.old) != attendance.FindString(e.new) {
			d.addChange(eventseer.PlaceChanged, "", o.String(), n.String())
			d.explained[i] = true
			return
		}
	}
}

// attendanceMode returns the mode of attendance: on site, online, or both.
func attendanceMode(v *eventseer.Venue) string {
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

var attendance = wordPattern(`hybrid|on-?line|virtual|in[- ]person|on-?site|remote`)

func changesCityName(e edit, city string) bool {
	return city != "" && containsName(e.old, city) != containsName(e.new, city)
}

// findStruckPlace finds that a place is now struck out, or no longer is.
func (d *differ) findStruckPlace() {
	for _, v := range []*eventseer.Venue{d.old.Event.Location, d.new.Event.Location} {
		if v == nil || v.City == "" {
			continue
		}
		for _, r := range d.c.Restyled {
			old, new := d.c.Old.Blocks()[r.Old], d.c.New.Blocks()[r.New]
			if containsName(struckText(old), v.City) != containsName(struckText(new), v.City) {
				d.addChange(eventseer.PlaceChanged, "", v.String(), "")
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

// findYearChanges finds lines about dates with a changed year.
func (d *differ) findYearChanges() {
	for i, e := range d.edits {
		if d.explained[i] && len(e.words) != 1 || len(e.new) > maxNotice || !datedWords.MatchString(e.new) {
			continue
		}
		for _, w := range e.words {
			o, n := e.old[w.Old.Start:w.Old.End], e.new[w.New.Start:w.New.End]
			if fourDigits.MatchString(o) && fourDigits.MatchString(n) && validate.YearIn(n) != 0 {
				d.addChange(eventseer.DateCorrected, "", e.old, e.new)
				d.explained[i] = true
				break
			}
		}
	}
}

var fourDigits = regexp.MustCompile(`^\d{4}$`)

func containsName(passage, name string) bool {
	return strings.Contains(text.FoldForComparison(passage), text.FoldForComparison(name))
}
