package fetch

import (
	"context"

	"github.com/eventseer/eventseer/webgraph"
)

// Allowed reports whether the robots.txt of its host lets us ask for a URL, and
// why: the rule that decides, or what is wrong with the robots.txt. It may ask
// the host for it. The error is ctx's, or a *webgraph.URLError.
func (f *Fetcher) Allowed(ctx context.Context, url string) (ok bool, reason string, err error) {
	u, err := webgraph.Canonical(url)
	if err != nil {
		return false, "", err
	}
	v, err := f.judge(ctx, u, nil)
	return v.ok, v.reason, err
}
