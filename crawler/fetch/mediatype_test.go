package fetch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

func TestFetchRefusesTypes(t *testing.T) {
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	zip, png := "PK\x03\x04"+strings.Repeat("\x00", 99), "\x89PNG\x0D\x0A\x1A\x0A"+strings.Repeat("\x00", 99)
	tests := []struct {
		name, contentType, body string
		read                    bool
	}{
		{"html", "text/html", "<p>x", true},
		{"xhtml", "application/xhtml+xml; charset=utf-8", "<p>x", true},
		{"text in capitals", "Text/Plain", "x", true},
		{"feed", "application/rss+xml", "<?xml version=\"1.0\"?><rss/>", true},
		{"empty", "text/html", "", true},
		{"no type, html", "", "<!doctype html><p>x", true},
		{"bytes, text", "application/octet-stream", "call for papers", true},
		{"utf-16 without mark", "text/html", "<\x00p\x00>\x00", true},
		{"image", "image/png", png, false},
		{"calendar", "text/calendar", "BEGIN:VCALENDAR", false},
		{"zip", "application/zip", zip, false},
		{"style", "text/css", "p{}", false},
		{"image called html", "text/html", png, false},
		{"zip called text", "text/plain", zip, false},
		{"no type, image", "", png, false},
		{"bytes, bytes", "application/octet-stream", "\x00\x01\x02\x03", false},
		{"atom", "application/atom+xml;type=feed", "<feed/>", true},
		{"xml", "text/xml", "<?xml version='1.0'?><urlset/>", true},
		{"picture in xml", "image/svg+xml", "<svg/>", false},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d", i)
			w.Handle(u, webtest.Body(tt.contentType, tt.body))
			if tt.read {
				p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
				if err != nil || string(p.Body) != tt.body {
					t.Errorf("got %+v, %v", p, err)
				}
				return
			}
			if fe := fetchError(t, f, u); fe.Fate != crawler.Refused || fe.Status != 200 {
				t.Errorf("got %s %d: %v", fe.Fate, fe.Status, fe)
			}
		})
	}
}

// Files of word processors are refused with a reason that names them, whatever
// their server calls them.
func TestFetchNamesDocuments(t *testing.T) {
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	doc := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 99)
	docx := "PK\x03\x04\x14\x00\x06\x00\x08\x00" + strings.Repeat("\x00", 20) + "[Content_Types].xml" + "word/document.xml"
	const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	for i, tt := range []struct{ contentType, body, want string }{
		{"application/msword", doc, "application/msword is not read"},
		{"application/octet-stream", doc, "application/msword"},
		{"", doc, "application/msword"},
		{"text/html", doc, "declared as text/html is application/msword"},
		{"application/pdf", doc, "declared as application/pdf is application/msword"},
		{docxType, docx, docxType + " is not read"},
		{"application/force-download", docx, docxType},
		{"application/rtf", "{\\rtf1 x}", "application/rtf is not read"},
		{"text/plain", "{\\rtf1 x}", "declared as text/plain is application/rtf"},
		{"", "PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/vnd.oasis.opendocument.text", "oasis.opendocument.text"},
	} {
		u := fmt.Sprintf("http://conf.example/%d", i)
		w.Handle(u, webtest.Body(tt.contentType, tt.body))
		if fe := fetchError(t, f, u); fe.Fate != crawler.Refused || fe.HostFailed || !strings.Contains(fe.Error(), tt.want) {
			t.Errorf("%s: %s %v, want %q", tt.contentType, fe.Fate, fe, tt.want)
		}
	}
}

// Bodies arrive in the charset they were sent in, whatever the header or the page states.
func TestFetchKeepsCharset(t *testing.T) {
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	tests := []struct{ name, contentType, body string }{
		{"iso-8859-1 in the header", "text/html; charset=ISO-8859-1", "<p>Universit\xe4t</p>"},
		{"iso-8859-2 in meta only", "text/html", "<meta charset=iso-8859-2><p>\xb1\xe6\xea</p>"},
		{"gb18030", "text/html; charset=gb18030", "<p>\xd5\xf7\xb8\xe5\xcd\xa8\xd6\xaa</p>"},
		{"wrong charset", "text/html; charset=utf-16", "<p>plain ASCII</p>"},
		{"unknown charset", "text/html; charset=klingon", "<p>\xff\xfe</p>"},
		{"invalid utf-8", "text/html; charset=utf-8", "<p>\xc3\x28 \xf0\x28\x8c\xbc \xff</p>"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d", i)
			w.Handle(u, webtest.Body(tt.contentType, tt.body))
			p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			if string(p.Body) != tt.body || p.Header.Get("Content-Type") != tt.contentType || p.Truncated {
				t.Errorf("got %q of %q", p.Body, p.Header.Get("Content-Type"))
			}
		})
	}
}
