package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/internal/text"
)

// ListColumns are the columns of Lists as CSV.
var ListColumns = []string{"url", "path", "record", "link", "anchor", "text", "field…"}

// Lists is one line of `wrapper records --format jsonl`: the lists of a page.
type Lists struct {
	URL     string `json:"url"`
	Regions []List `json:"regions"`
	Error   string `json:"error,omitempty"`
}

// A List is a list on a page.
type List struct {
	Path    string  `json:"path"`
	Kind    string  `json:"kind"` // kind of the area that contains the list
	Records []Entry `json:"records"`
}

// An Entry is an entry of a list.
type Entry struct {
	Text    string   `json:"text"`
	Links   []Link   `json:"links"`
	Fields  []string `json:"fields"`
	Regions []List   `json:"regions,omitempty"` // lists within the entry
}

// NewLists returns the lists of a page.
func NewLists(regions []record.Region) []List {
	out := make([]List, 0, len(regions))
	for _, region := range regions {
		r := List{Path: region.Path, Kind: region.Kind.String(), Records: make([]Entry, 0, len(region.Records))}
		for _, record := range region.Records {
			l := Entry{Text: record.Text(), Links: make([]Link, 0, len(record.Links)), Fields: make([]string, len(record.Fields))}
			for i, f := range record.Fields {
				l.Fields[i] = f.Text
			}
			for _, link := range record.Links {
				l.Links = append(l.Links, Link{URL: link.URL, Anchor: link.Anchor})
			}
			if len(record.Regions) > 0 {
				l.Regions = NewLists(record.Regions)
			}
			r.Records = append(r.Records, l)
		}
		out = append(out, r)
	}
	return out
}

// WriteCSV writes a row of ListColumns for each record, with the record's first link. Nested lists are
// omitted.
func (r Lists) WriteCSV(c *text.CSV) error {
	for _, region := range r.Regions {
		for i, record := range region.Records {
			var link Link
			if len(record.Links) > 0 {
				link = record.Links[0]
			}
			row := append([]string{r.URL, region.Path, strconv.Itoa(i + 1), link.URL, link.Anchor, record.Text}, record.Fields...)
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteText writes the lists of a page for a terminal.
func (r Lists) WriteText(w io.Writer) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(r.URL), text.Printable(r.Error))
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(r.URL), text.Count(len(r.Regions), "list", "lists")); err != nil {
		return err
	}
	for _, region := range r.Regions {
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", text.Printable(region.Path), text.Count(len(region.Records), "record", "records")); err != nil {
			return err
		}
		for _, record := range region.Records {
			content := inColumns(record)
			if _, err := fmt.Fprintf(w, "  %s\n", text.Printable(content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inColumns returns the fields of a record, separated by " | ".
func inColumns(r Entry) string {
	var fields []string
	for _, f := range r.Fields {
		if f != "" {
			fields = append(fields, f)
		}
	}
	return strings.Join(fields, " | ")
}
