package webtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// BrotliBomb responds with a body that decompresses to HTML of the given size in bytes.
func BrotliBomb(size int) http.Handler {
	var b bytes.Buffer
	z := brotli.NewWriterLevel(&b, brotli.BestSpeed)
	fill(z, size)
	return Encoded("text/html", "br", b.Bytes())
}

// ZstdBomb responds with a body that decompresses to HTML of the given size in bytes.
func ZstdBomb(size int) http.Handler {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		panic(err) // without options there is no error
	}
	fill(z, size)
	return Encoded("text/html", "zstd", b.Bytes())
}

// fill writes the given number of bytes of blank HTML.
func fill(w io.WriteCloser, size int) {
	blank := bytes.Repeat([]byte(" "), 1<<20)
	_, _ = io.WriteString(w, "<!doctype html>")
	for left := size; left > 0; left -= len(blank) {
		_, _ = w.Write(blank[:min(left, len(blank))])
	}
	_ = w.Close()
}

// ManyLinks responds with a page of n links. Their addresses are prefix and a number.
func ManyLinks(n int, prefix string) http.Handler {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=\"%s%d\">link %d</a>\n", prefix, i, i)
	}
	return Body("text/html", b.String())
}

// Calendar responds with endless pages below dir. Each links to the next month, to itself one directory
// deeper, and to itself with a longer query.
func Calendar(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		month, _ := strconv.Atoi(strings.TrimLeft(r.URL.Query().Get("month"), "0"))
		setType(w, "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>Month %d</title><p>Nothing on in month %d of %s.</p>", month, month, r.URL.Path)
		fmt.Fprintf(w, "<a href=\"%s?month=%d\">next month</a>", dir, month+1)
		fmt.Fprintf(w, "<a href=\"%smonth/?month=%d\">more</a>", strings.TrimSuffix(r.URL.Path, "/")+"/", month)
		fmt.Fprintf(w, "<a href=\"%s&amp;view%d=1\">view</a>", r.URL.RequestURI(), month)
	})
}

// Sessions responds with pages whose links contain new session ids in every response.
func Sessions(dir string) http.Handler {
	var last atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setType(w, "text/html; charset=utf-8")
		id := last.Add(1) * 7919
		fmt.Fprintf(w, "<title>Shop</title><p>The one page of a shop.</p><a href=\"%spage?PHPSESSID=%032x\">a</a><a href=\"%spage;jsessionid=%032X\">b</a>"+
			"<a href=\"%spage?visit=%032x\">c</a><a href=\"%spage?s=%d\">d</a>", dir, id, dir, id+1, dir, id+2, dir, id)
	})
}

// Wildcard responds for every host name below domain with links to further names.
func Wildcard(domain string, links int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setType(w, "text/html; charset=utf-8")
		own, _, _ := strings.Cut(r.Host, ".")
		n, _ := strconv.Atoi(strings.TrimPrefix(own, "w"))
		fmt.Fprintf(w, "<title>Offers of %s</title><p>This is %s and no other.</p>", own, own)
		for i := range links {
			fmt.Fprintf(w, "<a href=\"http://w%d.%s/\">offer</a>\n", n*links+i+1, domain)
		}
	})
}

// BusyFirst responds to the first request with status and Retry-After, and to the others by next.
func BusyFirst(status int, after string, next http.Handler) http.Handler {
	var asked atomic.Bool
	busy := Status(status, "Retry-After", after)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Swap(true) {
			next.ServeHTTP(w, r)
			return
		}
		busy.ServeHTTP(w, r)
	})
}

// Busy responds with status to every third request, and by next to the others. It sends Retry-After if after
// is not empty; "date" means the time two seconds later.
func Busy(status int, after string, next http.Handler) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%3 != 0 {
			next.ServeHTTP(w, r)
			return
		}
		switch after {
		case "":
		case "date":
			w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		default:
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	})
}

// Dropping responds to odd requests by next. It closes the connection after it has read an even one.
func Dropping(next http.Handler) http.Handler {
	var n atomic.Int64
	closing := Raw("")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1)%2 == 1 {
			next.ServeHTTP(w, r)
			return
		}
		closing.ServeHTTP(w, r)
	})
}

// Attributes responds with an element that has the given number of bytes of attributes.
func Attributes(size int) http.Handler {
	var b strings.Builder
	b.WriteString("<p ")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "data-a%d=\"%d\" ", i, i)
	}
	b.WriteString(">attributes</p>")
	return Body("text/html", b.String())
}
