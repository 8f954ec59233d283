package extract

import (
	"strings"
)

// An unshownText is text that a page does not display as text. It is the title element or the alternative
// text of a picture, which is often a banner. Metadata for programs is not read, since it often belongs to
// an earlier edition.
type unshownText struct {
	text string
	path string // path of the element
	kind int    // unshownTitle or unshownPicture
}

// The kinds of text that is not visible. They are used as block numbers of mentions.
const (
	unshownTitle   = -1
	unshownPicture = -2
)

const (
	maxElement     = 400 // bytes read of such a text
	minPictureName = 8   // minimum bytes of a picture's text
	maxPictures    = 40  // pictures whose texts are read
)

// unshown returns the page's title element and the texts of its first pictures. Each is valid UTF-8 of at
// most maxElement bytes.
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
