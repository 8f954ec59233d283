package ui

import (
	"fmt"
	"net/http"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits and measures of the map. Facets name 20 countries at a time; those named are
// left out to ask for the next.
const ()

func (s *server) worldMap(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	p := views.MapPage{
		Frame: s.Frame("Map", "map"), ViewForm: s.newViewForm("/map", query),
		Box:  fmt.Sprintf("%g %g %g %g", -views.MapMargin, -views.MapMargin, 360*views.MapScale+2*views.MapMargin, (views.MapNorth-views.MapSouth)*views.MapScale+2*views.MapMargin),
		Land: views.LandPath, Graticule: views.GraticulePath,
	}
	p.Query, p.All = query, r.FormValue("all") != ""
	if p.All {
		p.Hidden = map[string]string{"all": "1"}
	}
	p.Wider = views.ViewHref("/map", query, "all", map[bool]string{false: "1"}[p.All])
	q := s.query(query, p.All)
	q.ByDeadline, q.Limit, q.Facets = false, 1, true
	codes := map[string]int{}
	for round := range views.MapRounds {
		found, err := s.findFor(r, q, &p.ViewForm)
		if err != nil {
			return web.View{}, err
		}
		if p.Problem != nil && round > 0 {
			p.Problem = nil // the query became too long; what is known stands
			break
		}
		if round == 0 {
			p.Total = found.Total
			p.Online = views.OnlineRow(found.Facets, query, p.All)
		}
		next := p.AddCountries(found.Facets, codes, query)
		if next == "" {
			break
		}
		q.Text += next
	}
	p.Place(codes)
	return web.View{Name: "map", Data: p, Status: p.Status()}, nil
}
