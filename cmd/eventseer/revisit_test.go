package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/internal/warc"
)

// TestRevisit: an unchanged page costs one request with the validators of the copy. It becomes a
// page of status 304 and a revisit record with the address that answered; the frozen web still
// holds the copy.
func TestRevisit(t *testing.T) {
	const url, etag, text = "http://conf.example/cfp", `W/"5"`, "<p>Call for papers</p>"
	w := webtest.Serve(t, nil)
	w.Handle(url, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Etag", etag)
		if r.Header.Get("If-None-Match") == etag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		webtest.Body("text/html", text).ServeHTTP(rw, r)
	}))
	path := filepath.Join(t.TempDir(), "web.warc.gz")
	record, err := warc.Create(path, warc.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fetch.New(fetch.Options{
		Contact: "ops@eventseer.example", Resolve: w.Resolve, Dial: w.Dial,
		Wrap: func(rt http.RoundTripper) http.RoundTripper { return replay.NewRecorder(rt, record) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	for _, want := range []int{200, 304} {
		r := crawler.Request{URL: url}
		if want == 304 {
			r.ETag = etag
		}
		p, err := f.Fetch(t.Context(), r)
		if err != nil || p.Status != want || p.Header.Get("Etag") != etag || p.Addr != webtest.PublicAddr.String() {
			t.Errorf("got %+v, %v, want %d", p, err, want)
		}
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := warc.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	types := map[string]string{}
	for in.Scan() {
		if rec, err := in.Record(); err == nil && rec.TargetURI() == url {
			types[rec.Type()] = rec.Header.Get("WARC-IP-Address")
		}
	}
	for _, kind := range []string{"response", "revisit"} {
		if addr, ok := types[kind]; !ok || addr != webtest.PublicAddr.String() {
			t.Errorf("%s record: %v, address %q", kind, ok, addr)
		}
	}
	frozen, err := replay.Open([]string{path}, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	again, err := fetch.New(fetch.Options{Transport: frozen, AnsweredAt: replay.AnsweredAt})
	if err != nil {
		t.Fatal(err)
	}
	p, err := again.Fetch(t.Context(), crawler.Request{URL: url, ETag: etag})
	if err != nil || p.Status != 200 || string(p.Body) != text || p.Addr != "" {
		t.Errorf("replayed: %+v, %v", p, err)
	}
}
