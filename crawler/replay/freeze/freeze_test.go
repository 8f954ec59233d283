package freeze

import "testing"

func TestFrozenKind(t *testing.T) {
	for _, tt := range []struct {
		node node
		want string
	}{
		{node{canonical: "http://a.example/robots.txt", status: 404}, "robots"},
		{node{canonical: "http://a.example/", status: 301}, "redirect"},
		{node{canonical: "http://a.example/", status: 410}, "dead"},
		{node{canonical: "http://a.example/", status: 503}, "error"},
		{node{canonical: "http://a.example/x", status: 200, mediaType: "application/pdf"}, "pdf"},
		{node{canonical: "http://a.example/sitemap.xml", status: 200, mediaType: "application/xml"}, "sitemap"},
		{node{canonical: "http://a.example/x.ics", status: 200, mediaType: "text/calendar"}, "file"},
		{node{canonical: "http://a.example/x", status: 200}, "real"},
	} {
		if got := tt.node.responseKind(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.node, got, tt.want)
		}
	}
}

// TestFrozenLinks resolves links over redirects, other spellings and circles.
func TestFrozenLinks(t *testing.T) {
	f := &Freezer{byURL: map[string]int{}}
	for i, n := range []node{
		{url: "http://A.example/", canonical: "http://a.example/"},
		{url: "http://a.example/old", canonical: "http://a.example/old", location: "http://a.example/"},
		{url: "http://a.example/x", canonical: "http://a.example/x", location: "http://a.example/y"},
		{url: "http://a.example/y", canonical: "http://a.example/y", location: "http://a.example/x"},
		{url: "http://a.example/out", canonical: "http://a.example/out", location: "http://b.example/"},
	} {
		f.nodes = append(f.nodes, n)
		f.byURL[n.canonical] = i
	}
	for target, want := range map[string]string{
		"http://a.example/old": "http://A.example/", "http://a.example/x": "http://a.example/x",
		"http://a.example/out": "http://b.example/", "http://c.example/": "http://c.example/",
	} {
		if got := f.resolveRedirect(target); got != want {
			t.Errorf("resolve(%s) = %s, want %s", target, got, want)
		}
	}
}
