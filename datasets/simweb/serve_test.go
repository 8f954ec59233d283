package simweb

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// serve starts the web and returns a client that knows only its hosts and
// follows no redirects.
func serve(t *testing.T, w *Web) *http.Client {
	t.Helper()
	s, err := w.Start()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: s.Dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(body)
}

func TestServeAllPages(t *testing.T) {
	w := web(3)
	c := serve(t, w)
	var wg sync.WaitGroup
	work := make(chan *page)
	for range 8 {
		wg.Go(func() {
			for p := range work {
				resp, body := get(t, c, p.url())
				if resp.StatusCode != 200 || body != string(p.body) || resp.Header.Get("Content-Type") != p.contentType() {
					t.Errorf("%s: status %d, %d bytes of %s", p.url(), resp.StatusCode, len(body), resp.Header.Get("Content-Type"))
				}
			}
		})
	}
	for _, p := range w.pages {
		work <- p
	}
	close(work)
	wg.Wait()
}

func TestManners(t *testing.T) {
	w := web(1)
	c := serve(t, w)
	robots, moved := 0, 0
	for _, p := range w.pages {
		s := p.site
		if p != s.order[0] {
			continue
		}
		host := "http://" + s.host
		resp, body := get(t, c, host+"/robots.txt")
		if s.robots != "" {
			robots++
			if resp.StatusCode != 200 || body != s.robots {
				t.Errorf("%s/robots.txt: status %d, %q", host, resp.StatusCode, body)
			}
		} else if resp.StatusCode != 404 {
			t.Errorf("%s/robots.txt: status %d, want 404", host, resp.StatusCode)
		}
		want := 404
		if s.soft404 {
			want = 200
		}
		if resp, _ := get(t, c, host+"/no/such/page.html"); resp.StatusCode != want {
			t.Errorf("%s: a missing page has status %d, want %d", host, resp.StatusCode, want)
		}
		if s.calendar {
			checkCalendar(t, c, host)
		}
		for path, to := range s.moved {
			moved++
			if resp, _ := get(t, c, host+path); resp.StatusCode != 301 || resp.Header.Get("Location") != to {
				t.Errorf("%s%s: status %d to %q, want 301 to %q", host, path, resp.StatusCode, resp.Header.Get("Location"), to)
			}
		}
	}
	if robots < 3 || moved < 10 {
		t.Errorf("%d hosts with robots.txt, %d redirects", robots, moved)
	}
}

func checkCalendar(t *testing.T, c *http.Client, host string) {
	t.Helper()
	for _, month := range []string{"1066-10", "2027-02", "9999-12", "2027-02-28"} {
		resp, body := get(t, c, host+"/calendar?month="+month)
		if resp.StatusCode != 200 || strings.Count(body, "<a ") < 30 || len(body) > 4096 {
			t.Errorf("calendar of %s: status %d, %d bytes", month, resp.StatusCode, len(body))
		}
	}
	if _, body := get(t, c, host+"/calendar?month="+strings.Repeat("9", 5000)); strings.Contains(body, "<table>") {
		t.Error("the calendar has a month of 5000 digits")
	}
}

func TestDialKnowsNoOtherHost(t *testing.T) {
	w := web(1)
	s, err := w.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, addr := range []string{"www.conference.invalid:80", "127.0.0.1:80", "localhost:80"} {
		_, err := s.Dial(context.Background(), "tcp", addr)
		var dns *net.DNSError
		if !errors.As(err, &dns) || !dns.IsNotFound {
			t.Errorf("Dial(%s): got %v, want a DNS error", addr, err)
		}
	}
	for _, addr := range []string{w.pages[0].site.host + ":443", "no port"} {
		if _, err := s.Dial(context.Background(), "tcp", addr); err == nil {
			t.Errorf("Dial(%s): got a connection", addr)
		}
	}
	req, _ := http.NewRequest(http.MethodGet, "http://"+s.Addr()+"/", nil)
	req.Host = "elsewhere.example"
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a host of another web: status %d, want 421", resp.StatusCode)
	}
}

func TestMethods(t *testing.T) {
	w := web(1)
	c := serve(t, w)
	url := w.Seeds()[0]
	resp, err := c.Post(url, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", resp.StatusCode)
	}
	head, err := c.Head(url)
	if err != nil {
		t.Fatal(err)
	}
	head.Body.Close()
	if head.StatusCode != 200 || head.ContentLength <= 0 {
		t.Errorf("HEAD: status %d, length %d", head.StatusCode, head.ContentLength)
	}
}
