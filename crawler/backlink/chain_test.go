package backlink

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"eventseer/webgraph"

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
	}
	for range 2 { // idempotent
		if err := d.Add(t.Context(), links); err != nil {
			t.Fatal(err)
		}
	}
	got, calls, err := d.Backlinks(t.Context(), "https://conf.org/2027/programme", 9)
	if err != nil || calls != 0 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	want := []webgraph.Link{links[1], {Source: "https://a.net/", Target: "https://conf.org/2027/"}}
	want[0] = webgraph.Link{Source: "https://list.net/", Target: "http://conf.org/2027/cfp", Anchor: "CFP"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _, _ := d.Backlinks(t.Context(), "https://conf.org/2026/", 9); len(got) != 2 {
		t.Errorf("the host's links: %v", got)
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
	got, err := d.Links(t.Context(), "conf.org/", 5000)
	if err != nil || len(got) != MaxSources {
		t.Errorf("%d sources, %v; want %d", len(got), err, MaxSources)
	}
}

// counting is a Service that counts its calls and may fail.
type counting struct {
	Service
	calls []Prefix
	err   error
}

func (c *counting) Links(ctx context.Context, s Prefix, limit int) ([]webgraph.Link, error) {
	c.calls = append(c.calls, s)
	if c.err != nil {
		return nil, c.err
	}
	return c.Service.Links(ctx, s, limit)
}

func TestChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	err := d.Add(t.Context(), []webgraph.Link{
		{Source: "https://own.net/", Target: "https://conf.org/2027/"},
		{Source: "https://fetched.net/", Target: "https://conf.org/2027/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	service := &counting{Service: edgeList(t, toy, Spec{Coverage: 1})}
	known := func(url string) bool { return url == "https://fetched.net/" }
	steps := []struct {
		what, url string
		limit     int
		calls     int
		want      []string
	}{
		{"own links first, then a call for the directory", "https://conf.org/2027/cfp.html", 9, 1, []string{"https://own.net/", "https://list.net/", "https://home.edu/~ann/"}},
		{"a second page of the directory is free", "https://conf.org/2027/index.html", 9, 0, []string{"https://own.net/", "https://list.net/", "https://home.edu/~ann/"}},
		{"the payer, after a crash, is told its calls again", "https://conf.org/2027/cfp.html", 9, 1, []string{"https://own.net/", "https://list.net/", "https://home.edu/~ann/"}},
		{"own links are enough", "https://conf.org/2027/cfp.html", 1, 0, []string{"https://own.net/"}},
		{"an empty directory, then the host", "https://conf.org/2026/", 9, 2, []string{"https://own.net/", "https://list.net/", "https://blog.com/", "https://home.edu/~ann/"}},
		{"nobody", "https://alone.org/x/y", 9, 2, nil},
	}
	for _, s := range steps {
		got, calls, err := NewChain(d, service, known).Backlinks(t.Context(), s.url, s.limit)
		if err != nil || calls != s.calls {
			t.Errorf("%s: %d calls, want %d (%v)", s.what, calls, s.calls, err)
		}
		if diff := cmp.Diff(s.want, sourcesOf(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.what, diff)
		}
		closeClean(t, d) // what was paid for survives
		d = openDB(t, path)
	}
	if len(service.calls) != 5 {
		t.Errorf("calls %v, want 5", service.calls)
	}
	service.err = errors.New("quota")
	got, calls, err := NewChain(d, service, known).Backlinks(t.Context(), "https://conf.org/2025/x/", 9)
	if !errors.Is(err, service.err) || calls != 1 || len(got) != 1 {
		t.Errorf("a failing service: %v, %d calls, %v", got, calls, err)
	}
	closeClean(t, d)
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
