package collection

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/webgraph"
)

// A Row is a record of a category page that links to a page of its own. Its URL joins the data of both pages
// (paper 004, section 5).
type Row struct {
	// URL is the address of the record's page. Anchor is the text of the link.
	URL    string `json:"url"`
	Anchor string `json:"anchor,omitempty"`
	// Fields are the texts of the record by the columns of its list, "" where it has none. There are at most
	// wrapper.MaxRowFields texts of at most maxRowText bytes.
	Fields []string `json:"fields"`
	// Before are the fields before their last change on the category page, nil if they never changed.
	Before []string `json:"before,omitempty"`
	// Taken means that the current record was passed to the store; see Reader.List.
	Taken bool `json:"taken,omitempty"`
	// Category is the URL of the category page.
	Category string `json:"-"`
}

// Limits on what is stored of category pages. Records of a page beyond maxRows are omitted. If there are too
// many category pages, the ones seen longest ago are removed, and their records are new again.
const (
	maxTables   = 16 // category pages of a host
	maxRows     = 500
	maxRowLinks = 5 // links of a record that are examined
	maxRowText  = 200
)

// A rowTable has the records of a category page at its last visit.
type rowTable struct {
	URL  string `json:"url"`
	Rows []Row  `json:"rows"`
}

// RecordRows returns the records of a page's lists that have a page of their own, in document order, each page
// once. Menus are omitted.
func RecordRows(t *tagtree.Tree) (rows []Row) {
	seen := make(map[string]bool)
	for _, region := range record.Find(t) {
		if region.Kind == tagtree.Navigation {
			continue
		}
		for i, own := range ownPages(region.Records) {
			if own.URL == "" || seen[own.URL] || len(rows) == maxRows {
				continue
			}
			seen[own.URL] = true
			row := Row{URL: own.URL, Anchor: wrapper.StoredText(own.Anchor, maxRowText), Fields: []string{}, Category: t.Page.URL}
			fields := region.Records[i].Fields
			for _, f := range fields[:min(len(fields), wrapper.MaxRowFields)] {
				row.Fields = append(row.Fields, wrapper.StoredText(f.Text, maxRowText))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// ownPages returns for each record the link to its own page. Of the links that no other record has, it is the
// first one with the most frequent URL pattern. The link is empty if there is none.
func ownPages(records []record.Record) []record.Link {
	records = records[:min(len(records), maxRows)]
	seen := make(map[string]int)
	learned := make(map[webgraph.Host]*template.URLPatterns)
	for _, r := range records {
		for _, l := range rowLinks(r) {
			seen[l.URL]++
			host := webgraph.HostOf(l.URL)
			if learned[host] == nil {
				learned[host] = new(template.URLPatterns)
			}
			learned[host].Add(l.URL)
		}
	}
	patterns := make(map[string]int)
	own := func(l record.Link) string {
		if seen[l.URL] > 1 {
			return ""
		}
		return learned[webgraph.HostOf(l.URL)].Pattern(l.URL)
	}
	for _, r := range records {
		once := make(map[string]bool)
		for _, l := range rowLinks(r) {
			if p := own(l); p != "" && !once[p] {
				once[p] = true
				patterns[p]++
			}
		}
	}
	pages := make([]record.Link, len(records))
	for i, r := range records {
		most := 0
		for _, l := range rowLinks(r) {
			if n := patterns[own(l)]; n > most {
				pages[i], most = l, n
			}
		}
	}
	return pages
}

// rowLinks returns the first maxRowLinks web links of a record.
func rowLinks(r record.Record) (links []record.Link) {
	for _, l := range r.Links {
		if len(links) == maxRowLinks {
			break
		}
		if webgraph.HostOf(l.URL) != "" {
			links = append(links, l)
		}
	}
	return links
}

// storeRows stores the rows of a category page. It returns those that no category page of the host had in their
// current form.
func (s *site) storeRows(t *tagtree.Tree) []Row {
	known := make(map[string][]Row)
	for row := range s.allRows {
		known[row.URL] = append(known[row.URL], row)
	}
	rows := RecordRows(t)
	var fresh []Row
	for i, row := range rows {
		if !slices.ContainsFunc(known[row.URL], row.isSameAs) {
			fresh = append(fresh, row)
		}
		rows[i].Taken = slices.ContainsFunc(known[row.URL], func(o Row) bool { return o.Taken && row.isSameAs(o) })
		if of := slices.IndexFunc(known[row.URL], func(o Row) bool { return o.Category == row.Category }); of >= 0 {
			rows[i].Before = row.columnsBefore(known[row.URL][of])
		}
	}
	s.storeTable(&rowTable{URL: t.Page.URL, Rows: rows})
	return fresh
}

// columnsBefore returns the value of Before for a row that replaces row o.
func (r Row) columnsBefore(o Row) []string {
	if r.isSameAs(o) {
		return o.Before
	}
	return o.Fields
}

func (r Row) isSameAs(o Row) bool {
	return r.URL == o.URL && r.Anchor == o.Anchor && slices.Equal(r.Fields, o.Fields)
}

// ListedEvents returns an event for each row of a category page that links to this page. Its title is the text of
// the link.
func (l *Lesson) ListedEvents() (events []eventseer.Event) {
	for _, row := range l.Rows {
		if row.Anchor != "" {
			events = append(events, eventseer.Event{URL: row.URL, Title: row.Anchor})
		}
	}
	return events
}

// storeTable stores a table and removes an earlier one with its URL, and the oldest tables beyond maxTables.
func (s *site) storeTable(t *rowTable) {
	if t == nil {
		return
	}
	s.tables = slices.DeleteFunc(s.tables, func(o *rowTable) bool { return o.URL == t.URL })
	s.tables = append(s.tables, t)
	if n := len(s.tables) - maxTables; n > 0 {
		s.tables = slices.Delete(s.tables, 0, n)
	}
}

// allRows yields all rows, those of the newest category page first.
func (s *site) allRows(yield func(Row) bool) {
	for _, t := range slices.Backward(s.tables) {
		for _, row := range t.Rows {
			row.Category = t.URL
			if !yield(row) {
				return
			}
		}
	}
}

// rowsOf returns the rows that link to a page, newest category page first.
func (s *site) rowsOf(url string) (rows []Row) {
	for row := range s.allRows {
		if row.URL == url {
			rows = append(rows, row)
		}
	}
	return rows
}

// A JoinedRecord joins the rows of a record on category pages with the data of its own page (paper 004,
// section 5).
type JoinedRecord struct {
	URL string
	// Rows are the rows on category pages, newest page first. There is at least one.
	Rows []Row
	// Name is the name of the wrapper of the record's page. Reading is what it read. They are zero if the
	// archive has no copy of the page or if the page has no wrapper.
	Name    string
	Wrapper *wrapper.Wrapper
	Reading wrapper.Reading
}

// JoinRecords calls f with each record that category pages of any host list. Records are in order of host, then
// newest category page first. It returns the first error of f.
func (s *Set) JoinRecords(f func(JoinedRecord) error) error {
	hosts, err := s.knownHosts()
	if err != nil {
		return err
	}
	for _, host := range hosts {
		for _, j := range s.recordsOfHost(host) {
			if err := s.readJoined(&j); err != nil {
				return err
			}
			if err := f(j); err != nil {
				return err
			}
		}
	}
	return nil
}

// knownHosts returns the hosts with a site file, in order of file names.
func (s *Set) knownHosts() ([]webgraph.Host, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("wrappers: %w", err)
	}
	var hosts []webgraph.Host
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), siteSuffix)
		if host, err := url.PathUnescape(name); ok && err == nil {
			hosts = append(hosts, webgraph.Host(host))
		}
	}
	return hosts, nil
}

// recordsOfHost returns the records on the category pages of a host.
func (s *Set) recordsOfHost(host webgraph.Host) []JoinedRecord {
	site := s.lockSite(host)
	defer site.mu.Unlock()
	var all []JoinedRecord
	at := make(map[string]int) // index in all by URL
	for row := range site.allRows {
		i, ok := at[row.URL]
		if !ok {
			i = len(all)
			at[row.URL] = i
			all = append(all, JoinedRecord{URL: row.URL})
		}
		all[i].Rows = append(all[i].Rows, row)
	}
	return all
}

// readJoined reads the page of a record if the archive has a copy.
func (s *Set) readJoined(j *JoinedRecord) error {
	if s.o.Archive == nil {
		return nil
	}
	page, err := s.o.Archive.LastVersion(j.URL)
	if err != nil {
		s.o.Warn(fmt.Errorf("wrappers: %s: %w", j.URL, err))
	}
	if err != nil || page == nil {
		return nil
	}
	t, err := tagtree.Parse(page)
	if err != nil {
		return nil // a page that cannot be parsed has no data
	}
	return s.View(t, func(l *Lesson) error {
		if l.Wrapper != nil {
			j.Name, j.Wrapper, j.Reading = l.Name(), l.Wrapper, l.Wrapper.Apply(t)
		}
		return nil
	})
}
