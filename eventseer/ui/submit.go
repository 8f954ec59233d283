package ui

import (
	"net/http"
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// honeypot is a field that people do not see: a program that fills in forms fills it.
const honeypot = "homepage"

// maxReads bounds the submitted pages that are read at a time, for all visitors: a page
// takes fifty times its bytes, and whoever has many addresses passes every limit of one.
const maxReads = 2

// deskRoutes are the forms that reach the operator and the crawler.
func (s *server) deskRoutes(mux *http.ServeMux) {
	if s.Submitter != nil {
		mux.HandleFunc("GET /submit", s.own(s.submit))
		mux.HandleFunc("POST /submit", s.post(s.formLimits.fetch, s.submitPressed))
	}
	if s.Desk == nil {
		return
	}
	mux.HandleFunc("GET /e/{id}/report", s.own(s.reportForm(errorReport)))
	mux.HandleFunc("POST /e/{id}/report", s.post(s.formLimits.press, s.reportPressed(errorReport)))
	mux.HandleFunc("GET /e/{id}/appeal", s.own(s.reportForm(appealReport)))
	mux.HandleFunc("POST /e/{id}/appeal", s.post(s.formLimits.press, s.reportPressed(appealReport)))
	mux.HandleFunc("GET /removal", s.own(s.reportForm(removalReport)))
	mux.HandleFunc("POST /removal", s.post(s.formLimits.press, s.reportPressed(removalReport)))
}

// A submitPage takes the URL of a page and shows what is read from it.
type submitPage struct {
	ownFrame
	URL     string
	Read    bool // the page was read
	Event   *submittedEvent
	HasDesk bool
}

// A submittedEvent is what was read from a page that a visitor named.
type submittedEvent struct {
	Name        views.Name
	Kind        string
	Days, Place string
	Deadlines   []views.DeadlineRow
	Topics      []string
	Submission  views.Link
	Confidence  string
	Missing     []string // what a call should say, and this does not
}

func (s *server) newSubmitPage(v *visit) submitPage {
	return submitPage{ownFrame: s.ownFrame(v, "Submit a call", "submit"), HasDesk: s.Desk != nil}
}

func (s *server) submit(v *visit) (web.View, error) {
	v.w.Header().Del("X-Robots-Tag")
	p := s.newSubmitPage(v)
	p.URL = views.Clip(v.URL.Query().Get("url"), maxSliceURL)
	return web.View{Name: "submit", Data: p}, nil
}

func (s *server) submitPressed(v *visit) (web.View, error) {
	p := s.newSubmitPage(v)
	p.URL = strings.TrimSpace(v.PostForm.Get("url"))
	if problem := pageProblem(p.URL); problem != "" {
		p.wrong("url", "%s", problem)
		p.URL = views.Clip(p.URL, maxSliceURL)
		return web.View{Name: "submit", Data: p, Status: p.status()}, nil
	}
	if v.PostForm.Get(honeypot) != "" {
		v.target = "/sent?what=submit" // it learns nothing
		return web.View{}, nil
	}
	switch v.PostForm.Get("press") {
	case "queue":
		return s.queue(v, p, true)
	case "note":
		return s.queue(v, p, false)
	}
	select {
	case s.reads <- struct{}{}:
		defer func() { <-s.reads }()
	default:
		v.w.Header().Set("Retry-After", "10")
		p.wrong("url", "Others are having pages read at the moment. Please try again in ten seconds.")
		return web.View{Name: "submit", Data: p, Status: http.StatusServiceUnavailable}, nil
	}
	e, ok, err := s.Submitter.Read(v.Context(), p.URL)
	if err != nil {
		if err := p.wrongInput(err, map[string]string{"url": "url", "": "url"}); err != nil {
			return web.View{}, err
		}
		return web.View{Name: "submit", Data: p, Status: p.status()}, nil
	}
	p.Read = true
	if ok {
		p.Event = s.newSubmittedEvent(v, e)
	}
	return web.View{Name: "submit", Data: p}, nil
}

// queue asks the crawler to visit a page, or only the operator to look at one in which
// no call was found.
func (s *server) queue(v *visit, p submitPage, visitIt bool) (web.View, error) {
	if !visitIt {
		v.target = "/sent?what=noted"
		if s.Desk == nil {
			return web.View{}, nil
		}
		return web.View{}, s.Desk.Leave(v.Context(), eventseer.Note{Kind: eventseer.Suggested, At: s.Now().UTC(), URL: p.URL})
	}
	if err := s.Submitter.Queue(v.Context(), p.URL); err != nil {
		if err := p.wrongInput(err, map[string]string{"url": "url", "": "url"}); err != nil {
			return web.View{}, err
		}
		return web.View{Name: "submit", Data: p, Status: p.status()}, nil
	}
	v.target = "/sent?what=submit"
	return web.View{}, nil
}

// pageProblem says what is wrong with the URL of a page that a visitor names.
func pageProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "Write the address of the page."
	case len(text) > maxSliceURL:
		return "The address is too long."
	case err != nil || views.WebLink(text) == "" || strings.ContainsFunc(text, notInPath):
		return "The address must be that of a web page, such as https://example.org/cfp."
	case u.User != nil:
		return "An address with a name or a password in it cannot be visited."
	}
	return ""
}

func (s *server) newSubmittedEvent(v *visit, e eventseer.Event) *submittedEvent {
	shown := &submittedEvent{
		Name: views.NameOf(e), Kind: views.KindNames[e.Kind], Days: views.Days(e.EventStart, e.EventEnd), Place: views.Place(e.Location),
		Deadlines: views.DeadlineRows(e, nil, s.Now(), zoneOf(v)), Confidence: views.Percent(e.Confidence),
	}
	if href := views.WebLink(e.SubmissionURL); href != "" {
		shown.Submission = views.SourceLink(href)
	}
	for _, t := range views.Head(e.Topics, views.MaxTopics) {
		shown.Topics = append(shown.Topics, views.Clip(t, 80))
	}
	for _, f := range []struct {
		missing bool
		name    string
	}{
		{e.Title == "", "its title"}, {e.EventStart == "", "its days"}, {e.Location == nil, "its place"}, {len(e.Deadlines) == 0, "a deadline"},
	} {
		if f.missing {
			shown.Missing = append(shown.Missing, f.name)
		}
	}
	return shown
}
