package extract

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNoAddresses checks that no e-mail address or telephone number of a page is in its record.
func TestNoAddresses(t *testing.T) {
	const page = `<title>Workshop on Bees 2027</title><h1>Workshop on Bees 2027 (WOB 2027)</h1>
		<p>Held in Oslo, Norway, 3-5 June 2027; ask ann.lee@bees.example or call +47 22 33 44 55
		<h2>Topics of interest</h2><ul><li>Modelling of hives and colonies<li>Sensor networks for honey production<li>Algorithms for wax, write to bo@bees.example<li>Ecology of pollination</ul>
		<h2>Important dates</h2><p>Send papers to ann.lee@bees.example or to cy at bees dot example by 1 February 2027 (Tel. 22 33 44 55).
		<h2>Program Committee</h2><ul><li>Ann Lee, Hive Institute, ann@bees<li>Bo Ek (bo [at] bees.example), Wax Institute</ul>`
	e, _ := newTestExtractor().Extract(parse(t, "p.html", page))
	if len(e.Deadlines) != 1 || e.Location == nil || len(e.Topics) == 0 || len(e.Committee) != 2 {
		t.Errorf("read %+v", e)
	}
	record, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"@", "bees.example", "bees dot", "33 44"} {
		if i := strings.Index(string(record), s); i >= 0 {
			t.Errorf("%q in …%s…", s, record[max(0, i-60):min(len(record), i+20)])
		}
	}
}

func TestPrintedText(t *testing.T) {
	s := strings.Repeat("word ", 19) + "ann.lee@bees.example " + strings.Repeat("word ", 100)
	for n := range 300 {
		if got := printedText(s, n); len(got) > n || strings.Contains(got, "ann") {
			t.Errorf("of %d bytes: %q", n, got)
		}
	}
}
