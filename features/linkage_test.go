package features

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLinkFeatures(t *testing.T) {
	d := Read(treeAt(t, "http://owls.example.org/events/", `<p>Past events: <a href="2025/index.html">2025</a>
		<a href="/old">ICX 2024</a> <a href="http://b.example.net/2023/05/12/post">'23 news</a>
		<a href="http://b.example.net/tag/owl">owl</a>
		<a href="https://easychair.example/conferences/?conf=x">submit</a>`))
	want := map[string]float64{
		"links": scaledCount(5, 200), "links_per_word": 5. / 6, "outlink_hosts": scaledCount(2, 50), "internal_share": 2. / 5,
		"deeper_links": scaledCount(1, 100), "anchor_years": scaledCount(2, 15), "target_years": scaledCount(2, 15),
		"year_anchors": scaledCount(1, 20), "year_anchor_share": 1. / 5, "event_anchors": scaledCount(1, 50), "event_anchor_share": 1. / 5,
		"dated_links": scaledCount(1, 50), "dated_link_share": 1. / 5, "tag_links": scaledCount(1, 50), "submission_links": scaledCount(1, 5),
	}
	got := structureOf(d)
	for name, x := range want {
		if !near6(got[name], x) {
			t.Errorf("%s is %v, want %v", name, got[name], x)
		}
	}
	for _, name := range linkNames {
		if x := structureOf(ReadText("http://owls.example.org/2026/"))[name]; x != 0 {
			t.Errorf("a text has %s %v", name, x)
		}
	}
}

func TestAddressFeatures(t *testing.T) {
	const depth, root, tilde, query = "path_depth", "is_root", "has_tilde", "has_query"
	for _, tt := range []struct {
		url  string
		want map[string]float64 // of the last features of linkNames; the others are 0
	}{
		{"http://a.example.org/", map[string]float64{root: 1}},
		{"http://a.example.org", map[string]float64{root: 1}},
		{"http://a.example.org/index.html", map[string]float64{root: 1}},
		{"http://a.example.org/x/Index.php?q=1", map[string]float64{depth: scaledCount(1, 5), query: 1}},
		{"http://cs.a.edu/~ann/x", map[string]float64{depth: scaledCount(2, 5), tilde: 1, "host_edu": 1, "host_lab": 1}},
		{"http://icx2027.example.org/", map[string]float64{root: 1, "host_year": 1}},
		{"http://owlconf.example.org/2027", map[string]float64{depth: scaledCount(1, 5), "path_year": 1, "host_event": 1}},
		{"http://a.blogs.example/2027/5/owl", map[string]float64{depth: scaledCount(3, 5), "path_year": 1, "path_date": 1, "host_blog": 1}},
	} {
		got := structureOf(Read(treeAt(t, tt.url, "<p>x")))
		for _, name := range linkNames[slices.Index(linkNames[:], depth):] {
			if !near6(got[name], tt.want[name]) {
				t.Errorf("%s: %s is %v, want %v", tt.url, name, got[name], tt.want[name])
			}
		}
	}
}

func TestHasDate(t *testing.T) {
	for path, want := range map[string]bool{
		"/2027/05/": true, "/2027/5/x": true, "/a/2027/11/12": true,
		"/2027/": false, "/2027/05": false, "/3027/05/": false, "/1899/05/": false, "/2027/may/": false, "/12027/05/": false, "": false,
	} {
		if got := hasDate(path); got != want {
			t.Errorf("hasDate(%q) is %t", path, got)
		}
	}
}

func TestSubmissionHostsAreFound(t *testing.T) {
	for _, host := range submissionHosts {
		if len(host) < 2 || host != strings.ToLower(host) {
			t.Errorf("%q cannot be found: it is shorter than two bytes or not in lower case", host)
		}
		if submissionParts.FindIn(fmt.Sprintf("https://%s/x", host)) == 0 {
			t.Errorf("%q is not found", host)
		}
	}
}
