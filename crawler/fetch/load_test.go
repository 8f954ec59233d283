package fetch

import (
	"errors"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// Files are of any type, and robots.txt holds for them too.
func TestLoad(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://conf.example/app.js", webtest.Body("text/javascript", "run()"))
	w.Handle("http://conf.example/picture", webtest.Body("image/png", "\x89PNG\r\n"))
	w.Handle("http://conf.example/data", webtest.Body("application/json", `{"a":1}`))
	w.Handle("http://conf.example/secret/app.js", webtest.Body("text/javascript", "run()"))
	w.Robots("http://conf.example", "User-agent: *\nDisallow: /secret/")
	f := newFetcher(t, w, func(*Options) {})
	for path, body := range map[string]string{"/app.js": "run()", "/picture": "\x89PNG\r\n", "/data": `{"a":1}`} {
		p, err := f.Load(t.Context(), crawler.Request{URL: "http://conf.example" + path})
		if err != nil || string(p.Body) != body || p.Entries != nil {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	var fe *crawler.FetchError
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/picture"}); !errors.As(err, &fe) || fe.Fate != crawler.Refused {
		t.Errorf("a picture as a page: %v", err)
	}
	if _, err := f.Load(t.Context(), crawler.Request{URL: "http://conf.example/secret/app.js"}); !errors.As(err, &fe) || fe.Fate != crawler.Refused {
		t.Errorf("a disallowed file: %v", err)
	}
}
