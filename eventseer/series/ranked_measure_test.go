//go:build measure

package series

import (
	"crypto/sha256"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// TestPrintedEditionsAreDrawn compares testdata/ranked.tsv with the pages it was drawn from. Each name occurs
// on its page, and names are in the order of the seeded hash of their acronyms, the second draw after the
// first.
func TestPrintedEditionsAreDrawn(t *testing.T) {
	var last, lastDraw string
	want := map[string][]string{} // address → texts
	for line := range strings.Lines(readText(t, "testdata/ranked.tsv")) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || cells[0] == "draw" {
			continue
		}
		key := acronymKey(WithoutSponsor(strings.NewReplacer("ACM/", "ACM ").Replace(cells[1])))
		if strings.HasPrefix(key, "micro25") {
			key = "micro" // the number of the edition is not a year
		}
		hash := fmt.Sprintf("%x", sha256.Sum256([]byte("draw1 "+key)))
		if hash < last || cells[0] < lastDraw {
			t.Errorf("%s %s is out of order", cells[1], cells[2])
		}
		last, lastDraw = hash, cells[0]
		want[cells[5]] = append(want[cells[5]], cells[1], cells[3])
	}
	found := map[string]bool{}
	for _, file := range []string{"pages/pages.warc.gz", "web/web.warc.gz"} {
		for page, err := range warc.Pages(golden.SharedPath(t, "corpora/"+file)) {
			if err != nil || want[page.URL] == nil || found[page.URL] {
				continue
			}
			found[page.URL] = true
			text := squeezed(string(page.Body))
			for _, s := range want[page.URL] {
				if !strings.Contains(text, squeezed(s)) {
					t.Errorf("%s does not print %q", page.URL, s)
				}
			}
		}
	}
	for address := range want {
		if !found[address] {
			t.Errorf("%s is in no corpus", address)
		}
	}
}

var (
	tags  = regexp.MustCompile(`(?s)<[^>]*>`)
	marks = regexp.MustCompile(`[^\pL\pN]+`)
)

// squeezed returns the letters and digits of a text without tags.
func squeezed(s string) string {
	return marks.ReplaceAllString(strings.ToLower(html.UnescapeString(tags.ReplaceAllString(s, " "))), "")
}
