package extract

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"eventseer/eventseer"
)

var offsetPattern = compile(`([±+\-−–])\s?(\d{1,2}):?(\d\d)?$`)

// offset turns "GMT +5:30" into "UTC+05:30" and UTC-12 into AoE; "" when no
// place has that clock.
func offset(s string) string {
	m := offsetPattern.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	h, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3])
	sign := "-"
	if m[1] == "+" {
		sign = "+"
	}
	switch {
	case h == 0 && minute == 0:
		return "UTC"
	case sign == "-" && h == 12 && minute == 0:
		return aoe
	case m[1] == "±" || minute > 59 || sign == "+" && h*60+minute > 14*60 || sign == "-" && h*60+minute > 12*60:
		return ""
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, h, minute)
}

// location returns the clock of a zone named by zone.
func location(name string) *time.Location {
	if name == aoe {
		return time.FixedZone(aoe, -12*3600)
	}
	if rest, ok := strings.CutPrefix(name, "UTC"); ok && rest != "" {
		var h, m int
		if _, err := fmt.Sscanf(rest[1:], "%d:%d", &h, &m); err != nil {
			return nil
		}
		seconds := h*3600 + m*60
		if rest[0] == '-' {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}

// instant returns the last moment of a deadline, in UTC.
func instant(d day, seconds int, zone string) time.Time {
	loc := location(zone)
	if loc == nil || !d.whole() {
		return time.Time{}
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, seconds, 0, loc).UTC()
}

// A clockNote is what a page says once of the clock of all its deadlines. Its
// zone is "" where the page says nothing.
type clockNote struct {
	zone, printed string
	at            moment
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

// nextDate returns where in block i the first date behind from begins, or
// where the block ends.
func (p *page) nextDate(i, from int) int {
	for _, d := range p.datesIn(i) {
		if d.start >= from {
			return d.start
		}
	}
	return len(p.blocks[i].Text)
}

// noteIn reads a note on deadlines.
func noteIn(s string) clockNote {
	if !zoneNote.MatchString(s) {
		return clockNote{}
	}
	name, printed := zone(s)
	if name == "" {
		return clockNote{}
	}
	return clockNote{zone: name, printed: printed, at: clock(s)}
}

var (
	zoneNote     = compile(`(?i)deadline|dates|\btimes?\b|submission|23[:.]59|11[:.]59`)
	allDeadlines = compile(`(?i)\b(?:all|every|each|any) (?:of )?(?:the |these |our )?(?:[a-z]+ ){0,2}deadlines$`)
	// localTime names the clock of a place that is not said, or of the reader.
	localTime = compile(`(?i)\blocal (standard )?time|\bheure locale|\bhora local|\bora locale|\bortszeit|\bwherever you are|\bin your time ?zone|当地时间|當地時間|現地時間|현지\s?시[간각]`)
)

// setZone fills in the time zone and the last moment of a deadline on a day,
// by what is printed around it or else by the page's note. A time of the clock
// without a zone is no moment, and "close of business" none that we know.
func setZone(d *eventseer.Deadline, on day, around string, note clockNote) {
	at := clock(around)
	name, printed := zone(around)
	source := eventseer.TZPrinted
	if name == "" {
		if localTime.MatchString(around) {
			return
		}
		if at == (moment{}) {
			at = note.at
		}
		name, printed, source = note.zone, note.printed, eventseer.TZPage
	}
	if name == "" {
		return
	}
	d.TZ, d.TZPrinted, d.TZSource = name, printed, source
	if !at.vague {
		d.Instant = instant(on, at.last(), name)
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
		name := zoneByCountry[strings.ToUpper(d.TZPrinted)][at.CountryCode]
		was, is := location(d.TZ), location(name)
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
