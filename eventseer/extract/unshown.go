package extract

import (
	"strings"
)

// An invisibleText is text that a page does not display as text. It is the title element or the alternative
// text of a picture, which is often a banner. Metadata for programs is not read, since it often belongs to
// an earlier edition.
type invisibleText struct {
	text string
	path string // path of the element
	kind int    // invisibleTitle or invisiblePicture
}

// The kinds of text that is not visible. They are used as block numbers of mentions.
const (
	invisibleTitle   = -1
	invisiblePicture = -2
)

const (
	maxElement     = 400 // bytes read of a text that is not shown
	minPictureName = 8   // minimum bytes of a picture's text
	maxPictures    = 40  // pictures whose texts are read
)

// invisibleTexts returns the page's title element and the texts of its first pictures. Each is valid UTF-8
// of at most maxElement bytes.
func (p *page) invisibleTexts() []invisibleText {
	var out []invisibleText
	add := func(s, path string, kind int) {
		if s = strings.TrimSpace(strings.ToValidUTF8(cutToBytes(s, maxElement), " ")); s != "" {
			out = append(out, invisibleText{s, path, kind})
		}
	}
	add(p.t.Title(), "html/head/title", invisibleTitle)
	for _, picture := range p.t.Pictures(maxPictures, minPictureName) {
		add(picture.Name, p.t.ElementPath(int(picture.Element)), invisiblePicture)
	}
	return out
}
