package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"

	goical "github.com/emersion/go-ical"
)

// parsedCalendar reads a calendar by another library.
func parsedCalendar(t testing.TB, text []byte) *goical.Calendar {
	t.Helper()
	cal, err := goical.NewDecoder(bytes.NewReader(text)).Decode()
	if err != nil {
		t.Fatalf("go-ical: %v", err)
	}
	return cal
}

// checkLines demands what RFC 5545 does of lines: CRLF, at most 75 octets, whole runes,
// no control characters.
func checkLines(t testing.TB, text []byte) {
	t.Helper()
	rest, ok := bytes.CutSuffix(text, []byte("\r\n"))
	if !ok {
		t.Error("the calendar does not end with CRLF")
	}
	for line := range bytes.SplitSeq(rest, []byte("\r\n")) {
		if len(line) > 75 || !utf8.Valid(line) {
			t.Errorf("line of %d octets, valid %v: %q", len(line), utf8.Valid(line), line)
		}
		if bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			t.Errorf("control character in %q", line)
		}
	}
}

func prop(t testing.TB, c *goical.Component, name string) string {
	t.Helper()
	if c.Props.Get(name) == nil {
		return ""
	}
	return c.Props.Get(name).Value
}

// find returns the component of a UID.
func find(t testing.TB, cal *goical.Calendar, uid string) *goical.Component {
	t.Helper()
	for _, c := range cal.Children {
		if prop(t, c, "UID") == uid {
			return c
		}
	}
	t.Fatalf("no component %s", uid)
	return nil
}

func TestCalendar(t *testing.T) {
	text := written(t, "ics", sample(), "what=all&alarm=7d,1d")
	checkLines(t, text)
	cal := parsedCalendar(t, text)
	if len(cal.Children) != 7 {
		t.Errorf("%d components, want 5 deadlines, 1 withdrawn and the days", len(cal.Children))
	}
	round1 := find(t, cal, "icx-2027-submission-1@seer.example")
	for name, want := range map[string]string{
		"DTSTART": "20270116T105959Z", "SEQUENCE": "2", "STATUS": "CONFIRMED", "TRANSP": "TRANSPARENT", "DTEND": "20270116T115959Z", "DURATION": "",
		"LAST-MODIFIED": "20261020T080000Z", "DTSTAMP": "20261020T080000Z", "URL": "https://seer.example/e/icx-2027",
		"SUMMARY": `ICX 2027: submission\, round 1 (23:59 AoE)`,
	} {
		if got := prop(t, round1, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(prop(t, round1, "DESCRIPTION"), `15 Jan 2027\, 23:59 AoE`) || !strings.Contains(prop(t, round1, "DESCRIPTION"), "Extended from 10 January 2027") {
		t.Errorf("description %q", prop(t, round1, "DESCRIPTION"))
	}
	if n := len(round1.Children); n != 2 || prop(t, round1.Children[0], "TRIGGER") != "-P7D" {
		t.Errorf("%d alarms", n)
	}
	gone := find(t, cal, "icx-2027-poster-0@seer.example")
	if prop(t, gone, "STATUS") != "CANCELLED" || prop(t, gone, "SEQUENCE") != "1" || len(gone.Children) != 0 {
		t.Errorf("withdrawn deadline: %v", gone.Props)
	}
	days := find(t, cal, "icx-2027-days-0@seer.example")
	if prop(t, days, "DTSTART") != "20270601" || prop(t, days, "DTEND") != "20270605" || prop(t, days, "SEQUENCE") != "1" {
		t.Errorf("days: %v", days.Props)
	}
	for name, want := range map[string]string{
		"SOURCE": "https://seer.example/search.ics?q=web&style=x", "REFRESH-INTERVAL": "PT360M", "X-PUBLISHED-TTL": "PT360M", "COLOR": calendarColor,
		"NAME": `Open calls: "web crawling"\; digital\, libraries`, "X-WR-CALNAME": `Open calls: "web crawling"\; digital\, libraries`,
	} {
		if got := prop(t, cal.Component, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestCalendarOptions(t *testing.T) {
	allDay := parsedCalendar(t, written(t, "ics", sample(), "style=allday"))
	d := find(t, allDay, "icx-2027-submission-1@seer.example")
	if prop(t, d, "DTSTART") != "20270115" || len(d.Children) != 0 {
		t.Errorf("all day: %v, want the printed day and no alarm", d.Props)
	}
	todo := parsedCalendar(t, written(t, "ics", sample(), "as=todo"))
	if d := find(t, todo, "icx-2027-submission-1@seer.example"); d.Name != "VTODO" || prop(t, d, "DUE") != "20270116T115959Z" {
		t.Errorf("todo: %s %v", d.Name, d.Props)
	}
	if n := len(parsedCalendar(t, written(t, "ics", sample(), "what=days")).Children); n != 1 {
		t.Errorf("%d components of days, want 1", n)
	}
	for what, want := range map[string]int{"": 4, "submissions": 4, "deadlines": 6, "others": 1, "notifications&what=days": 2, "submissions,days,days": 5, "all": 7} {
		if n := len(parsedCalendar(t, written(t, "ics", sample(), "what="+what)).Children); n != want {
			t.Errorf("what=%s: %d components, want %d", what, n, want)
		}
	}
	point := find(t, parsedCalendar(t, written(t, "ics", sample(), "style=instant")), "icx-2027-submission-1@seer.example")
	if prop(t, point, "DTSTART") != "20270116T115959Z" || prop(t, point, "DTEND") != "" {
		t.Errorf("at the moment: %v", point.Props)
	}
	for _, bad := range []string{"what=submissions,x", "what=" + strings.Repeat("days,", maxWhat+1), "as=x", "style=x", "what=x", "alarm=x", "alarm=7", "alarm=-1d", "alarm=366d", "alarm=1d,", "alarm=1d,2d,3d,4d,5d,6d", "alarm=99999999999999999999d"} {
		q, _ := url.ParseQuery(bad)
		var wrong *eventseer.InputError
		if err := Formats()[0].Write(new(bytes.Buffer), sample(), q); !errors.As(err, &wrong) || wrong.Field == "" {
			t.Errorf("%s: error %v, want an InputError", bad, err)
		}
	}
	if got, err := readAlarms("7d,1d,24h,90m"); err != nil || !slices.Equal(got, []string{"-P7D", "-P1D", "-PT90M"}) {
		t.Errorf("alarms %v, %v", got, err)
	}
}

// An identifier stays and its sequence grows through moves, withdrawal, return, and the
// end of the event.
func TestCalendarSequence(t *testing.T) {
	e := icx()
	e.Deadlines = e.Deadlines[:0]
	sub := func(day eventseer.Date) []eventseer.Deadline {
		return []eventseer.Deadline{{Kind: eventseer.Submission, Date: day}}
	}
	var changes []eventseer.Change
	change := func(old, new string) {
		at := time.Date(2026, 10, 1+len(changes), 0, 0, 0, 0, time.UTC)
		changes = append(changes, eventseer.Change{Seq: uint64(len(changes) + 1), At: at, Fields: []eventseer.FieldChange{{Field: "deadlines.submission", Old: old, New: new}}})
	}
	steps := []struct {
		old, new, status string
		gone             bool
	}{
		{"", "2027-01-01", "CONFIRMED", false}, {"2027-01-01", "2027-01-08", "CONFIRMED", false}, {"2027-01-08", "2027-01-01", "CONFIRMED", false},
		{"2027-01-01", "", "CANCELLED", false}, {"", "2027-01-15", "CONFIRMED", false}, {"2027-01-15", "2027-01-20", "CONFIRMED", false}, {"", "", "CANCELLED", true},
	}
	last := "-1"
	for i, s := range steps {
		if s.old != s.new {
			change(s.old, s.new)
		}
		if e.Deadlines = nil; s.new != "" || s.gone {
			e.Deadlines = sub(eventseer.Date(s.new))
			if s.gone {
				e.Deadlines = sub("2027-01-20")
			}
		}
		cal := parsedCalendar(t, written(t, "ics", publication(eventseer.Entry{Event: e, Changes: changes, Gone: s.gone}), ""))
		c := find(t, cal, "icx-2027-submission-0@seer.example")
		now := prop(t, c, "SEQUENCE")
		if len(cal.Children) != 1 || prop(t, c, "STATUS") != s.status || i > 0 && (len(now) < len(last) || now <= last) {
			t.Errorf("step %d: %d components, %s, sequence %s after %s", i, len(cal.Children), prop(t, c, "STATUS"), now, last)
		}
		last = now
	}
}

func TestCalendarEstimate(t *testing.T) {
	e := icx()
	e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", Source: eventseer.Provenance{Rule: "estimate"}}}
	c := parsedCalendar(t, written(t, "ics", publication(eventseer.Entry{Event: e}), "")).Children[0]
	if prop(t, c, "STATUS") != "TENTATIVE" || !strings.HasPrefix(prop(t, c, "SUMMARY"), "Estimate: ") {
		t.Errorf("estimate: %v", c.Props)
	}
}

// A deadline ends its calendar entry in all zones and around changes of their clocks. With a zone the entry
// is on the printed day by the clock of that zone; without one, or with an assumed one, it is on the printed
// day everywhere.
func TestCalendarDaysOverZones(t *testing.T) {
	readers := []string{"UTC", "Etc/GMT+12", "Pacific/Kiritimati", "America/New_York", "Europe/Oslo", "Asia/Kolkata", "Australia/Lord_Howe"}
	var e = icx()
	e.Deadlines = nil
	type printed struct{ day, zone string }
	var want []printed
	for i, tz := range []string{"", "AoE", "UTC", "America/New_York", "America/Sao_Paulo", "Europe/Oslo", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "+14:00", "UTC-5"} {
		for j, day := range []string{"2026-03-08", "2026-03-28", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2026-12-31", "2028-02-29"} {
			at, _ := time.Parse(time.DateOnly, day)
			d := eventseer.Deadline{Kind: eventseer.Submission, Round: 100*i + j + 1, Date: eventseer.Date(day), TZ: tz}
			if zone := eventseer.Zone(tz); zone != nil {
				minute := []int{23*60 + 59, 17 * 60, 30, 12 * 60}[j%4]
				d.Instant = time.Date(at.Year(), at.Month(), at.Day(), 0, minute, 0, 0, zone).UTC()
			}
			e.Deadlines, want = append(e.Deadlines, d), append(want, printed{day, tz})
		}
	}
	assumed := eventseer.Deadline{Kind: eventseer.Submission, Round: 9999, Date: "2026-03-08", TZ: "AoE", TZSource: eventseer.TZAssumed, Instant: time.Date(2026, 3, 9, 11, 59, 59, 0, time.UTC)}
	e.Deadlines, want = append(e.Deadlines, assumed), append(want, printed{"2026-03-08", ""})
	cal := parsedCalendar(t, written(t, "ics", publication(eventseer.Entry{Event: e}), ""))
	if len(cal.Children) != len(want) {
		t.Fatalf("%d entries, want %d", len(cal.Children), len(want))
	}
	for i, w := range want {
		d := e.Deadlines[i]
		c := find(t, cal, fmt.Sprintf("icx-2027-submission-%d@seer.example", d.Round))
		start := c.Props.Get("DTSTART")
		if w.zone == "" {
			if start.ValueType() != goical.ValueDate || c.Props.Get("DTEND") != nil || c.Props.Get("DURATION") != nil {
				t.Errorf("%s without a zone: %v", w.day, c.Props)
			}
			for _, name := range readers {
				if at, err := start.DateTime(eventseer.NamedZone(name)); err != nil || at.Format(time.DateOnly) != w.day {
					t.Errorf("%s without a zone is shown on %s in %s, %v", w.day, at, name, err)
				}
			}
			continue
		}
		begin, err := start.DateTime(time.UTC)
		end, endErr := c.Props.Get("DTEND").DateTime(time.UTC)
		if err != nil || endErr != nil || !end.Equal(d.Instant) || end.Sub(begin) != deadlineLength {
			t.Errorf("%s %s: from %s to %s, want the end at %s", w.day, w.zone, begin, end, d.Instant)
		}
		if got := end.In(eventseer.Zone(w.zone)).Format(time.DateOnly); got != w.day {
			t.Errorf("%s %s ends on %s", w.day, w.zone, got)
		}
	}
}

// Two deadlines of one kind without tracks or rounds are two.
func TestCalendarSameKind(t *testing.T) {
	e := icx()
	e.Deadlines = []eventseer.Deadline{{Kind: eventseer.OtherDeadline, Date: "2027-02-01"}, {Kind: eventseer.OtherDeadline, Date: "2027-01-01"}}
	cal := parsedCalendar(t, written(t, "ics", publication(eventseer.Entry{Event: e}), "what=registration"))
	if d := find(t, cal, "icx-2027-other-0@seer.example"); prop(t, d, "DTSTART") != "20270101" || prop(t, d, "DTEND") != "" {
		t.Errorf("first: %v", d.Props)
	}
	find(t, cal, "icx-2027-other-0-2@seer.example")
}

func TestHostileCalendar(t *testing.T) {
	for _, options := range []string{"what=all&alarm=1d", "what=all&style=allday", "what=deadlines&as=todo&alarm=1d"} {
		text := written(t, "ics", hostilePublication(), options)
		checkLines(t, text)
		seen := map[string]bool{}
		for _, c := range parsedCalendar(t, text).Children {
			uid := prop(t, c, "UID")
			if uid == "" || uid == "x" || prop(t, c, "SUMMARY") == "" || prop(t, c, "DTSTAMP") == "" {
				t.Errorf("%s: component %v", options, c.Props)
			}
			if seen[uid] {
				t.Errorf("%s: UID %s twice", options, uid)
			}
			seen[uid] = true
		}
		if len(seen) < 2*len(evil) {
			t.Errorf("%s: %d components, want at least two an event", options, len(seen))
		}
	}
}

func FuzzCalendar(f *testing.F) {
	for _, s := range evil {
		f.Add(s, "7d")
	}
	f.Fuzz(func(t *testing.T, s, alarm string) {
		var b bytes.Buffer
		err := Formats()[0].Write(&b, publication(hostileEntry(s)), url.Values{"what": {"all"}, "alarm": {alarm}})
		var bad *eventseer.InputError
		if errors.As(err, &bad) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkLines(t, b.Bytes())
		parsedCalendar(t, b.Bytes())
	})
}

// TestCancelledEventIsTombstone holds calendars and JSON-LD of a cancelled event against
// those of the same before.
func TestCancelledEventIsTombstone(t *testing.T) {
	e := eventseer.Event{
		ID: "icx-2027", Title: "Conference on Crawling", Acronym: "ICX", Year: 2027, EventStart: "2027-06-01", URL: "https://icx.example/",
		Location:  &eventseer.Venue{City: "Trondheim", CountryCode: "NO"},
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", TZ: "AoE"}},
	}
	write := func(e eventseer.Event) string {
		var b strings.Builder
		p := eventseer.Publication{Base: "https://seer.example/", Entries: []eventseer.Entry{{Event: e}}, Now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}
		for _, f := range Formats() {
			if f.Name == "ics" {
				if err := f.Write(&b, p, url.Values{"days": {"1"}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		return b.String()
	}
	on := write(e)
	e.State = eventseer.Cancelled
	off := write(e)
	if strings.Contains(on, "STATUS:CANCELLED") || strings.Count(off, "STATUS:CANCELLED") != strings.Count(off, "BEGIN:VEVENT") || strings.Count(off, "SEQUENCE:1") != strings.Count(on, "SEQUENCE:0") {
		t.Errorf("before:\n%s\nafter:\n%s", on, off)
	}
	for state, want := range map[eventseer.State]string{"": "EventScheduled", eventseer.Cancelled: "EventCancelled", eventseer.Postponed: "EventPostponed"} {
		e.State = state
		if b, ok := JSONLD(e, nil, ""); !ok || !strings.Contains(string(b), "https://schema.org/"+want) {
			t.Errorf("%q: %s", state, b)
		}
	}
}
