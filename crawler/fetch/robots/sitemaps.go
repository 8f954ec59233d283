package robots

import "eventseer/webgraph"

// SitemapsAt returns the sitemaps that the file names, as canonical URLs, distinct
// and in order. Those that are relative, which sitemaps.org does not allow, are
// taken as relative to where the file is from, left out if that is "".
func (r *File) SitemapsAt(robotsURL string) []string {
	resolver := webgraph.NewResolver(robotsURL)
	var urls []string
	seen := make(map[string]bool)
	for _, written := range r.sitemaps {
		if url, err := resolver.Resolve(written); err == nil && !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}

// Sitemaps is SitemapsAt of the absolute addresses alone.
func (r *File) Sitemaps() []string { return r.SitemapsAt("") }
