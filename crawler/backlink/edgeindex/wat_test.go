package edgeindex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"

	gocmp "github.com/google/go-cmp/cmp"
)

// watOf is a WAT with one record for each JSON of HTML-Metadata.
func watOf(pages ...string) string {
	var b strings.Builder
	for i, html := range pages {
		json := fmt.Sprintf(`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":"http://a%d.net/x","WARC-Date":"2026-02-01T10:00:00Z"},
 "Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},"HTML-Metadata":%s}}}}`, i, html)
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:%d>\r\nWARC-Date: 2026-02-02T00:00:00Z\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(json), json)
	}
	return b.String()
}

func TestEdgeIndexWAT(t *testing.T) {
	dir := t.TempDir()
	wat := watOf(
		`{"Head":{"Base":"http://c.org/dir/"},"Links":[{"path":"A@/href","url":"cfp","text":"Call"},{"path":"IMG@/src","url":"http://d.org/i"}]}`,
		`not JSON`,
		`{"Links":[{"path":"AREA@/href","url":"http://c.org/dir/cfp","alt":"map","rel":"nofollow"},{"path":"A@/href","url":"/own"},{"path":"A@/href","url":"mailto:x"}]}`)
	o := Options{Path: filepath.Join(dir, "x.edges"), Inputs: []string{writeFile(t, filepath.Join(dir, "CC-MAIN-1.warc.wat"), wat)}}
	calls := 0
	o.Progress = func(Stats) { calls++ }
	stats, err := Build(context.Background(), o)
	if err != nil || stats.Bad != 1 || stats.SameSite != 1 || stats.Read != stats.Size || calls < 3 {
		t.Errorf("%+v, %d calls, %v", stats, calls, err)
	}
	x, err := Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }() // read only
	seen := time.Date(2026, 2, 1, 10, 0, 0, 0, time.UTC)
	want := []backlink.Backlink{
		{Source: "http://a0.net/x", Target: "http://c.org/dir/cfp", Anchor: "Call", Provider: "edges", Seen: seen},
		{Source: "http://a2.net/x", Target: "http://c.org/dir/cfp", Anchor: "map", Provider: "edges", NoFollow: true, Seen: seen},
	}
	a, err := x.Backlinks(context.Background(), backlink.Query{Target: "https://c.org/dir/cfp", Limit: 5})
	if diff := gocmp.Diff(want, a.Links); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
