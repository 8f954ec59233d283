package webgraph

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

// wptMet and wptExact are lower bounds, to be raised and never lowered.
const (
	wptMet   = 877
	wptExact = 186
)

// TestStandardURLs resolves the cases of web-platform-tests and of
// crawler-commons, and writes each difference and its reason into
// doc/standards.md.
func TestStandardURLs(t *testing.T) {
	var doc, notes, differences strings.Builder
	doc.WriteString("| table | cases | met |\n|---|---|---|\n")
	for _, table := range []struct {
		name string
		run  func(*testing.T, *differenceList) (total, met int)
	}{
		{"web-platform-tests", webPlatformTests},
		{"crawler-commons, invalid URLs", invalidURLs},
		{"crawler-commons, resolution", resolution},
		{"crawler-commons, normalizer", normalizer},
	} {
		list := &differenceList{t: t, name: table.name, cases: map[string][]string{}}
		total, met := table.run(t, list)
		fmt.Fprintf(&doc, "| %s | %d | %d |\n", table.name, total, met)
		if total-met != list.n {
			t.Errorf("%s: %d of %d met, %d differences", table.name, met, total, list.n)
		}
		notes.WriteString(list.note)
		for _, reason := range list.reasons {
			fmt.Fprintf(&differences, "- %s: %s.\n", reason, strings.Join(list.cases[reason], ", "))
		}
	}
	golden.Section(t, "../doc/standards.md", "urls", doc.String()+"\n"+notes.String()+"\n"+differences.String())
}

// A differenceList collects the cases that are not met, by reason.
type differenceList struct {
	t       *testing.T
	name    string
	note    string // a sentence on the table
	n       int
	reasons []string // in order
	cases   map[string][]string
}

func (l *differenceList) add(number int, input, reason string) {
	l.t.Helper()
	if reason == "" {
		l.t.Errorf("%s %d, %q: differs for no reason", l.name, number, input)
	}
	l.n++
	if l.cases[reason] == nil {
		l.reasons = append(l.reasons, reason)
		l.cases[reason] = []string{}
	}
	shown := fmt.Sprintf("%s %d `%s`", l.name, number, strings.ReplaceAll(input, "`", "'"))
	if len(l.cases[reason]) > 0 {
		_, shown, _ = strings.Cut(shown, l.name+" ")
	}
	l.cases[reason] = append(l.cases[reason], shown)
}

// webPlatformTests counts the cases of the Web Platform Tests that Canonical meets. It must refuse what the
// standard refuses and URLs that are not http or https, and resolve the rest to the canonical form of the
// standard's result. A result counts as exact if it equals the standard's, without the fragment.
func webPlatformTests(t *testing.T, differ *differenceList) (total, met int) {
	data, err := os.ReadFile(golden.SharedPath(t, "standards/crawler-commons/url-utils/wpt-urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []json.RawMessage
	if err := json.Unmarshal(data, &lines); err != nil {
		t.Fatal(err)
	}
	web, exact := 0, 0
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
		want, _ := Canonical(c.Href)
		if !c.Failure && isWeb(c.Href) {
			web++
		}
		switch {
		case c.Failure || !isWeb(c.Href):
			if err == nil {
				differ.add(total, c.Input, "")
				continue
			}
		case err != nil || got != want:
			differ.add(total, c.Input, whyRefused(err))
			continue
		}
		met++
		if href, _, _ := strings.Cut(c.Href, "#"); err == nil && got == href {
			exact++
		}
	}
	differ.note = fmt.Sprintf("Of the %d web addresses among the first table, %d come out byte for byte as the standard writes them, without their fragment; "+
		"the others are written in Canonical's one way (no credentials, no empty query, one percent-encoding, no final dot) or listed here.\n", web, exact)
	if met < wptMet || exact < wptExact {
		t.Errorf("%d met and %d exactly, want at least %d and %d", met, exact, wptMet, wptExact)
	}
	return total, met
}

// whyRefused returns the reason why a valid URL of the standard is refused on purpose.
func whyRefused(err error) string {
	switch {
	case err == nil:
		return ""
	case strings.Contains(err.Error(), "ToASCII"):
		return "a label that begins with xn-- and is no valid international name (UTS #46); browsers have begun to pass it on as it is, we refuse it"
	case strings.Contains(err.Error(), "label of the host name has 0 bytes"):
		return "an empty label: no name server can hold that host (RFC 1035 §2.3.1)"
	case strings.Contains(err.Error(), "has the character"):
		return "a character that no host name has (RFC 1123 §2.1)"
	}
	return ""
}

func invalidURLs(t *testing.T, differ *differenceList) (total, met int) {
	for i, row := range readCases(t, "standards/crawler-commons/normalizer/invalidUrls.csv") {
		total++
		if _, err := Canonical(row[0]); errors.Is(err, ErrBadURL) {
			met++
		} else {
			differ.add(i+1, row[0], "")
		}
	}
	return total, met
}

func resolution(t *testing.T, differ *differenceList) (total, met int) {
	for i, row := range readCases(t, "standards/crawler-commons/url-utils/url-resolve.csv") {
		if !isWeb(row[2]) {
			continue
		}
		total++
		want, err := Canonical(row[2])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := NewResolver(row[1]).Resolve(row[0]); err == nil && got == want {
			met++
		} else {
			differ.add(i+1, row[0], "")
		}
	}
	return total, met
}

// normalizerMet is a lower bound. The table is one normalizer's taste: it goes
// beyond what RFC 3986 §6.2 and the URL Standard call equivalent.
const normalizerMet = 86

func normalizer(t *testing.T, differ *differenceList) (total, met int) {
	for i, row := range readCases(t, "standards/crawler-commons/normalizer/weirdToNormalizedUrls.csv") {
		total++
		got, err := Canonical(row[0])
		if err == nil && got == row[1] {
			met++
			continue
		}
		differ.add(i+1, row[0], whyNotNormalized(row[0], row[1], got, err))
	}
	if met < normalizerMet {
		t.Errorf("%d met, want at least %d", met, normalizerMet)
	}
	return total, met
}

// whyNotNormalized names the rule of the table that is not ours.
func whyNotNormalized(input, want, got string, err error) string {
	path, query, _ := strings.Cut(got, "?")
	wantPath, wantQuery, _ := strings.Cut(want, "?")
	switch {
	case errors.Is(err, ErrScheme):
		return "not http or https"
	case err != nil && !strings.Contains(input, ":"):
		return "no scheme: the standard refuses it without a base, and we do not guess"
	case err != nil && strings.Trim(input, "htp:/") == "":
		return "no host, which the standard refuses"
	case path != wantPath && strings.Contains(path[len("http://"):], "//"):
		return "an empty segment is a segment (RFC 3986 §3.3): servers may answer differently"
	case path == wantPath && query != wantQuery:
		return "order and empty parts of a query are the server's (RFC 3986 §3.4)"
	}
	return ""
}

func isWeb(s string) bool {
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
}

// readCases reads a table whose lines may start with # or be blank.
func readCases(t *testing.T, rel string) [][]string {
	t.Helper()
	f, err := os.Open(golden.SharedPath(t, rel))
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
