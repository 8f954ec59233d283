package seeds

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/webgraph"
)

// Kinds of starting points.
const (
	KindSeries   = "series"   // home page of a series or of its newest known edition
	KindList     = "list"     // public list of calls or of deadlines
	KindCalendar = "calendar" // page with the events or calls of a learned society or an institution
	KindArchive  = "archive"  // archive of a mailing list with calls
)

// A StartingPoint is one line of the built-in list.
type StartingPoint struct {
	URL    string
	Kind   string
	Fields []string // ids of fields of research; empty for all fields
	Name   string
	Source string // where the URL was found
	Seen   string // when the page was last checked; "unknown" if never
}

// IsWatched reports whether the page changes regularly and should be revisited. This holds for all kinds
// except KindSeries.
func (p StartingPoint) IsWatched() bool { return p.Kind != KindSeries }

//go:embed starting.tsv
var shipped string

// Starting returns the built-in list of starting points. Callers must not change it.
var Starting = sync.OnceValue(func() []StartingPoint {
	points, err := ParseStarting(shipped)
	if err != nil {
		panic(err) // cannot happen: a test parses the list
	}
	return points
})

// startingColumns is the header of a list of starting points.
const startingColumns = "url\tkind\tfields\tname\tsource\tseen"

// ParseStarting parses a list of starting points. Lines that begin with # are comments. The first other line
// is the header, and the others have its columns, separated by tabs. A URL that is not canonical, not on a
// public host, or listed twice is an error.
func ParseStarting(list string) (points []StartingPoint, err error) {
	known, head := map[string]bool{}, false
	n := 0
	for line := range strings.Lines(list) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "", line[0] == '#':
			continue
		case !head:
			if line != startingColumns {
				return nil, fmt.Errorf("starting points: line %d: the columns are %q, must be %q", n, line, startingColumns)
			}
			head = true
			continue
		}
		p, err := parsePoint(line)
		if err == nil && known[p.URL] {
			err = fmt.Errorf("%s is listed twice", p.URL)
		}
		if err != nil {
			return nil, fmt.Errorf("starting points: line %d: %w", n, err)
		}
		known[p.URL] = true
		points = append(points, p)
	}
	return points, nil
}

func parsePoint(line string) (p StartingPoint, err error) {
	cells := strings.Split(line, "\t")
	if len(cells) != 6 {
		return p, fmt.Errorf("%d columns, want 6", len(cells))
	}
	p = StartingPoint{URL: cells[0], Kind: cells[1], Name: cells[3], Source: cells[4], Seen: cells[5]}
	if cells[2] != "" {
		p.Fields = strings.Split(cells[2], ",")
	}
	canonical, err := webgraph.Canonical(p.URL)
	switch {
	case err != nil:
		return p, err
	case canonical != p.URL:
		return p, fmt.Errorf("%s is not a canonical URL; write %s", p.URL, canonical)
	case !IsPublicHost(webgraph.HostOf(p.URL)):
		return p, fmt.Errorf("%s is not a public host", p.URL)
	case !slices.Contains([]string{KindSeries, KindList, KindCalendar, KindArchive}, p.Kind):
		return p, fmt.Errorf("kind %q is not one of series, list, calendar and archive", p.Kind)
	case p.Name == "" || p.Source == "" || p.Seen == "":
		return p, fmt.Errorf("%s needs a name, a source and a time", p.URL)
	}
	return p, nil
}

// IsPublicHost reports whether a host may be publicly reachable. It must be a name with a dot that is not
// reserved for private use, and not an IP address.
func IsPublicHost(h webgraph.Host) bool {
	name := string(h)
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || !strings.Contains(name, ".") || strings.Contains(name, ":") {
		return false
	}
	for _, private := range []string{".local", ".localhost", ".internal", ".lan", ".home", ".test", ".example", ".invalid", ".arpa", ".onion"} {
		if strings.HasSuffix(name, private) {
			return false
		}
	}
	return true
}

// OfFields returns the starting points of any of the given fields and those of all fields. Without fields, it
// returns all points.
func OfFields(points []StartingPoint, ids []string) (chosen []StartingPoint) {
	for _, p := range points {
		if len(ids) == 0 || len(p.Fields) == 0 || slices.ContainsFunc(p.Fields, func(id string) bool { return slices.Contains(ids, id) }) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// WriteStarting writes starting points in the format of ParseStarting.
func WriteStarting(w io.Writer, points []StartingPoint) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, startingColumns)
	for _, p := range points {
		fmt.Fprintln(b, strings.Join([]string{p.URL, p.Kind, strings.Join(p.Fields, ","), p.Name, p.Source, p.Seen}, "\t"))
	}
	return b.Flush()
}
