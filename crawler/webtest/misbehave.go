package webtest

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// A misbehaviour is a host NAME.example of a World and the handler of all its pages.
type misbehaviour struct {
	name    string
	handler http.Handler
}

func misbehaviours() []misbehaviour {
	const bomb = 100 << 20
	page := Body("text/html; charset=utf-8", "<title>Fine</title><p>A page as it should be.</p>")
	return []misbehaviour{
		{"drip", Endless("<p>drop</p>", 20*time.Millisecond)},
		{"hanging", Endless("<p>begun</p>", 0)},
		{"silent", Silent()},
		{"endless", Endless(strings.Repeat("<p>more and more</p>", 5000), time.Microsecond)},
		{"gzipbomb", lazy(func() http.Handler { return GzipBomb(bomb) })},
		{"brotlibomb", lazy(func() http.Handler { return BrotliBomb(bomb) })},
		{"zstdbomb", lazy(func() http.Handler { return ZstdBomb(bomb) })},
		{"doublebomb", Encoded("text/html", "gzip, gzip", []byte("no gzip at all"))},
		{"big", Big(50 << 20)},
		{"deep", Nested(100_000)},
		{"links", lazy(func() http.Handler { return ManyLinks(100_000, "/x/many-") })},
		{"attributes", Attributes(1 << 20)},
		{"nul", Body("text/html", strings.Repeat("<p>\x00<a href=\"/x/\x00\x01\">\x00</a>", 1000))},
		{"calendar", Calendar("/x/")},
		{"sessions", Sessions("/x/")},
		{"loop", Redirect(301, "/x/loop")},
		{"pingpong", Redirect(302, "http://pongping.example/x/")},
		{"pongping", Redirect(302, "http://pingpong.example/x/")},
		{"longchain", chain()},
		{"script", Redirect(302, "javascript:alert(1)")},
		{"file", Redirect(302, "file:///etc/passwd")},
		{"lying", Body("text/html", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00\xff", 9999))},
		{"plainlie", Body("image/png", "<p>HTML after all</p>")},
		{"notype", Body("", strings.Repeat("\x01\x02", 999))},
		{"short", Short("<p>half", 100_000)},
		{"tall", Short("<p>"+strings.Repeat("whole ", 999), 10)},
		{"negative", Raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n<p>x")},
		{"twolengths", Raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n<p>x</p>")},
		{"twotypes", Raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n<p>x</p>")},
		{"flood", HeaderFlood(5 << 20)},
		{"longline", Raw("HTTP/1.1 200 " + strings.Repeat("O", 3<<20) + "\r\n\r\n")},
		{"garbled", Raw("SSH-2.0-OpenSSH_9.9\r\n")},
		{"closing", Raw("")},
		{"dropping", Dropping(page)},
		{"unasked", Status(http.StatusNotModified)},
		{"teapot", Status(http.StatusTeapot)},
		{"upgrade", Raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")},
		{"continue", Raw(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1000))},
		{"busy", Busy(http.StatusServiceUnavailable, "1", page)},
		{"busydate", Busy(http.StatusTooManyRequests, "date", page)},
		{"busysilent", Busy(http.StatusTooManyRequests, "", page)},
		{"away", Status(http.StatusServiceUnavailable, "Retry-After", "999999999999")},
		{"broken", Status(http.StatusInternalServerError)},
	}
}

// lazy calls handler at the first request, for handlers that are costly to create.
func lazy(handler func() http.Handler) http.Handler {
	once := sync.OnceValue(handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { once().ServeHTTP(w, r) })
}

// chain redirects from /x/0 to /x/0/1, /x/0/1/1 and so on, without end.
func chain() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Path+"/1")
		w.WriteHeader(http.StatusFound)
	})
}
