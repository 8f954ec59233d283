package keyword

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// ErrNone means that an event has no keywords.
var ErrNone = errors.New("no keywords are known")

// inQuery is the number of keywords in a query for similar calls.
const inQuery = 5

// A Store has the events and the texts of their pages.
type Store interface {
	Event(ctx context.Context, id eventseer.EventID) (eventseer.Event, error)
	Texts(ctx context.Context, id eventseer.EventID, before time.Time) ([]eventseer.PageText, error)
}

// SimilarQuery returns a query for calls that share keywords with an event, without the event itself. The keywords come from
// the title, the topics and the texts of its pages, and from the topics alone if these are not English. It can be stored as
// a search.
func (x *Extractor) SimilarQuery(ctx context.Context, st Store, id eventseer.EventID) (string, error) {
	e, err := st.Event(ctx, id)
	if err != nil {
		return "", err
	}
	texts, err := st.Texts(ctx, id, time.Time{})
	if err != nil {
		return "", err
	}
	lines := append([]string{e.Title}, e.Topics...)
	for _, t := range texts {
		lines = append(lines, t.Text)
	}
	words := x.Phrases(strings.Join(lines, "\n"), inQuery)
	if words == nil {
		words = e.Topics[:min(inQuery, len(e.Topics))]
	}
	var terms []string
	for _, w := range words {
		term := `"` + strings.Join(strings.Fields(w), " ") + `"`
		if _, err := query.Parse(term); err == nil { // a topic may contain a quotation mark
			terms = append(terms, term)
		}
	}
	if terms == nil {
		return "", fmt.Errorf("%w for %s: its pages have no English text and it has no topics; search for words of its title", ErrNone, id)
	}
	if own := query.TermText("id", string(id)); own != "" {
		terms[len(terms)-1] += " -" + own
	}
	return strings.Join(terms, " OR "), nil
}
