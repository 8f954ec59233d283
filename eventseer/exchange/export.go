// Package exchange writes events for other programs: calendars, feeds, linked data, tables and
// files of records. Texts of pages are always escaped, and the same publication gives the same
// bytes.
package exchange

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
)

// A sheet writes one publication: the head when it is opened, then each entry, then the foot.
type sheet interface {
	writeEntry(eventseer.Entry) error
	close() error
}

// A formatKind is a format and how its sheets are opened.
type formatKind struct {
	name, contentType, describe string
	open                        func(w *bufio.Writer, p eventseer.Publication, options url.Values) (sheet, error)
}

func formatKinds() []formatKind {
	return []formatKind{
		{"ics", "text/calendar; charset=utf-8", "iCalendar, for calendar programs", openCalendar},
		{"atom", "application/atom+xml; charset=utf-8", "Atom feed", openAtom},
		{"rss", "application/rss+xml; charset=utf-8", "RSS 2.0 feed", openRSS},
		{"jsonfeed", "application/feed+json", "JSON Feed 1.1", openJSONFeed},
		{"csv", "text/csv; charset=utf-8", "table for spreadsheets", openCSV},
		{"json", "application/json", "all records in one JSON document", openJSON},
		{"jsonl", "application/jsonl", "records, one a line", openJSONLines},
		{"jsonld", "application/ld+json", "schema.org events, for search engines", openJSONLD},
		{"ttl", "text/turtle; charset=utf-8", "RDF in Turtle, with the vocabulary of schema.org", openTurtle},
		{"ccfddl", "application/yaml", "YAML in the layout of ccfddl", openCCFDDL},
		{"opml", "text/x-opml; charset=utf-8", "list of feeds, for feed readers", openOPML},
		{"txt", "text/plain; charset=utf-8", "next deadlines, for terminals", openNext},
	}
}

// Formats returns all formats, the more common first. A format needs only the publication that it writes; see
// Write for the memory that it uses.
func Formats() []eventseer.Format {
	var all []eventseer.Format
	for _, k := range formatKinds() {
		all = append(all, eventseer.Format{
			Name: k.name, Ending: "." + k.name, ContentType: k.contentType, Describe: k.describe,
			Write: func(w io.Writer, p eventseer.Publication, options url.Values) error {
				return k.writePublication(w, p, options, slices.Values(p.Entries))
			},
		})
	}
	return all
}

// Names returns the names of all formats, in the order of Formats.
func Names() (names []string) {
	for _, k := range formatKinds() {
		names = append(names, k.name)
	}
	return names
}

// Write writes a publication in the format of that name, with entries from a sequence instead of
// those of p. All formats except ccfddl use bounded memory.
func Write(w io.Writer, format string, p eventseer.Publication, options url.Values, entries iter.Seq[eventseer.Entry]) error {
	for _, k := range formatKinds() {
		if k.name == format {
			return k.writePublication(w, p, options, entries)
		}
	}
	return fmt.Errorf("there is no format %q; the formats are %v", format, Names())
}

func (k formatKind) writePublication(w io.Writer, p eventseer.Publication, options url.Values, entries iter.Seq[eventseer.Entry]) error {
	b := bufio.NewWriterSize(w, 1<<15) // its error persists, so writes need not check it
	s, err := k.open(b, p, options)
	if err != nil {
		return err
	}
	for en := range entries {
		if err := s.writeEntry(en); err != nil {
			return fmt.Errorf("write %s as %s: %w", en.Event.ID, k.name, err)
		}
	}
	if err := s.close(); err != nil {
		return err
	}
	return b.Flush()
}
