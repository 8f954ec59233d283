package backlink

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func openDB(t testing.TB, path string) *LinkDB {
	t.Helper()
	d, err := OpenLinkDB(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func closeClean(t testing.TB, d *LinkDB) {
	t.Helper()
	for _, err := range d.Check() {
		t.Errorf("check: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestLinkDB(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	links := []webgraph.Link{
		{Source: "https://list.net/", Target: "https://conf.org/2027/", Anchor: "Conf", NoFollow: true},
		{Source: "https://list.net/", Target: "http://conf.org/2027/cfp", Anchor: "CFP"},
		{Source: "https://a.net/", Target: "https://conf.org/2027/", Anchor: ""},
		{Source: "https://www.conf.org/", Target: "https://conf.org/2027/", Anchor: "own site"},
		{Source: "https://a.net/", Target: "mailto:x@conf.org"},
		{Source: "https://b.net/", Target: "http://www.conf.org:8080/", Anchor: "port"},
		{Source: "https://b.net/", Target: "https://conf.org-x.net/", Anchor: "another"},
		{Source: "https://b.net/", Target: "http://[2001:db8::1]:80/x", Anchor: "six"},
		{Source: "https://b.net/", Target: "http://192.0.2.7/", Anchor: "four"},
	}
	for range 2 { // idempotent
		if err := d.Add(t.Context(), links); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		url   string
		scope Scope
		want  []webgraph.Link
	}{
		{"https://conf.org/2027/", Page, []webgraph.Link{links[2], links[0]}},
		{"https://conf.org/2027/programme", Directory, []webgraph.Link{links[1], links[2]}},
		{"https://conf.org/2026/", Host, []webgraph.Link{links[1], links[2]}},
		{"https://conf.org/2026/", Directory, nil},
		{"https://2026.conf.org/", Domain, []webgraph.Link{links[1], links[2], links[5]}},
		{"http://[2001:db8::1]/", Domain, []webgraph.Link{{Source: "https://b.net/", Target: "http://[2001:db8::1]:80/x", Anchor: "six"}}},
		{"http://192.0.2.7/y", Domain, []webgraph.Link{links[8]}},
	} {
		if diff := cmp.Diff(test.want, plain(answerOf(t, d, test.url, test.scope, 9))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.scope, test.url, diff)
		}
	}
}

// A page that half the web links to keeps MaxSources of them.
func TestLinkDBIsBounded(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	var links []webgraph.Link
	for i := range MaxSources + 10 {
		links = append(links, webgraph.Link{Source: fmt.Sprintf("https://s%d.net/", i), Target: "https://conf.org/"})
	}
	if err := d.Add(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	if got := allOf(t, d, "https://conf.org/", Host); len(got) != MaxSources {
		t.Errorf("%d sources, want %d", len(got), MaxSources)
	}
}

func FuzzDecodeLink(f *testing.F) {
	f.Add([]byte("conf.org/\x00https://a.net/"), []byte("sfanchor"))
	f.Fuzz(func(t *testing.T, k, v []byte) {
		l, err := decodeLink(k, v)
		if err != nil {
			return
		}
		again, err := decodeLink(k, encodeLink(l))
		if err != nil || again != l {
			t.Errorf("%+v comes back as %+v (%v)", l, again, err)
		}
	})
}
