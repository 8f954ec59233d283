package extract

import (
	"strings"

	"github.com/jdkato/prose/v2"
)

// maxNER bounds the text given to the tagger, whose cost grows with the square
// of the length, in bytes.
const maxNER = 1000

// A recognizer says which names in a short text are places. The English model is loaded on first
// use and shared: loading takes longer than reading a page.
//
// It is asked last, where neither rules nor the gazetteer found a place, about a name after "in" in
// a sentence on the event; see taggedCity. On 979 pages with calls (156 with known records, 623
// others, 200 of WikiCFP) it was asked once and was wrong; without a gazetteer twice, and right
// once.
//
// People are read without it. On the 779 of those pages that are HTML it named a person in 149
// blocks of committees in which the rules find none: a dozen are people, most with letters lost,
// and none is in the known records. Of 112 names of whose parts none is known it calls none a
// person by itself; in the sentence "Yesterday NAME spoke at the meeting." it does so for 92 of 98
// people, and for 12 of 14 that are none.
type recognizer func() *prose.Model

// loadModel returns the tagger's model, or nil when it cannot be loaded.
func loadModel() *prose.Model {
	doc, err := prose.NewDocument("", prose.WithSegmentation(false))
	if err != nil {
		return nil
	}
	return doc.Model
}

// isPlace reports whether name is read as a geographical name where it is in the sentence.
func (r recognizer) isPlace(sentence, name string) bool {
	model := r()
	if model == nil {
		return false
	}
	doc, err := prose.NewDocument(clip(sentence, maxNER), prose.UsingModel(model), prose.WithSegmentation(false))
	if err != nil {
		return false
	}
	for _, e := range doc.Entities() {
		if e.Label == "GPE" && strings.Contains(e.Text, name) {
			return true
		}
	}
	return false
}
