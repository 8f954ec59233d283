package message

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

var (
	letterSite = Site{Name: "EventSeer", Base: "https://seer.example/", Contact: "crew@seer.example"}
	letterDay  = time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)
)

func testLinks() Links {
	const base = "https://seer.example/"
	return Links{
		Page: base + "digest/d1", Lists: base + "lists", LeaveAll: base + "leave/all",
		Leave: func(list string) string { return base + "leave/" + list },
		Vote: func(i eventseer.Item, useful bool) string {
			return fmt.Sprintf("%svote/%s?useful=%t", base, i.ID, useful)
		},
		Event:   func(id eventseer.EventID) string { return base + "e/" + string(id) },
		History: func(id eventseer.EventID) string { return base + "e/" + string(id) + "/history" },
	}
}

func testDigest() eventseer.Digest {
	crawling := eventseer.List{ID: "l1", Name: "Web crawling", Query: "crawling"}
	passage := "We invite papers on focused web crawling, link analysis and on the archiving of scholarly announcements."
	at := strings.Index(passage, "web crawling")
	return eventseer.Digest{
		ID: "d1", At: letterDay, Crawled: letterDay.Add(-time.Hour),
		Sections: []eventseer.Section{
			{Items: []eventseer.Item{
				{ID: "i1", Kind: eventseer.Moved, Event: "icx-2027", Title: "ICX 2027: Conference on Examples", Place: "Lisbon, Portugal",
					Old:  eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-03-01", Text: "1 March 2027", TZ: "AoE", TZPrinted: "AoE", Instant: time.Date(2027, 3, 2, 11, 59, 0, 0, time.UTC)},
					Next: eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-03-15", Text: "15 March 2027", TZ: "AoE", TZPrinted: "AoE", Instant: time.Date(2027, 3, 16, 11, 59, 0, 0, time.UTC)}},
				{ID: "i2", Kind: eventseer.Closing, Event: "wsy-2026", Title: "WSY 2026", Next: eventseer.Deadline{Kind: eventseer.Abstract, Date: "2026-11-29", Text: "Nov 29"}},
			}},
			{List: crawling, More: 12, Items: []eventseer.Item{
				{ID: "i3", Kind: eventseer.NewCall, Event: "cra-2027", List: "l1", Title: "CRA 2027: Workshop on Crawling", Place: "Oslo, Norway", Passage: passage,
					Marks: [][2]int{{at, at + len("web crawling")}}, Why: []string{`"web crawling" in the text`, "topic: crawling"}, Source: "https://cra.example/2027/cfp",
					Next: eventseer.Deadline{Kind: eventseer.Submission, Track: "short papers", Date: "2027-01-31", Text: "January 31, 2027"}},
			}},
		},
	}
}

func TestDigestMail(t *testing.T) {
	l, err := NewDigestMail(letterSite, "ann@home.example", testDigest(), testLinks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"was Submission: Mon 1 Mar 2027, 23:59 AoE (= Tue 2 Mar, 11:59 UTC)\n  now Submission: Mon 15 Mar 2027, 23:59 AoE (= Tue 16 Mar, 11:59 UTC)\n",
		"history:    https://seer.example/e/icx-2027/history\n", "focused *web crawling*, link", "12 more on the page.",
		"Leave this list: https://seer.example/leave/l1\n", "https://seer.example/leave/all\n", "why: \"web crawling\" in the text\n",
		"Pages of calls were last read on 22 November 2026, 08:30 UTC.", "\n-- \nEventSeer https://seer.example/\n",
	} {
		if !strings.Contains(l.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, l.Text)
		}
	}
	moved, closing, calls := strings.Index(l.Text, "Deadlines moved"), strings.Index(l.Text, "Closing soon"), strings.Index(l.Text, "New calls: Web crawling")
	if moved < 0 || closing < moved || calls < closing {
		t.Errorf("order of groups: %d, %d, %d", moved, closing, calls)
	}
	if want := `13 new calls, 1 deadline moved, 1 call closes soon - "Web crawling"`; l.Subject != want {
		t.Errorf("subject %q, want %q", l.Subject, want)
	}
}

// TestDigestDate has the same deadlines read in several zones.
func TestDigestDate(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2027, 1, 30, 11, 59, 59, 0, time.UTC)
	for name, c := range map[string]struct {
		deadline eventseer.Deadline
		zone     *time.Location
		day      string
		brackets string
		printed  string
	}{
		"instant, UTC":   {eventseer.Deadline{Date: "2027-01-29", Instant: at, TZ: "AoE"}, time.UTC, "Fri 29 Jan 2027, 23:59 AoE", " (= Sat 30 Jan, 11:59 UTC)", ""},
		"instant, Oslo":  {eventseer.Deadline{Date: "2027-01-29", Instant: at, TZ: "AoE"}, oslo, "Fri 29 Jan 2027, 23:59 AoE", " (= Sat 30 Jan, 12:59 in Europe/Oslo)", ""},
		"the same zone":  {eventseer.Deadline{Date: "2027-01-30", Instant: at, TZ: "Europe/Berlin"}, oslo, "Sat 30 Jan 2027, 12:59 Europe/Berlin", "", ""},
		"assumed":        {eventseer.Deadline{Date: "2027-01-29", Instant: at, TZ: "AoE", TZSource: eventseer.TZAssumed}, time.UTC, "Fri 29 Jan 2027, 23:59 AoE, time zone assumed", " (= Sat 30 Jan, 11:59 UTC)", ""},
		"before a move":  {eventseer.Deadline{Date: "2027-01-15", TZ: "AoE"}, oslo, "Fri 15 Jan 2027, AoE", "", ""},
		"no zone":        {eventseer.Deadline{Date: "2027-01-15", Text: "Papers: 8 15 January"}, oslo, "Fri 15 Jan 2027", " (no time zone given)", "Papers: 8 15 January"},
		"no day we know": {eventseer.Deadline{Date: "soon", Instant: at}, time.UTC, "Sat 30 Jan 2027", " (= Sat 30 Jan 2027, 11:59 UTC)", ""},
	} {
		d := newDigestDate(c.deadline, c.zone)
		if d.Day != c.day || d.InBrackets() != c.brackets || d.Printed != c.printed {
			t.Errorf("%s: %q, %q, %q; want %q, %q, %q", name, d.Day, d.InBrackets(), d.Printed, c.day, c.brackets, c.printed)
		}
	}
}

// BenchmarkDigestLetter writes a digest of three items.
func BenchmarkDigestLetter(b *testing.B) {
	d, k := testDigest(), testLinks()
	for b.Loop() {
		if _, err := NewDigestMail(letterSite, "ann@home.example", d, k, nil); err != nil {
			b.Fatal(err)
		}
	}
}
