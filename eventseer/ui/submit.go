package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// honeypot is a field that people do not see, but programs that fill in forms do.
const honeypot = "homepage"

// maxReads bounds the submitted pages that are read at a time, for all visitors. A page needs fifty
// times its bytes of memory, and a client with many addresses is not stopped by limits per address.
const maxReads = 2

// noteRoutes are the forms that reach the operator and the crawler.
func (s *server) noteRoutes(mux *http.ServeMux) {
	if s.Submitter != nil {
		mux.HandleFunc("GET /submit", s.ownPageHandler(s.submit))
		mux.HandleFunc("POST /submit", s.formHandler(s.formLimits.Fetch, s.submitPressed))
	}
	if s.Desk == nil {
		return
	}
	mux.HandleFunc("GET /e/{id}/report", s.ownPageHandler(s.reportForm(errorReport)))
	mux.HandleFunc("POST /e/{id}/report", s.formHandler(s.formLimits.Press, s.reportPressed(errorReport)))
	mux.HandleFunc("GET /e/{id}/appeal", s.ownPageHandler(s.reportForm(appealReport)))
	mux.HandleFunc("POST /e/{id}/appeal", s.formHandler(s.formLimits.Press, s.reportPressed(appealReport)))
	mux.HandleFunc("GET /removal", s.ownPageHandler(s.reportForm(removalReport)))
	mux.HandleFunc("POST /removal", s.formHandler(s.formLimits.Press, s.reportPressed(removalReport)))
}

// A submitPage accepts the URL of a page and shows the event read from it.
type submitPage struct {
	account.OwnFrame
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
	Missing     []string // values that the page should state but does not
}

func (s *server) newSubmitPage(v *account.Visit) submitPage {
	return submitPage{OwnFrame: s.ownFrame(v, "Submit a call", "submit"), HasDesk: s.Desk != nil}
}

func (s *server) submit(v *account.Visit) (web.View, error) {
	v.W.Header().Del("X-Robots-Tag")
	p := s.newSubmitPage(v)
	p.URL = views.Clip(v.URL.Query().Get("url"), web.MaxSliceURL)
	return web.View{Name: "submit", Data: p}, nil
}

func (s *server) submitPressed(v *account.Visit) (web.View, error) {
	p := s.newSubmitPage(v)
	p.URL = strings.TrimSpace(v.PostForm.Get("url"))
	if problem := pageProblem(p.URL); problem != "" {
		p.AddProblem("url", "%s", problem)
		p.URL = views.Clip(p.URL, web.MaxSliceURL)
		return web.View{Name: "submit", Data: p, Status: p.Status()}, nil
	}
	if v.PostForm.Get(honeypot) != "" {
		return v.Redirect("/sent?what=submit") // it learns nothing
	}
	switch v.PostForm.Get("press") {
	case "queue":
		return s.queuePage(v, p, true)
	case "note":
		return s.queuePage(v, p, false)
	}
	select {
	case s.reads <- struct{}{}:
		defer func() { <-s.reads }()
	default:
		v.W.Header().Set("Retry-After", "10")
		p.AddProblem("url", "The reader is busy with pages of others. Please try again in ten seconds.")
		return web.View{Name: "submit", Data: p, Status: http.StatusServiceUnavailable}, nil
	}
	e, ok, err := s.Submitter.Read(v.Context(), p.URL)
	if err != nil {
		if err := p.AddInputProblem(err, map[string]string{"url": "url", "": "url"}); err != nil {
			return web.View{}, err
		}
		return web.View{Name: "submit", Data: p, Status: p.Status()}, nil
	}
	p.Read = true
	if ok {
		p.Event = s.newSubmittedEvent(v, e)
	}
	return web.View{Name: "submit", Data: p}, nil
}

// queuePage adds a page to the crawl, or if no call was found, to the operator's notes.
func (s *server) queuePage(v *account.Visit, p submitPage, visitIt bool) (web.View, error) {
	if !visitIt {
		v.Target = "/sent?what=noted"
		if s.Desk == nil {
			return web.View{}, nil
		}
		return web.View{}, s.Desk.StoreNote(v.Context(), eventseer.Note{Kind: eventseer.Suggested, At: s.Now().UTC(), URL: p.URL})
	}
	if err := s.Submitter.Queue(v.Context(), p.URL); err != nil {
		if err := p.AddInputProblem(err, map[string]string{"url": "url", "": "url"}); err != nil {
			return web.View{}, err
		}
		return web.View{Name: "submit", Data: p, Status: p.Status()}, nil
	}
	return v.Redirect("/sent?what=submit")
}

// pageProblem returns the error of a URL that a visitor submits, or "".
func pageProblem(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "Write the address of the page."
	case len(text) > web.MaxSliceURL:
		return "The address is too long."
	case err != nil || views.WebLink(text) == "" || strings.ContainsFunc(text, account.IsInvalidInPath):
		return "The address must be that of a web page, such as https://example.org/cfp."
	case u.User != nil:
		return "An address that contains a user name or a password cannot be visited."
	}
	return ""
}

func (s *server) newSubmittedEvent(v *account.Visit, e eventseer.Event) *submittedEvent {
	shown := &submittedEvent{
		Name: views.NameOf(e), Kind: views.KindNames[e.Kind], Days: views.DaysText(e.EventStart, e.EventEnd), Place: views.VenueLine(e.Location),
		Deadlines: views.DeadlineRows(e, nil, s.Now(), account.ZoneOf(v)), Confidence: views.PercentText(e.Confidence),
	}
	if href := views.WebLink(e.SubmissionURL); href != "" {
		shown.Submission = views.SourceLink(href)
	}
	shown.Topics = views.MapSlice(views.FirstN(e.Topics, views.MaxTopics), func(t string) string { return views.Clip(t, 80) })
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

// A reportKind is one of the forms sent to the operator.
type reportKind struct {
	kind  eventseer.NoteKind
	sent  string // the page after it
	title string
	intro []string
	event bool // about one
	field bool // the field of the event can be chosen
	link  string
	about string // label of the text
}

var (
	errorReport = reportKind{
		kind: eventseer.ErrorReport, sent: "report", title: "Report an error", event: true, field: true,
		intro: []string{"A program reads dates and names, and it makes mistakes. Write what is wrong and, if you can, where to find the correct value."},
		link:  "Page with the correct value (optional)", about: "What is wrong, and what is correct?",
	}
	appealReport = reportKind{
		kind: eventseer.Appeal, sent: "appeal", title: "Object to a warning", event: true,
		intro: []string{"A program makes the warnings from what the pages of a call say. A person reads your objection and decides."},
		link:  "Page that supports your objection (optional)", about: "Which warning is wrong, and why?",
	}
	removalReport = reportKind{
		kind: eventseer.Removal, sent: "removal", title: "Ask for removal",
		intro: []string{
			"Use this to have your page or your name removed from this site. A person reads it. Removed names stay removed when pages are read again.",
			"We store your message until it is settled, and nothing about you: no address, no account. Do not write more about yourself than necessary.",
		},
		link: "Page concerned (optional)", about: "What should be removed?",
	}
)

// reportFields are the parts of an event that can be reported, by their JSON names.
var reportFields = []account.FormChoice{
	{Value: "deadlines", Text: "A deadline"}, {Value: "title", Text: "Name or title"}, {Value: "event_start", Text: "Days of the event"},
	{Value: "location", Text: "Place"}, {Value: "topics", Text: "Topics"}, {Value: "url", Text: "Link to the call"},
	{Value: "submission_url", Text: "Link to submit"}, {Value: "series", Text: "It is another event, or listed twice"}, {Value: "", Text: "Something else"},
}

// A reportPage is a form that reaches the operator.
type reportPage struct {
	account.OwnFrame
	Heading string
	Intro   []string
	About   string // label of the text
	Link    string // label of the URL
	Event   *views.Link
	Fields  []account.FormChoice
	URL     string
	Text    string
	Most    int // runes of the text
	Action  string
	Close   string // where Cancel leads
}

func (s *server) newReportPage(v *account.Visit, kind reportKind) (reportPage, eventseer.Note, error) {
	note := eventseer.Note{Kind: kind.kind, At: s.Now().UTC()}
	p := reportPage{
		OwnFrame: s.ownFrame(v, kind.title, ""), Heading: kind.title, Intro: kind.intro, About: kind.about, Link: kind.link,
		Most: eventseer.MaxNote, Action: v.URL.EscapedPath(), Close: "/",
	}
	if kind.event {
		e, err := s.Store.Event(v.Context(), eventseer.EventID(v.PathValue("id")))
		if err != nil {
			return p, note, err
		}
		note.Event = e.ID
		p.Event = &views.Link{Text: views.Clip(views.NameOf(e).Full(), views.MaxValue), Href: views.EventHref(e.ID)}
		p.Close = p.Event.Href
	}
	if kind.field {
		p.Fields = slices.Clone(reportFields)
	}
	return p, note, nil
}

func (s *server) reportForm(kind reportKind) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		p, _, err := s.newReportPage(v, kind)
		p.chooseField(v.URL.Query().Get("field"))
		return web.View{Name: "report", Data: p}, err
	}
}

// chooseField selects a field; unknown ones select none.
func (p *reportPage) chooseField(name string) (chosen string) {
	for i := range p.Fields {
		if f := &p.Fields[i]; f.Value == name {
			f.Chosen, chosen = true, name
		}
	}
	return chosen
}

func (s *server) reportPressed(kind reportKind) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		p, note, err := s.newReportPage(v, kind)
		if err != nil {
			return web.View{}, err
		}
		note.Field = p.chooseField(v.PostForm.Get("field"))
		note.Text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(v.PostForm.Get("text"), "\uFFFD"), "\r\n", "\n"))
		note.URL = strings.TrimSpace(v.PostForm.Get("url"))
		n := utf8.RuneCountInString(note.Text)
		switch {
		case n == 0:
			p.AddProblem("text", "Write a few words that explain it to a person.")
		case n > eventseer.MaxNote:
			p.AddProblem("text", "The text has %d characters; at most %d are allowed.", n, eventseer.MaxNote)
		}
		if note.URL != "" {
			if problem := pageProblem(note.URL); problem != "" {
				p.AddProblem("url", "%s", problem)
			}
		}
		if len(p.Problems) == 0 {
			return web.View{}, s.storeNote(v, kind, note)
		}
		p.Text, p.URL = views.Clip(note.Text, 2*eventseer.MaxNote), views.Clip(note.URL, web.MaxSliceURL)
		return web.View{Name: "report", Data: p, Status: p.Status()}, nil
	}
}

// storeNote stores a note, unless a program wrote it or there are too many from one address.
func (s *server) storeNote(v *account.Visit, kind reportKind, note eventseer.Note) error {
	if v.PostForm.Get(honeypot) == "" {
		if s.formLimits.Note.WaitTime(s.clientAddress(v.Request), s.Now()) > 0 {
			return eventseer.ErrTooMany
		}
		if err := s.Desk.StoreNote(v.Context(), note); err != nil {
			return err
		}
	}
	v.Target = "/sent?what=" + kind.sent
	return nil
}
