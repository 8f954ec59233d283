package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// zoned reads a deadline on a day as entries do, and returns its instant and zone.
func zoned(t *testing.T, around, printed, country string, note timeNote) string {
	t.Helper()
	on, err := time.Parse(time.DateOnly, printed)
	if err != nil {
		t.Fatal(err)
	}
	d := []eventseer.Deadline{{Date: eventseer.Date(printed)}}
	setDeadlineZone(&d[0], date.DayOf(on), around, note)
	resolveZones(d, &eventseer.Venue{CountryCode: country})
	if d[0].Instant.IsZero() {
		return strings.TrimSpace("none " + d[0].TZ)
	}
	return fmt.Sprint(d[0].Instant.Format(time.RFC3339), " ", d[0].TZ)
}

func TestInstants(t *testing.T) {
	for _, c := range []struct{ printed, date, country, want string }{
		// Anywhere on Earth.
		{"(AoE)", "2027-03-01", "", "2027-03-02T11:59:59Z AoE"},
		{"23:59 AoE", "2026-12-31", "", "2027-01-01T11:59:59Z AoE"},
		{"11:59 pm, Anywhere on Earth", "2028-02-28", "", "2028-02-29T11:59:59Z AoE"},
		{"anywhere-on-earth", "2027-02-28", "", "2027-03-01T11:59:59Z AoE"},
		{"any time on earth", "2027-05-03", "", "2027-05-04T11:59:59Z AoE"},
		{"at noon AOE", "2027-05-03", "", "2027-05-04T00:00:00Z AoE"},
		{"(UTC-12)", "2026-12-31", "", "2027-01-01T11:59:59Z AoE"},
		{"(UTC−12:00)", "2026-12-31", "", "2027-01-01T11:59:59Z AoE"},
		{"AoE (UTC-12:00), 23:59", "2026-12-31", "", "2027-01-01T11:59:59Z AoE"},
		{"23:59 GMT −12:00", "2027-05-03", "", "2027-05-04T11:59:59Z AoE"},
		{"Etc/GMT+12", "2027-05-03", "", "2027-05-04T11:59:59Z AoE"},
		// Offsets.
		{"17:00 UTC+2", "2027-05-03", "", "2027-05-03T15:00:00Z UTC+2"},
		{"UTC-5", "2027-05-03", "", "2027-05-04T04:59:59Z UTC-5"},
		{"6 pm GMT+0530", "2027-05-03", "", "2027-05-03T12:30:00Z UTC+5:30"},
		{"23:59 UTC−3:30", "2027-01-10", "", "2027-01-11T03:29:59Z UTC-3:30"},
		{"Etc/GMT-3 17:00", "2027-05-03", "", "2027-05-03T14:00:00Z UTC+3"},
		{"T23:59:59+02:00", "2027-05-03", "", "2027-05-03T21:59:59Z UTC+2"},
		{"T12:00:00Z", "2027-05-03", "", "2027-05-03T12:00:00Z UTC"},
		{"UTC+99", "2027-05-03", "", "none"},
		{"24:00 UTC", "2027-12-31", "", "2027-12-31T23:59:59Z UTC"},
		{"00:00 UTC", "2027-05-03", "", "2027-05-03T00:00:00Z UTC"},
		{"midnight GMT", "2027-05-03", "", "2027-05-03T23:59:59Z UTC"},
		{"12 midnight UTC", "2027-05-03", "", "2027-05-03T23:59:59Z UTC"},
		{"12:00 am UTC", "2027-05-03", "", "2027-05-03T00:00:00Z UTC"},
		{"12:00 p.m. UTC", "2027-05-03", "", "2027-05-03T12:00:00Z UTC"},
		{"2359 hrs UTC", "2027-05-03", "", "2027-05-03T23:59:59Z UTC"},
		// Summer time: abbreviations name the local time of a region.
		{"23:59 PST", "2027-07-15", "", "2027-07-16T06:59:59Z America/Los_Angeles"},
		{"23:59 PST", "2027-01-15", "", "2027-01-16T07:59:59Z America/Los_Angeles"},
		{"noon CET", "2027-07-15", "", "2027-07-15T10:00:00Z Europe/Berlin"},
		{"noon CET", "2027-01-15", "", "2027-01-15T11:00:00Z Europe/Berlin"},
		{"12:00 noon CEST", "2027-06-01", "", "2027-06-01T10:00:00Z Europe/Berlin"},
		{"23:59 CET", "2027-03-27", "", "2027-03-27T22:59:59Z Europe/Berlin"},
		{"23:59 CET", "2027-03-28", "", "2027-03-28T21:59:59Z Europe/Berlin"},
		{"23:59 CET", "2027-10-30", "", "2027-10-30T21:59:59Z Europe/Berlin"},
		{"23:59 CET", "2027-10-31", "", "2027-10-31T22:59:59Z Europe/Berlin"},
		{"11:59pm EDT", "2027-03-13", "", "2027-03-14T04:59:59Z America/New_York"},
		{"11:59pm EDT", "2027-03-14", "", "2027-03-15T03:59:59Z America/New_York"},
		{"11:59 PM Pacific Daylight Time", "2027-11-06", "", "2027-11-07T06:59:59Z America/Los_Angeles"},
		{"11:59 PM Pacific Daylight Time", "2027-11-07", "", "2027-11-08T07:59:59Z America/Los_Angeles"},
		{"5 pm Eastern", "2027-02-01", "", "2027-02-01T22:00:00Z America/New_York"},
		{"5 pm Central European Time", "2027-02-01", "", "2027-02-01T16:00:00Z Europe/Berlin"},
		{"5 pm Central Standard Time", "2027-02-01", "", "2027-02-01T23:00:00Z America/Chicago"},
		{"by 5:00 p.m. (US Eastern Time)", "2027-08-01", "", "2027-08-01T21:00:00Z America/New_York"},
		{"23:59 Hawaii time", "2027-08-01", "", "2027-08-02T09:59:59Z Pacific/Honolulu"},
		{"23:59 AEST", "2027-07-01", "", "2027-07-01T13:59:59Z Australia/Sydney"},
		{"23:59 AEDT", "2027-01-01", "", "2027-01-01T12:59:59Z Australia/Sydney"},
		{"11:59pm Australian Eastern Standard Time", "2027-04-04", "", "2027-04-04T13:59:59Z Australia/Sydney"},
		{"17:00 AWST", "2027-01-01", "", "2027-01-01T09:00:00Z Australia/Perth"},
		{"17:00 NZST", "2027-01-01", "", "2027-01-01T04:00:00Z Pacific/Auckland"},
		{"11:59 pm Newfoundland Time", "2027-07-01", "", "2027-07-02T02:29:59Z America/St_Johns"},
		// IANA names and places.
		{"23:59 (Europe/Berlin)", "2027-05-03", "", "2027-05-03T21:59:59Z Europe/Berlin"},
		{"23:59 America/New_York time", "2027-05-03", "", "2027-05-04T03:59:59Z America/New_York"},
		{"18:00 Athens time", "2027-05-03", "", "2027-05-03T15:00:00Z Europe/Athens"},
		{"24:00（北京时间）", "2027-05-03", "", "2027-05-03T15:59:59Z Asia/Shanghai"},
		{"17時30分（日本時間）", "2027-05-03", "", "2027-05-03T08:30:00Z Asia/Tokyo"},
		{"오후 6시 한국시간", "2027-05-03", "", "2027-05-03T09:00:00Z Asia/Seoul"},
		{"às 23h59 (horário de Brasília)", "2027-05-03", "", "2027-05-04T02:59:59Z America/Sao_Paulo"},
		{"à 18 h (heure de Paris)", "2027-05-03", "", "2027-05-03T16:00:00Z Europe/Paris"},
		{"18 Uhr MESZ", "2027-05-03", "", "2027-05-03T16:00:00Z Europe/Berlin"},
		{"12 Uhr mittags MEZ", "2027-01-03", "", "2027-01-03T11:00:00Z Europe/Berlin"},
		{"23.59 JST", "2027-05-03", "", "2027-05-03T14:59:59Z Asia/Tokyo"},
		// Abbreviations with several meanings.
		{"23:59 IST", "2027-05-03", "", "2027-05-03T18:29:59Z Asia/Kolkata"},
		{"23:59 IST", "2027-05-03", "IE", "2027-05-03T22:59:59Z Europe/Dublin"},
		{"23:59 IST", "2027-01-03", "IL", "2027-01-03T21:59:59Z Asia/Jerusalem"},
		{"23:59 BST", "2027-05-03", "", "2027-05-03T22:59:59Z Europe/London"},
		{"23:59 BST", "2027-05-03", "BD", "2027-05-03T17:59:59Z Asia/Dhaka"},
		{"23:59 CST", "2027-05-03", "", "2027-05-04T04:59:59Z America/Chicago"},
		{"23:59 CST", "2027-05-03", "CN", "2027-05-03T15:59:59Z Asia/Shanghai"},
		{"23:59 CST (UTC+8)", "2027-05-03", "", "2027-05-03T15:59:59Z UTC+8"},
		{"23:59 JST (GMT +09:00)", "2027-05-03", "", "2027-05-03T14:59:59Z Asia/Tokyo"},
		{"5 pm PST", "2027-05-03", "PH", "2027-05-03T09:00:00Z Asia/Manila"},
		// A day with a zone ends with the day.
		{"CET", "2027-05-03", "", "2027-05-03T21:59:59Z Europe/Berlin"},
		{"end of day, PT", "2027-05-03", "", "2027-05-04T06:59:59Z America/Los_Angeles"},
		{"EOD UTC", "2027-05-03", "", "2027-05-03T23:59:59Z UTC"},
		// No instant, as the page does not name the zone.
		{"23:59", "2027-05-03", "", "none"},
		{"5 pm local time", "2027-05-03", "", "none"},
		{"3:59:59am EDT", "2027-07-17", "", "2027-07-17T07:59:59Z America/New_York"},
		{"5pm, PT", "2027-05-03", "PT", "2027-05-04T00:00:00Z America/Los_Angeles"},
		{"close of business", "2027-05-03", "", "none"},
		{"close of business, Eastern Time", "2027-05-03", "", "none America/New_York"},
		{"this is the best you met", "2027-05-03", "", "none"},
		{"et est fixée", "2027-05-03", "", "none"},
	} {
		if diff := cmp.Diff(c.want, zoned(t, c.printed, c.date, c.country, timeNote{})); diff != "" {
			t.Errorf("%q on %s: %s", c.printed, c.date, diff)
		}
	}
}

// TestPageClock reads the note of a page about all its deadlines.
func TestPageClock(t *testing.T) {
	for _, c := range []struct{ note, around, want string }{
		{"All deadlines are 23:59 AoE.", "", "2027-05-04T11:59:59Z AoE"},
		{"All deadlines are at 5:00 pm Pacific Time (PDT).", "", "2027-05-04T00:00:00Z America/Los_Angeles"},
		{"All deadlines are at 5:00 pm Pacific Time (PDT).", "noon", "2027-05-03T19:00:00Z America/Los_Angeles"},
		{"All deadlines are at 5:00 pm Pacific Time (PDT).", "noon CET", "2027-05-03T10:00:00Z Europe/Berlin"},
		{"All deadlines are at 5:00 pm Pacific Time (PDT).", "5 pm local time", "none"},
		{"Papers have ten pages. All submission deadlines are at noon UTC. Reviews follow on 1 June 2027.", "", "2027-05-03T12:00:00Z UTC"},
		{"The welcome time is 18:00 CET on 1 June 2027.", "", "none"},
		{"Deadlines are hard.", "", "none"},
	} {
		tree := parse(t, "p.html", "<h1>Workshop</h1><p>"+c.note+"<p>Submission: 3 May 2027")
		if diff := cmp.Diff(c.want, zoned(t, c.around, "2027-05-03", "", timeNoteOfPage(preparePage(tree, 2035)))); diff != "" {
			t.Errorf("%q %q: %s", c.note, c.around, diff)
		}
	}
}
