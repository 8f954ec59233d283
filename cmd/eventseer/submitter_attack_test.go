package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/eventseer"
)

// A rebinder is a name server in the hands of an attacker. It answers for a name with the addresses
// given, one lookup after the other, and with the last ones ever after.
type rebinder struct {
	mu      sync.Mutex
	answers map[string][]string // each a list of addresses
	asked   map[string]int
}

func (r *rebinder) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[host]++
	all, known := r.answers[host]
	if !known {
		return []netip.Addr{webtest.PublicAddr}, nil
	}
	var addrs []netip.Addr
	for text := range strings.FieldsSeq(all[min(r.asked[host], len(all))-1]) {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// insideAddresses are ways to name what only this machine or its network reaches.
var insideAddresses = []string{
	"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0.0.0.0", "0", "10.1.2.3", "192.168.0.1", "172.16.9.9",
	"169.254.169.254", "2852039166", "100.64.0.1", "198.18.0.1", "192.0.0.8", "224.0.0.1", "255.255.255.255", "localhost", "LOCALHOST", "localhost.", "a.localhost", "①②⑦.0.0.1", "127。0。0。1", "１２７.0.0.1",
	"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::7f00:1]", "[fe80::1]", "[fe80::1%25lo]", "[fec0::1]", "[fd00::1]", "[ff02::1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::1]", "[2001:0:7f00:1::1]",
	"inside.example", "mapped.example", "many.example",
}

// Visitors name pages, name servers and redirects of theirs; nothing inside is ever
// dialled for them, whatever a name was a moment ago.
func TestSubmitReachesNothingInside(t *testing.T) {
	t.Parallel()
	const secret = "<h1>inside</h1> the key is 4711"
	web := webtest.Serve(t, map[string]string{"http://conf.example/cfp": "<p>Call for papers</p>"})
	dns := &rebinder{asked: map[string]int{}, answers: map[string][]string{
		"inside.example": {"10.0.0.1"}, "mapped.example": {"::ffff:127.0.0.1"}, "many.example": {"127.0.0.1 10.0.0.1 ::1 169.254.169.254"},
		"localhost": {"127.0.0.1"}, "localhost.": {"127.0.0.1"}, "a.localhost": {"::1"},
		"rebind.example": {"9.9.9.9", "127.0.0.1"}, "flip.example": {"9.9.9.9", "9.9.9.9", "169.254.169.254"}, "back.example": {"127.0.0.1", "9.9.9.9"},
		"mixed.example": {"127.0.0.1 9.9.9.9 10.0.0.1"},
	}}
	a := newTestApp(t)
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	a.Config.Contact, a.Config.AllowPrivate = "ops@example.org", true // the crawl may request it, visitors may not
	clock := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	a.Now = func() time.Time { // no answer of a name server is remembered
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Hour)
		return clock
	}
	o, err := visitorFetchOptions(a)
	if err != nil {
		t.Fatal(err)
	}
	o.Resolve, o.Dial = dns.Resolve, web.Dial
	read := func(address string) error {
		f, err := fetch.New(o) // no connection is kept either
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s := submitter{web: webSlicer{fetcher: f, now: a.Now}, reader: pageReader{extractor: engine.NewExtractor(a, judges.Set{}), judge: judge}}
		e, _, err := s.Read(t.Context(), address)
		if strings.Contains(fmt.Sprint(e, err), "4711") {
			t.Errorf("%s: what is inside is shown: %v, %v", address, e, err)
		}
		return err
	}
	refused := func(address string) {
		t.Helper()
		var input *eventseer.InputError
		if err := read(address); !errors.As(err, &input) || strings.Contains(input.Msg, "127.") || strings.Contains(input.Msg, "10.0") {
			t.Errorf("%s: %v; want a refusal that tells nothing of the network", address, err)
		}
	}
	for i, host := range insideAddresses {
		inside := "http://" + host + "/"
		web.Handle(inside, webtest.Body("text/html", secret))
		refused(inside)
		refused("https://" + host + ":8443/")
		from := fmt.Sprintf("http://conf.example/to/%d", i)
		for _, status := range []int{301, 307} {
			web.Handle(from, webtest.Redirect(status, inside))
			refused(from)
		}
		web.Handle(from, webtest.Redirect(302, "http://conf.example/again"+fmt.Sprint(i)))
		web.Handle("http://conf.example/again"+fmt.Sprint(i), webtest.Redirect(302, "//"+host+"/"))
		refused(from)
	}
	for host, want := range map[string]bool{"rebind.example": false, "flip.example": true, "back.example": false, "mixed.example": true} {
		page := "http://" + host + "/"
		web.Handle(page, webtest.Body("text/html", "<p>Call for papers</p>"))
		web.Handle(page+"robots.txt", webtest.Status(404, "Connection", "close")) // the page needs another lookup
		if err := read(page); (err == nil) != want {
			t.Errorf("%s: %v; want that it is read: %v", host, err, want)
		}
		if host == "rebind.example" && dns.asked[host] != 2 {
			t.Errorf("%s was looked up %d times: the attack was not made", host, dns.asked[host])
		}
	}
	refused("http://flip.example/")
	if err := read("http://conf.example/cfp"); err != nil {
		t.Errorf("a page outside: %v", err)
	}
	dialled := web.Dialled()
	for _, address := range dialled {
		if address != webtest.PublicAddr.String()+":80" {
			t.Errorf("dialled %s", address)
		}
	}
	if len(dialled) < len(insideAddresses) {
		t.Errorf("dialled %d times: the redirects were not asked for", len(dialled))
	}
}
