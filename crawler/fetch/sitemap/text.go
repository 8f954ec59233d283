package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"regexp"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// IsGzip reports whether a body is compressed by gzip, whatever its Content-Type.
func IsGzip(body []byte) bool { return bytes.HasPrefix(body, []byte{0x1f, 0x8b, 8}) }

// listText returns the body of a page that may be a sitemap or a feed as UTF-8. It unpacks gzip,
// even applied twice, and decodes by the byte order mark, else the charset of the Content-Type,
// else the XML declaration (RFC 7303 §3). It ends after maxSitemapBytes or at an error of the
// compression.
func listText(p *webgraph.Page) *bufio.Reader {
	body := bufio.NewReaderSize(bytes.NewReader(p.Body), listHead)
	for range 2 {
		head, _ := body.Peek(3)
		if !IsGzip(head) {
			break
		}
		z, err := gzip.NewReader(body)
		if err != nil {
			break
		}
		body = bufio.NewReaderSize(io.LimitReader(z, maxSitemapBytes), listHead)
	}
	head, _ := body.Peek(listHead)
	text := io.Reader(body)
	if decoder := listEncoding(head, p.Header.Get("Content-Type")); decoder != nil {
		text = transform.NewReader(body, decoder)
	}
	return bufio.NewReaderSize(io.LimitReader(text, maxSitemapBytes), listHead)
}

// xmlDeclared finds the encoding in an XML declaration.
var xmlDeclared = regexp.MustCompile(`^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// listEncoding returns the decoder for a body that begins with head, nil if none is needed.
func listEncoding(head []byte, contentType string) transform.Transformer {
	utf16 := func(order unicode.Endianness) transform.Transformer {
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder()
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<\x00")):
		return utf16(unicode.BigEndian)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		return utf16(unicode.LittleEndian)
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return unicode.UTF8BOM.NewDecoder()
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil && params["charset"] != "" {
		if e := byteEncoding(params["charset"]); e != nil {
			return e.NewDecoder()
		}
	}
	if m := xmlDeclared.FindSubmatch(head); m != nil {
		if e := byteEncoding(string(m[1])); e != nil {
			return e.NewDecoder()
		}
	}
	return nil
}

// byteEncoding returns the encoding of that name. It is nil for UTF-8, for an unknown name, and for
// UTF-16, in which the declaration could not have been read.
func byteEncoding(name string) encoding.Encoding {
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	switch canonical, _ := htmlindex.Name(e); canonical {
	case "utf-8", "utf-16be", "utf-16le", "replacement":
		return nil
	}
	return e
}
