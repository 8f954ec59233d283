package crawler_test

import (
	"context"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"

	"github.com/google/go-cmp/cmp"
)

// homely follows all links, and takes pages of "home" for related to calls.
type homely struct{ follower }

func (h homely) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, err := h.follower.Visit(ctx, a)
	v.Related = a.Tree != nil && strings.Contains(a.Tree.Text(), "home")
	return v, err
}

// A page that is related to a target, but is not one, is given to the sink and counts for nothing else. A
// page with noindex is not given to it.
func TestRelatedPagesReachTheSink(t *testing.T) {
	w := &world{pages: map[string]string{
		"https://a.org/": "home of an event " + links("https://b.org/", "https://c.org/", "https://d.org/"),
		"https://b.org/": "call for papers, home",
		"https://c.org/": "<meta name=robots content=noindex>home",
		"https://d.org/": "something else",
	}}
	var got []string
	pages, stats := crawlFrom(t, w, "https://a.org/", func(o *crawler.Options) {
		o.Strategy, o.Sink = homely{}, keeper{func(url string) { got = append(got, url) }}
	})
	if diff := cmp.Diff([]string{"https://a.org/"}, got); diff != "" || stats.Targets != 1 || stats.Clips != 1 {
		t.Errorf("%+v; related (-want +got):\n%s", stats, diff)
	}
	if diff := cmp.Diff([]string{"a.org/ 1", "b.org/ 1", "c.org/ 1", "d.org/ 1"}, pageLines(pages)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}
