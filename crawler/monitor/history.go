package monitor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A PageHistory is a page with its versions, oldest first.
type PageHistory struct {
	URL, origin string
	Versions    []*webgraph.Page
}

// maxVersionLine bounds a line of a file of versions, in bytes.
const maxVersionLine = 32 << 20

// ReadHistories reads versions of pages, one object of JSON per line. It has url, time (RFC 3339)
// and html, and optionally the site of the page. The pages are in the order in which they are named
// first. Errors name the file as path.
func ReadHistories(r io.Reader, path string) ([]PageHistory, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxVersionLine)
	var all []PageHistory
	place := map[string]int{}
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var v struct {
			URL, Site, HTML string
			Time            time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s, line %d: it is not a version of a page: %w", path, n, err)
		}
		url, err := webgraph.Canonical(v.URL)
		if err != nil || v.Time.IsZero() {
			return nil, fmt.Errorf("%s, line %d: a version needs url, time and html", path, n)
		}
		i, ok := place[url]
		if !ok {
			i = len(all)
			place[url] = i
			all = append(all, PageHistory{URL: url, origin: v.Site})
		}
		all[i].Versions = append(all[i].Versions, &webgraph.Page{
			URL: url, Status: http.StatusOK, FetchedAt: v.Time.UTC(), Body: []byte(v.HTML), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, h := range all {
		slices.SortStableFunc(h.Versions, func(a, b *webgraph.Page) int { return a.FetchedAt.Compare(b.FetchedAt) })
	}
	return all, nil
}

// Site returns what pages of one site share.
func (h PageHistory) Site() string {
	if h.origin != "" {
		return h.origin
	}
	return string(webgraph.HostOf(h.URL))
}
