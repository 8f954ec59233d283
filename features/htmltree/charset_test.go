package htmltree

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

func TestDecode(t *testing.T) {
	const pad = "<meta name=x content='0123456789'>"
	tests := []struct{ name, body, contentType, want string }{
		{"header", "caf\xe9", "text/html; charset=iso-8859-1", "café"},
		{"header beats meta", "<meta charset=utf-8><p>caf\xe9", "text/html; charset=latin1", "café"},
		{"mark beats header", "\xef\xbb\xbfcaf\u00e9", "text/html; charset=koi8-r", "café"},
		{"utf-16 by mark", "\xff\xfec\x00a\x00f\x00\xe9\x00", "text/html", "café"},
		{"meta only", "<meta charset=gb18030><p>\xbb\xe1\xd2\xe9", "text/html", "会议"},
		{"meta far down", strings.Repeat(pad, 60) + "<meta http-equiv=content-type content='text/html; charset=gb18030'><p>\xbb\xe1\xd2\xe9", "", "会议"},
		{"sniffed utf-8, late", strings.Repeat(pad, 60) + "<p>café", "", "café"},
		{"sniffed windows-1252", "\x93caf\xe9\x94", "", "“café”"},
		{"utf-8 declared latin1", "café", "text/html; charset=iso-8859-1", "café"},
		{"latin1 declared utf-8", "S\xe3o Paulo", "text/html; charset=utf-8", "São Paulo"},
		{"broken utf-8", "a\xff\xfe\xfdb", "text/html; charset=utf-8", "a\ufffdb"},
		{"cut at the end", "caf\xc3", "text/html; charset=utf-8", "caf\ufffd"},
		{"cut at the end, undeclared", "caf\u00e9 \xe4\xbc", "", "café \ufffd"},
		{"unknown name", "café", "text/html; charset=nonsense", "café"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Decode([]byte(tt.body), tt.contentType)
			if !strings.HasSuffix(got, tt.want) || strings.Contains(got, "\ufeff") {
				t.Errorf("got %q, want it to end in %q", got, tt.want)
			}
		})
	}
}

// Where the encoding is named, and where only something is that looks like it.
func TestCharsetOf(t *testing.T) {
	const high = "<p>\xb1\xe6\xea" // no UTF-8
	for _, tt := range []struct{ name, body, contentType, want string }{
		// The header.
		{"in capitals, with blanks", high, "Text/HTML ; Charset = ISO-8859-2", "iso-8859-2"},
		{"quoted", high, `text/html; charset="iso-8859-2"`, "iso-8859-2"},
		{"quote not closed", high, `text/html; charset="iso-8859-2`, "iso-8859-2"},
		{"single quotes", high, "text/html; charset='iso-8859-2'", "iso-8859-2"},
		{"given twice", high, "text/html; charset=iso-8859-2; charset=koi8-r", "iso-8859-2"},
		{"odd semicolons", high, "text/html;; charset=iso-8859-2;", "iso-8859-2"},
		{"other parameter first", high, "text/html; boundary=x; charset=iso-8859-2", "iso-8859-2"},
		{"part of another parameter", high, "text/html; xcharset=iso-8859-2", "windows-1252"},
		{"unknown, then meta", "<meta charset=iso-8859-2>" + high, "text/html; charset=klingon", "iso-8859-2"},
		{"header before meta", "<meta charset=koi8-r>" + high, "text/html; charset=iso-8859-2", "iso-8859-2"},
		{"utf-16 that is none", "<meta charset=koi8-r>" + high, "text/html; charset=utf-16", "koi8-r"},
		{"utf-16 without mark", "<\x00p\x00>\x00", "text/html; charset=utf-16", "utf-16le"},
		{"latin1 is windows-1252", high, "text/html; charset=latin1", "windows-1252"},
		{"gb2312 is gbk", high, "text/html; charset=GB2312", "gbk"},
		// Marks.
		{"mark before all", "\xef\xbb\xbf<meta charset=koi8-r>", "text/html; charset=iso-8859-2", "utf-8"},
		{"mark of utf-16, big", "\xfe\xff\x00<", "text/html; charset=utf-8", "utf-16be"},
		{"utf-16 of xml, little", "<\x00?\x00x\x00m\x00l\x00", "", "utf-16le"},
		{"utf-16 of xml, big", "\x00<\x00?\x00x\x00m\x00l", "", "utf-16be"},
		// The element.
		{"charset", "<meta charset='iso-8859-2'>" + high, "", "iso-8859-2"},
		{"charset in capitals", "<META CHARSET=ISO-8859-2>" + high, "", "iso-8859-2"},
		{"blanks around", "<meta charset=' iso-8859-2 '>" + high, "", "iso-8859-2"},
		{"slash", "<meta/charset=iso-8859-2/>" + high, "", "windows-1252"}, // the slash belongs to the value
		{"slash, quoted", "<meta/charset='iso-8859-2'/>" + high, "", "iso-8859-2"},
		{"http-equiv", "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-2'>" + high, "", "iso-8859-2"},
		{"content first", "<meta content='text/html;charset=iso-8859-2' http-equiv=content-type>" + high, "", "iso-8859-2"},
		{"blanks about the sign", "<meta http-equiv=content-type content='text/html; charset = iso-8859-2 ;x'>" + high, "", "iso-8859-2"},
		{"quotes in quotes", `<meta http-equiv="content-type" content="text/html; charset='iso-8859-2'">` + high, "", "iso-8859-2"},
		{"quote not closed in it", `<meta http-equiv="content-type" content="text/html; charset='iso-8859-2">` + high, "", "windows-1252"},
		{"no http-equiv", "<meta content='text/html; charset=iso-8859-2'>" + high, "", "windows-1252"},
		{"another http-equiv", "<meta http-equiv=refresh content='0; url=?charset=iso-8859-2'>" + high, "", "windows-1252"},
		{"the word before it", "<meta http-equiv=content-type content='charset text/html; charset=iso-8859-2'>" + high, "", "iso-8859-2"},
		{"first of two", "<meta charset=iso-8859-2><meta charset=koi8-r>" + high, "", "iso-8859-2"},
		{"first unknown", "<meta charset=klingon><meta charset=koi8-r>" + high, "", "koi8-r"},
		{"attribute twice", "<meta charset=iso-8859-2 charset=koi8-r>" + high, "", "iso-8859-2"},
		{"entity", "<meta charset=iso-8859-&#50;>" + high, "", "iso-8859-2"},
		{"utf-16 named in ascii", "<meta charset=utf-16le><p>caf\u00e9", "", "utf-8"},
		{"x-user-defined", "<meta charset=x-user-defined>" + high, "", "windows-1252"},
		{"in the body", "<body><p><meta charset=iso-8859-2>" + high, "", "iso-8859-2"},
		{"behind a long comment", "<!--" + strings.Repeat("x", 5000) + "--><meta charset=iso-8859-2>" + high, "", "iso-8859-2"},
		{"too far down", "<!--" + strings.Repeat("x", metaWindow) + "--><meta charset=iso-8859-2>" + high, "", "windows-1252"},
		// What only looks like it.
		{"in a comment", "<!-- <meta charset=iso-8859-2> -->" + high, "", "windows-1252"},
		{"in a script", "<script>w('<meta charset=iso-8859-2>')</script>" + high, "", "windows-1252"},
		{"in a style", "<style>/*<meta charset=iso-8859-2>*/</style>" + high, "", "windows-1252"},
		{"in a title", "<title><meta charset=iso-8859-2></title>" + high, "", "windows-1252"},
		{"in an attribute", "<p title='<meta charset=iso-8859-2>'>" + high, "", "windows-1252"},
		{"another element", "<metadata charset=iso-8859-2>" + high, "", "windows-1252"},
		{"an end tag", "</meta charset=iso-8859-2>" + high, "", "windows-1252"},
		{"not closed", high + "<meta charset=iso-8859-2", "", "windows-1252"},
		// XML.
		{"xml", "<?xml version='1.0' encoding='iso-8859-2'?>" + high, "", "iso-8859-2"},
		{"meta before xml", "<?xml version='1.0' encoding='koi8-r'?><meta charset=iso-8859-2>" + high, "", "iso-8859-2"},
		{"xml of utf-16 in ascii", "<?xml version='1.0' encoding='utf-16'?><p>caf\u00e9", "", "utf-8"},
		{"xml not at the beginning", " <?xml version='1.0' encoding='iso-8859-2'?>" + high, "", "windows-1252"},
		// Nothing says.
		{"utf-8", "caf\u00e9", "", "utf-8"},
		{"utf-8, cut", "caf\u00e9 \xe4\xbc", "", "utf-8"},
		{"utf-8 far down", strings.Repeat("x", 1023) + "\u00e9" + strings.Repeat("x", 5000) + "\u00e9", "", "utf-8"},
		{"utf-8 with a fault", "caf\u00e9, caf\u00e9, caf\u00e9, caf\u00e9, caf\xe9 ", "", "utf-8"},
		{"windows-1252 with an accident", "caf\u00e9, caf\xe9 ", "", "windows-1252"},
		{"windows-1252", high, "", "windows-1252"},
		{"windows-1252 far down", strings.Repeat("x", 5000) + high, "", "windows-1252"},
		{"iso-2022-jp", "\x1b$B2q5D\x1b(B", "", "iso-2022-jp"},
		{"empty", "", "", "utf-8"},
	} {
		if got := charsetOf([]byte(tt.body), tt.contentType); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := Decode([]byte("\x1b$B2q5D\x1b(B"), ""); got != "会議" {
		t.Errorf("iso-2022-jp: %q", got)
	}
}

func TestMedia(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tests := []struct {
		name, body, contentType string
		ok                      bool
	}{
		{"html", "<p>x", "text/html", true},
		{"xhtml", "<?xml version='1.0'?><html><p>x</html>", "application/xhtml+xml", true},
		{"html as bytes", "<html><p>x", "application/octet-stream", true},
		{"html as a picture", "<html><p>x", "image/png", true},
		{"picture", png, "image/png", false},
		{"picture as html", png, "text/html", false},
		{"pdf", "%PDF-1.5 ...", "application/pdf", false},
		{"zeros", strings.Repeat("\x00\x01\x02", 99), "text/html", false},
		{"one zero in html", "<html><p>a\x00b", "text/html", true},
		{"json", `{"a": 1}`, "application/json", false},
		{"empty", "", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &webgraph.Page{Body: []byte(tt.body), Header: http.Header{}}
			if tt.contentType != "" {
				p.Header.Set("Content-Type", tt.contentType)
			}
			_, _, err := ContentText(p)
			if (err == nil) != tt.ok {
				t.Errorf("error %v, want ok %v", err, tt.ok)
			}
		})
	}
}

func TestSource(t *testing.T) {
	for _, test := range []struct {
		name string
		page *webgraph.Page
		want string
	}{
		{"text", &webgraph.Page{Text: "caf\xe9", Body: []byte("x")}, "caf\ufffd"},
		{"charset of the header", &webgraph.Page{Body: []byte("caf\xe9"), Header: http.Header{"Content-Type": {"text/html; charset=latin1"}}}, "café"},
		{"byte order mark before the page's own charset", &webgraph.Page{Body: []byte("\ufeff<meta charset=latin1>café")}, "<meta charset=latin1>café"},
	} {
		if got := SourceText(test.page); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
