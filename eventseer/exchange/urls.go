package exchange

import (
	"strings"

	"eventseer/webgraph"
)

// ReadURLs returns the URLs of a list, each once, and how many lines are none.
func ReadURLs(text string) (urls []string, left int) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if first = strings.TrimSpace(first); first == "" || strings.HasPrefix(first, "#") {
			continue
		}
		u, err := webgraph.Canonical(first)
		switch {
		case err != nil || !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://"):
			left++
		case !seen[u]:
			seen[u] = true
			urls = append(urls, first)
		}
	}
	return urls, left
}
