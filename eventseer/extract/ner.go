package extract

import (
	"strings"

	"github.com/jdkato/prose/v2"
)

// maxNER is the maximum number of bytes given to the tagger, whose time grows with the square of the
// length.
const maxNER = 1000

// A recognizer decides which names in a short text are places. The English model is loaded at first use and
// shared, because loading takes longer than reading a page.
//
// It is used only if neither rules nor the gazetteer found a place, for a name after "in" in a sentence
// about the event; see taggedCity. On 979 pages with calls (156 with known records, 623 others, 200 of
// WikiCFP) it was used once and was wrong; without a gazetteer it was used three times and right once.
//
// People are read without it. On the 779 of those pages that are HTML it named a person in 149 blocks of
// committees in which the rules find none. A dozen of these are people, most with letters lost, and none is
// in the known records. From 112 names without a known part, none was tagged as a person by itself. In the
// sentence "Yesterday NAME spoke at the meeting." 92 of 98 people were, and 12 of 14 other names.
type recognizer func() *prose.Model

// loadModel returns the tagger's model, or nil if it cannot be loaded.
func loadModel() *prose.Model {
	doc, err := prose.NewDocument("", prose.WithSegmentation(false))
	if err != nil {
		return nil
	}
	return doc.Model
}

// isPlace reports whether the tagger reads name as a geographical name in the sentence.
func (r recognizer) isPlace(sentence, name string) bool {
	model := r()
	if model == nil {
		return false
	}
	doc, err := prose.NewDocument(cutToBytes(sentence, maxNER), prose.UsingModel(model), prose.WithSegmentation(false))
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
