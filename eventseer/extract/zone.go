package extract

import (
	"bytes"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// A timeNote is the time and zone that a page states once for all its deadlines. zone is "" if there is
// none.
type timeNote struct {
	zone, printed string
	at            date.Moment
}

// timeNoteOfPage returns the note about all deadlines. It is a line without a date, or a sentence about all
// deadlines.
func timeNoteOfPage(p *page) timeNote {
	for i, b := range p.blocks {
		if !mayContainZoneNote(b.Text) {
			continue
		}
		if len(b.Text) <= maxLabel && len(p.datesIn(i)) == 0 {
			if n := noteIn(b.Text); n.zone != "" {
				return n
			}
			continue
		}
		for _, from := range offsetsOfAllDeadlines(b.Text) {
			if n := noteIn(firstSentence(b.Text[from:p.nextDate(i, from)])); n.zone != "" {
				return n
			}
		}
	}
	return timeNote{}
}

// offsetsOfAllDeadlines returns the offsets in s of phrases such as "all deadlines".
func offsetsOfAllDeadlines(s string) []int {
	s = cutToBytes(s, maxBlockBytes)
	var at []int
	for from := 0; len(at) < maxLabels; {
		i := strings.Index(s[from:], "deadlines")
		if i < 0 {
			break
		}
		from += i + len("deadlines")
		window := lastBytes(s[:from], maxWindow)
		if m := allDeadlines.FindStringIndex(window); m != nil {
			at = append(at, from-len(window)+m[0])
		}
	}
	return at
}

// maxWindow is the number of bytes before the word "deadlines" that are read.
const maxWindow = 60

// mayContainZoneNote reports whether zoneNote may match s. It is a fast check.
func mayContainZoneNote(s string) bool {
	var buf [512]byte
	low := appendLower(buf[:0], cutToBytes(s, maxBlockBytes))
	for _, word := range zoneNoteWords {
		if bytes.Contains(low, word) {
			return true
		}
	}
	return false
}

var zoneNoteWords = [][]byte{[]byte("deadline"), []byte("time"), []byte("dates"), []byte("submission"), []byte(":59"), []byte(".59")}

// noteIn returns the note about deadlines in s.
func noteIn(s string) timeNote {
	if !zoneNote.MatchString(s) {
		return timeNote{}
	}
	name, printed := date.FirstZone(s)
	if name == "" {
		return timeNote{}
	}
	return timeNote{zone: name, printed: printed, at: date.FirstTimeOfDay(s)}
}

var (
	zoneNote     = compilePattern(`(?i)deadline|dates|\btimes?\b|submission|23[:.]59|11[:.]59`)
	allDeadlines = compilePattern(`(?i)\b(?:all|every|each|any) (?:of )?(?:the |these |our )?(?:[a-z]+ ){0,2}deadlines$`)
	// localTime matches the local time of an unknown place or of the reader.
	localTime = compilePattern(`(?i)\blocal (standard )?time|\bheure locale|\bhora local|\bora locale|\bortszeit|\bwherever you are|\bin your time ?zone|当地时间|當地時間|現地時間|현지\s?시[간각]`)
)

// setDeadlineZone sets the time zone and the instant of a deadline on a day. They come from the text around the
// date, otherwise from the page's note. The instant is not set if the zone is unknown or the time is only
// "close of business".
func setDeadlineZone(d *eventseer.Deadline, on date.Day, around string, note timeNote) {
	at := date.FirstTimeOfDay(around)
	name, printed := date.FirstZone(around)
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
		d.Instant = date.Instant(on, at.LastSecond(), name)
	}
}

// resolveZones corrects ambiguous abbreviations of zones, such as IST, by the country of the event.
func resolveZones(ds []eventseer.Deadline, at *eventseer.Venue) {
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
