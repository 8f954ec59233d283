package webtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// Body responds with status 200 and a body. An empty contentType omits the header.
func Body(contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setType(w, contentType)
		_, _ = io.WriteString(w, body)
	})
}

// setType sets Content-Type. If it is empty, net/http is kept from guessing one.
func setType(w http.ResponseWriter, contentType string) {
	w.Header()["Content-Type"] = nil
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
}

// Encoded responds with status 200 and a body that is already in the given content encoding.
func Encoded(contentType, encoding string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setType(w, contentType)
		w.Header().Set("Content-Encoding", encoding)
		_, _ = w.Write(body)
	})
}

// Status responds with a status and headers, given as name, value, name, value.
func Status(code int, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
	})
}

// Redirect responds with a redirect status and a Location header as written.
func Redirect(code int, location string) http.Handler { return Status(code, "Location", location) }

// Big responds with an HTML page of the given size in bytes.
func Big(size int) http.Handler {
	line := []byte("<p>" + strings.Repeat("much the same again ", 50) + "</p>\n")
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for left := size; left > 0; left -= len(line) {
			if _, err := w.Write(line[:min(left, len(line))]); err != nil {
				return
			}
		}
	})
}

// GzipBomb responds with about a thousandth of size bytes, which decompress to at least size bytes of HTML.
// Each gzip member has one mebibyte.
func GzipBomb(size int) http.Handler {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, _ = io.WriteString(z, "<!doctype html>")
	_, _ = z.Write(bytes.Repeat([]byte(" "), 1<<20))
	_ = z.Close()
	return Encoded("text/html", "gzip", bytes.Repeat(member.Bytes(), size>>20+1))
}

// Nested responds with HTML elements nested to the given depth.
func Nested(depth int) http.Handler {
	return Body("text/html", strings.Repeat("<div>", depth)+"deep"+strings.Repeat("</div>", depth))
}

// Endless begins a response and never ends it. It sends chunk every interval, or once and then nothing if
// interval is 0, until the client disconnects.
func Endless(chunk string, interval time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusOK)
		for {
			_, _ = io.WriteString(w, chunk)
			_ = http.NewResponseController(w).Flush()
			if interval == 0 {
				<-r.Context().Done()
				return
			}
			select {
			case <-time.After(interval):
			case <-r.Context().Done():
				return
			}
		}
	})
}

// Silent accepts the request and does not respond until the client disconnects.
func Silent() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// Raw sends the given bytes instead of an HTTP response and closes the connection.
func Raw(answer string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = buffered.WriteString(answer)
		_ = buffered.Flush()
	})
}

// Short announces more bytes of HTML than it sends and closes the connection.
func Short(body string, promised int) http.Handler {
	return Raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(promised) + "\r\n\r\n" + body)
}

// HeaderFlood responds with the given number of bytes of headers.
func HeaderFlood(size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		value := strings.Repeat("x", 1000)
		for i := 0; i*len(value) < size; i++ {
			w.Header().Add("X-Flood-"+strconv.Itoa(i), value)
		}
		_, _ = io.WriteString(w, "<p>behind the flood</p>")
	})
}
