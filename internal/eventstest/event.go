package eventstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const day = 24 * time.Hour

// event makes event number i: the editions of one series follow each other.
func event(seed uint64, i int, now time.Time) eventseer.Event {
	series, r := i/editions, newRand(seed, 2, i)
	c := newCall(seed, series)
	year := now.Year() + 2 - editions + i%editions
	e := eventseer.Event{
		ID:  eventseer.EventID(fmt.Sprintf("%s-%d", strings.ToLower(c.acronym), year)),
		URL: fmt.Sprintf("https://%s/%d/cfp.html", c.host, year), Kind: c.kind, Year: year,
		Acronym: fmt.Sprintf("%s %d", c.acronym, year), Series: strings.ToLower(c.acronym),
		Title:    fmt.Sprintf("%s %s", ordinal(year-2003-series%17), c.name),
		CFPScore: 0.7 + 0.3*r.Float64(), Confidence: 0.6 + 0.4*r.Float64(),
	}
	e.Pages = []string{e.URL}
	start := time.Date(year, c.month, 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
	e.EventStart, e.EventEnd = date(start), date(start.Add(time.Duration(1+r.IntN(4))*day))
	e.Location = venue(r)
	e.Topics = append(append([]string{}, c.core...), sample(r, c.area.topics, 2+r.IntN(6))...)
	e.Topics = recase(r, unique(e.Topics))
	e.Committee = committee(r)
	submission := start.Add(-time.Duration(110+r.IntN(90)) * day)
	e.Deadlines = deadlines(r, e.URL, submission)
	e.FirstSeen = submission.Add(-time.Duration(30+r.IntN(120)) * day).Add(time.Duration(r.IntN(86400)) * time.Second)
	if recent := now.Add(-time.Duration(r.IntN(30*86400)) * time.Second).Truncate(time.Second); e.FirstSeen.After(recent) {
		e.FirstSeen = recent
	}
	e.LastSeen = e.FirstSeen.Add(time.Duration(r.IntN(60)) * day)
	if e.LastSeen.After(now) {
		e.LastSeen = now.Add(-time.Duration(r.IntN(48)) * time.Hour).Truncate(time.Second)
		e.LastSeen = later(e.LastSeen, e.FirstSeen)
	}
	e.SubmissionURL, e.SubmissionSystem = "https://submit.example/"+string(e.ID), "easychair"
	e.Sources = map[string]eventseer.Provenance{
		"title":    {URL: e.URL, Path: "html/body/h1", Offset: [2]int{0, len(e.Title)}, Snippet: e.Title},
		"location": {URL: e.URL, Path: "html/body/p", Offset: [2]int{len(e.Title) + 1, len(e.Title) + 40}, Snippet: e.Location.Text},
	}
	return e
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func date(t time.Time) eventseer.Date { return eventseer.Date(t.Format(time.DateOnly)) }

func ordinal(n int) string {
	n = max(n, 1)
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}

func venue(r *rand.Rand) *eventseer.Venue {
	n := r.IntN(100)
	if n < 8 {
		return &eventseer.Venue{Online: true, Text: "Online"}
	}
	p := places[r.IntN(len(places))]
	v := &eventseer.Venue{City: p.city, Region: p.region, Country: p.country, CountryCode: p.code, Text: p.city + ", " + p.country}
	if n < 25 {
		v.Online, v.Hybrid = true, true
		v.Text += " and online"
	}
	return v
}

// deadlines makes the dates of a call around its submission day: most end
// anywhere on Earth, as most of the web's do.
func deadlines(r *rand.Rand, url string, submission time.Time) []eventseer.Deadline {
	zone := weighted(r, zones)
	add := func(kind eventseer.DeadlineKind, words string, day time.Time) eventseer.Deadline {
		d := eventseer.Deadline{Kind: kind, Date: date(day), TZ: zone, Text: words + ": " + day.Format("2 January 2006")}
		if zone != "" {
			d.TZPrinted, d.TZSource, d.Instant = zone, eventseer.TZPrinted, instant(day, zone)
			d.Text += ", 23:59 " + zone
		}
		d.Source = eventseer.Provenance{URL: url, Path: "html/body/ul/li", Offset: [2]int{200, 200 + len(d.Text)}, Snippet: d.Text}
		return d
	}
	var out []eventseer.Deadline
	if r.IntN(100) < 40 {
		out = append(out, add(eventseer.Abstract, "Abstracts due", submission.Add(-7*day)))
	}
	paper := add(eventseer.Submission, "Paper submission", submission)
	switch n := r.IntN(100); {
	case n < 12:
		paper.ExtendedFrom = date(submission.Add(-time.Duration(7+7*r.IntN(2)) * day))
		paper.Text += " (extended)"
	case n < 20:
		paper.Round = 1
		second := add(eventseer.Submission, "Second round", submission.Add(75*day))
		second.Round = 2
		out = append(out, second)
	}
	return append(out, paper,
		add(eventseer.Notification, "Notification of authors", submission.Add(time.Duration(45+r.IntN(20))*day)),
		add(eventseer.CameraReady, "Camera-ready papers", submission.Add(time.Duration(70+r.IntN(15))*day)))
}

// instant is 23:59:59 of a day in one of zones.
func instant(day time.Time, zone string) time.Time {
	offset := map[string]int{"AoE": -12, "UTC": 0, "UTC+1": 1, "UTC+8": 8, "UTC-5": -5}[zone]
	return day.Add(24*time.Hour - time.Second - time.Duration(offset)*time.Hour)
}

func committee(r *rand.Rand) (out []eventseer.Person) {
	for i := range r.IntN(6) {
		role := "pc_member"
		if i == 0 {
			role = "program_chair"
		}
		p := places[r.IntN(len(places))]
		out = append(out, eventseer.Person{
			Name:        givenNames[r.IntN(len(givenNames))] + " " + familyNames[r.IntN(len(familyNames))],
			Affiliation: "University of " + p.city, Country: p.country, Role: role,
		})
	}
	return out
}

func unique(topics []string) (out []string) {
	seen := map[string]bool{}
	for _, t := range topics {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// recase writes topics as the pages of one event do: all small, as a headline or
// with a capital at the start.
func recase(r *rand.Rand, topics []string) []string {
	style := r.IntN(3)
	for i, t := range topics {
		switch style {
		case 1:
			topics[i] = headline(t)
		case 2:
			topics[i] = strings.ToUpper(t[:1]) + t[1:]
		}
	}
	return topics
}

// Monday is the day on which Record's pages are first read.
var Monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// Home and Mirror are the URLs of a call and of a list that repeats it.
const Home, Mirror = "https://quiet.example/cfp", "https://list.example/quiet"

// Record returns a call as read from one page, the given number of days after Monday, with a change
// if that is not nil.
func Record(url string, day int, change func(*eventseer.Event)) eventseer.Event {
	e := eventseer.Event{
		URL: url, Title: "Fourth Workshop on Quiet Engines", Acronym: "QUIET 2027", Kind: eventseer.Workshop, Year: 2027,
		EventStart: "2027-06-01", EventEnd: "2027-06-02",
		Location:   &eventseer.Venue{City: "Bergen", Country: "Norway", CountryCode: "NO"},
		Deadlines:  []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: url}}},
		Topics:     []string{"valves"},
		Confidence: 0.8, Pages: []string{url},
		FirstSeen: Monday.AddDate(0, 0, day), LastSeen: Monday.AddDate(0, 0, day),
	}
	if change != nil {
		change(&e)
	}
	return e
}
