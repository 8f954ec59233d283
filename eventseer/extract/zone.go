package extract

import (
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// A clockNote is what a page says once of the clock of all its deadlines. Its
// zone is "" where the page says nothing.
type clockNote struct {
	zone, printed string
	at            date.Moment
}

// pageClock finds the note on the clock of all deadlines: a line without a
// date, or a sentence that speaks of all of them.
func pageClock(p *page) clockNote {
	for i, b := range p.blocks {
		if !speaksOfDates(b.Text) {
			continue
		}
		if len(b.Text) <= maxLabel && len(p.datesIn(i)) == 0 {
			if n := noteIn(b.Text); n.zone != "" {
				return n
			}
			continue
		}
		for _, from := range allAt(b.Text) {
			if n := noteIn(firstSentence(b.Text[from:p.nextDate(i, from)])); n.zone != "" {
				return n
			}
		}
	}
	return clockNote{}
}

// allAt returns where a text begins to speak of all deadlines.
func allAt(s string) []int {
	s = clip(s, maxBlockBytes)
	var at []int
	for from := 0; len(at) < maxLabels; {
		i := strings.Index(s[from:], "deadlines")
		if i < 0 {
			break
		}
		from += i + len("deadlines")
		window := tail(s[:from], maxWindow)
		if m := allDeadlines.FindStringIndex(window); m != nil {
			at = append(at, from-len(window)+m[0])
		}
	}
	return at
}

// maxWindow bounds what is searched before the word, in bytes.
const maxWindow = 60

// speaksOfDates reports whether zoneNote may match s; it is much quicker.
func speaksOfDates(s string) bool {
	s = strings.ToLower(clip(s, maxBlockBytes))
	for _, word := range []string{"deadline", "time", "dates", "submission", ":59", ".59"} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// nextDate returns where in block i the first date after from begins, or where the block ends.
func (p *page) nextDate(i, from int) int {
	for _, d := range p.datesIn(i) {
		if d.Start >= from {
			return d.Start
		}
	}
	return len(p.blocks[i].Text)
}

// noteIn reads a note on deadlines.
func noteIn(s string) clockNote {
	if !zoneNote.MatchString(s) {
		return clockNote{}
	}
	name, printed := date.Zone(s)
	if name == "" {
		return clockNote{}
	}
	return clockNote{zone: name, printed: printed, at: date.Clock(s)}
}

var (
	zoneNote     = compile(`(?i)deadline|dates|\btimes?\b|submission|23[:.]59|11[:.]59`)
	allDeadlines = compile(`(?i)\b(?:all|every|each|any) (?:of )?(?:the |these |our )?(?:[a-z]+ ){0,2}deadlines$`)
	// localTime names the clock of a place that is not said, or of the reader.
	localTime = compile(`(?i)\blocal (standard )?time|\bheure locale|\bhora local|\bora locale|\bortszeit|\bwherever you are|\bin your time ?zone|当地时间|當地時間|現地時間|현지\s?시[간각]`)
)

// setZone fills in the time zone and the last moment of a deadline on a day. They come from the
// text around it, else from the page's note. A time of the clock without a zone is no moment, and
// "close of business" none that we know.
func setZone(d *eventseer.Deadline, on date.Day, around string, note clockNote) {
	at := date.Clock(around)
	name, printed := date.Zone(around)
	source := eventseer.TZPrinted
	if name == "" {
		if localTime.MatchString(around) {
			return
		}
		if at == (date.Moment{}) {
			at = note.at
		}
		name, printed, source = note.zone, note.printed, eventseer.TZPage
	}
	if name == "" {
		return
	}
	d.TZ, d.TZPrinted, d.TZSource = name, printed, source
	if !at.Vague {
		d.Instant = date.Instant(on, at.Last(), name)
	}
}

// settleZones reads ambiguous abbreviations, as IST, by the country of the
// event.
func settleZones(ds []eventseer.Deadline, at *eventseer.Venue) {
	if at == nil {
		return
	}
	for i := range ds {
		d := &ds[i]
		name := date.ZoneIn(d.TZPrinted, at.CountryCode)
		was, is := date.Location(d.TZ), date.Location(name)
		if name == "" || was == nil || is == nil {
			continue
		}
		d.TZ = name
		if !d.Instant.IsZero() {
			t := d.Instant.In(was)
			d.Instant = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, is).UTC()
		}
	}
}
