package webgraph

import "strings"

// SitemapSpeaksFor reports whether a sitemap may list a page by the place of its
// file: same scheme, host and port, in the sitemap's directory or below
// (sitemaps.org, "Sitemap file location"). Both URLs are canonical.
//
// A host may give its word for a sitemap elsewhere: of one that the robots.txt of
// the page's host names, this rule need not be asked.
func SitemapSpeaksFor(sitemap, page string) bool {
	path, _, _ := strings.Cut(sitemap, "?")
	dir := path[:strings.LastIndexByte(path, '/')+1]
	return len(dir) > len("https://") && strings.HasPrefix(page, dir)
}
