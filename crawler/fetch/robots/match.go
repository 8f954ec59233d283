package robots

import (
	"slices"
	"strings"
	"time"
)

// Allowed reports whether the crawler named agent may fetch a URL or a path with query. It also
// returns the rule that decides, the zero Rule if none matches. A version after the name
// ("Bot/1.0") is ignored, and letter case too. The robots.txt itself is always allowed (RFC 9309
// §2.2.2).
func (r *File) Allowed(agent, urlOrPath string) (bool, Rule) {
	path := pathOf(urlOrPath)
	if path == "/robots.txt" {
		return true, Rule{}
	}
	t := pathSpellings{literal: upperEscapes(path), decoded: decodeUnreserved(escapePath(path)), strict: r.strict}
	name := r.nameFor(agent)
	var best Rule
	priority := 0
	for _, g := range r.groups {
		if !g.namesAgent(name) {
			continue
		}
		for _, rule := range g.rules {
			p := t.matchLength(rule)
			// The longest match decides; of equal lengths, an Allow.
			if p > priority || p == priority && p > 0 && rule.Allow && !best.Allow {
				best, priority = rule, p
			}
		}
	}
	return best.Line == 0 || best.Allow, best
}

// CrawlDelay returns the longest Crawl-delay for the crawler named agent in all its groups, at most
// 24 h, and whether there is one.
func (r *File) CrawlDelay(agent string) (time.Duration, bool) {
	name, delay := r.nameFor(agent), crawlDelayUnset
	for _, g := range r.groups {
		for _, a := range g.agents {
			if a.hasName(name) {
				delay = max(delay, a.delay)
			}
		}
	}
	return max(delay, 0), delay >= 0
}

// nameFor returns the agent name whose groups apply: agent's own if there are any, otherwise "*".
func (r *File) nameFor(agent string) string {
	agent, _, _ = strings.Cut(agent, "/")
	if agent == "" {
		return "*"
	}
	for _, g := range r.groups {
		if g.namesAgent(agent) {
			return agent
		}
	}
	return "*"
}

// RulesFor returns a file with only the rules for that crawler: a file may have rules for hundreds.
func (r *File) RulesFor(crawler string) *File {
	name := r.nameFor(crawler)
	own := &File{strict: r.strict, sitemaps: r.sitemaps}
	for _, g := range r.groups {
		if g.namesAgent(name) {
			g.agents = slices.DeleteFunc(slices.Clone(g.agents), func(a agent) bool { return !a.hasName(name) })
			own.groups = append(own.groups, g)
		}
	}
	return own
}

// Memory returns the approximate memory of the rules in bytes when cached.
func (r *File) Memory() int {
	n := robotsEntry
	if r == nil {
		return n
	}
	for _, g := range r.groups {
		for _, rule := range g.rules {
			n += robotsRule + len(rule.Pattern) + len(rule.literal) + len(rule.decoded)
		}
	}
	for _, s := range r.sitemaps {
		n += len(s)
	}
	return n
}

func (g *group) namesAgent(name string) bool {
	for _, a := range g.agents {
		if a.hasName(name) {
			return true
		}
	}
	return false
}

func (a agent) hasName(name string) bool {
	return strings.EqualFold(a.name, name) || strings.EqualFold(a.word, name)
}

// A pathSpellings is the path that is checked, in two spellings.
type pathSpellings struct {
	literal string // as requested
	decoded string // with encoded unreserved characters decoded (RFC 9309 §2.2.2)
	strict  bool
}

// matchLength returns the length of the rule if it matches, otherwise 0.
func (t pathSpellings) matchLength(r Rule) int {
	switch {
	case t.strict:
		return matchLength(r.decoded, t.decoded)
	case r.Allow:
		return allowLength(r.literal, t.literal)
	}
	return max(matchLength(r.literal, t.literal), matchLength(r.decoded, t.decoded))
}

// allowLength is matchLength, but "/dir/index.html" also matches "/dir/".
func allowLength(pattern, path string) int {
	if n := matchLength(pattern, path); n > 0 {
		return n
	}
	slash := strings.LastIndexByte(pattern, '/')
	if slash < 0 || !strings.HasPrefix(pattern[slash:], "/index.htm") {
		return 0
	}
	return matchLength(pattern[:slash+1]+"$", path)
}

// matchLength returns len(pattern) if pattern matches a prefix of path, otherwise 0. "*" matches
// any bytes, "$" at the end matches the end of path.
func matchLength(pattern, path string) int {
	rest, anchored := strings.CutSuffix(pattern, "$")
	first, rest, wild := strings.Cut(rest, "*")
	if !strings.HasPrefix(path, first) {
		return 0
	}
	path = path[len(first):]
	// Taking the leftmost place for each piece never rules out a match.
	for wild {
		var piece string
		piece, rest, wild = strings.Cut(rest, "*")
		if anchored && !wild {
			if !strings.HasSuffix(path, piece) {
				return 0
			}
			return len(pattern)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return 0
		}
		path = path[i+len(piece):]
	}
	if anchored && path != "" {
		return 0
	}
	return len(pattern)
}

// pathOf returns path, parameters and query of a URL, without its fragment; "/" if there is none.
func pathOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	rest := strings.TrimPrefix(url, "//")
	if i := strings.Index(rest, "://"); i >= 0 && i < indexAnyOrEnd(rest, "/?;") {
		rest = rest[i+len("://"):]
	}
	rest = rest[indexAnyOrEnd(rest, "/?;"):]
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return rest
}

func indexAnyOrEnd(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

const upperHex = "0123456789ABCDEF"

// escapePath percent-encodes the bytes outside ASCII and converts existing escapes to upper case.
func escapePath(s string) string {
	var b strings.Builder
	for _, c := range []byte(upperEscapes(s)) {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		}
	}
	return b.String()
}

func upperEscapes(s string) string {
	return mapEscapes(s, func(byte) bool { return false })
}

// decodeUnreserved decodes the escapes of letters, digits, "-", ".", "_" and "~".
func decodeUnreserved(s string) string {
	return mapEscapes(s, func(c byte) bool {
		return isTokenByte(c) || '0' <= c && c <= '9' || c == '.' || c == '~'
	})
}

// mapEscapes decodes each valid escape of s for which decode returns true and writes others in
// upper case.
func mapEscapes(s string, decode func(byte) bool) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, ok := byte(0), false
		if s[i] == '%' && i+2 < len(s) {
			c, ok = decodeHex(s[i+1], s[i+2])
		}
		switch {
		case !ok:
			b.WriteByte(s[i])
			continue
		case decode(c):
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
		}
		i += 2
	}
	return b.String()
}

func decodeHex(high, low byte) (byte, bool) {
	h := strings.IndexByte(upperHex, upperLetter(high))
	l := strings.IndexByte(upperHex, upperLetter(low))
	if h < 0 || l < 0 {
		return 0, false
	}
	return byte(h<<4 | l), true
}

func upperLetter(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

const robotsEntry = 450 // memory of an origin without rules

const robotsRule = 120 // memory of a rule besides its texts
