package webgraph

import "strings"

// A Link is one link as it stands on a page.
type Link struct {
	// Source is the URL of the page that holds the link.
	Source string
	// Target is where it leads, absolute and canonical.
	Target string
	// Anchor is the link's visible text with white space folded, else the alt
	// text of its image or its title; at most MaxAnchor runes.
	Anchor string
	// Context is the text of the block the link stands in, its own anchor
	// included; at most MaxContext runes around the anchor.
	Context string
	// Path is the tag path of the element, such as html/body/ul[2]/li[3]/a.
	Path string
	// NoFollow says that rel holds nofollow, ugc or sponsored.
	NoFollow bool
}

// IsNoFollow reports whether a rel attribute asks that its link not be followed.
func IsNoFollow(rel string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "nofollow", "ugc", "sponsored":
			return true
		}
	}
	return false
}

// Limits on what a page may put into a Link, in runes.
const (
	MaxAnchor  = 200
	MaxContext = 400
)

// A Host is a lower-case host name without port, such as "conf.example.org".
type Host string
