package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

// TestTwelveScripts reads one deadline in each of twelve scripts.
func TestTwelveScripts(t *testing.T) {
	for lang, text := range map[string]string{
		"en": "12 May 2027", "ru": "12 мая 2027", "el": "12 Μαΐου 2027", "ar": "١٢ مايو ٢٠٢٧", "he": "12 במאי 2027", "hi": "१२ मई २०२७",
		"bn": "১২ মে ২০২৭", "ka": "12 მაისი 2027", "hy": "12 մայիսի 2027", "zh": "2027年5月12日", "ja": "令和９年５月１２日（水）", "ko": "2027년 5월 12일",
	} {
		tree := parse(t, "p.html", "<html lang="+lang+"><h1>Workshop 2027</h1><p>Submission deadline: "+text)
		e, _ := newTestExtractor().Extract(tree)
		if len(e.Deadlines) != 1 || e.Deadlines[0].Date != "2027-05-12" {
			t.Errorf("%s: %q gives %+v", lang, text, e.Deadlines)
		}
	}
}

// TestNoSuchDates checks that impossible dates are not read and cause a warning.
func TestNoSuchDates(t *testing.T) {
	for text, warns := range map[string]bool{
		"31 February 2027": true, "June 31": true, "Feb. 29, 2027": true, "31.06.2027": true, "30-31 June 2027": true,
		"May 3, 0026": true, "3 May 2207": true, "03/05/2207": true, "May 45, 2027": true, "3 May 2060": true,
		"26.2.1770": false, "May 3, 1945": false, "61/2/6247 3966": false, "version 31.06.2027.4": false, "Problem 32 in May": false,
	} {
		tree := parse(t, "p.html", "<h1>Workshop on Bees 2027</h1><p>Workshop: 1-3 July 2027<p>Paper submission: "+text)
		e, _ := newTestExtractor().Extract(tree)
		if len(e.Deadlines) != 0 {
			t.Errorf("%q is read as %s", text, e.Deadlines[0].Date)
		}
		said := false
		for _, w := range e.Warnings {
			said = said || w.Rule == "no-such-date"
		}
		if said != warns {
			t.Errorf("%q: warnings %+v", text, e.Warnings)
		}
	}
}

// TestWeekdays checks that a printed weekday is used as evidence.
func TestWeekdays(t *testing.T) {
	for _, c := range []struct {
		text, date string
		warns      bool
	}{
		{"Monday, 3 May 2027", "2027-05-03", false},
		{"Monday, 4 May 2027", "2027-05-04", true},
		{"May 4 (Mon), 2027", "2027-05-04", true},
		{"2027年5月4日（月）", "2027-05-04", true},
		{"2027年5月3日（星期一）", "2027-05-03", false},
		{"Thursday 04/03/2027", "2027-03-04", false}, // the fourth of March
		{"Saturday 04/03/2027", "2027-04-03", false}, // the third of April
		{"Sun 04/03/2027", "2027-03-04", true},
		{"4 May 2027, Monday at noon", "2027-05-04", true},
	} {
		tree := parse(t, "p.html", "<h1>Workshop on Bees 2027</h1><p>Paper submission: "+c.text)
		e, _ := newTestExtractor().Extract(tree)
		if len(e.Deadlines) == 0 || e.Deadlines[0].Date != eventseer.Date(c.date) {
			t.Errorf("%q: deadlines %+v, want %s", c.text, e.Deadlines, c.date)
		}
		said := false
		for _, w := range e.Warnings {
			said = said || w.Rule == "weekday"
		}
		if said != c.warns {
			t.Errorf("%q: warnings %+v", c.text, e.Warnings)
		}
	}
}

// TestThousandDates checks that the numbers of dates and warnings are bounded.
func TestThousandDates(t *testing.T) {
	var b strings.Builder
	b.WriteString("<h1>Workshop on Bees 2027</h1>")
	for i := range 1000 {
		fmt.Fprintf(&b, "<p>Posted %d June %d by us; Monday, %d May 2027; 3 May 0%03d; © %d", 31, 1990+i%30, 1+i%28, i, 1990+i%40)
	}
	e, _ := newTestExtractor().Extract(parse(t, "p.html", b.String()))
	if len(e.Warnings) > 4*date.MaxMisprints {
		t.Errorf("%d warnings", len(e.Warnings))
	}
}

// TestDeadlinesStayLinear searches for notes about all deadlines in long texts.
func TestDeadlinesStayLinear(t *testing.T) {
	if took := tagtreetest.CPU(t, func() { offsetsOfAllDeadlines(strings.Repeat("all deadlines ", maxBlockBytes)) }); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestPagesStayLinear reads pages that once took half a minute.
func TestPagesStayLinear(t *testing.T) {
	const call = "<p>Workshop on Bees 2027, 3-5 June 2027<p>Paper submission: 3 May 2027"
	for name, page := range map[string][2]string{
		"lines of one letter":     {"p.txt", strings.Repeat("A\n", maxBlocks)},
		"lines of a bullet":       {"p.txt", strings.Repeat("•\n", maxBlocks)},
		"lines of labels":         {"p.txt", strings.Repeat("Submission\n•\n", maxBlocks/2)},
		"a heading full of dates": {"p.html", "<h1>" + strings.Repeat("3 May 2027, ", 2000) + "</h1>" + call},
		"a block full of dates":   {"p.html", call + "<p>" + strings.Repeat("3 May 2027, ", 80_000)},
	} {
		tree := parse(t, page[0], page[1])
		if took := tagtreetest.CPU(t, func() { newTestExtractor().Extract(tree) }); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
