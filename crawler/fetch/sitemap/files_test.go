package sitemap

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

// listFiles has the number of entries of each sitemap and feed of crawler-commons, and the first
// entry. That is its URL, "+" before that of a sitemap, date and title.
var listFiles = map[string]struct {
	entries int
	first   string
}{
	"sitemaps/atom.xml":                                         {1, "http://example.org/2003/12/13/atom03 2003-12-13T18:30 Atom-Powered Robots Run Amok"},
	"sitemaps/do-not-visit.txt":                                 {1, "http://www.example.com/do-not-visit-here"},
	"sitemaps/sitemap-with-bom.txt":                             {2, "http://www.domain.com/page1.html"},
	"sitemaps/sitemap.badns.xml":                                {2, "http://www.example.com/1"},
	"sitemaps/sitemap.index.xml":                                {15, "+https://example.com/sitemap.jss?portalCode=10260&lang=en"},
	"sitemaps/sitemap.ns.xml":                                   {2, "http://www.example.com/1"},
	"sitemaps/sitemap.txt":                                      {2, "http://www.domain.com/page1.html"},
	"sitemaps/sitemap.txt.gz":                                   {5, "http://www.example.com/"},
	"sitemaps/xmlSitemap.gz":                                    {5, "http://www.example.com/ 2005-01-01T00:00"},
	"sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml": {74, "http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580 2015-05-03T17:51"},
	"sitemaps/extension/pagemaps-sitemap.xml":                   {2, "http://www.example.com/foo"},
	"sitemaps/extension/shinpaideshou-news-sitemap.xml":         {3, "https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/ 2017-04-25T10:00 Job Opening: Reischauer Policy Research Fellow"},
	"sitemaps/extension/sitemap-images.xml":                     {1, "http://www.example.com/images/some_image_landing_page.html"},
	"sitemaps/extension/sitemap-links.xml":                      {3, "http://www.example.com/english/"},
	"sitemaps/extension/sitemap-mobile.xml":                     {3, "http://www.example.com/mobile-friendly-1/"},
	"sitemaps/extension/sitemap-news.xml":                       {2, "http://www.example.org/business/article55.html 2008-12-23T00:00 Companies A, B in Merger Talks"},
	"sitemaps/extension/sitemap-videos-tvshow.xml":              {1, "https://example.org/my-tv-show/23/13/"},
	"sitemaps/extension/sitemap-videos.xml":                     {3, "http://www.example.com/videos/some_video_landing_page.html"},
	"rss/feed.rss":                                              {4, "https://www.example.com/blog/post/1 2009-09-06T16:20 Example entry"},
	"rss/xmlRss_pubDate.xml":                                    {7, "http://www.example.com/article_1 2017-01-05T12:34 News number 1"},
}

func TestStandardLists(t *testing.T) {
	root := golden.SharedPath(t, "standards/crawler-commons")
	var doc strings.Builder
	doc.WriteString("| file | entries | dated |\n|---|---|---|\n")
	for _, glob := range []string{"sitemaps/*.*", "sitemaps/extension/*.*", "rss/*.*"} {
		found, err := filepath.Glob(filepath.Join(root, glob))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			want, known := listFiles[filepath.ToSlash(name)]
			if !known {
				t.Errorf("no expectation of %s", name)
			}
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Entries(&webgraph.Page{URL: "https://host.example/sitemap", Header: http.Header{}, Body: body})
			if err != nil || len(got) != want.entries {
				t.Errorf("%s: %d entries, %v, want %d", name, len(got), err, want.entries)
			}
			if len(got) > 0 && inShort(got[0]) != want.first {
				t.Errorf("%s: first is %q, want %q", name, inShort(got[0]), want.first)
			}
			dated := 0
			for _, e := range got {
				if !e.Changed.IsZero() {
					dated++
				}
			}
			fmt.Fprintf(&doc, "| %s | %d | %d |\n", filepath.ToSlash(name), len(got), dated)
		}
	}
	golden.Section(t, "../../../doc/standards.md", "lists", doc.String())
}
