package collection

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"eventseer/eventseer/wrapper"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// A JoinedRecord is a record as category pages list it, with what its own page says (paper
// 004, section 5).
type JoinedRecord struct {
	URL string
	// Rows are those of category pages, the newest page first; there is one at least.
	Rows []Row
	// Name is that of the wrapper that reads the record's page, Reading what it reads.
	// They are "" and zero where the Archive has no copy of the page or the page no wrapper.
	Name    string
	Wrapper *wrapper.Wrapper
	Reading wrapper.Reading
}

// Join calls f with the records that the category pages of all hosts list, by host,
// the newest category page first, each once. It ends with the first error of f.
func (s *Set) Join(f func(JoinedRecord) error) error {
	hosts, err := s.hosts()
	if err != nil {
		return err
	}
	for _, host := range hosts {
		for _, j := range s.listed(host) {
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

// hosts returns the hosts that the folder knows, in the order of their files.
func (s *Set) hosts() ([]webgraph.Host, error) {
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

// listed returns the records that the category pages of a host list.
func (s *Set) listed(host webgraph.Host) []JoinedRecord {
	site := s.lock(host)
	defer site.mu.Unlock()
	var all []JoinedRecord
	at := make(map[string]int) // into all
	for row := range site.rows {
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

// readJoined reads the page of a record, if there is a copy of it.
func (s *Set) readJoined(j *JoinedRecord) error {
	if s.o.Archive == nil {
		return nil
	}
	page, err := s.o.Archive.Last(j.URL)
	if err != nil {
		s.o.Warn(fmt.Errorf("wrappers: %s: %w", j.URL, err))
	}
	if err != nil || page == nil {
		return nil
	}
	t, err := tagtree.Parse(page)
	if err != nil {
		return nil // what cannot be read says nothing
	}
	return s.View(t, func(l *Lesson) error {
		if l.Wrapper != nil {
			j.Name, j.Wrapper, j.Reading = l.Name(), l.Wrapper, l.Wrapper.Apply(t)
		}
		return nil
	})
}
