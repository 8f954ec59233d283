package fetch

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

func TestFetchLists(t *testing.T) {
	const site, urlset = "http://conf.example", `<urlset><url><loc>/a</loc></url></urlset>`
	w := webtest.Serve(t, nil)
	for path, answer := range map[string][2]string{
		"/sitemap.xml":  {"application/xml", urlset},
		"/sitemap.gz":   {"application/x-gzip", packed(t, urlset)},
		"/unnamed.gz":   {"", packed(t, urlset)},
		"/octets.gz":    {"application/octet-stream", packed(t, urlset)},
		"/lying.gz":     {"text/xml", packed(t, urlset)},
		"/urls.txt":     {"text/plain", site + "/a\n"},
		"/feed.json":    {"application/feed+json", `{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"}]}`},
		"/feed":         {"application/rss+xml", `<rss version="2.0"><channel><item><link>/a</link></item></channel></rss>`},
		"/page":         {"text/html", "<p>" + site + "/a"},
		"/data.json":    {"application/json", `{"a":1}`},
		"/archive.gz":   {"application/gzip", packed(t, "nothing to read")},
		"/archive.html": {"text/html", packed(t, "nothing to read")},
	} {
		w.Handle(site+path, webtest.Body(answer[0], answer[1]))
	}
	w.Handle(site+"/twice.gz", webtest.Encoded("application/gzip", "gzip", []byte(packed(t, packed(t, urlset)))))
	w.Handle(site+"/gone.xml", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/xml")
		rw.WriteHeader(http.StatusNotFound)
		_, _ = rw.Write([]byte(urlset))
	}))
	f := newFetcher(t, w, nil)
	for _, path := range []string{"/sitemap.xml", "/sitemap.gz", "/unnamed.gz", "/octets.gz", "/lying.gz", "/urls.txt", "/feed.json", "/feed", "/twice.gz"} {
		p, err := f.Fetch(t.Context(), crawler.Request{URL: site + path})
		if err != nil || len(p.Entries) != 1 || p.Entries[0].URL != site+"/a" {
			t.Errorf("%s: got %+v, %v", path, p, err)
		}
	}
	for _, path := range []string{"/page", "/gone.xml"} {
		if p, err := f.Fetch(t.Context(), crawler.Request{URL: site + path}); err != nil || p.Entries != nil {
			t.Errorf("%s: got %+v, %v", path, p, err)
		}
	}
	for _, path := range []string{"/data.json", "/archive.gz", "/archive.html"} {
		if fe := fetchError(t, f, site+path); fe.Fate != crawler.Refused || fe.Status != http.StatusOK {
			t.Errorf("%s: got %v", path, fe)
		}
	}
}

func TestFetcherSitemaps(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://conf.example/robots.txt", webtest.Body("text/plain", "Sitemap: /map.xml\nSitemap: https://cdn.example/map.xml"))
	w.Handle("http://conf.example/", webtest.Body("text/html", "x"))
	f := newFetcher(t, w, nil)
	if got := f.Sitemaps("http://conf.example/x"); got != nil {
		t.Errorf("before robots.txt was read: %v", got)
	}
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/"}); err != nil {
		t.Fatal(err)
	}
	if got := f.Sitemaps("http://conf.example/x"); !slices.Equal(got, []string{"http://conf.example/map.xml", "https://cdn.example/map.xml"}) {
		t.Errorf("got %v", got)
	}
}

// packed returns s as a gzip file.
func packed(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
