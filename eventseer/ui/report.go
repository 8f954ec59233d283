package ui

import (
	"strings"
	"unicode/utf8"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A reportKind is one of the forms that reach the operator.
type reportKind struct {
	kind  eventseer.NoteKind
	sent  string // the page after it
	title string
	intro []string
	event bool // about one
	field bool // the field of the event can be said
	link  string
	about string // label of the text
}

var (
	errorReport = reportKind{
		kind: eventseer.ErrorReport, sent: "report", title: "Report an error", event: true, field: true,
		intro: []string{"Dates and names are read by a program and sometimes wrong. Say what is wrong and, if you can, where the right thing stands."},
		link:  "Page that says it right (optional)", about: "What is wrong, and how should it be?",
	}
	appealReport = reportKind{
		kind: eventseer.Appeal, sent: "appeal", title: "Object to a warning", event: true,
		intro: []string{"The warnings at a call are made by a program from what its pages say. A person reads your objection and decides."},
		link:  "Page that shows it (optional)", about: "Which warning is wrong, and why?",
	}
	removalReport = reportKind{
		kind: eventseer.Removal, sent: "removal", title: "Ask for removal",
		intro: []string{
			"Use this to have a page of yours, or your name, left out of this site. A person reads it. Names that have been removed stay out when pages are read again.",
			"We keep your message until it is settled, and nothing about you: no address, no account. Do not write more about yourself than is needed.",
		},
		link: "Page it is about (optional)", about: "What should be removed?",
	}
)

// reportFields are the parts of an event that a report may be about, by their JSON names.
var reportFields = []formChoice{
	{Value: "deadlines", Text: "A deadline"}, {Value: "title", Text: "Name or title"}, {Value: "event_start", Text: "Days of the event"},
	{Value: "location", Text: "Place"}, {Value: "topics", Text: "Topics"}, {Value: "url", Text: "Link to the call"},
	{Value: "submission_url", Text: "Link to submit"}, {Value: "series", Text: "It is another event, or listed twice"}, {Value: "", Text: "Something else"},
}

// A reportPage is a form that reaches the operator.
type reportPage struct {
	ownFrame
	Heading string
	Intro   []string
	About   string // label of the text
	Link    string // label of the URL
	Event   *views.Link
	Fields  []formChoice
	URL     string
	Text    string
	Most    int // runes of the text
	Action  string
	Close   string // where somebody goes who changes their mind
}

func (s *server) newReportPage(v *visit, kind reportKind) (reportPage, eventseer.Note, error) {
	note := eventseer.Note{Kind: kind.kind, At: s.Now().UTC()}
	p := reportPage{
		ownFrame: s.ownFrame(v, kind.title, ""), Heading: kind.title, Intro: kind.intro, About: kind.about, Link: kind.link,
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
		p.Fields = append(p.Fields, reportFields...)
	}
	return p, note, nil
}

func (s *server) reportForm(kind reportKind) func(*visit) (web.View, error) {
	return func(v *visit) (web.View, error) {
		p, _, err := s.newReportPage(v, kind)
		p.chooseField(v.URL.Query().Get("field"))
		return web.View{Name: "report", Data: p}, err
	}
}

// chooseField ticks a field; one that is not offered is none.
func (p *reportPage) chooseField(name string) string {
	fields := make([]formChoice, len(p.Fields))
	chosen := ""
	for i, f := range p.Fields {
		if f.Chosen = f.Value == name; f.Chosen {
			chosen = name
		}
		fields[i] = f
	}
	p.Fields = fields
	return chosen
}

func (s *server) reportPressed(kind reportKind) func(*visit) (web.View, error) {
	return func(v *visit) (web.View, error) {
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
			p.wrong("text", "Write a few words, so that a person can understand it.")
		case n > eventseer.MaxNote:
			p.wrong("text", "The text has %d characters; it may have %d.", n, eventseer.MaxNote)
		}
		if note.URL != "" {
			if problem := pageProblem(note.URL); problem != "" {
				p.wrong("url", "%s", problem)
			}
		}
		if len(p.Problems) == 0 {
			return web.View{}, s.leaveNote(v, kind, note)
		}
		p.Text, p.URL = views.Clip(note.Text, 2*eventseer.MaxNote), views.Clip(note.URL, maxSliceURL)
		return web.View{Name: "report", Data: p, Status: p.status()}, nil
	}
}

// leaveNote keeps a note, unless a program wrote it or too many came from one address.
func (s *server) leaveNote(v *visit, kind reportKind, note eventseer.Note) error {
	if v.PostForm.Get(honeypot) == "" {
		if s.formLimits.note.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
			return eventseer.ErrTooMany
		}
		if err := s.Desk.Leave(v.Context(), note); err != nil {
			return err
		}
	}
	v.target = "/sent?what=" + kind.sent
	return nil
}
