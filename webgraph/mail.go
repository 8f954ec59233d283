package webgraph

import (
	"regexp"
	"strings"
)

var (
	// mailAddress is an address as a URL spells it.
	mailAddress = `[^/?&=;@]+(?:@|%40)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`
	// mailTarget matches a path that ends in an address, as a link to one does that lacks its
	// mailto:, or has it after something else.
	mailTarget = regexp.MustCompile(`(?i)/(?:[^/]*mailto(?::|%3A)[^/]*|` + mailAddress + `)$`)
	mailValue  = regexp.MustCompile(`[=&?;]` + mailAddress + `(?:$|[&;])`)
)

// HoldsMailAddress reports whether a canonical URL is a mail address written as one of a page, such
// as https://conf.example/mailto:ann@conf.example. A mail address as the value of a parameter
// counts too. An address further up in the path is that of a mailing list whose archive lies below.
func HoldsMailAddress(url string) bool {
	if !strings.Contains(url, "@") && !strings.Contains(url, "%40") && !strings.Contains(strings.ToLower(url), "mailto") {
		return false
	}
	_, rest, _ := strings.Cut(url, "://")
	path, query, _ := strings.Cut(rest, "?")
	return mailTarget.MatchString(path) || query != "" && mailValue.MatchString("?"+query)
}
