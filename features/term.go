package features

import "strings"

// TermText is the name of a feature in words: “call paper” in the URL.
// Words stand as their stems; a block without words of its own is named.
func TermText(term string) string {
	block, name, ok := strings.Cut(term, ":")
	switch {
	case !ok:
		return term
	case block == Structure:
		return strings.ReplaceAll(name, "_", " ")
	case block == Body:
		return "“" + name + "”"
	case block == Headings:
		return "“" + name + "” in a heading"
	case block == URL:
		return "“" + name + "” in the URL"
	}
	return "“" + name + "” in the " + strings.ReplaceAll(block, "_", " ")
}
