package extract

import (
	"strings"

	"github.com/jdkato/prose/v2"
)

// maxNER bounds the text given to the tagger, whose cost grows with the square
// of the length, in bytes.
const maxNER = 1000

// A recognizer says which names in a short text are places. The English model
// is loaded on first use and shared: loading takes longer than reading a page.
type recognizer func() *prose.Model

// loadModel returns the tagger's model, or nil when it cannot be loaded.
func loadModel() *prose.Model {
	doc, err := prose.NewDocument("", prose.WithSegmentation(false))
	if err != nil {
		return nil
	}
	return doc.Model
}

// isPlace reports whether name is read as a geographical name where it stands
// in the sentence.
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
