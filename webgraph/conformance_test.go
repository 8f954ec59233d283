package webgraph

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"eventseer/internal/golden"
)

// wptMet and wptExact are lower bounds, to be raised and never lowered. Missed:
// hosts that no DNS server can hold (characters such as ! or {, labels that are
// empty or too long, all refused on purpose), and seven xn-- cases of the
// library's IDNA tables.
const (
	wptMet   = 877
	wptExact = 186
)

// TestWebPlatformURLs resolves the cases of web-platform-tests. A case is met if
// what the standard refuses, or what is not http or https, is refused, and the
// rest resolves to the canonical form of the standard's answer. It is met
// exactly where the answer itself, without fragment, comes out.
func TestWebPlatformURLs(t *testing.T) {
	data, err := os.ReadFile(golden.Shared(t, "standards/crawler-commons/url-utils/wpt-urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []json.RawMessage
	if err := json.Unmarshal(data, &lines); err != nil {
		t.Fatal(err)
	}
	total, met, web, exact := 0, 0, 0, 0
	for _, line := range lines {
		var c struct {
			Input, Href string
			Base        *string
			Failure     bool
		}
		if json.Unmarshal(line, &c) != nil {
			continue // a comment
		}
		total++
		var r Resolver
		if c.Base != nil {
			r = NewResolver(*c.Base)
		}
		got, err := r.Resolve(c.Input)
		if c.Failure || !isWeb(c.Href) {
			if err != nil {
				met++
			} else {
				t.Logf("%q on %q: got %q, want an error", c.Input, r.origin, got)
			}
			continue
		}
		web++
		want, wantErr := Canonical(c.Href)
		if err == nil && got == want {
			met++
		} else {
			t.Logf("%q on %q: got %q, %v, want %q (%q, %v)", c.Input, r.origin, got, err, c.Href, want, wantErr)
		}
		if href, _, _ := strings.Cut(c.Href, "#"); err == nil && got == href {
			exact++
		}
	}
	t.Logf("%d of %d met, %d of %d web addresses exactly", met, total, exact, web)
	if met < wptMet || exact < wptExact {
		t.Errorf("%d met and %d exactly, want at least %d and %d", met, exact, wptMet, wptExact)
	}
}

// normalizerMet is a lower bound. The table differs from us on purpose where it
// sorts parameters, drops empty ones, merges slashes, guesses a scheme, and
// keeps file and ftp.
const normalizerMet = 86

func TestCrawlerCommonsNormalizer(t *testing.T) {
	rows := readCases(t, "standards/crawler-commons/normalizer/weirdToNormalizedUrls.csv")
	met := 0
	for _, row := range rows {
		if got, err := Canonical(row[0]); err == nil && got == row[1] {
			met++
		} else {
			t.Logf("%q: got %q, %v, want %q", row[0], got, err, row[1])
		}
	}
	t.Logf("%d of %d met", met, len(rows))
	if met < normalizerMet {
		t.Errorf("%d met, want at least %d", met, normalizerMet)
	}
	for _, row := range readCases(t, "standards/crawler-commons/normalizer/invalidUrls.csv") {
		if got, err := Canonical(row[0]); !errors.Is(err, ErrBadURL) {
			t.Errorf("%q: got %q, %v, want an error", row[0], got, err)
		}
	}
}

func TestCrawlerCommonsResolution(t *testing.T) {
	for _, row := range readCases(t, "standards/crawler-commons/url-utils/url-resolve.csv") {
		if !isWeb(row[2]) {
			continue
		}
		want, err := Canonical(row[2])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := NewResolver(row[1]).Resolve(row[0]); err != nil || got != want {
			t.Errorf("%q on %q: got %q, %v, want %q", row[0], row[1], got, err, want)
		}
	}
}

func isWeb(s string) bool {
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
}

// readCases reads a table whose lines may start with # or be blank.
func readCases(t *testing.T, rel string) [][]string {
	t.Helper()
	f, err := os.Open(golden.Shared(t, rel))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	r.TrimLeadingSpace = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
