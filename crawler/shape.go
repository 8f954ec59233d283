package crawler

import (
	"strings"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// shapeOf returns the shape of a canonical URL: host and path with numbers, generated ids and
// months masked, and the names of the parameters. varies means that other URLs may have the same
// shape.
func shapeOf(url string) (shape string, varies bool) {
	_, rest, _ := strings.Cut(url, "://")
	rest, query, _ := strings.Cut(rest, "?")
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return rest, query != ""
	}
	b := append(make([]byte, 0, len(url)), rest[:slash]...)
	path := rest[slash:]
	for i := 0; i < len(path); {
		if path[i] == '%' { // an escape is not a number
			n := min(3, len(path)-i)
			b, i = append(b, path[i:i+n]...), i+n
			continue
		}
		end := i
		for end < len(path) && isWord(path[end]) {
			end++
		}
		if end == i {
			b = append(b, path[i])
			i++
			continue
		}
		var hidden bool
		b, hidden = appendMasked(b, path[i:end])
		varies = varies || hidden
		i = end
	}
	for param := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(param, "=")
		if name != "" {
			varies = true
			b, _ = appendMasked(append(b, '&'), name)
		}
	}
	return string(b), varies
}

func isWord(c byte) bool {
	return classes[c] == letter || classes[c] == digit
}

// minID is the length from which hexadecimal with figures is an id.
const minID = 8

// appendMasked appends a word of a URL, masked if it is a number or a month.
func appendMasked(b []byte, word string) (_ []byte, hidden bool) {
	if isMonth(wordHash(word), len(word)) || len(word) >= minID && isHex(word) {
		return append(b, '0'), true
	}
	number := false
	for i := range len(word) {
		c := word[i]
		if classes[c] != digit {
			b, number = append(b, c), false
			continue
		}
		if !number {
			b = append(b, '0')
		}
		number, hidden = true, true
	}
	return b, hidden
}

// isHex reports whether a word consists of hexadecimal digits, at least one of them a decimal
// digit.
func isHex(word string) bool {
	figure := false
	for i := range len(word) {
		c := word[i]
		if classes[c] == digit {
			figure = true
		} else if c|0x20 < 'a' || c|0x20 > 'f' {
			return false
		}
	}
	return figure
}

// runKey returns the key of a run in the memory.
func runKey(kind, name string) uint64 { return xxh3.HashString(kind + " " + name) }

// shapeKey returns the key of the run of pages like url; ok is false if no other page can be like
// it.
func shapeKey(url string) (key uint64, ok bool) {
	shape, varies := shapeOf(url)
	return runKey("shape", shape), varies
}

// missingPagesKey returns the key of the run of a host's pages that say they do not exist.
func missingPagesKey(host webgraph.Host) uint64 { return runKey("soft404", string(host)) }
