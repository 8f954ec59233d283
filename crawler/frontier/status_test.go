package frontier

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// stories is a frontier with a URL in every state.
func stories(t *testing.T, f *Frontier) {
	cs := []crawler.Candidate{
		{URL: "https://leased.org/", Score: 9, How: crawler.Seed},
		{URL: "https://moved.org/", Score: 8, How: crawler.Seed},
		{URL: "https://robots.org/", Score: 7, How: crawler.Seed},
		{URL: "https://flaky.org/", Score: 6, How: crawler.Seed},
		{URL: "https://slow.org/1", Score: 5, How: crawler.Seed},
		{URL: "https://slow.org/2", Score: 4, How: crawler.Seed},
		{URL: "https://slow.org/3", Score: 4, How: crawler.Seed},
		{URL: "https://ready.org/", Score: 1, How: crawler.Seed},
		{URL: "https://drop.org/", How: crawler.Seed},
		{URL: "https://spent.org/1", Score: 6, How: crawler.Seed},
		{URL: "https://spent.org/2", Score: 5, How: crawler.Seed},
	}
	if err := f.Push(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	next(t, f)
	moved := fetched
	moved.FinalURL, moved.Redirects = "https://new.org/", []webgraph.Redirect{{From: "https://moved.org/", To: "https://new.org/", Status: 301}}
	done(t, f, next(t, f), moved)
	done(t, f, next(t, f), crawler.Outcome{Fate: crawler.Refused, Reason: "robots.txt disallows /"})
	done(t, f, next(t, f), crawler.Outcome{Fate: crawler.TryLater, Reason: "timeout"})
	if err := f.Done(t.Context(), crawler.End{Changes: crawler.Changes{Drop: []string{"https://drop.org/"}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // spent.org and slow.org
		slow := fetched
		slow.Pause = 30 * time.Second
		done(t, f, next(t, f), slow)
	}
}

var storyTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

var storyOptions = Options{HostDelay: 10 * time.Second, PerDomain: 1, Owner: "me", NoSync: true, Now: func() time.Time { return storyTime }}

func TestStory(t *testing.T) {
	f := openAt(t, t.TempDir()+"/f.db", storyOptions)
	defer closeClean(t, f)
	stories(t, f)
	for url, want := range map[string]string{
		"https://never.org/":  "It was never seen.",
		"https://leased.org/": "It is being fetched by me, until 2026-11-21T12:10:00Z at the latest.",
		"https://moved.org/":  "It is done (fetched); only a monitor queues it again.",
		"https://new.org/":    "It is a redirect on the way from https://moved.org/ and is not fetched by itself.",
		"https://robots.org/": "It is done (refused); only a monitor queues it again. The last answer: robots.txt disallows /.",
		"https://flaky.org/":  "It waits until 2026-11-21T12:01:00Z. The last answer: timeout.",
		"https://drop.org/":   "The strategy dropped it; it will not be queued again.",
		"https://spent.org/2": "It waits as the next link of its host, which is not requested now: the budget of 1 pages of spent.org is used up.",
		"https://ready.org/":  "It waits as the next link of its host, which may be requested now, but others have better links.",
	} {
		s, err := f.Story(url)
		if err != nil || s.Why != want || s.URL != url || s.Seen != (url != "https://never.org/") {
			t.Errorf("%s: %v\ngot  %s\nwant %s", url, err, s.Why, want)
		}
	}
	s, err := f.Story("https://slow.org/3")
	if err != nil || s.Ahead != 1 || s.Host.CrawlDelay != 30*time.Second || s.Host.Fetched != 1 || s.Record.Score != 4 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestStatusOfAll(t *testing.T) {
	f := openAt(t, t.TempDir()+"/f.db", storyOptions)
	defer closeClean(t, f)
	stories(t, f)
	got, err := f.Status(2)
	if err != nil {
		t.Fatal(err)
	}
	want := Status{
		Progress: crawler.Progress{Ended: 4, Spent: 3, Waiting: 5, Leased: 1, Hosts: 3},
		Links:    Links{Waiting: 4, Due: 1, Leased: 1, Fetched: 3, Refused: 1, Dropped: 1, Alias: 1},
		Hosts:    hosts.Counts{Known: 9, Ready: 1, Busy: 1, Spent: 3},
		NextDue:  storyTime.Add(time.Minute),
		Top: []hosts.Status{
			{Host: hosts.Host{Name: "spent.org"}, State: hosts.Spent, Waiting: 1, Why: "the budget of 1 pages of spent.org is used up"},
			{Host: hosts.Host{Name: "slow.org"}, State: hosts.Spent, Waiting: 2, Why: "the budget of 1 pages of slow.org is used up"},
		},
	}
	opt := cmpopts.IgnoreFields(hosts.Host{}, "Due", "Asked", "Fetched", "CrawlDelay")
	if diff := cmp.Diff(want, got, opt); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
