package hosts

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The pause after a request is the longest of all demanded pauses.
func TestHostDelayLength(t *testing.T) {
	const s = time.Second
	for name, test := range map[string]struct {
		o    Options
		h    Host
		want time.Duration
	}{
		"nobody":                 {Options{}, Host{CrawlDelay: 10 * s, Latency: s}, 0},
		"replay":                 {Options{HostDelay: 5 * s, NoWait: true}, Host{CrawlDelay: 10 * s}, 0},
		"the delay":              {Options{HostDelay: 5 * s}, Host{}, 5 * s},
		"crawl-delay":            {Options{HostDelay: 5 * s}, Host{CrawlDelay: 10 * s}, 10 * s},
		"shorter crawl-delay":    {Options{HostDelay: 5 * s}, Host{CrawlDelay: s}, 5 * s},
		"crawl-delay, cap":       {Options{HostDelay: 5 * s}, Host{CrawlDelay: time.Hour}, 5 * time.Minute},
		"crawl-delay, other cap": {Options{HostDelay: 5 * s, MaxPause: 20 * s}, Host{CrawlDelay: time.Hour}, 20 * s},
		"cap under the delay":    {Options{HostDelay: 5 * s, MaxPause: s}, Host{CrawlDelay: time.Hour}, 5 * s},
		"slow":                   {Options{HostDelay: 5 * s, DelayFactor: 10}, Host{Latency: 2 * s}, 20 * s},
		"fast":                   {Options{HostDelay: 5 * s, DelayFactor: 10}, Host{Latency: s / 10}, 5 * s},
		"very slow":              {Options{HostDelay: 5 * s, DelayFactor: 1e18}, Host{Latency: time.Hour}, 5 * time.Minute},
		"slow, no factor":        {Options{HostDelay: 5 * s}, Host{Latency: time.Hour}, 5 * s},
	} {
		if got := test.o.delayRules().delayOf(test.h); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

var (
	ok       = crawler.Outcome{Fate: crawler.Fetched, Status: 200, Took: time.Second}
	noPage   = crawler.Outcome{Fate: crawler.Fetched, Status: 404}
	unread   = crawler.Outcome{Fate: crawler.Refused, Status: 200, Reason: "not read: image/png"}
	timeout  = crawler.Outcome{Fate: crawler.TryLater, Reason: "timeout"}
	waitTurn = crawler.Outcome{Fate: crawler.Deferred}
	unasked  = crawler.Outcome{Fate: crawler.Refused, Unasked: true, Reason: "robots.txt disallows it"}
	busy     = crawler.Outcome{Fate: crawler.TryLater, Status: 503, HostFailed: true, Reason: "status 503"}
	noHost   = crawler.Outcome{Fate: crawler.Gone, HostFailed: true, Reason: "no such host"}
)

func busyUntil(t time.Time) crawler.Outcome {
	o := busy
	o.NotBefore = t
	return o
}

// A row of outcomes, each as soon as the host may be asked, and how long it
// rests after each.
func TestBackOff(t *testing.T) {
	const m, h = time.Minute, time.Hour
	delay := 5 * time.Second
	repeat := func(o crawler.Outcome, n int) (os []crawler.Outcome) {
		for range n {
			os = append(os, o)
		}
		return os
	}
	for name, test := range map[string]struct {
		outcomes []crawler.Outcome
		want     []time.Duration
	}{
		"well":                    {repeat(ok, 3), []time.Duration{delay, delay, delay}},
		"a failing page":          {[]crawler.Outcome{noPage, unread, timeout, waitTurn}, []time.Duration{delay, delay, delay, delay}},
		"doubles":                 {repeat(busy, 9), []time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 64 * m, 128 * m, 256 * m}},
		"forgotten by an answer":  {[]crawler.Outcome{busy, busy, ok, busy}, []time.Duration{m, 2 * m, delay, m}},
		"kept by what says none":  {[]crawler.Outcome{busy, timeout, waitTurn, busy}, []time.Duration{m, delay, delay, 2 * m}},
		"dead, and asked daily":   {repeat(busy, 12)[:12], []time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 64 * m, 128 * m, 256 * m, 24 * h, 24 * h, 24 * h}},
		"alive again":             {append(repeat(busy, 10), ok, busy), []time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 64 * m, 128 * m, 256 * m, 24 * h, delay, m}},
		"not there: dead sooner":  {repeat(noHost, 6), []time.Duration{m, 2 * m, 4 * m, 8 * m, 24 * h, 24 * h}},
		"an outcome with no fate": {[]crawler.Outcome{{}}, []time.Duration{delay}},
	} {
		r, host, now := Options{HostDelay: delay}.delayRules(), Host{}, noon
		for i, o := range test.outcomes {
			host = r.afterResponse(r.afterRequest(host, o, now), o, now)
			if got := host.Due.Sub(now); got != test.want[i] {
				t.Errorf("%s: after outcome %d it rests %v, want %v", name, i+1, got, test.want[i])
			}
			now = host.Due
		}
	}
}

// The delay that a server demands is kept, up to a day; a server that repeatedly demands too little is
// ignored.
func TestRetryAfter(t *testing.T) {
	delay := 5 * time.Second
	for name, test := range map[string]struct {
		failures int // before
		asks     time.Duration
		want     time.Duration
	}{
		"kept":              {0, 5 * time.Minute, 5 * time.Minute},
		"shorter than ours": {0, 20 * time.Second, 20 * time.Second},
		"longer than ours":  {3, time.Hour, time.Hour},
		"a day":             {0, 24 * time.Hour, 24 * time.Hour},
		"a year":            {0, 365 * 24 * time.Hour, 24 * time.Hour},
		"for ever":          {0, 1<<63 - 1, 24 * time.Hour},
		"past":              {0, -time.Hour, delay},
		"second time":       {1, time.Second, delay},
		"third time":        {2, time.Second, 4 * time.Minute},
	} {
		h := Host{Failures: test.failures, FirstFailure: noon, LastFailure: noon, Due: noon}
		if test.failures == 0 {
			h = Host{}
		}
		h = Options{HostDelay: delay}.delayRules().afterRequest(h, busyUntil(noon.Add(test.asks)), noon)
		if got := h.Due.Sub(noon); got != test.want || h.Dead {
			t.Errorf("%s: rests %v, want %v; %+v", name, got, test.want, h)
		}
	}
}

// A row is forgotten when the host could have been fetched for half an hour, but not while it
// rests. Only an answer revives a dead host.
func TestQuietTime(t *testing.T) {
	r := Options{HostDelay: time.Second}.delayRules()
	three := Host{Failures: 3, FirstFailure: noon.Add(-time.Hour), LastFailure: noon.Add(-time.Hour), Due: noon}
	dead := three
	dead.Failures, dead.Dead = 10, true
	for name, test := range map[string]struct {
		h     Host
		after time.Duration // since it was due
		want  int
	}{
		"at once":         {three, 0, 4},
		"within the time": {three, quietTime, 4},
		"quiet":           {three, quietTime + 1, 1},
		"dead":            {dead, 48 * time.Hour, 11},
	} {
		if got := r.afterRequest(test.h, busy, noon.Add(test.after)); got.Failures != test.want || got.Dead != test.h.Dead {
			t.Errorf("%s: %+v, want %d failures", name, got, test.want)
		}
	}
}

// Failures of requests that were outstanding together count once.
func TestFailuresTogether(t *testing.T) {
	r, h := Options{}.delayRules(), Host{}
	for i := range 5 {
		h = r.afterRequest(h, busy, noon.Add(time.Duration(i)*time.Second))
	}
	if h.Failures != 1 || !h.Due.Equal(noon.Add(64*time.Second)) {
		t.Errorf("%+v", h)
	}
}

// Ten failures within minutes are a busy server and no dead one.
func TestBusyIsNotDead(t *testing.T) {
	r, h, now := Options{HostDelay: time.Second, Backoff: time.Second}.delayRules(), Host{}, noon
	for range 11 {
		h = r.afterRequest(h, busy, now)
		now = h.Due
	}
	if h.Dead {
		t.Errorf("dead after %v: %+v", now.Sub(noon), h)
	}
	if h = r.afterRequest(h, busy, noon.Add(2*time.Hour)); !h.Dead && h.Failures > 1 {
		t.Errorf("not dead after two hours: %+v", h)
	}
}

// What is learned from a response.
func TestAfterResponse(t *testing.T) {
	r := Options{HostDelay: time.Second}.delayRules()
	o := ok
	o.Bytes, o.Addr, o.Took = 100, "192.0.2.1", 8*time.Second
	h := r.afterResponse(Host{}, o, noon)
	o.Took, o.Addr = 0, ""
	h = r.afterResponse(h, o, noon)
	want := Host{Fetched: 2, Bytes: 200, Addr: "192.0.2.1", Latency: 6 * time.Second, Asked: noon, Due: noon.Add(time.Second)}
	if h != want {
		t.Errorf("got %+v\nwant %+v", h, want)
	}
	if h = r.afterRequest(h, crawler.Outcome{Fate: crawler.Fetched, Status: 200, Pause: 3 * time.Second}, noon); h.CrawlDelay != 3*time.Second {
		t.Errorf("crawl-delay %v", h.CrawlDelay)
	}
	if h = r.afterRequest(h, timeout, noon); h.CrawlDelay != 3*time.Second {
		t.Errorf("crawl-delay forgotten by a timeout: %v", h.CrawlDelay)
	}
	if h = r.afterRequest(h, ok, noon); h.CrawlDelay != 0 {
		t.Errorf("crawl-delay kept after robots.txt asks for none: %v", h.CrawlDelay)
	}
}
