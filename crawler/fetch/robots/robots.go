// Package robots parses robots.txt files (RFC 9309) and evaluates their rules.
package robots

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits on the cost of a robots.txt.
const (
	MaxSize         = 500 << 10        // bytes that are read; RFC 9309 §2.5 requires at least this
	maxRobotsLine   = 8*2083 - 1       // bytes of a line that are used, as in Google's parser
	maxCrawlDelay   = 24 * time.Hour   // longer delays are reduced to this
	crawlDelayUnset = -1 * time.Second // no Crawl-delay line
	maxSitemaps     = 100              // Sitemap lines that count
)

// File is a parsed robots.txt. It is read-only and safe for concurrent use.
type File struct {
	strict   bool
	groups   []group
	sitemaps []string // as written
}

// A group is a run of User-agent lines and the rules that follow it.
type group struct {
	agents []agent
	rules  []Rule
}

type agent struct {
	name  string // product token, "*" for all crawlers
	word  string // as written, up to a space or version: the name, if it is not a product token
	delay time.Duration
}

// A Rule is one Allow or Disallow line. The zero Rule means that no rule matches, which allows.
type Rule struct {
	Allow   bool
	Pattern string // as written
	Line    int    // line number from 1; 0 in the zero Rule

	literal string // Pattern with non-ASCII bytes percent-encoded
	decoded string // the same with encoded unreserved characters decoded
}

// String returns the rule as it would be in a file, and its line.
func (r Rule) String() string {
	switch {
	case r.Line == 0:
		return "no rule"
	case r.Allow:
		return fmt.Sprintf("allow: %s (line %d)", r.Pattern, r.Line)
	}
	return fmt.Sprintf("disallow: %s (line %d)", r.Pattern, r.Line)
}

// Parse parses a robots.txt as Google's parser does. Beyond RFC 9309 it reads misspelt or
// colon-less directives and an Allow for index.html that applies to its directory, and does not
// decode percent-encoded rules. If that last point and the RFC disagree, the stricter one decides.
// It reads the first 500 KiB and never fails: invalid lines are skipped.
func Parse(body []byte) *File { return parseRobots(body, false) }

// ParseStrict parses a robots.txt strictly by RFC 9309.
func ParseStrict(body []byte) *File { return parseRobots(body, true) }

func parseRobots(body []byte, strict bool) *File {
	p := robotsParser{robots: &File{strict: strict}}
	body = plainUTF8(cutRobots(body))
	for line := 1; len(body) > 0; line++ {
		var text []byte
		text, body = cutLine(body)
		if !strict && len(text) > maxRobotsLine {
			text = text[:maxRobotsLine]
		}
		p.parseLine(line, string(text))
	}
	return p.robots
}

// cutRobots returns at most MaxSize bytes of body, without an incomplete last line.
func cutRobots(body []byte) []byte {
	if len(body) <= MaxSize {
		return body
	}
	body = body[:MaxSize]
	return body[:bytes.LastIndexAny(body, "\r\n")+1]
}

// plainUTF8 removes a byte order mark, even an incomplete one, and decodes UTF-16.
func plainUTF8(body []byte) []byte {
	switch {
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return decodeUTF16(body[2:], 1)
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return decodeUTF16(body[2:], 0)
	}
	for _, b := range []byte("\xef\xbb\xbf") {
		if len(body) == 0 || body[0] != b {
			break
		}
		body = body[1:]
	}
	return body
}

// decodeUTF16 decodes pairs of bytes whose lower half is at index low.
func decodeUTF16(body []byte, low int) []byte {
	units := make([]uint16, 0, len(body)/2)
	for i := 0; i+1 < len(body); i += 2 {
		units = append(units, uint16(body[i+low])|uint16(body[i+1-low])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// cutLine splits off the first line, which ends at LF, CR or CR LF.
func cutLine(body []byte) (line, rest []byte) {
	i := bytes.IndexAny(body, "\r\n")
	if i < 0 {
		return body, nil
	}
	line, rest = body[:i], body[i+1:]
	if body[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return line, rest
}

// A robotsParser adds line after line to robots.
type robotsParser struct {
	robots *File
	ruled  bool // the current group has rules, so a User-agent line begins another
	paced  bool // the last agents have a Crawl-delay, so it does not apply to the next ones
	others int  // agents of the current group to which the next Crawl-delay does not apply
}

func (p *robotsParser) parseLine(number int, text string) {
	key, value, ok := splitDirective(text, p.robots.strict)
	if !ok {
		return
	}
	switch directiveOf(key, p.robots.strict) {
	case userAgent:
		p.addUserAgent(value)
	case allow:
		p.addRule(Rule{Allow: true, Pattern: value, Line: number})
	case disallow:
		p.addRule(Rule{Pattern: value, Line: number})
	case crawlDelay:
		p.setCrawlDelay(value)
	case sitemap:
		if r := p.robots; len(r.sitemaps) < maxSitemaps && value != "" && !slices.Contains(r.sitemaps, value) {
			r.sitemaps = append(r.sitemaps, value)
		}
	}
}

func (p *robotsParser) addUserAgent(value string) {
	if p.ruled || len(p.robots.groups) == 0 {
		p.robots.groups = append(p.robots.groups, group{})
		p.ruled, p.paced, p.others = false, false, 0
	}
	g := &p.robots.groups[len(p.robots.groups)-1]
	if p.paced {
		p.paced, p.others = false, len(g.agents)
	}
	a := agent{name: productToken(value), delay: crawlDelayUnset}
	if a.name != "*" {
		a.word = strings.TrimSuffix(value[:indexAnyOrEnd(value, " \t/")], "*")
	}
	g.agents = append(g.agents, a)
}

func (p *robotsParser) addRule(r Rule) {
	if len(p.robots.groups) == 0 {
		return // belongs to no group
	}
	p.ruled = true
	if r.Pattern == "" {
		return // "Disallow:" ends the User-agent lines and denies nothing
	}
	r.literal = escapePath(r.Pattern)
	r.decoded = decodeUnreserved(r.literal)
	g := &p.robots.groups[len(p.robots.groups)-1]
	g.rules = append(g.rules, r)
}

// setCrawlDelay sets the delay of the agents named just above. It belongs to each crawler and is not a
// rule of the group. Of several delays the longest applies.
func (p *robotsParser) setCrawlDelay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 || len(p.robots.groups) == 0 {
		return
	}
	delay := maxCrawlDelay
	if seconds < maxCrawlDelay.Seconds() {
		delay = time.Duration(seconds * float64(time.Second))
	}
	p.paced = true
	agents := p.robots.groups[len(p.robots.groups)-1].agents
	for i := p.others; i < len(agents); i++ {
		agents[i].delay = max(agents[i].delay, delay)
	}
}

// splitDirective splits "key: value # comment". Google also accepts "key value" if the line has
// only two words.
func splitDirective(text string, strict bool) (key, value string, ok bool) {
	text, _, _ = strings.Cut(text, "#")
	key, value, ok = strings.Cut(text, ":")
	if !ok && !strict {
		if words := strings.Fields(text); len(words) == 2 {
			key, value, ok = words[0], words[1], true
		}
	}
	key = strings.TrimSpace(key)
	return key, strings.TrimSpace(value), ok && key != ""
}

type directive int

const (
	unknownDirective directive = iota
	userAgent
	allow
	disallow
	crawlDelay
	sitemap
)

// directiveOf returns the directive that a key names. The misspellings are those of Google's
// parser; like it, it compares only the beginning of the key.
func directiveOf(key string, strict bool) directive {
	key = strings.ToLower(key)
	switch key {
	case "user-agent":
		return userAgent
	case "allow":
		return allow
	case "disallow":
		return disallow
	case "crawl-delay":
		return crawlDelay
	case "sitemap":
		return sitemap
	}
	if strict {
		return unknownDirective
	}
	switch {
	case hasAnyPrefix(key, "user-agent", "useragent", "user agent"):
		return userAgent
	case hasAnyPrefix(key, "allow"):
		return allow
	case hasAnyPrefix(key, "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"):
		return disallow
	case hasAnyPrefix(key, "crawldelay", "crawl delay"):
		return crawlDelay
	case hasAnyPrefix(key, "sitemap", "site-map"):
		return sitemap
	}
	return unknownDirective
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// productToken returns the product token at the beginning of a User-agent value: letters, "-" and
// "_", or a single "*".
func productToken(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	i := 0
	for i < len(value) && isTokenByte(value[i]) {
		i++
	}
	return value[:i]
}

func isTokenByte(b byte) bool {
	return b == '-' || b == '_' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// ValidProduct reports whether name can be a product token, the name of a crawler in robots.txt:
// letters, "-" and "_" only (RFC 9309 §2.2.1).
func ValidProduct(name string) bool {
	return name != "" && productToken(name) == name && name != "*"
}

// SitemapsAt returns the sitemaps that the file names, as canonical URLs, distinct and in order.
// Relative URLs, which sitemaps.org does not allow, are resolved against the URL of the file, or
// left out if that is "".
func (r *File) SitemapsAt(robotsURL string) []string {
	resolver := webgraph.NewResolver(robotsURL)
	var urls []string
	seen := make(map[string]bool)
	for _, written := range r.sitemaps {
		if url, err := resolver.Resolve(written); err == nil && !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}
