package webtest

import (
	"io"
	"net/http"
	"testing"
)

func TestServe(t *testing.T) {
	w := Serve(t, map[string]string{"http://a.example/": "home", "http://a.example/x?q=1": "query"})
	w.Handle("http://a.example/dir/*", Body("text/plain", "below"))
	w.Handle("http://a.example/dir/own", Status(http.StatusTeapot))
	client := &http.Client{Transport: &http.Transport{DialContext: w.Dial, DisableKeepAlives: true}}
	for _, tt := range []struct {
		url    string
		status int
		body   string
	}{
		{"http://a.example/", 200, "home"},
		{"http://a.example/x?q=1", 200, "query"},
		{"http://a.example/x", 404, "404 page not found\n"},
		{"http://b.example/", 404, "404 page not found\n"},
		{"http://a.example/dir/deep/er?q", 200, "below"},
		{"http://a.example/dir/own", http.StatusTeapot, ""},
	} {
		resp, err := client.Get(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || string(body) != tt.body {
			t.Errorf("%s: %d %q, %v", tt.url, resp.StatusCode, body, err)
		}
		if w.Count(tt.url) != 1 {
			t.Errorf("%s was counted %d times", tt.url, w.Count(tt.url))
		}
	}
}
