package backlink

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// counting is a Provider that counts its calls and may fail.
type counting struct {
	Provider
	calls []string
	err   error
}

func (c *counting) Backlinks(ctx context.Context, q Query) (Answer, error) {
	c.calls = append(c.calls, q.Scope.DescribeSubject(q.Target))
	if c.err != nil {
		return Answer{Calls: 1}, &ProviderError{Provider: c.Name(), Trouble: Unreachable, Err: c.err}
	}
	return c.Provider.Backlinks(ctx, q)
}

// noon is when tests begin.
var noon = time.Date(2027, 1, 11, 12, 0, 0, 0, time.UTC)

func newChain(t testing.TB, o ChainOptions) *Chain {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	c, err := NewChain(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sourcesOf(links []webgraph.Link) []string {
	var urls []string
	for _, l := range links {
		urls = append(urls, l.Source)
	}
	return urls
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
	service := &counting{Provider: edgeList(t, toy, Spec{Coverage: 1})}
	known := func(url string) bool { return url == "https://fetched.net/" }
	ask := func(url string, limit int) ([]webgraph.Link, int, error) {
		c := newChain(t, ChainOptions{Links: d, Sources: []Source{{Provider: service}}, Known: known})
		return c.Backlinks(t.Context(), url, limit)
	}
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
		got, calls, err := ask(s.url, s.limit)
		if err != nil || calls != s.calls {
			t.Errorf("%s: %d calls, want %d (%v)", s.what, calls, s.calls, err)
		}
		if diff := cmp.Diff(s.want, sourcesOf(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.what, diff)
		}
		closeClean(t, d) // the paid answers survive
		d = openDB(t, path)
	}
	if len(service.calls) != 5 {
		t.Errorf("calls %v, want 5", service.calls)
	}
	service.err = errors.New("no route")
	got, calls, err := ask("https://conf.org/2025/x/", 9)
	if !errors.Is(err, service.err) || calls != 1 || len(got) != 1 {
		t.Errorf("a failing service: %v, %d calls, %v", got, calls, err)
	}
	closeClean(t, d)
}
