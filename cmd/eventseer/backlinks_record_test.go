package main

import (
	"testing"

	"eventseer/crawler/backlink"
)

func TestDescribeProviders(t *testing.T) {
	records := []providerRecord{
		{"own", backlink.Tally{Asked: 3, Returned: 2}},
		{"moz", backlink.Tally{Asked: 2, Calls: 2, Cost: 75, Failed: 1, Dropped: 4, Returned: 70, Visited: 20, Verified: 19}},
	}
	const want = "backlinks: own asked 3 times, 0 calls, 2 links; moz asked 2 times, 2 calls, 70 links, cost 75, 19 of 20 visited verified, 4 rows left out, 1 failure"
	if got := describeProviders(records); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := describeProviders(nil); got != "" {
		t.Errorf("%q of nobody", got)
	}
}
