package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/internal/text"
)

// No cell of `wrapper records --format csv` is a formula, whatever a page wrote.
func TestNoFormulas(t *testing.T) {
	var b bytes.Buffer
	c := text.NewCSV(&b)
	l := Lists{URL: "http://a.example/", Regions: []List{{Path: "html/body", Records: []Entry{{Text: "=1+1", Fields: []string{"@SUM(A1)", "fine"}, Links: []Link{{URL: "http://b.example/", Anchor: "-2+3"}}}}}}}
	if err := l.WriteCSV(c); err != nil {
		t.Fatal(err)
	}
	c.Flush()
	rows, err := csv.NewReader(&b).ReadAll()
	if want := []string{"http://a.example/", "html/body", "1", "http://b.example/", "'-2+3", "'=1+1", "'@SUM(A1)", "fine"}; err != nil || len(rows) != 1 || !slices.Equal(rows[0], want) {
		t.Errorf("%q, %v; want %q", rows, err, want)
	}
}
