package blocklist

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
)

func TestBlocklist(t *testing.T) {
	rules, err := Parse(strings.NewReader("\ufeff# who has said no\n" +
		"quiet.example  # by mail\n\n.Private.Example\n" +
		"https://conf.example/members/\nhttp://conf.example/members/old/\nhttps://conf.example/a\nhttp://port.example:8080/\n" +
		"bücher.example\n192.0.2.7\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := new(List)
	list.rules.Store(rules)
	for url, want := range map[string]string{
		"https://quiet.example/cfp":                     "quiet.example",
		"http://quiet.example:8080/":                    "quiet.example",
		"https://www.quiet.example/":                    "",
		"https://private.example/":                      ".private.example",
		"https://a.b.private.example/x?y=1":             ".private.example",
		"https://notprivate.example/":                   "",
		"http://conf.example/members/":                  "//conf.example/members/",
		"https://conf.example/members/old/2026":         "//conf.example/members/",
		"https://conf.example/members":                  "",
		"https://conf.example/abc":                      "//conf.example/a",
		"https://conf.example/b":                        "",
		"http://port.example:8080/x":                    "//port.example:8080/",
		"http://port.example/x":                         "",
		"https://xn--bcher-kva.example/cfp":             "xn--bcher-kva.example",
		"http://192.0.2.7/":                             "192.0.2.7",
		"https://zzz.example/":                          "",
		"https://conf.example.evil.example/a":           "",
		"https://a.example/?u=https://private.example/": "",
	} {
		if got := list.forbiddingRule(url); got != want {
			t.Errorf("blocked(%s) = %q, want %q", url, got, want)
		}
	}
	if got := list.BlockedReason("https://quiet.example/"); got != "blocklist: quiet.example" {
		t.Errorf("Blocked says %q", got)
	}
}

func TestBlocklistRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a.example\nb example\n": "line 2",
		"/members/\n":            "line 1",
		"ftp://a.example/\n":     "line 1",
		"you@a.example\n":        "line 1",
		".\n":                    "line 1",
		"a.example\n" + strings.Repeat("b", 2*maxLine): "line 2 is longer",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one that says %q", text, err, want)
		}
	}
}

// TestBlocklistReload: a file that has become wrong changes nothing.
func TestBlocklistReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "block.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.example")
	list := new(List)
	if n, err := list.Load(path); err != nil || n != 1 {
		t.Fatalf("load says %d, %v; want one rule", n, err)
	}
	write("b.example\nc.example")
	if n, err := list.Load(path); err != nil || n != 2 {
		t.Errorf("load says %d, %v; want 2 rules", n, err)
	}
	write("what is this")
	if _, err := list.Load(path); err == nil {
		t.Error("a wrong file is taken up")
	}
	if list.forbiddingRule("http://a.example/") != "" || list.forbiddingRule("http://b.example/") == "" {
		t.Error("the rules are not those of the last good file")
	}
	if _, err := list.Load(path + ".absent"); err == nil {
		t.Error("a missing file is an empty list")
	}
}

func FuzzBlocklist(f *testing.F) {
	f.Add("a.example\n.b.example\nhttps://c.example/x", "https://c.example/xy")
	f.Fuzz(func(t *testing.T, text, url string) {
		rules, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		list := new(List)
		list.rules.Store(rules)
		rule := list.forbiddingRule(url)
		if prefix, ok := strings.CutPrefix(rule, "//"); ok && !strings.HasPrefix(withoutScheme(url), prefix) {
			t.Errorf("%q is blocked by %q", url, rule)
		}
	})
}

// TestBlockedRedirect: a redirect does not lead to a site that is blocked.
func TestBlockedRedirect(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "quiet.example" {
			t.Errorf("%s is asked for", r.URL)
		}
		http.Redirect(w, r, "http://quiet.example"+r.URL.Path, http.StatusFound)
	}))
	defer site.Close()
	list := new(List)
	rules, err := Parse(strings.NewReader("quiet.example"))
	if err != nil {
		t.Fatal(err)
	}
	list.rules.Store(rules)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, site.Listener.Addr().String())
	}
	f, err := fetch.New(fetch.Options{Dial: dial, Wrap: list.GuardTransport(nil), Contact: "me@site.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"http://open.example/", "http://quiet.example/"} {
		_, err = f.Fetch(t.Context(), crawler.Request{URL: url})
		var fe *crawler.FetchError
		if !errors.As(err, &fe) || fe.Fate != crawler.Refused || fe.HostFailed {
			t.Errorf("%s: %v, want it refused", url, err)
		}
	}
}
