package exchange

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const twoLayouts = `
- title: ICX
  description: International Conference on Examples
  sub: AI
  rank: {ccf: A, core: "A*", th-cpl: B, ggs: N}
  dblp: icx
  confs:
    - year: 2026
      id: icx26
      link: https://icx.example/2026/
      timeline:
        - deadline: '2025-09-08 23:59:59'
        - {abstract_deadline: 2025-08-30 23:59:59, deadline: '2025-09-01 23:59', comment: early round}
      timezone: UTC-12
      date: February 22 - March 1, 2026
      place: Vancouver, British Columbia, Canada
    - {year: none, id: bad, link: https://icx.example/bad/}
    - year: '2027'
      id: icx27
      link: https://icx.example/2027/
      timeline:
        - abstract deadline: '2026-11-30 24:00:00'
          deadline: TBD
      timezone: UTC+8
      date: TBA
      place: Virtual
- title: OLD
  year: 2021
  id: old21
  link: http://old.example/
  deadline: '2020-09-22 17:00:00'
  timezone: America/Los_Angeles
  date: June 20-25, 2021
  place: Xi'an, China
  rank: B
- title: OLD
  year: 2022
  id: old22
  link: javascript:alert(1)
  deadline: soon
  timezone: AoE (UTC+12)
  date: whenever
- 7
`

func TestReadCCFDDL(t *testing.T) {
	all, errs := ReadCCFDDL([]byte(twoLayouts))
	if len(all) != 2 || len(errs) != 2 {
		t.Fatalf("%d conferences, errors %v, want 2, and those of the year and of the entry that is none", len(all), errs)
	}
	if all[0].Title != "ICX" || len(all[0].Confs) != 2 || len(all[1].Confs) != 2 {
		t.Fatalf("%+v", all)
	}
	s := all[0].Series("icx.yml")
	want := eventseer.Series{ID: "icx", Name: "International Conference on Examples", Acronym: "ICX", DBLP: "conf/icx", Ranks: []eventseer.Rank{
		{System: "ccf", Value: "A", Source: "icx.yml"}, {System: "core", Value: "A*", Source: "icx.yml"}, {System: "thcpl", Value: "B", Source: "icx.yml"},
	}}
	if d := gocmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	e, err := all[0].Event(all[0].Confs[0], "icx.yml")
	if err != nil || e.ID != "icx-2026" || e.EventStart != "2026-02-22" || e.EventEnd != "2026-03-01" || e.Location.City != "Vancouver" || e.Location.CountryCode != "CA" {
		t.Errorf("%+v, %v", e, err)
	}
	got := []string{}
	for _, d := range e.Deadlines {
		got = append(got, fmt.Sprint(d.Kind, d.Round, " ", d.Date, " ", d.Instant.Format(time.RFC3339), " ", d.TZ, " ", d.TZPrinted, " ", d.Source.Rule))
	}
	if d := gocmp.Diff([]string{
		"abstract1 2025-08-30 2025-08-31T11:59:59Z AoE UTC-12 import", "submission1 2025-09-01 2025-09-02T11:59:00Z AoE UTC-12 import", "submission2 2025-09-08 2025-09-09T11:59:59Z AoE UTC-12 import",
	}, got); d != "" {
		t.Error(d)
	}
	e, err = all[0].Event(all[0].Confs[1], "")
	if err != nil || len(e.Deadlines) != 1 || e.Deadlines[0].Instant != time.Date(2026, 11, 30, 15, 59, 59, 0, time.UTC) || !e.Location.Online {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = all[1].Event(all[1].Confs[0], ""); err != nil || e.Deadlines[0].Instant != time.Date(2020, 9, 23, 0, 0, 0, 0, time.UTC) || e.Location.Country != "China" {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = all[1].Event(all[1].Confs[1], ""); err == nil || e.URL != "" {
		t.Errorf("an edition without a link: %+v", e)
	}
}

func TestReadZone(t *testing.T) {
	for s, want := range map[string]string{
		"AoE": "AoE", "UTC-12": "AoE", "AoE (UTC+12)": "AoE", "aoe": "AoE", "Anywhere on Earth": "AoE", "Etc/GMT+12": "AoE", "UTC+8": "UTC+8", "UTC-8": "UTC-8",
		"UTC +5:30": "UTC+5:30", "GMT+1": "UTC+1", "UTC": "UTC", "UTC+0": "UTC", "GMT": "UTC", "America/New_York": "America/New_York", "UTC+12": "UTC+12",
		"": "", "UTC+15": "", "UTC-13": "", "Local": "", "../../etc/passwd": "", "Mars": "",
	} {
		if got, _ := readZone(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestReadDays(t *testing.T) {
	for s, want := range map[string]string{
		"June 1-4, 2027": "2027-06-01 2027-06-04", "Jun 28 - Jul 2, 2027": "2027-06-28 2027-07-02", "28 June - 2 July 2027": "2027-06-28 2027-07-02",
		"December 30, 2026 - January 3, 2027": "2026-12-30 2027-01-03", "December 30 - January 3, 2027": "2026-12-30 2027-01-03", "1-4 June 2027": "2027-06-01 2027-06-04",
		"June 1st to 4th, 2027": "2027-06-01 2027-06-04", "July 18, 2027": "2027-07-18 2027-07-18", "Sept 1 - 3": "2027-09-01 2027-09-03", "2027-06-01 - 2027-06-04": "2027-06-01 2027-06-04",
		"June 1–4, 2027": "2027-06-01 2027-06-04", "June 2027": "", "TBD": "", "": "", "February 30, 2027": "", "June 1, 3, 5, 2027": "", "June 5-1, 2027": "", "32 June 2027": "",
		"January 1 - December 31, 2027": "",
	} {
		from, to, ok := readDays(s, 2027)
		if got := string(from + " " + to); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestReadPlace(t *testing.T) {
	for s, want := range map[string]string{
		"Vancouver, British Columbia, Canada": "Vancouver|British Columbia|CA|false|false", "Virtual": "|||true|false", "Xi'an, China": "Xi'an||CN|false|false",
		"Singapore": "||SG|false|false", "Online & Seoul, South Korea": "Seoul||KR|true|true", "Hybrid": "|||true|true", "New Orleans, LA, USA": "New Orleans|LA|US|false|false",
		"Oslo": "Oslo|||false|false",
	} {
		v := readPlace(s)
		if got := fmt.Sprintf("%s|%s|%s|%v|%v", v.City, v.Region, v.CountryCode, v.Online, v.Hybrid); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
	if readPlace("TBD") != nil || readPlace("") != nil {
		t.Error("a place where none is known")
	}
}

func TestReadRates(t *testing.T) {
	text := "- title: ICX\n  accept_rates:\n    - {year: 2024, submitted: 1000, accepted: 240, rate: 0.24, source: https://rates.example/}\n    - {year: 2025, rate: 23.5}\n    - {year: 2026, submitted: 10, accepted: 20}\n"
	all, errs := ReadRates([]byte(text), "icx.yml")
	want := []eventseer.Series{{ID: "icx", Acronym: "ICX", Rates: []eventseer.Rate{
		{Year: 2024, Accepted: 240, Submitted: 1000, Rate: 0.24, Source: "https://rates.example/"}, {Year: 2025, Rate: 0.235, Source: "icx.yml"},
	}}}
	if d := gocmp.Diff(want, all); d != "" || len(errs) != 1 {
		t.Error(d, errs)
	}
	if all, _ := ReadRates([]byte(twoLayouts), ""); len(all) != 0 {
		t.Errorf("rates of a list of conferences: %v", all)
	}
}

// conference draws one as such files have them.
func drawConference(t *rapid.T) Conference {
	word := rapid.StringMatching(`Q[A-Z]{3,6}`) // the acronym of an unknown series
	day := func(label string) time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 600*86400).Draw(t, label)) * time.Second)
	}
	c := Conference{Title: word.Draw(t, "title"), Description: "Conference on " + word.Draw(t, "on"), DBLP: rapid.SampledFrom([]string{"", "icx"}).Draw(t, "dblp")}
	if rapid.Bool().Draw(t, "ranked") {
		c.Rank = map[string]string{"ccf": "A", "core": "A*"}
	}
	years := rapid.SliceOfNDistinct(rapid.IntRange(2000, 2040), 1, 4, func(y int) int { return y }).Draw(t, "years")
	slices.Sort(years)
	for _, year := range years {
		e := Edition{
			Year: year, Link: fmt.Sprintf("https://%s.example/%d/", slugOf(c.Title), year), ID: fmt.Sprintf("%s-%d", slugOf(c.Title), year),
			Timezone: rapid.SampledFrom([]string{"AoE", "UTC-12", "UTC+8", "UTC-8", "UTC+0", "UTC+5:30"}).Draw(t, "zone"),
			Place:    rapid.SampledFrom([]string{"Oslo, Norway", "Virtual", "TBD", "Paris, France"}).Draw(t, "place"),
		}
		start := day("start")
		e.Date = writeDays(eventseer.Date(start.Format(time.DateOnly)), eventseer.Date(start.AddDate(0, 0, rapid.IntRange(0, 5).Draw(t, "length")).Format(time.DateOnly)))
		at := day("first")
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			r := Round{Deadline: at.Format(time.DateTime), Comment: rapid.SampledFrom([]string{"", "early"}).Draw(t, "comment")}
			if rapid.Bool().Draw(t, "abstract") {
				r.Abstract = at.AddDate(0, 0, -7).Format(time.DateTime)
			}
			e.Timeline = append(e.Timeline, r)
			at = at.AddDate(0, rapid.IntRange(1, 6).Draw(t, "apart"), 0)
		}
		c.Confs = append(c.Confs, e)
	}
	return c
}

// Data that is read from YAML, converted to events, and written again is unchanged.
func TestCCFDDLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		byTitle := map[string]Conference{}
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			c := drawConference(t)
			byTitle[c.Title] = c
		}
		all := slices.SortedFunc(maps.Values(byTitle), func(a, b Conference) int { return cmp.Compare(slugOf(a.Title), slugOf(b.Title)) })
		text, err := WriteCCFDDL(all)
		if err != nil {
			t.Fatal(err)
		}
		read, errs := ReadCCFDDL(text)
		if d := gocmp.Diff(all, read); d != "" || len(errs) > 0 {
			t.Fatal(d, errs)
		}
		var events []eventseer.Event
		for _, c := range read {
			for _, e := range c.Confs {
				event, err := c.Event(e, "file")
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, event)
			}
		}
		slices.Reverse(events) // their order does not count
		again := Conferences(slices.Values(events))
		for i, c := range again {
			again[i] = c.WithSeries(read[i].Series("file"))
		}
		second, err := WriteCCFDDL(again)
		if err != nil || !bytes.Equal(text, second) {
			t.Fatalf("%v: %s", err, gocmp.Diff(string(text), string(second)))
		}
	})
}

// Hostile events are written as YAML that reads back.
func TestHostileCCFDDL(t *testing.T) {
	text := written(t, "ccfddl", hostilePublication(), "")
	if all, errs := ReadCCFDDL(text); len(errs) > 0 || len(all) == 0 {
		t.Errorf("%d conferences, %v", len(all), errs)
	}
}

func FuzzReadCCFDDL(f *testing.F) {
	f.Add([]byte(twoLayouts))
	f.Add([]byte("- &a {title: x, confs: [*a, *a]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, _ := ReadCCFDDL(text)
		ReadRates(text, "")
		var events []eventseer.Event
		for _, c := range all {
			c.Series("")
			for _, e := range c.Confs {
				event, _ := c.Event(e, "")
				for _, d := range event.Deadlines {
					if _, ok := d.Date.Time(); !ok {
						t.Errorf("deadline %+v", d)
					}
				}
				events = append(events, event)
			}
		}
		out, err := WriteCCFDDL(Conferences(slices.Values(events)))
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := ReadCCFDDL(out); len(errs) > 0 {
			t.Errorf("%v in %s", errs, out)
		}
	})
}

func FuzzReadDays(f *testing.F) {
	f.Add("December 30 - January 3, 2027", 2027)
	f.Fuzz(func(t *testing.T, s string, year int) {
		from, to, ok := readDays(s, year)
		if ok && (from > to || writeDays(from, to) == "TBD") {
			t.Errorf("%q: %s to %s", s, from, to)
		}
		if ok {
			if a, b, again := readDays(writeDays(from, to), 0); !again || a != from || b != to {
				t.Errorf("%s to %s read back as %s to %s", from, to, a, b)
			}
		}
	})
}

// TestReadCCFDDLChangedFields reads lists whose fields have new names. Each name is reported with its place
// and the field it may mean, and the rest is read.
func TestReadCCFDDLChangedFields(t *testing.T) {
	const good = "- title: ICX\n  confs:\n    - {year: 2027, id: icx27, link: 'https://icx.example/', date: 'June 1-4, 2027', place: Oslo, timeline: [{deadline: '2027-01-15 23:59:59'}]}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"as it is":       {good, nil},
		"editions":       {good + strings.Replace(strings.Replace(good, "ICX", "ICY", 1), "confs", "editions", 1), []string{`line 4: ICY: "editions" is not a field of this layout; did you mean "confs"? (1 of 2 conferences)`}},
		"link":           {strings.Replace(good, "link:", "url:", 1), []string{`line 1: ICX: edition icx27: "url" is not a field of this layout; did you mean "link"? (1 of 1 edition)`}},
		"timeline":       {strings.Replace(good, "timeline:", "rounds:", 1), []string{`line 1: ICX: edition icx27: "rounds" is not a field of this layout; did you mean "timeline"? (1 of 1 edition)`}},
		"deadline":       {strings.Replace(good, "deadline:", "dead-line:", 1), []string{`line 1: ICX: edition icx27: "dead-line" is not a field of this layout; did you mean "deadline"? (1 of 1 deadline)`}},
		"place":          {strings.Replace(good, "place:", "city:", 1), []string{`none of 1 edition has place; it has fields that this layout does not have: city; rename the one with this meaning`}},
		"flat deadlines": {"- {title: ICX, year: 2027, link: 'https://icx.example/', date: 'June 1, 2027', place: Oslo, deadlines: []}\n", []string{`line 1: ICX: "deadlines" is not a field of this layout; did you mean "deadline"? (1 of 1 entry)`}},
		"title": {strings.Replace(good, "title:", "event:", 1), []string{
			`none of 1 conference has title or name; it has fields that this layout does not have: event; rename the one with this meaning`, `line 1: entry 1: it has no title`}},
		"more than is read": {strings.Replace(good, "place:", "note: hybrid, place:", 1), nil},
	} {
		all, errs := ReadCCFDDL([]byte(c.text))
		var got []string
		for _, err := range errs {
			got = append(got, err.Error())
		}
		if d := gocmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if name != "title" && (len(all) == 0 || len(all[0].Confs) != 1) {
			t.Errorf("%s: read %+v, want one edition", name, all)
		}
	}
}
