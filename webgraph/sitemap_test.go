package webgraph

import "testing"

func TestSitemapSpeaksFor(t *testing.T) {
	for _, tt := range []struct {
		sitemap, page string
		want          bool
	}{
		{"https://a.example/sitemap.xml", "https://a.example/x/y?z", true},
		{"https://a.example/sitemap.xml", "https://a.example/", true},
		{"https://a.example/2027/sitemap.xml", "https://a.example/2027/cfp", true},
		{"https://a.example/2027/sitemap.xml", "https://a.example/2026/cfp", false},
		{"https://a.example/2027/sitemap.xml", "https://a.example/20270/", false},
		{"https://a.example/map?file=a/b.xml", "https://a.example/cfp", true},
		{"https://a.example/sitemap.xml", "http://a.example/cfp", false},
		{"https://a.example/sitemap.xml", "https://a.example:8443/cfp", false},
		{"https://a.example/sitemap.xml", "https://b.a.example/cfp", false},
		{"sitemap.xml", "https://a.example/", false},
		{"", "", false},
	} {
		if got := SitemapSpeaksFor(tt.sitemap, tt.page); got != tt.want {
			t.Errorf("%s for %s: got %v", tt.sitemap, tt.page, got)
		}
	}
}
