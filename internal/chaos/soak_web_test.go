package chaos_test

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/webtest"
)

// A soakWeb has calls, more of them with time, and hosts that misbehave.
type soakWeb struct {
	lists     *httptest.Server // the list of calls, and pages to watch
	calls     []string         // URLs, each on a separate host: similar calls of one host may be merged
	words     []string         // one names each call
	published atomic.Int64
	hostile   []string // URLs
}

// newSoakWeb serves up to n calls, none of them published yet.
func newSoakWeb(t *testing.T, n int) *soakWeb {
	w := &soakWeb{words: inventedWords(n)}
	due := time.Now().AddDate(0, 4, 0)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /calls", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, "<title>Calls for papers</title><h1>Calls for papers</h1><ul>")
		for i := range w.published.Load() {
			fmt.Fprintf(rw, `<li><a href="%s">%s %d: call for papers</a></li>`, w.calls[i], strings.ToUpper(w.words[i]), due.Year())
		}
		fmt.Fprint(rw, "</ul>")
	})
	mux.HandleFunc("GET /cfp/{n}", func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 0 || n >= int(w.published.Load()) {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(rw, callPage(w.words[n], n, due))
	})
	mux.HandleFunc("GET /watched/{n}", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<title>News %s</title><p>News of %s", r.PathValue("n"), time.Now().Format("15:04"))
	})
	w.lists = serveAt(t, "127.0.0.2", mux)
	for i := range n {
		server := serveAt(t, fmt.Sprintf("127.1.%d.%d", i/250, 1+i%250), mux)
		w.calls = append(w.calls, fmt.Sprintf("%s/cfp/%d", server.URL, i))
	}
	const withoutRobots = 3 // hosts whose robots.txt is hostile too
	for i, h := range hostileHandlers() {
		host := http.NewServeMux()
		host.Handle("/", h)
		if i >= withoutRobots {
			host.Handle("/robots.txt", http.NotFoundHandler())
		}
		w.hostile = append(w.hostile, serveAt(t, fmt.Sprintf("127.0.0.%d", 10+i), host).URL+"/x/0")
	}
	return w
}

// serveAt runs a server at a loopback address; for a crawler each address is a separate host.
func serveAt(t *testing.T, ip string, h http.Handler) *httptest.Server {
	l, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections() // some never answer
		server.Close()
	})
	return server
}

// writeSeeds publishes n calls and writes the file of seeds.
func (w *soakWeb) writeSeeds(t *testing.T, path string, n int) {
	t.Helper()
	w.published.Store(int64(n))
	seeds := append(append([]string{}, w.hostile...), w.calls[:n]...)
	if err := os.WriteFile(path, []byte(strings.Join(seeds, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// callPage is a call for papers.
func callPage(word string, n int, due time.Time) string {
	cities := []string{"Oslo, Norway", "Lisbon, Portugal", "Kyoto, Japan", "Lima, Peru", "Nairobi, Kenya", "Ottawa, Canada"}
	name, start := strings.ToUpper(word[:1])+word[1:], due.AddDate(0, 3, n%20)
	return fmt.Sprintf(`<title>%[1]s %[2]d: call for papers</title><h1>Call for Papers</h1>
<h2>%[3]dth International Conference on %[4]s Computing (%[1]s %[2]d)</h2><p>%[5]s to %[6]s, %[7]s</p>
<p>We invite submissions of original papers on all topics of %[4]s computing, in theory and practice.</p>
<ul><li>Paper submission deadline: %[8]s</li><li>Notification of acceptance: %[9]s</li></ul>`,
		strings.ToUpper(word), start.Year(), 11+n%9, name, start.Format("January 2"), start.AddDate(0, 0, 2).Format("January 2, 2006"), cities[n%len(cities)],
		due.AddDate(0, 0, n%25).Format("January 2, 2006"), due.AddDate(0, 1, n%25).Format("January 2, 2006"))
}

// inventedWords returns n words, no two alike.
func inventedWords(n int) (words []string) {
	random, used := rand.New(rand.NewPCG(30, 2)), map[string]bool{}
	for len(words) < n {
		var b strings.Builder
		for range 4 {
			b.WriteByte("bcdfgklmnprtvz"[random.IntN(14)])
			b.WriteByte("aeiou"[random.IntN(5)])
		}
		if word := b.String(); !used[word] {
			used[word] = true
			words = append(words, word)
		}
	}
	return words
}

// hostileHandlers are hosts that hang, flood, lie and never end.
func hostileHandlers() []http.Handler {
	page := webtest.Body("text/html; charset=utf-8", "<title>Fine</title><p>A page as it should be.</p>")
	return []http.Handler{
		webtest.Endless("<p>drop</p>", 20*time.Millisecond), webtest.Endless("<p>begun</p>", 0), webtest.Silent(),
		webtest.Endless(strings.Repeat("<p>more and more</p>", 5000), time.Millisecond),
		webtest.GzipBomb(100 << 20), webtest.ZstdBomb(100 << 20), webtest.BrotliBomb(100 << 20), webtest.Big(50 << 20),
		webtest.Nested(100_000), webtest.ManyLinks(20_000, "/x/many-"), webtest.Attributes(1 << 20), webtest.Calendar("/x/"), webtest.Sessions("/x/"),
		webtest.Redirect(http.StatusMovedPermanently, "/x/loop"), webtest.Short("<p>half", 100_000), webtest.HeaderFlood(5 << 20),
		webtest.Raw("SSH-2.0-OpenSSH_9.9\r\n"), webtest.Raw(""), webtest.Dropping(page), webtest.Busy(http.StatusServiceUnavailable, "1", page),
		webtest.Body("text/html", strings.Repeat("<p>\x00<a href=\"/x/\x00\x01\">\x00</a>", 1000)),
	}
}

// States of a flappingProxy.
const (
	passes  = iota
	refuses // closes connections, open ones too
	stalls  // accepts connections and passes nothing on
)

// A flappingProxy is a TCP proxy that can refuse and stall.
type flappingProxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex // guards below
	state int
	open  map[net.Conn]bool
}

func newFlappingProxy(t *testing.T, target string) *flappingProxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &flappingProxy{listener: l, target: target, open: map[net.Conn]bool{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(conn)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		p.set(refuses)
	})
	return p
}

func (p *flappingProxy) addr() string { return p.listener.Addr().String() }

// set changes the state. Connections of another state are closed.
func (p *flappingProxy) set(state int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == state {
		return
	}
	p.state = state
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

// add notes an open connection, and returns false if it is to be closed.
func (p *flappingProxy) add(conn net.Conn) (state int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == refuses {
		return p.state, false
	}
	p.open[conn] = true
	return p.state, true
}

// pass passes the bytes of one connection in both directions.
func (p *flappingProxy) pass(conn net.Conn) {
	done := func(c net.Conn) {
		_ = c.Close()
		p.mu.Lock()
		delete(p.open, c)
		p.mu.Unlock()
	}
	defer done(conn)
	state, ok := p.add(conn)
	if !ok {
		return
	}
	if state == stalls {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	to, err := net.DialTimeout("tcp", p.target, 5*time.Second)
	if err != nil {
		return
	}
	defer done(to)
	if _, ok := p.add(to); !ok {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(to, conn)
		_ = to.Close()
		_ = conn.Close()
	}()
	_, _ = io.Copy(conn, to)
	_ = conn.Close()
	_ = to.Close()
	<-ended
}

// TestFlappingProxy checks the proxy itself: it passes connections, closes open ones, and passes them again.
func TestFlappingProxy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(webtest.Body("text/plain", "answer"))
	defer server.Close()
	p := newFlappingProxy(t, strings.TrimPrefix(server.URL, "http://"))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func() string {
		resp, err := client.Get("http://" + p.addr())
		if err != nil {
			return "failed"
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	for _, step := range []struct {
		state int
		want  string
	}{{passes, "answer"}, {refuses, "failed"}, {passes, "answer"}} {
		if p.set(step.state); get() != step.want {
			t.Errorf("in state %d the answer is not %q", step.state, step.want)
		}
	}
	p.set(stalls)
	answered := make(chan string)
	go func() { answered <- get() }()
	for { // until it is there
		p.mu.Lock()
		n := len(p.open)
		p.mu.Unlock()
		if n > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	p.set(passes)
	if got := <-answered; got != "failed" {
		t.Errorf("a connection that stalled answers %q after that", got)
	}
}
