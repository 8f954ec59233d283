package replay

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// maxHosts is the maximum size of hosts.json, in bytes.
const maxHosts = 4 << 20

// hosts.json has the following keys. Its other keys are documentation and ignored. robots.txt files are
// ordinary records.
//
//	{"default": {"known_host_missing_url": {"status": 404}, "unknown_host": "dns_error"},
//	 "rules": [{"host": "a.example", "type": "soft404", "status": 200, "match": ".*", "template": "…{{RANDOM:1-9999}}…"},
//	           {"host": "b.example", "type": "calendar", "match": "/\\?y=(\\d+)&m=(\\d+)", "template": "…{{NEXT_M}}…"},
//	           {"host": "c.example", "type": "session", "match": "(.*[?&]sid=)[0-9a-f]{8}", "serve_as": "same path with sid=1a2b3c4d"}]}
//
// A rule applies only to URLs without a record. match must match the whole path with its query.
type hostsFile struct {
	Default struct {
		Missing struct {
			Status int `json:"status"`
		} `json:"known_host_missing_url"`
		Unknown string `json:"unknown_host"`
	} `json:"default"`
	Rules []ruleLine `json:"rules"`
}

type ruleLine struct {
	Host     webgraph.Host `json:"host"`
	Type     string        `json:"type"`
	Status   int           `json:"status"`
	Match    string        `json:"match"`
	Template string        `json:"template"`
	ServeAs  string        `json:"serve_as"`
}

// hostRules is a parsed hosts.json.
type hostRules struct {
	missing int // status of an unrecorded URL on a host with records
	rules   []hostRule
}

// A hostRule makes the answers for unrecorded URLs of one host.
type hostRule struct {
	host   webgraph.Host
	match  *regexp.Regexp
	answer ruleFunc
}

// A ruleFunc makes the answer for url. m are the submatches of its path and query. It returns nil if the rule
// does not apply.
type ruleFunc func(w *Web, url string, m []string) (*replayedResponse, error)

// ruleTypes has the constructors of rules by type.
var ruleTypes = []struct {
	name string
	make func(ruleLine, *regexp.Regexp) (ruleFunc, error)
}{
	{"soft404", newSoft404},
	{"calendar", newCalendar},
	{"session", newSession},
}

func readRules(path string) (*hostRules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxHosts+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxHosts {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxHosts>>20)
	}
	rs, err := parseRules(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rs, nil
}

func parseRules(data []byte) (*hostRules, error) {
	var file hostsFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	rs := &hostRules{missing: cmp.Or(file.Default.Missing.Status, http.StatusNotFound)}
	if !isStatus(rs.missing) {
		return nil, fmt.Errorf("default: %d is not an HTTP status", rs.missing)
	}
	if u := file.Default.Unknown; u != "" && u != "dns_error" {
		return nil, fmt.Errorf("default: unknown_host is %q, must be dns_error", u)
	}
	for i, line := range file.Rules {
		r, err := newRule(line)
		if err != nil {
			return nil, fmt.Errorf("rule %d (%s): %w", i+1, line.Host, err)
		}
		rs.rules = append(rs.rules, r)
	}
	return rs, nil
}

func isStatus(n int) bool { return 200 <= n && n <= 599 }

func newRule(line ruleLine) (hostRule, error) {
	line.Status = cmp.Or(line.Status, http.StatusOK)
	if !isStatus(line.Status) {
		return hostRule{}, fmt.Errorf("status %d is none", line.Status)
	}
	if line.Host == "" {
		return hostRule{}, fmt.Errorf("host is missing")
	}
	match, err := regexp.Compile(`\A(?s:` + line.Match + `)\z`)
	if err != nil {
		return hostRule{}, fmt.Errorf("match: %w", err)
	}
	var known []string
	for _, t := range ruleTypes {
		if t.name == line.Type {
			f, err := t.make(line, match)
			return hostRule{line.Host, match, f}, err
		}
		known = append(known, t.name)
	}
	return hostRule{}, fmt.Errorf("type %q is unknown; the types are %s", line.Type, strings.Join(known, ", "))
}

// respondByRule makes the answer for a URL without a record. It returns a MissError if the host is unknown.
func (rs *hostRules) respondByRule(w *Web, rawURL string) (*replayedResponse, error) {
	host := webgraph.HostOf(rawURL)
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, &MissError{rawURL, err}
	}
	target := u.RequestURI()
	for _, r := range rs.rules {
		if r.host != host {
			continue
		}
		if m := r.match.FindStringSubmatch(target); m != nil {
			if a, err := r.answer(w, rawURL, m); a != nil || err != nil {
				return a, err
			}
		}
	}
	if w.hasHost(host) {
		a := newResponse(w, rs.missing, "text/plain; charset=utf-8", "not found\n")
		a.outside = true
		return a, nil
	}
	return nil, &MissError{rawURL, &net.DNSError{Err: "no such host", Name: string(host), IsNotFound: true}}
}

// newResponse returns an answer that was not recorded. Its time is that of the newest record, so that every replay
// is the same.
func newResponse(w *Web, status int, contentType, text string) *replayedResponse {
	a := &replayedResponse{status: status, body: []byte(text), header: http.Header{
		"Content-Type":   {contentType},
		"Content-Length": {strconv.Itoa(len(text))},
	}}
	a.setDate(w.Newest())
	return a
}

const htmlType = "text/html; charset=utf-8"

// newSoft404 returns a rule for a host that answers every URL with the same page. The page's links lead to
// random URLs.
func newSoft404(line ruleLine, _ *regexp.Regexp) (ruleFunc, error) {
	t, err := parseTemplate(line.Template, false)
	return func(w *Web, url string, _ []string) (*replayedResponse, error) {
		return newResponse(w, line.Status, htmlType, t.fill(url, calendarMonth{})), nil
	}, err
}

// newCalendar returns a rule for an endless calendar. The first two groups of match are year and month.
func newCalendar(line ruleLine, match *regexp.Regexp) (ruleFunc, error) {
	if match.NumSubexp() < 2 {
		return nil, fmt.Errorf("match %q needs two groups, for year and month", line.Match)
	}
	t, err := parseTemplate(line.Template, true)
	return func(w *Web, url string, m []string) (*replayedResponse, error) {
		month, ok := parseMonth(m[1], m[2])
		if !ok {
			return nil, nil
		}
		return newResponse(w, line.Status, htmlType, t.fill(url, month)), nil
	}, err
}

var serveAs = regexp.MustCompile(`^same path with \w+=(\S+)$`)

// newSession returns a rule for a host with session ids in its URLs. Every id gets the page that was recorded
// for one id. The first group of match is the part before the id.
func newSession(line ruleLine, match *regexp.Regexp) (ruleFunc, error) {
	id := serveAs.FindStringSubmatch(line.ServeAs)
	if id == nil {
		return nil, fmt.Errorf("serve_as is %q, must be \"same path with NAME=VALUE\"", line.ServeAs)
	}
	if match.NumSubexp() < 1 {
		return nil, fmt.Errorf("match %q needs a group for the text before the session id", line.Match)
	}
	return func(w *Web, rawURL string, m []string) (*replayedResponse, error) {
		origin, ok := strings.CutSuffix(rawURL, m[0])
		if !ok {
			return nil, nil
		}
		rec, err := w.findRecord(origin + m[1] + id[1])
		if err != nil {
			return nil, nil
		}
		return w.recordedResponse(rec)
	}, nil
}

// maxYear is the last year of an endless calendar, beyond the reach of any crawl.
const maxYear = 9999

// A calendarMonth is a page of the calendar.
type calendarMonth struct{ year, month int }

func parseMonth(year, m string) (calendarMonth, bool) {
	y, err1 := strconv.Atoi(year)
	n, err2 := strconv.Atoi(m)
	return calendarMonth{y, n}, err1 == nil && err2 == nil && 1 <= y && y <= maxYear && 1 <= n && n <= 12
}

// addMonths returns the month n months later, or earlier if n is negative.
func (m calendarMonth) addMonths(n int) calendarMonth {
	total := m.year*12 + m.month - 1 + n
	return calendarMonth{total / 12, total%12 + 1}
}

// A textTemplate is text with placeholders in double braces:
//
//	RANDOM:1-9999    a random number in the range, always the same for one URL
//	Y, M             year and month of the calendar page
//	PREV_Y, PREV_M   year and month of the previous month
//	NEXT_Y, NEXT_M   year and month of the next month
//	Y+1, Y-1, …      the year with this offset
type textTemplate []func(*strings.Builder, *rand.Rand, calendarMonth)

var (
	placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
	randomRange = regexp.MustCompile(`^RANDOM:(\d{1,9})-(\d{1,9})$`)
	yearOffset  = regexp.MustCompile(`^Y([+-]\d{1,4})$`)
)

func parseTemplate(text string, calendar bool) (textTemplate, error) {
	var t textTemplate
	literal := func(s string) {
		t = append(t, func(b *strings.Builder, _ *rand.Rand, _ calendarMonth) { b.WriteString(s) })
	}
	done := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		literal(text[done:at[0]])
		done = at[1]
		value, err := parsePlaceholder(text[at[2]:at[3]], calendar)
		if err != nil {
			return nil, err
		}
		t = append(t, func(b *strings.Builder, r *rand.Rand, m calendarMonth) {
			b.WriteString(strconv.Itoa(value(r, m)))
		})
	}
	literal(text[done:])
	return t, nil
}

func parsePlaceholder(name string, calendar bool) (func(*rand.Rand, calendarMonth) int, error) {
	if r := randomRange.FindStringSubmatch(name); r != nil {
		low, _ := strconv.Atoi(r[1]) // at most nine digits, so no error
		high, _ := strconv.Atoi(r[2])
		if low > high {
			return nil, fmt.Errorf("template: {{%s}} is an empty range", name)
		}
		return func(r *rand.Rand, _ calendarMonth) int { return low + r.IntN(high-low+1) }, nil
	}
	if calendar {
		if y := yearOffset.FindStringSubmatch(name); y != nil {
			n, _ := strconv.Atoi(y[1]) // at most four digits, so no error
			return func(_ *rand.Rand, m calendarMonth) int { return m.year + n }, nil
		}
		switch name {
		case "Y":
			return func(_ *rand.Rand, m calendarMonth) int { return m.year }, nil
		case "M":
			return func(_ *rand.Rand, m calendarMonth) int { return m.month }, nil
		case "PREV_Y":
			return func(_ *rand.Rand, m calendarMonth) int { return m.addMonths(-1).year }, nil
		case "PREV_M":
			return func(_ *rand.Rand, m calendarMonth) int { return m.addMonths(-1).month }, nil
		case "NEXT_Y":
			return func(_ *rand.Rand, m calendarMonth) int { return m.addMonths(1).year }, nil
		case "NEXT_M":
			return func(_ *rand.Rand, m calendarMonth) int { return m.addMonths(1).month }, nil
		}
	}
	return nil, fmt.Errorf("template: placeholder {{%.40s}} is unknown", name)
}

// fill replaces the placeholders. Random numbers depend only on the URL.
func (t textTemplate) fill(url string, m calendarMonth) string {
	sum := sha256.Sum256([]byte(url))
	r := rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
	var b strings.Builder
	for _, part := range t {
		part(&b, r, m)
	}
	return b.String()
}
