package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A site is pages and files by URL; it records the requests.
type site struct {
	files map[string]string

	mu    sync.Mutex
	asked []string
}

func (s *site) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL)
	body, ok := s.files[r.URL]
	p := &webgraph.Page{URL: r.URL, Requested: r.URL, Status: http.StatusOK, Body: []byte(body), Header: http.Header{}}
	switch {
	case !ok:
		p.Status = http.StatusNotFound
	case strings.HasSuffix(r.URL, ".js"):
		p.Header.Set("Content-Type", "text/javascript")
	case strings.HasSuffix(r.URL, ".json"):
		p.Header.Set("Content-Type", "application/json")
	default:
		p.Header.Set("Content-Type", "text/html; charset=utf-8")
	}
	return p, nil
}

func (s *site) Load(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	return s.Fetch(ctx, r)
}

// count returns the number of requests for a URL.
func (s *site) count(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, asked := range s.asked {
		if asked == url {
			n++
		}
	}
	return n
}

func start(t *testing.T, s *site, o Options) *Renderer {
	t.Helper()
	o.Fetcher, o.Loader, o.NoSandbox = s, s, true // tests may run as root
	r, err := New(o)
	if errors.Is(err, ErrNoBrowser) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

const app = `<!doctype html><title>App</title><div id=root>Loading…</div><script src="/app.js"></script>`

func TestRender(t *testing.T) {
	s := &site{files: map[string]string{
		"https://conf.example/": app,
		"https://conf.example/app.js": `fetch("/data.json").then(r => r.json()).then(d => {
			document.getElementById("root").innerHTML = "<h1>" + d.title + "</h1><a href='/dates'>Dates</a>"; alert("done");
		})`,
		"https://conf.example/data.json": `{"title": "Call for Papers: Bees 2027"}`,
		"https://conf.example/plain":     `<p>Nothing to run here.</p>`,
		"https://conf.example/long":      `<p>` + strings.Repeat("Words that need no script. ", 20) + `</p><script src="/app.js"></script>`,
		"https://conf.example/empty":     app,
	}}
	r := start(t, s, Options{})
	get := func(path string) *webgraph.Page {
		t.Helper()
		p, err := r.Fetch(t.Context(), crawler.Request{URL: "https://conf.example" + path})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	home := get("/")
	if !home.Rendered || !strings.Contains(string(home.Body), "<h1>Call for Papers: Bees 2027</h1>") || home.URL != "https://conf.example/" {
		t.Errorf("rendered %v: %s", home.Rendered, home.Body)
	}
	for _, path := range []string{"/plain", "/long", "/none"} {
		if p := get(path); p.Rendered || string(p.Body) != s.files["https://conf.example"+path] {
			t.Errorf("%s was rendered: %s", path, p.Body)
		}
	}
	get("/empty")
	if n := s.count("https://conf.example/app.js"); n != 1 {
		t.Errorf("the script was loaded %d times, want it cached", n)
	}
}

// What scripts do to escape, to hang or to flood ends with the page.
func TestHostileScripts(t *testing.T) {
	var touched atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { touched.Add(1) }))
	defer private.Close()
	address := strings.TrimPrefix(private.URL, "http://")
	script := func(code string) string { return "<body><script>" + code + "</script>" }
	s := &site{files: map[string]string{
		"https://a.example/escape": script(fmt.Sprintf(`
			new WebSocket("ws://%[1]s/"); new Image().src = "http://%[1]s/image";
			navigator.sendBeacon("http://%[1]s/beacon"); new EventSource("http://%[1]s/events");
			fetch("http://%[1]s/post", {method: "POST", body: "x"}).catch(() => {});
			document.body.append("tried to escape")`, address)),
		"https://a.example/away":  script(`location.href = "https://b.example/"; document.body.append("went away")`),
		"https://a.example/flood": script(`for (let i = 0; i < 500; i++) fetch("/f" + i).catch(() => {}); document.body.append("flooded")`),
		"https://a.example/hang":  script(`for (;;) {}`),
		"https://a.example/forge": script(`
			Object.defineProperty(Element.prototype, "outerHTML", {get: () => "forged"});
			String.prototype.slice = () => "forged"; document.body.append("as it is")`),
	}}
	patient, impatient := start(t, s, Options{Requests: 10}), start(t, s, Options{Requests: 10, Timeout: 2 * time.Second})
	for _, path := range []string{"/escape", "/away", "/flood", "/hang", "/forge"} {
		r := impatient
		if path == "/escape" || path == "/forge" { // their contents are checked
			r = patient
		}
		p, err := r.Fetch(t.Context(), crawler.Request{URL: "https://a.example" + path})
		if err != nil || p.Status != http.StatusOK {
			t.Errorf("%s: %v, %v", path, p, err)
		}
		if path == "/escape" && !strings.Contains(string(p.Body), "tried to escape") {
			t.Errorf("%s: %s", path, p.Body)
		}
		if path == "/forge" && !strings.Contains(string(p.Body), "as it is</body>") {
			t.Errorf("%s: %s", path, p.Body)
		}
	}
	if n := touched.Load(); n > 0 {
		t.Errorf("a private server was asked %d times", n)
	}
	if n := s.count("https://b.example/"); n > 0 {
		t.Errorf("scripts led the browser to another page, %d times", n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.asked); n > 5+10+1 {
		t.Errorf("%d files were loaded, want at most 10 a page", n)
	}
}

// The delay between two requests to the page's host is kept, and other hosts are reserved before a request.
func TestPause(t *testing.T) {
	s := &site{files: map[string]string{
		"https://conf.example/":      `<body><script src="/a.js"></script><script src="/b.js"></script><script src="https://cdn.example/c.js"></script>`,
		"https://conf.example/a.js":  `document.body.append("a ")`,
		"https://conf.example/b.js":  `document.body.append("b ")`,
		"https://cdn.example/c.js":   `document.body.append("c ")`,
		"https://other.example/d.js": ``,
	}}
	r := start(t, s, Options{Pause: 300 * time.Millisecond})
	began := time.Now()
	p, err := r.Fetch(t.Context(), crawler.Request{URL: "https://conf.example/", Turn: func(h webgraph.Host) bool { return false }})
	if err != nil || !strings.Contains(string(p.Body), "a <script") || !strings.Contains(string(p.Body), "b <script") {
		t.Errorf("%s, %v", p.Body, err)
	}
	if took := time.Since(began); took < 600*time.Millisecond {
		t.Errorf("two files of the page's host in %v", took)
	}
	if s.count("https://cdn.example/c.js") > 0 {
		t.Error("another host was asked out of its turn")
	}
}

// A page does not wait for a tab until its lease runs out.
func TestBusyTabs(t *testing.T) {
	s := &site{files: map[string]string{"https://conf.example/": app}}
	r := start(t, s, Options{Timeout: time.Millisecond, Tabs: 1})
	r.tabs <- struct{}{}
	if p, err := r.Fetch(t.Context(), crawler.Request{URL: "https://conf.example/"}); err != nil || p.Rendered {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestNoBrowser(t *testing.T) {
	_, err := New(Options{Fetcher: &site{}, Loader: &site{}, Browser: "no-such-browser", NoSandbox: true})
	if !errors.Is(err, ErrNoBrowser) {
		t.Errorf("got %v", err)
	}
}

func TestRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for root")
	}
	if _, err := New(Options{Fetcher: &site{}, Loader: &site{}}); !errors.Is(err, ErrRoot) {
		t.Errorf("got %v", err)
	}
}

func TestCache(t *testing.T) {
	c := newFileCache()
	for i := range maxCached + 5 {
		c.put(fmt.Sprint(i), &webgraph.Page{Body: []byte("x")})
	}
	if c.get("0") != nil || c.get("10") == nil || c.used.Len() != maxCached {
		t.Errorf("%d files kept", c.used.Len())
	}
	c.put("big", &webgraph.Page{Body: make([]byte, maxCachedBytes/2)})
	if c.get("big") != nil {
		t.Error("a file too big was kept")
	}
}
