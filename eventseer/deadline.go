package eventseer

import (
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // time zones must not depend on the machine

	"github.com/eventseer/eventseer/internal/text"
)

// NextDeadline returns the first submission deadline of the main call that is open at now, of those that
// SubmissionDeadlines returns. If the main call has none, it returns the first of another call. Deadlines are
// compared by Moment. One without a time zone is assumed to end with its day anywhere on Earth (UTC-12), as
// most calls intend; the record is not changed by this assumption.
func NextDeadline(e Event, now time.Time) (next Deadline, open bool) {
	next, other := Deadline{}, false
	for _, d := range e.SubmissionDeadlines() {
		if d.Moment().Before(now) {
			continue
		}
		ofOther := d.Call() != MainCall
		if !open || other && !ofOther || other == ofOther && d.Moment().Before(next.Moment()) {
			next, open, other = d, true, ofOther
		}
	}
	return next, open
}

// OtherDeadlines returns the first open submission deadline of each call other than the call of
// next, in order of time. next is the result of NextDeadline.
func OtherDeadlines(e Event, next Deadline, now time.Time) (others []Deadline) {
	of := map[CallKey]bool{next.CallKey(): true}
	due := slices.DeleteFunc(e.SubmissionDeadlines(), func(d Deadline) bool { return d.Moment().Before(now) || d.Call() == MainCall })
	slices.SortStableFunc(due, func(a, b Deadline) int { return a.Moment().Compare(b.Moment()) })
	for _, d := range due {
		if key := d.CallKey(); !of[key] {
			of[key] = true
			others = append(others, d)
		}
	}
	return others
}

// CallTrack returns the name of a deadline's call besides its kind. It is its track, otherwise the
// kind of call of its page; "" for the main call. The page of a special issue belongs to the main
// call.
func (d Deadline) CallTrack() string {
	if d.Track != "" || d.Kind.OfOtherCall() {
		return d.Track
	}
	if call := d.Call(); call != JournalCall {
		return string(call)
	}
	return ""
}

// OfOtherCall reports whether deadlines of this kind belong to a call other than the main one.
func (k DeadlineKind) OfOtherCall() bool {
	switch k {
	case Poster, Demo, TutorialProposal, WorkshopProposal, Doctoral:
		return true
	}
	return false
}

// Time returns the start of the day in UTC, and whether d is a valid day.
func (d Date) Time() (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, string(d))
	return t, err == nil
}

// Field returns the name of a deadline in a change: "deadlines.submission", with the track in
// brackets if there is one.
func (d Deadline) Field() string {
	name := "deadlines." + string(d.Kind)
	if d.Track != "" {
		name += "[" + d.Track + "]"
	}
	return name
}

// String returns the day and the time zone of a deadline, such as "2027-01-15 AoE".
func (d Deadline) String() string {
	if d.TZ == "" {
		return string(d.Date)
	}
	return string(d.Date) + " " + d.TZ
}

// Moment returns the last moment of the deadline in UTC. It is Instant if known, else the end of
// Date in UTC-12 ("anywhere on Earth"), so that no call counts as closed too early. It is zero if
// Date is not a date.
func (d Deadline) Moment() time.Time {
	if !d.Instant.IsZero() {
		return d.Instant.UTC()
	}
	day, ok := d.Date.Time()
	if !ok {
		return time.Time{}
	}
	return day.Add(36*time.Hour - time.Second)
}

// A DeadlineKey identifies the track and round whose phases are compared.
type DeadlineKey struct {
	Kind  DeadlineKind
	Track string // folded
	Round int
}

// Key returns the kind, the track and the round of a deadline.
func (d Deadline) Key() DeadlineKey {
	return DeadlineKey{d.Kind, text.FoldForComparison(d.Track), d.Round}
}

// IsSubmission reports whether a deadline of this kind is a submission deadline.
func (k DeadlineKind) IsSubmission() bool {
	switch k {
	case Abstract, Submission, WorkshopProposal, TutorialProposal, Poster, Demo, Doctoral:
		return true
	}
	return false
}

// scheduleKinds is the minimum number of kinds of deadlines in a schedule.
const scheduleKinds = 2

// HasSchedule reports whether a record has the days of an event and deadlines of several kinds, one of them
// for submissions. In any language, such a page is a call: of the 689 labelled pages with a name and a
// schedule that are not lists, only 3 were of other types than call, conference or announcement.
func (e Event) HasSchedule() bool {
	kinds, submits := map[DeadlineKind]bool{}, false
	for _, d := range e.Deadlines {
		if d.Kind != OtherDeadline {
			kinds[d.Kind] = true
			submits = submits || d.Kind.IsSubmission()
		}
	}
	return e.EventStart != "" && submits && len(kinds) >= scheduleKinds
}

// Limits of MostlyOneYear: the minimum number of years printed, and the minimum share of the two most
// frequent consecutive years. Of the labelled pages, 43 % of conferences, 4 % of home pages of persons and 15
// % of pages of type other reach both.
const (
	minYears      = 5
	minYearsShare = 0.8
	minYear       = 1980
	maxYear       = 2050
)

// MostlyOneYear reports whether a text prints several years, mostly the same year or the one after it. The
// schedule of an edition does so in any language. It takes time linear in the text.
func MostlyOneYear(s string) bool {
	var count [maxYear - minYear + 1]int
	all := 0
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		from, n := i, 0
		for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			n = min(n*10+int(s[i]-'0'), 1e6)
		}
		if i-from == 4 && minYear <= n && n <= maxYear {
			count[n-minYear]++
			all++
		}
	}
	most := 0
	for i := 1; i < len(count); i++ {
		most = max(most, count[i-1]+count[i])
	}
	return most >= minYears && float64(most) >= minYearsShare*float64(all)
}

// minNotice is the minimum time from a deadline for proposals of workshops or tutorials to the event.
const minNotice = 8 * 24 * time.Hour

// IsTooLate reports whether a day is too late for a deadline of this kind, for an event that starts on start.
// What is presented at an event is selected before it, and registration at the door has no deadline. The days
// of an event's tutorials and workshops are not deadlines for proposals.
func (k DeadlineKind) IsTooLate(on, start time.Time) bool {
	switch k {
	case TutorialProposal, WorkshopProposal:
		return start.Sub(on) < minNotice
	case Notification, Rebuttal, Registration:
		return !on.Before(start)
	}
	return k.IsSubmission() && !on.Before(start)
}

// AoE is "anywhere on Earth", UTC-12, the last time zone in which a day ends.
var AoE = time.FixedZone("AoE", -12*60*60)

// zoneOffset matches an offset from UTC: "+02:00", "UTC-5", "GMT+0530".
var zoneOffset = regexp.MustCompile(`^(?:UTC|GMT)?\s?([+−-])(\d{1,2})(?::?([0-5]\d))?$`)

// Zone returns the time zone of a record: "AoE", an offset from UTC or an IANA name. It returns nil for an
// unknown one. The sign is that of the clock (UTC+8 is ahead), not the inverted one of POSIX. It is safe for
// concurrent use.
func Zone(tz string) *time.Location {
	switch tz {
	case "AoE":
		return AoE
	case "UTC", "GMT", "Z":
		return time.UTC
	}
	if m := zoneOffset.FindStringSubmatch(tz); m != nil {
		hours, _ := strconv.Atoi(m[2]) // the pattern matches only digits
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*3600 + minutes*60
		if m[1] != "+" {
			seconds = -seconds
		}
		if seconds < -12*3600 || seconds > 14*3600 {
			return nil
		}
		return time.FixedZone(tz, seconds)
	}
	return NamedZone(tz)
}

// zones caches time zones, because loading one reads a file. Invalid names are cached too, because
// pages contain many.
var zones = struct {
	sync.Mutex
	byName map[string]*time.Location
}{byName: map[string]*time.Location{}}

const maxZones = 1000

// NamedZone returns the time zone with an IANA name, or nil if there is none. It is safe for concurrent use.
func NamedZone(name string) *time.Location {
	if name == "" || name == "Local" || len(name) > 60 {
		return nil
	}
	zones.Lock()
	defer zones.Unlock()
	zone, known := zones.byName[name]
	if known {
		return zone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = nil
	}
	if len(zones.byName) < maxZones {
		zones.byName[name] = zone
	}
	return zone
}
