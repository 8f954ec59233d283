package match

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
)

// A Pair is two records with a judgement whether they are one edition: a training example. A file
// of pairs has one per line, in JSON.
type Pair struct {
	A    eventseer.Event `json:"a"`
	B    eventseer.Event `json:"b"`
	Same bool            `json:"same"`
	// How is the kind of person or program that judged the pair, such as "editor".
	How string `json:"how,omitempty"`
}

// Limits on a file of pairs.
const (
	MaxPairs    = 100_000
	maxPairLine = 1 << 20 // bytes of a line
)

// ComparedFields returns a record with only the fields that are compared: no people, no text of pages.
// Its EventKey is the same.
func ComparedFields(e eventseer.Event) eventseer.Event {
	c := eventseer.Event{
		Title: e.Title, Acronym: e.Acronym, Parent: e.Parent, Kind: e.Kind, Year: e.Year, URL: e.URL, Homepage: e.Homepage,
		EventStart: e.EventStart, EventEnd: e.EventEnd, Location: e.Location, Pages: e.Pages, Related: e.Related, Topics: e.Topics,
	}
	for _, d := range e.Deadlines {
		c.Deadlines = append(c.Deadlines, eventseer.Deadline{Kind: d.Kind, Track: d.Track, Date: d.Date, ExtendedFrom: d.ExtendedFrom})
	}
	return c
}

// ReadPairs reads a file of pairs; name is its name in errors, which say the line. Both records of
// a pair need an address, because pairs are split by site.
func ReadPairs(in io.Reader, name string) (pairs []Pair, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxPairLine)
	for n := 1; lines.Scan(); n++ {
		if n > MaxPairs {
			return nil, fmt.Errorf("%s: it has more than %d pairs", name, MaxPairs)
		}
		var p Pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w; `eventseer curation pairs --format jsonl` writes such a file", name, n, err)
		}
		if p.A.URL == "" || p.B.URL == "" {
			return nil, fmt.Errorf("%s, line %d: a record has no url", name, n)
		}
		pairs = append(pairs, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return pairs, nil
}

// PairTable returns the addresses of judged pairs as a table with a heading, tabs between its
// columns, in order. Of two decisions on a pair the later is used. Addresses that a table cannot
// hold are left out.
func PairTable(pairs []Pair) string {
	lines := map[string]string{}
	for _, p := range pairs {
		same, a, b := "no", min(p.A.URL, p.B.URL), max(p.A.URL, p.B.URL)
		if p.Same {
			same = "yes"
		}
		if !strings.ContainsAny(a+b+p.How, "\t\r\n") && utf8.ValidString(a+b) {
			lines[a+"\t"+b] = strings.Join([]string{a, b, same, p.How}, "\t") + "\n"
		}
	}
	return "url_a\turl_b\tsame\thow\n" + strings.Join(slices.Sorted(maps.Values(lines)), "")
}
