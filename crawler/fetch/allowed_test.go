package fetch

import (
	"context"

	"github.com/eventseer/eventseer/webgraph"
)

// Allowed reports whether the robots.txt of its host allows a URL. reason is the rule that decides,
// or the fault of the robots.txt. It may ask the host for it. The error is ctx's, or a
// *webgraph.URLError.
func (f *Fetcher) Allowed(ctx context.Context, url string) (ok bool, reason string, err error) {
	u, err := webgraph.Canonical(url)
	if err != nil {
		return false, "", err
	}
	v, err := f.robotsVerdict(ctx, u, nil)
	return v.ok, v.reason, err
}
