package ui

import (
	"net/http"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/views"
)

// runes of a query on each side of what is wrong in it

// doubts says of a search that found nothing what in it no call can fit.
func (s *server) doubts(r *http.Request, f views.Frame) (rows []views.DoubtRow) {
	found, err := eventseer.Doubts(r.Context(), s.Index, s.query(f.Query, true))
	if err != nil {
		if r.Context().Err() == nil {
			s.Log.Warn("why a search finds nothing cannot be said", "cause", err)
		}
		return nil
	}
	for _, d := range found {
		row := views.DoubtRow{Text: views.Sentence(views.Clip(d.Msg, views.MaxValue))}
		if d.Try != "" {
			row.Try = views.Link{Text: views.Clip(d.Try, 200), Href: views.SearchHref(d.Try, f.All)}
		}
		if d.Without != "" {
			row.Without = views.Link{Text: views.Clip(d.Without, 200), Href: views.SearchHref(d.Without, f.All)}
		}
		rows = append(rows, row)
	}
	return rows
}
