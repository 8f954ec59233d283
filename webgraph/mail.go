package webgraph

import (
	"regexp"
	"strings"
)

var (
	// mailAddress matches an e-mail address in a URL.
	mailAddress = `[^/?&=;@]+(?:@|%40)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`
	// mailTarget matches a path that ends in an e-mail address. Such URLs come from links whose mailto:
	// is missing or follows other text.
	mailTarget = regexp.MustCompile(`(?i)/(?:[^/]*mailto(?::|%3A)[^/]*|` + mailAddress + `)$`)
	mailValue  = regexp.MustCompile(`[=&?;]` + mailAddress + `(?:$|[&;])`)
)

// IsMailAddress reports whether a canonical URL is an e-mail address that was written like the URL of
// a page, such as https://conf.example/mailto:ann@conf.example. An e-mail address as the value of a
// parameter counts too. An address earlier in the path does not: it is that of a mailing list with its
// archive below.
func IsMailAddress(url string) bool {
	if !strings.Contains(url, "@") && !strings.Contains(url, "%40") && !strings.Contains(strings.ToLower(url), "mailto") {
		return false
	}
	_, rest, _ := strings.Cut(url, "://")
	path, query, _ := strings.Cut(rest, "?")
	return mailTarget.MatchString(path) || query != "" && mailValue.MatchString("?"+query)
}
