package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

// TestHostileFields reads topics, people and the place of pages without a call, or with far more than one.
// Lists must be bounded, reading must be fast, and nothing may be read that the page does not contain.
func TestHostileFields(t *testing.T) {
	names := func(n int, sep string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "Anna%c Brook%cfield%s", 'a'+rune(i%26), 'a'+rune(i/26%26), sep)
		}
		return b.String()
	}
	const call = "<h1>Workshop on Bees 2027</h1><p>3-5 June 2027, Vienna, Austria</p><p>Paper submission: 3 May 2027</p>"
	nothing := func(e eventseer.Event) string {
		if len(e.Topics) > 0 || len(e.Committee) > 0 || e.Location != nil {
			return fmt.Sprintf("topics %q, committee %v, place %+v", e.Topics, e.Committee, e.Location)
		}
		return ""
	}
	bounded := func(e eventseer.Event) string {
		if len(e.Topics) > maxTopics || len(e.Committee) > maxPeople {
			return fmt.Sprintf("%d topics, %d people", len(e.Topics), len(e.Committee))
		}
		return ""
	}
	for name, c := range map[string]struct {
		page  string
		check func(eventseer.Event) string
	}{
		"two thousand names in one line": {call + "<h2>Program Committee</h2><p>" + names(2000, ", ") + "</p>", bounded},
		"two thousand names in items":    {call + "<h2>Program Committee</h2><ul><li>" + names(2000, "</li><li>") + "</ul>", bounded},
		"ten thousand blocks":            {call + "<h2>Topics</h2><ul>" + strings.Repeat("<li>Honey and wax</li><li>Hives</li>", 5000) + "</ul>", bounded},
		"ten thousand empty words":       {strings.Repeat("<p>a</p>", 10_000), nothing},
		"one block again and again":      {strings.Repeat("<p>Read more</p>", 3_000), nothing},
		"images alone":                   {strings.Repeat(`<p><img src="committee.png" alt=""></p>`, 50), nothing},
		"all text in one line":           {"<p>" + strings.Repeat("we write of bees and of nothing else and do so every day ", 3_000) + "</p>", nothing},
		"right to left": {`<html lang="he" dir="rtl"><h1>כנס הדבורים 2027</h1><p>מועד אחרון להגשה: 12 במאי 2027</p>` +
			strings.Repeat("<p>הדבורים עפות אל הפרחים ומביאות דבש אל הכוורת בכל יום</p>", 500), bounded},
		"columns of numbers": {"<table>" + strings.Repeat("<tr><td>12</td><td>3.5</td><td>0</td></tr>", 3_000) + "</table>", nothing},
	} {
		tree := parse(t, "p.html", c.page)
		var e eventseer.Event
		if took := tagtreetest.CPU(t, func() { e, _ = newTestExtractor().Extract(tree) }); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
		if said := c.check(e); said != "" {
			t.Errorf("%s: %s", name, said)
		}
	}
}
