package views

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
)

// FieldsOfText returns the fields of research of a text, predicted by a model.
func FieldsOfText(text string) []string {
	return field.Predict(eventseer.Event{Title: Clip(text, 4000)})
}

// maxReasons bounds the topics and words listed for one call.
const maxReasons = 5

// SharedFields returns the fields of a call that are among others.
func SharedFields(e eventseer.Event, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(FirstN(e.Fields, field.MaxFields)), func(id string) bool { return !slices.Contains(ids, id) })
}

// CommonProperties lists the common properties of a call and a text. They are fields, topics with words of it,
// and words of the title or of the page. places are the positions of the words.
func CommonProperties(e eventseer.Event, shared []string, places []eventseer.WordPosition) (lines []string) {
	if names := field.Names(shared); names != "" {
		lines = append(lines, "field "+names)
	}
	var topics, words []string
	for _, p := range places {
		switch {
		case p.Field == "topic" && p.Part < len(e.Topics):
			topics = addOnce(topics, Clip(e.Topics[p.Part], 60))
		case p.Field == "title" && p.Offset[0] >= 0 && p.Offset[0] < p.Offset[1] && p.Offset[1] <= len(e.Title):
			words = addOnce(words, strings.ToLower(Clip(e.Title[p.Offset[0]:p.Offset[1]], 40)))
		}
	}
	if len(topics) > 0 {
		lines = append(lines, "topics "+strings.Join(topics, ", "))
	}
	if len(words) > 0 {
		lines = append(lines, "in its name "+strings.Join(words, ", "))
	}
	if len(lines) == 0 {
		lines = append(lines, "words on its page")
	}
	return lines
}

func addOnce(list []string, text string) []string {
	if len(list) == maxReasons || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
