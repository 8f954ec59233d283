package extract

import (
	"strings"
)

// An unshownText is text that a page does not display. It is its title element, or the name of a picture,
// which is often the lettering of a banner. Descriptions for programs are not read: they are often
// those of an earlier edition.
type unshownText struct {
	text string
	path string // of the element
	kind int    // unshownTitle and so on
}

// Kinds of unshown texts: the block numbers of mentions in them.
const (
	unshownTitle   = -1
	unshownPicture = -2
)

const (
	maxElement     = 400 // bytes of an unshown text
	minPictureName = 8   // bytes of a picture's name that is read
	maxPictures    = 40  // pictures whose names are read
)

// unshown returns the page's title element and the names of its first pictures, each valid UTF-8 of at most maxElement bytes.
func (p *page) unshown() []unshownText {
	var out []unshownText
	add := func(s, path string, kind int) {
		if s = strings.TrimSpace(strings.ToValidUTF8(clip(s, maxElement), " ")); s != "" {
			out = append(out, unshownText{s, path, kind})
		}
	}
	add(p.t.Title(), "html/head/title", unshownTitle)
	for _, picture := range p.t.Pictures(maxPictures, minPictureName) {
		add(picture.Name, p.t.ElementPath(int(picture.Element)), unshownPicture)
	}
	return out
}
