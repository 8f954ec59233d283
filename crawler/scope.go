package crawler

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// A Scope restricts the links that may be followed, including seeds.
type Scope struct {
	// Hosts are the only hosts to follow, each including its subdomains. Empty allows all.
	Hosts []string
	// Exclude are hosts never followed, each with its subdomains.
	Exclude []string
}

// compiledScope is a Scope prepared for fast matching.
type compiledScope struct{ hosts, exclude map[string]bool }

func (s Scope) compile() compiledScope {
	return compiledScope{hosts: hostSet(s.Hosts), exclude: hostSet(s.Exclude)}
}

func hostSet(hosts []string) map[string]bool {
	set := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		set[strings.ToLower(strings.Trim(h, "."))] = true
	}
	return set
}

// refusalReason reports why a canonical url may not be followed, "" if it may.
func (s compiledScope) refusalReason(url string) string {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return "out of scope: not an http or https URL"
	}
	host := string(webgraph.HostOf(url))
	switch {
	case host == "":
		return "out of scope: the URL has no host"
	case webgraph.IsMailAddress(url):
		return "a mail address instead of the address of a page"
	case IsUnreadable(url):
		return "a file of a type that is not read"
	case isWithin(s.exclude, host) || len(s.hosts) > 0 && !isWithin(s.hosts, host):
		return "out of scope"
	}
	return ""
}

// isWithin reports whether host or one of its parent domains is in set.
func isWithin(set map[string]bool, host string) bool {
	for len(set) > 0 && host != "" {
		if set[host] {
			return true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return false
}

// IsUnreadable reports whether the path of a canonical URL names a file that cannot be read, such as a
// picture.
func IsUnreadable(url string) bool {
	url, _, _ = strings.Cut(url, "?")
	_, rest, _ := strings.Cut(url, "://")
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return false
	}
	name := strings.ToLower(rest[slash:])
	if strings.HasSuffix(name, ".xml.gz") || strings.HasSuffix(name, ".txt.gz") {
		return false // a sitemap
	}
	switch path.Ext(name) {
	case ".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".ico", ".bmp", ".tif", ".tiff", ".eps",
		".css", ".js", ".mjs", ".woff", ".woff2", ".ttf", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".tar", ".jar", ".exe", ".dmg", ".iso", ".deb", ".rpm",
		".mp3", ".mp4", ".avi", ".mov", ".mkv", ".webm", ".wav", ".ogg", ".flv", ".wmv",
		".ppt", ".pptx", ".xls", ".xlsx", ".doc", ".docx", ".odt", ".ods", ".odp", ".bib", ".ics", ".vcf", ".apk":
		return true
	}
	return false
}

// bestLinks returns the limit best links by score in their original order. Of equal scores the earlier
// ones are chosen.
func bestLinks(cs []Candidate, limit int) []Candidate {
	if len(cs) <= limit {
		return cs
	}
	order := make([]int, len(cs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(ClampDueScore(cs[j].Score), ClampDueScore(cs[i].Score))
	})
	order = order[:limit]
	slices.Sort(order)
	kept := make([]Candidate, 0, limit)
	for _, i := range order {
		kept = append(kept, cs[i])
	}
	return kept
}
