// Package blocklist reads lists of URLs that are never fetched: hosts, domains and addresses whose
// owners have objected.
package blocklist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits of a blocklist file.
const (
	maxRules = 1_000_000
	maxLine  = webgraph.MaxURL + 256 // bytes, comment included
)

// A List is a file of URLs that are never fetched, such as the sites whose owners have objected.
// Each line is one of
//
//	conf.example          this host alone
//	.conf.example         this domain: the host and all below it
//	https://conf.example/members/     what begins with this URL, by http or https
//
// and # begins a comment. It is safe for concurrent use, and may be read again while it is in use.
type List struct {
	loading sync.Mutex // one reader of the file at a time
	rules   atomic.Pointer[Rules]
}

// Rules are the lines of one blocklist.
type Rules struct {
	Hosts   map[string]bool
	Domains map[string]bool
	// Prefixes are URL prefixes without scheme, sorted; none is a prefix of another.
	Prefixes []string
}

// Load replaces the rules by those of the file at path and returns how many
// there are. A file with an error changes nothing.
func (b *List) Load(path string) (int, error) {
	b.loading.Lock()
	defer b.loading.Unlock()
	if path == "" {
		b.rules.Store(new(Rules))
		return 0, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("blocklist: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	rules, err := Parse(f)
	if err != nil {
		return 0, fmt.Errorf("blocklist %s: %w", path, err)
	}
	b.rules.Store(rules)
	return rules.len(), nil
}

// Parse reads the lines of a blocklist; the error names the line.
func Parse(r io.Reader) (*Rules, error) {
	rules := &Rules{Hosts: map[string]bool{}, Domains: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), maxLine)
	n := 0
	for lines.Scan() {
		n++
		rule, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		if rule = strings.TrimSpace(rule); rule == "" {
			continue
		}
		if err := rules.addRule(rule); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if rules.len() > maxRules {
			return nil, fmt.Errorf("line %d: the file has more than %d rules", n, maxRules)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d bytes", n+1, maxLine)
	} else if err != nil {
		return nil, err
	}
	rules.sortPrefixes()
	return rules, nil
}

func (r *Rules) addRule(rule string) error {
	if strings.Contains(rule, "://") {
		url, err := webgraph.Canonical(rule)
		if err != nil {
			return err
		}
		r.Prefixes = append(r.Prefixes, withoutScheme(url))
		return nil
	}
	name, domain := strings.CutPrefix(rule, ".")
	host := string(webgraph.HostOf("http://" + name + "/"))
	if host == "" || strings.ContainsAny(name, "/?@ \t") {
		return fmt.Errorf("%.100q is not a host, .domain or http(s) URL", rule)
	}
	if domain {
		r.Domains[host] = true
	} else {
		r.Hosts[host] = true
	}
	return nil
}

// sortPrefixes sorts the prefixes and removes those covered by a shorter one. Then only the last prefix
// that is not after a URL can be a prefix of it.
func (r *Rules) sortPrefixes() {
	slices.Sort(r.Prefixes)
	kept := r.Prefixes[:0]
	for _, p := range r.Prefixes {
		if len(kept) == 0 || !strings.HasPrefix(p, kept[len(kept)-1]) {
			kept = append(kept, p)
		}
	}
	r.Prefixes = kept
}

func (r *Rules) len() int { return len(r.Hosts) + len(r.Domains) + len(r.Prefixes) }

func withoutScheme(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return rest
}

// forbiddingRule returns the rule that forbids url, which is canonical, "" if there is none.
func (b *List) forbiddingRule(url string) string {
	r := b.rules.Load()
	if r == nil || r.len() == 0 {
		return ""
	}
	host := string(webgraph.HostOf(url))
	if r.Hosts[host] {
		return host
	}
	for d := host; d != ""; _, d, _ = strings.Cut(d, ".") {
		if r.Domains[d] {
			return "." + d
		}
	}
	rest := withoutScheme(url)
	at, found := slices.BinarySearch(r.Prefixes, rest)
	if !found {
		at--
	}
	if at >= 0 && strings.HasPrefix(rest, r.Prefixes[at]) {
		return "//" + r.Prefixes[at]
	}
	return ""
}

// BlockedReason returns why url, which is canonical, may not be fetched, "" if it may.
// It is the crawler's Blocked.
func (b *List) BlockedReason(url string) string {
	if rule := b.forbiddingRule(url); rule != "" {
		return "blocklist: " + rule
	}
	return ""
}

// A transport refuses requests that the blocklist forbids, for pages, redirect targets and
// robots.txt alike.
type transport struct {
	list *List
	next http.RoundTripper
}

// GuardTransport returns wrap, which may be nil, around a transport that obeys the list.
func (b *List) GuardTransport(wrap func(http.RoundTripper) http.RoundTripper) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		var guarded http.RoundTripper = transport{b, next}
		if wrap != nil {
			guarded = wrap(guarded)
		}
		return guarded
	}
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	url := r.URL.String()
	if canonical, err := webgraph.Canonical(url); err == nil {
		url = canonical
	}
	if reason := t.list.BlockedReason(url); reason != "" {
		return nil, &crawler.FetchError{URL: url, Fate: crawler.Refused, Err: errors.New(reason)}
	}
	return t.next.RoundTrip(r)
}

// ReadHosts reads a list of hosts, which is written like a blocklist.
func ReadHosts(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	rules, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rules.Prefixes) > 0 {
		return nil, fmt.Errorf("%s: %q is not a host; write only the host name", path, rules.Prefixes[0])
	}
	var hosts []string
	for h := range rules.Hosts {
		hosts = append(hosts, h)
	}
	for d := range rules.Domains {
		hosts = append(hosts, "."+d)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s holds no hosts", path)
	}
	slices.Sort(hosts)
	return hosts, nil
}
