package ui

import "net/http"

// viewRoutes adds the calendar with the help to subscribe, the timeline and the map.
func (s *server) viewRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /calendar", s.Page(s.calendar))
	mux.HandleFunc("GET /calendar/add", s.Page(s.calendarAdd))
	mux.HandleFunc("GET /timeline", s.Page(s.timeline))
	mux.HandleFunc("GET /map", s.Page(s.worldMap))
	mux.Handle("GET /next.txt", http.RedirectHandler("/search.txt", http.StatusFound)) // a short name for terminals
}
