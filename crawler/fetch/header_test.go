package fetch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"

	"github.com/google/go-cmp/cmp"
)

func TestFetchConditional(t *testing.T) {
	const kept, keptDate = `W/"a-1"`, "Mon, 01 Feb 2027 00:00:00 GMT"
	long := `"` + strings.Repeat("x", maxValidator) + `"`
	type validators struct{ ETag, LastModified string }
	for _, tt := range []struct {
		name     string
		copy     validators
		answer   http.Handler
		sent     validators
		received validators
		status   int
	}{
		{"no copy", validators{}, webtest.Status(200, "Etag", `"n"`, "Last-Modified", keptDate),
			validators{}, validators{`"n"`, keptDate}, 200},
		{"both, not modified", validators{kept, keptDate}, webtest.Status(304),
			validators{kept, keptDate}, validators{kept, keptDate}, 304},
		{"a 304 updates", validators{kept, keptDate}, webtest.Status(304, "Etag", `"b"`, "Last-Modified", "Tue, 02 Feb 2027 00:00:00 GMT"),
			validators{kept, keptDate}, validators{`"b"`, "Tue, 02 Feb 2027 00:00:00 GMT"}, 304},
		{"changed", validators{kept, keptDate}, webtest.Status(200, "Etag", `"c"`),
			validators{kept, keptDate}, validators{`"c"`, ""}, 200},
		{"as received, if odd", validators{`unquoted "tag`, "yesterday"}, webtest.Status(304),
			validators{`unquoted "tag`, "yesterday"}, validators{`unquoted "tag`, "yesterday"}, 304},
		{"too long to send", validators{long, keptDate}, webtest.Status(304),
			validators{"", keptDate}, validators{"", keptDate}, 304},
		{"no header", validators{"\"a\"\r\nX: y", ""}, webtest.Status(200),
			validators{}, validators{}, 200},
		{"too long to keep", validators{}, webtest.Status(200, "Etag", long),
			validators{}, validators{}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := webtest.Serve(t, nil)
			var sent validators
			w.Handle("http://a.example/", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				sent = validators{r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")}
				tt.answer.ServeHTTP(rw, r)
			}))
			f := newFetcher(t, w, nil)
			p, err := f.Fetch(t.Context(), crawler.Request{
				URL: "http://a.example/", ETag: tt.copy.ETag, LastModified: tt.copy.LastModified,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.sent, sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			received := validators{p.Header.Get("Etag"), p.Header.Get("Last-Modified")}
			if diff := cmp.Diff(tt.received, received); diff != "" || p.Status != tt.status || len(p.Body) != 0 {
				t.Errorf("%d of %d bytes (-want +got):\n%s", p.Status, len(p.Body), diff)
			}
		})
	}
}

// The copy belongs to the URL, not to the target of its redirect or to its robots.txt.
func TestFetchConditionsOfURLOnly(t *testing.T) {
	w := webtest.Serve(t, nil)
	conditional := map[string]bool{}
	answer := func(status int, location string) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			conditional[r.URL.Path] = r.Header.Get("If-None-Match") != ""
			webtest.Status(status, "Location", location).ServeHTTP(rw, r)
		})
	}
	w.Handle("http://a.example/robots.txt", answer(404, ""))
	w.Handle("http://a.example/old", answer(301, "/new"))
	w.Handle("http://a.example/new", answer(200, ""))
	f := newFetcher(t, w, nil)
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/old", ETag: `"a"`}); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"/robots.txt": false, "/old": true, "/new": false}
	if diff := cmp.Diff(want, conditional); diff != "" {
		t.Errorf("conditional requests (-want +got):\n%s", diff)
	}
}
