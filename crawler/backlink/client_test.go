package backlink_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

const (
	secret = "s3cr3t-k3y/+0123"
	target = "https://conf.org/2027/cfp"
)

// now is the clock of these tests.
func now() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// A service is a client with the fake it talks to.
type service struct {
	name  string
	scope backlink.Scope // one that it answers
	open  func(t *testing.T, o backlinktest.Options) (backlink.Provider, *backlinktest.Server)
}

func clientOptions(s *backlinktest.Server) backlink.ClientOptions {
	return backlink.ClientOptions{HTTP: s.Client(), Now: now}
}

var services = []service{
	{"mediawiki", backlink.Page, func(t *testing.T, o backlinktest.Options) (backlink.Provider, *backlinktest.Server) {
		s := backlinktest.NewMediaWiki(t, o)
		p, err := backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: clientOptions(s), API: s.URL})
		return must(t, p, err), s
	}},
	{"marginalia", backlink.Host, func(t *testing.T, o backlinktest.Options) (backlink.Provider, *backlinktest.Server) {
		s := backlinktest.NewMarginalia(t, o)
		p, err := backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: clientOptions(s), API: s.URL, Key: secret})
		return must(t, p, err), s
	}},
	{"moz", backlink.Page, func(t *testing.T, o backlinktest.Options) (backlink.Provider, *backlinktest.Server) {
		s := backlinktest.NewMoz(t, o)
		p, err := backlink.NewMoz(backlink.MozOptions{ClientOptions: clientOptions(s), API: s.URL, Token: secret})
		return must(t, p, err), s
	}},
	{"searx", backlink.Page, func(t *testing.T, o backlinktest.Options) (backlink.Provider, *backlinktest.Server) {
		s := backlinktest.NewSearX(t, o)
		p, err := backlink.NewSearX(backlink.SearXOptions{ClientOptions: clientOptions(s), API: s.URL})
		return must(t, p, err), s
	}},
}

func must[P backlink.Provider](t *testing.T, p P, err error) backlink.Provider {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func forAll(t *testing.T, o backlinktest.Options, f func(*testing.T, backlink.Provider, *backlinktest.Server, backlink.Query)) {
	for _, s := range services {
		t.Run(s.name, func(t *testing.T) {
			p, server := s.open(t, o)
			f(t, p, server, backlink.Query{Target: target, Scope: s.scope, Limit: 5})
		})
	}
}

// linksTo returns n links to the target, the titles of their pages in order.
func linksTo(n int) (links []webgraph.Link) {
	for i := range n {
		links = append(links, webgraph.Link{
			Source: "https://list" + string(rune('a'+i)) + ".net/", Target: target, Anchor: "Conf", Context: "List " + string(rune('A'+i)),
		})
	}
	return links
}

func troubleOf(t *testing.T, err error) *backlink.ProviderError {
	t.Helper()
	var p *backlink.ProviderError
	if !errors.As(err, &p) {
		t.Fatalf("error %v is no ProviderError", err)
	}
	return p
}

// Responses that a service may give instead of rows, and their classification.
func TestFailures(t *testing.T) {
	tests := []struct {
		name    string
		fault   backlinktest.Fault
		trouble backlink.Trouble
		after   time.Duration
		says    string
	}{
		{"too many", backlinktest.Status(429, "7", "slow down"), backlink.Busy, 7 * time.Second, "slow down"},
		{"busy till a date", backlinktest.Status(503, "Sat, 21 Nov 2026 12:10:00 GMT", ""), backlink.Busy, 10 * time.Minute, "503"},
		{"busy for a year", backlinktest.Status(503, "99999999999999", ""), backlink.Busy, 24 * time.Hour, "503"},
		{"busy till yesterday", backlinktest.Status(503, "Fri, 20 Nov 2026 12:10:00 GMT", ""), backlink.Busy, 0, "503"},
		{"bad gateway", backlinktest.Status(502, "", "<html>oops"), backlink.Busy, 0, "502"},
		{"broken", backlinktest.Status(500, "5", ""), backlink.Unreachable, 0, "500"},
		{"gone", backlinktest.Status(410, "", ""), backlink.Unreachable, 0, "410"},
		{"dead key", backlinktest.Status(401, "", `{"message":"bad key"}`), backlink.KeyRefused, 0, "bad key"},
		{"forbidden", backlinktest.Status(403, "", ""), backlink.KeyRefused, 0, "403"},
		{"to be paid", backlinktest.Status(402, "", ""), backlink.QuotaSpent, 0, "402"},
		{"quota", backlinktest.Status(429, "60", "Monthly quota exceeded"), backlink.QuotaSpent, 0, "quota"},
		{"page", backlinktest.HTML(), backlink.Nonsense, 0, `"<!doctype html> <title>Sign in</title>`},
		{"no JSON", backlinktest.JSON("rows: none"), backlink.Nonsense, 0, `"rows: none"`},
		{"other JSON", backlinktest.JSON(`[1,2]`), backlink.Nonsense, 0, `"[1,2]"`},
		{"rows that are no list", backlinktest.JSON(`{"results":{},"query":{"exturlusage":5,"general":5},"result":{"links":"x"}}`), backlink.Nonsense, 0, ""},
		{"nothing", backlinktest.JSON(``), backlink.Nonsense, 0, ""},
		{"cut", backlinktest.JSON(`{"results":[`), backlink.Nonsense, 0, ""},
		{"broken off", backlinktest.Broken(), backlink.Unreachable, 0, "EOF"},
		{"elsewhere", backlinktest.Redirect("https://other.example/"), backlink.Unreachable, 0, "https://other.example/"},
		{"echo of the key", backlinktest.Echo(400), backlink.Unreachable, 0, "400"},
		{"echo of the key, refused", backlinktest.Echo(403), backlink.KeyRefused, 0, "403"},
		{"long", backlinktest.JSON(strings.Repeat(" ", 9<<20)), backlink.Nonsense, 0, "8 MB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			forAll(t, backlinktest.Options{Links: linksTo(1)}, func(t *testing.T, p backlink.Provider, s *backlinktest.Server, q backlink.Query) {
				s.Always(tt.fault)
				a, err := p.Backlinks(t.Context(), q)
				e := troubleOf(t, err)
				var after time.Duration
				if !e.After.IsZero() {
					after = e.After.Sub(now())
				}
				if e.Trouble != tt.trouble || after != tt.after || e.Provider != p.Name() {
					t.Errorf("%s of %s, again after %v; want %s after %v (%v)", e.Trouble, e.Provider, after, tt.trouble, tt.after, err)
				}
				if len(a.Links) > 0 || a.Calls != 1 || s.Calls() != 1 {
					t.Errorf("%d links, %d calls, %d seen by the service", len(a.Links), a.Calls, s.Calls())
				}
				if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "s3cr3t") || len(err.Error()) > 400 {
					t.Errorf("error %q should say %q and no key", err, tt.says)
				}
			})
		})
	}
}

// A password in the address is sent and never shown.
func TestPassword(t *testing.T) {
	s := backlinktest.NewSearX(t, backlinktest.Options{Links: linksTo(1)})
	p, err := backlink.NewSearX(backlink.SearXOptions{ClientOptions: clientOptions(s), API: strings.Replace(s.URL, "://", "://me:"+"s3cr3t@", 1)})
	if err != nil {
		t.Fatal(err)
	}
	q := backlink.Query{Target: target, Scope: backlink.Page, Limit: 5}
	ask(t, p, q)
	if user, password, _ := s.Requests()[0].BasicAuth(); user != "me" || password != "s3cr3t" {
		t.Errorf("user %q, password %q", user, password)
	}
	s.Always(backlinktest.Echo(400))
	if _, err := p.Backlinks(t.Context(), q); strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "bWU6") {
		t.Error(err)
	}
	s.Close()
	if _, err := p.Backlinks(t.Context(), q); strings.Contains(err.Error(), "s3cr3t") {
		t.Error(err)
	}
}

func TestSlowService(t *testing.T) {
	forAll(t, backlinktest.Options{}, func(t *testing.T, p backlink.Provider, s *backlinktest.Server, q backlink.Query) {
		s.Always(backlinktest.Slow(time.Minute))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := p.Backlinks(ctx, q)
		if e := troubleOf(t, err); e.Trouble != backlink.Unreachable || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestUnreachableService(t *testing.T) {
	forAll(t, backlinktest.Options{}, func(t *testing.T, p backlink.Provider, s *backlinktest.Server, q backlink.Query) {
		s.Close()
		_, err := p.Backlinks(t.Context(), q)
		if e := troubleOf(t, err); e.Trouble != backlink.Unreachable {
			t.Errorf("%v", err)
		}
	})
}

// Rows that are malformed or of another URL are left out and counted, and never more rows are returned than
// requested.
func TestBadRows(t *testing.T) {
	o := backlinktest.Options{Links: linksTo(3), Malformed: 20, Foreign: 4}
	forAll(t, o, func(t *testing.T, p backlink.Provider, _ *backlinktest.Server, q backlink.Query) {
		q.Limit = 50
		a, err := p.Backlinks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		foreign := 0
		for _, l := range a.Links {
			if strings.Contains(l.Source, "foreign") {
				foreign++ // a search does not show what a page links to
			}
		}
		if got := len(a.Links) - foreign; got != 3 || a.Dropped != 20+4-foreign {
			t.Errorf("%d links and %d foreign ones, %d dropped", got, foreign, a.Dropped)
		}
	})
}

func TestFlood(t *testing.T) {
	o := backlinktest.Options{Links: linksTo(3), Flood: 1_000_000}
	forAll(t, o, func(t *testing.T, p backlink.Provider, _ *backlinktest.Server, q backlink.Query) {
		q.Limit = backlink.MaxLimit
		start := time.Now()
		a, err := p.Backlinks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Links) == 0 || len(a.Links) > backlink.MaxLimit || a.Dropped < 10_000 {
			t.Errorf("%d links, %d dropped", len(a.Links), a.Dropped)
		}
		t.Logf("%d links, %d dropped, %v", len(a.Links), a.Dropped, time.Since(start))
	})
}

// Paging with any limit brings every link once.
func TestPaging(t *testing.T) {
	for _, limit := range []int{1, 2, 5} {
		forAll(t, backlinktest.Options{Links: linksTo(12), PageSize: 5}, func(t *testing.T, p backlink.Provider, s *backlinktest.Server, q backlink.Query) {
			q.Limit = limit
			sources, calls := map[string]bool{}, 0
			for {
				a, err := p.Backlinks(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				calls += a.Calls
				for _, l := range a.Links {
					if sources[l.Source] {
						t.Errorf("%s came twice", l.Source)
					}
					sources[l.Source] = true
				}
				if len(a.Links) > limit || a.Dropped > 0 {
					t.Errorf("limit %d: %d links, %d dropped", limit, len(a.Links), a.Dropped)
				}
				if q.Cursor = a.Next; a.Next == "" {
					break
				}
			}
			if len(sources) != 12 || calls != s.Calls() {
				t.Errorf("limit %d: %d links in %d calls, %d seen by the service", limit, len(sources), calls, s.Calls())
			}
		})
	}
}

func TestEndlessCursors(t *testing.T) {
	forAll(t, backlinktest.Options{Links: linksTo(12), Endless: true}, func(t *testing.T, p backlink.Provider, _ *backlinktest.Server, q backlink.Query) {
		cursors := map[string]bool{}
		for range 20 {
			a, err := p.Backlinks(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if a.Next == "" || cursors[a.Next] {
				t.Fatalf("cursor %q after %v", a.Next, cursors)
			}
			cursors[a.Next], q.Cursor = true, a.Next
		}
	})
}

func TestQuestionsNobodyAnswers(t *testing.T) {
	forAll(t, backlinktest.Options{}, func(t *testing.T, p backlink.Provider, s *backlinktest.Server, good backlink.Query) {
		bad := []backlink.Query{
			{Target: "mailto:x@conf.org", Scope: good.Scope, Limit: 1},
			{Target: target, Scope: 99, Limit: 1},
		}
		if p.Name() != "moz" { // whose cursors are its own
			bad = append(bad, backlink.Query{Target: target, Scope: good.Scope, Limit: 1, Cursor: "%zz"})
		}
		for _, q := range bad {
			_, err := p.Backlinks(t.Context(), q)
			if e := troubleOf(t, err); e.Trouble != backlink.Nonsense {
				t.Errorf("%+v: %v", q, err)
			}
		}
		if p.Name() != "mediawiki" && s.Calls() > 0 {
			t.Errorf("the service was asked %d times", s.Calls())
		}
	})
}

func TestNewRefuses(t *testing.T) {
	good := backlink.ClientOptions{HTTP: http.DefaultClient}
	for name, make := range map[string]func() error{
		"no client": func() error { _, err := backlink.NewMarginalia(backlink.MarginaliaOptions{}); return err },
		"no URL": func() error {
			_, err := backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: good})
			return err
		},
		"other URL": func() error {
			_, err := backlink.NewSearX(backlink.SearXOptions{ClientOptions: good, API: "ftp://" + secret})
			return err
		},
		"no token": func() error { _, err := backlink.NewMoz(backlink.MozOptions{ClientOptions: good}); return err },
		"key with newline": func() error {
			_, err := backlink.NewMoz(backlink.MozOptions{ClientOptions: good, Token: secret + "\n"})
			return err
		},
	} {
		if err := make(); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sources are those of links.
func sources(links []backlink.Backlink) (s []string) {
	for _, l := range links {
		s = append(s, l.Source)
	}
	return s
}

func ask(t *testing.T, p backlink.Provider, q backlink.Query) backlink.Answer {
	t.Helper()
	a, err := p.Backlinks(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func diff(t *testing.T, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
