package tagtree

import "math"

// A size is what a page's kind is told by (papers 000/001, section 4.1): the
// absolute amount of its text and the ratio of text to links, as binary
// logarithms of one more, for pages differ by factors.
type size struct {
	text  float64 // of clean text, in bytes
	ratio float64 // of clean text to link text
}

// averages are the mean sizes of hub and of informational pages.
type averages struct{ hub, info size }

// The averages of our corpora: means over page types of the means over pages,
// hub pages being cfp_list, informational ones cfp, conference,
// mail_announcement and the 54 articles; institution_topic is left out, half of
// it are WebKB's project descriptions. mainAverages are of areas that are no
// navigation, rawAverages of whole pages. TestKindsOfCorpora measures them.
var (
	mainAverages = averages{hub: size{9.2, 1.6}, info: size{11.4, 6.5}}
	rawAverages  = averages{hub: size{9.3, 1.3}, info: size{11.6, 4.5}}
)

// Where pages lie between the averages, 0 being the hubs' and 1 the
// informational ones': up to hubBelow they are hubs, from infoFrom on, nearer to
// the latter, informational. The ratio counts for ratioWeight of that place: it
// tells a list of calls from a conference's page in 89 of 100 pairs, the amount
// of text in 64.
const (
	hubBelow    = 0.2
	infoFrom    = 0.5
	ratioWeight = 2.0 / 3
)

// pageKind tells what a page of these values is for. Without links it can be no
// hub.
func pageKind(v Values, of averages) PageKind {
	if v.NumLinks == 0 {
		return InfoPage
	}
	s := sizeOf(v)
	at := float64(ratioWeight*between(s.ratio, of.hub.ratio, of.info.ratio)) +
		float64((1-ratioWeight)*between(s.text, of.hub.text, of.info.text))
	switch {
	case at <= hubBelow:
		return HubPage
	case at < infoFrom:
		return MixedPage
	}
	return InfoPage
}

// main returns the values of the areas that are no navigation.
func (a *Analysis) main() Values {
	var v Values
	for _, area := range a.Areas {
		if area.Kind != Navigation {
			v.take(area.Values)
		}
	}
	return v
}

func sizeOf(v Values) size {
	return size{text: math.Log2(1 + float64(v.CleanText)), ratio: math.Log2(1 + v.LTR())}
}

// between returns where x lies on the way from a (0) to b (1).
func between(x, a, b float64) float64 { return (x - a) / (b - a) }
