package admin

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
)

func TestDescribeProviders(t *testing.T) {
	records := []ProviderRecord{
		{"own", backlink.Tally{Asked: 3, Returned: 2}},
		{"moz", backlink.Tally{Asked: 2, Calls: 2, Cost: 75, Failed: 1, Dropped: 4, Returned: 70, Visited: 20, Verified: 19}},
	}
	const want = "backlinks: own queried 3 times: 0 calls, 2 links; moz queried 2 times: 2 calls, 70 links, cost 75, 19 of 20 visited links verified, 4 rows left out, 1 failure"
	if got := DescribeProviders(records); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := DescribeProviders([]ProviderRecord{{"own", backlink.Tally{Asked: 1, Calls: 1, Returned: 1}}}); got != "backlinks: own queried 1 time: 1 call, 1 link" {
		t.Errorf("%q", got)
	}
	if got := DescribeProviders(nil); got != "" {
		t.Errorf("%q of nobody", got)
	}
}

// A provider that failed but may be queried again at once is not paused.
func TestProviderFacts(t *testing.T) {
	p := providerStatus{Standing: backlink.Standing{Name: "moz", Tally: backlink.Tally{Asked: 1, Calls: 2}, Trouble: backlink.Nonsense}}
	const failed = "moz: 1 query, 2 calls, 0 links, 0 of 0 visited links verified; trouble: answer"
	if got := p.Describe(); got != failed {
		t.Errorf("%q\nwant %q", got, failed)
	}
	p.Until = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	if got, want := p.Describe(), failed+", rests until 2026-11-22T00:00:00Z"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
