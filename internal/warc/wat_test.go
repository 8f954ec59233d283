package warc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/webgraph"
)

// watRecord is a record as the WAT of a crawl holds it.
func watRecord(uri, json string) *Record {
	return newRecord("metadata", uri, testTime, "application/json", []byte(json))
}

// watOf is the JSON about an answer whose HTML-Metadata is given.
func watOf(uri, html string) string {
	return fmt.Sprintf(`{"Container":{"Offset":"1"},"Envelope":{"Format":"WARC",
 "WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":%q,"WARC-Date":"2026-02-01T10:00:00Z"},
 "Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200","Version":"HTTP/1.1","Reason":"OK"},
  "Headers":{"Content-Type":"text/html","content-language":"en","Set-Cookie":["a","b"],"Server":"x","Date":7},
  "HTML-Metadata":%s}}}}`, uri, html)
}

func TestWAT(t *testing.T) {
	const html = `{"Head":{"Title":" Calls \n for papers ","Base":"/conf/","Metas":[{"name":"robots"}]},
 "Links":[
  {"path":"A@/href","url":"cfp.html","text":"Call\n for papers"},
  {"path":"IMG@/src","url":"logo.png","alt":"logo"},
  {"path":"AREA@/href","url":"//b.example/map#x","alt":"Map"},
  {"path":"A@/href","url":"mailto:x@a.example"},
  {"path":"A@/href","url":"http://b.example/","text":"","title":"B","rel":"noopener UGC"},
  {"path":7,"url":{}}, 3, null,
  {"path":"LINK@/href","url":"style.css"},
  {"path":"a@/href","url":" /root ","target":"_blank"}]}`
	page, err := watRecord("http://a.example/", watOf("http://a.example/x?y", html)).WAT()
	if err != nil {
		t.Fatal(err)
	}
	link := func(target, anchor string, nofollow bool) webgraph.Link {
		return webgraph.Link{Source: "http://a.example/x?y", Target: target, Anchor: anchor, NoFollow: nofollow}
	}
	want := &WATPage{
		URL: "http://a.example/x?y", Status: 200, Title: "Calls for papers", FetchedAt: testTime.AddDate(0, -1, 0).Add(-2 * 3600e9),
		Header: map[string][]string{"Content-Type": {"text/html"}, "Content-Language": {"en"}},
		Links: []webgraph.Link{
			link("http://a.example/conf/cfp.html", "Call for papers", false), link("http://b.example/map", "Map", false),
			link("http://b.example/", "B", true), link("http://a.example/root", "", false),
		},
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
	p := page.ToPage()
	if p.URL != page.URL || len(p.Entries) != 4 || p.Entries[1] != (webgraph.Entry{URL: "http://b.example/map", Title: "Map"}) {
		t.Errorf("page %+v", p)
	}
}

func TestWATPassesOver(t *testing.T) {
	request := strings.Replace(watOf("http://a.example/", "{}"), `"response"`, `"request"`, 1)
	for name, rec := range map[string]*Record{
		"request": watRecord("http://a.example/", request), "fields": NewMetadata("http://a.example/", testTime, nil),
		"other JSON": watRecord("http://a.example/", "{}"), "a page": NewResponse("http://a.example/", testTime, answer("x")),
	} {
		if p, err := rec.WAT(); p != nil || err != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	for name, json := range map[string]string{"cut": `{"Envelope":`, "empty": "", "no object": "<p>"} {
		if _, err := watRecord("http://a.example/", json).WAT(); !errors.Is(err, ErrNotWAT) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p, err := watRecord("http://a.example/", watOf("http://a.example/", `{"Links":"none","Head":[]}`)).WAT()
	if err != nil || p == nil || p.Status != 200 || p.Links != nil {
		t.Errorf("lists that are none: %+v, %v", p, err)
	}
}

func TestWATIsBounded(t *testing.T) {
	many := strings.Repeat(`{"path":"A@/href","url":"/x"},`, MaxWATLinks)
	p, err := watRecord("http://a.example/", watOf("http://a.example/", `{"Links":[`+many+`{"path":"A@/href","url":"/y"}]}`)).WAT()
	if err != nil || len(p.Links) != MaxWATLinks || !p.Cut {
		t.Errorf("%d links, cut %v, %v", len(p.Links), p.Cut, err)
	}
	text := strings.Repeat("ü ", 1000)
	p, err = watRecord("http://a.example/", watOf("http://a.example/", `{"Head":{"Title":"`+text+`"},"Links":[{"path":"A@/href","url":"/","text":"`+text+`"}]}`)).WAT()
	if err != nil || len([]rune(p.Title)) != webgraph.MaxAnchor || len([]rune(p.Links[0].Anchor)) != webgraph.MaxAnchor {
		t.Errorf("title of %d runes, %v", len([]rune(p.Title)), err)
	}
	large := watRecord("http://a.example/", watOf("http://a.example/", `{"x":"`+strings.Repeat("x", MaxWAT)+`"}`))
	if _, err := large.WAT(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("large record: %v", err)
	}
}

func TestWATLinks(t *testing.T) {
	var data bytes.Buffer
	for i, json := range []string{watOf("http://a.example/0", `{"Links":[{"path":"A@/href","url":"b"}]}`), "{", watOf("http://a.example/2", "{}")} {
		data.Write(zip(t, raw(t, watRecord(fmt.Sprintf("http://a.example/%d", i), json))))
	}
	data.Write(zip(t, raw(t, NewMetadata("http://a.example/", testTime, nil)))[:30])
	path := filepath.Join(t.TempDir(), "x.wat.gz")
	if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for p, err := range WATPages(path) {
		var bad *BadRecord
		switch {
		case errors.As(err, &bad) && bad.File == path:
			got = append(got, "bad")
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, fmt.Sprint(p.URL, len(p.Entries)))
		}
	}
	if diff := cmp.Diff([]string{"http://a.example/01", "bad", "http://a.example/20", "bad"}, got); diff != "" {
		t.Error(diff)
	}
	for range WATLinks(path) {
		break // must not go on
	}
	for page, err := range WATLinks(path + ".none") {
		if page != nil || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v, %v", page, err)
		}
	}
}

func FuzzWAT(f *testing.F) {
	f.Add(watOf("http://a.example/", `{"Head":{"Base":"x"},"Links":[{"path":"A@/href","url":"b","text":"t","rel":"nofollow"}]}`))
	f.Add(`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[[],{}]}}}}}`)
	f.Fuzz(func(t *testing.T, json string) {
		p, err := watRecord("http://a.example/", json).WAT()
		if err != nil || p == nil {
			return
		}
		if len(p.Links) > MaxWATLinks {
			t.Fatalf("%d links", len(p.Links))
		}
		for _, l := range p.Links {
			if canonical, err := webgraph.Canonical(l.Target); err != nil || canonical != l.Target {
				t.Fatalf("target %q is not canonical: %q, %v", l.Target, canonical, err)
			}
		}
		p.ToPage()
	})
}
