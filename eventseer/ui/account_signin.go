package ui

import (
	"cmp"
	"errors"
	"net/http"
	"net/mail"
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const maxAddress = 254 // bytes of a mail address

// A signInPage asks for an address.
type signInPage struct {
	ownFrame
	Address string
	Next    string
}

func (s *server) signIn(v *visit) (web.View, error) {
	next := localPath(v.URL.Query().Get("next"))
	if v.account != nil {
		v.target = cmp.Or(next, "/clips")
		return web.View{}, nil
	}
	return web.View{Name: "signin", Data: signInPage{ownFrame: s.ownFrame(v, "Sign in", "clips"), Next: next}}, nil
}

func (s *server) signInPressed(v *visit) (web.View, error) {
	p := signInPage{
		ownFrame: s.ownFrame(v, "Sign in", "clips"), Address: strings.TrimSpace(v.PostForm.Get("address")),
		Next: localPath(v.PostForm.Get("next")),
	}
	if err := s.ask(v, &p.ownFrame, p.Address, eventseer.List{}); err != nil {
		return web.View{}, err
	}
	if len(p.Problems) > 0 {
		p.Address = views.Clip(p.Address, maxAddress)
		return web.View{Name: "signin", Data: p, Status: p.status()}, nil
	}
	if p.Next != "" {
		s.setCookie(v, nextCookie, url.QueryEscape(p.Next), nextAge)
	}
	v.target = "/sent?what=signin"
	return web.View{}, nil
}

// ask has a link mailed, and notes in f what is wrong with the address or the list.
func (s *server) ask(v *visit, f *ownFrame, address string, list eventseer.List) error {
	if problem := addressProblem(address); problem != "" {
		f.wrong("address", "%s", problem)
		return nil
	}
	err := s.Subscriptions.Ask(v.Context(), web.Network(s.clientAddress(v.Request)).String(), address, list)
	if err == nil {
		return nil
	}
	return f.wrongInput(err, listFields)
}

// addressProblem says what is wrong with a mail address, as far as that can be seen.
func addressProblem(address string) string {
	if address == "" {
		return "Write your e-mail address."
	}
	const wrong = "This is no e-mail address. One looks like ada@example.org."
	if len(address) > maxAddress || strings.ContainsFunc(address, notInPath) {
		return wrong
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || a.Name != "" {
		return wrong
	}
	return ""
}

// A linkPage says what a mailed link would do.
type linkPage struct {
	ownFrame
	Address string
	List    *listRow
	Gone    bool
}

func (s *server) mailedLink(v *visit) (web.View, error) {
	address, list, err := s.Subscriptions.Peek(v.Context(), v.PathValue("token"))
	if errors.Is(err, eventseer.ErrNotFound) {
		return s.linkGone(v), nil
	}
	if err != nil {
		return web.View{}, err
	}
	p := linkPage{ownFrame: s.ownFrame(v, "One step left", "clips"), Address: views.Clip(address, maxAddress)}
	if list.Query != "" {
		row := s.newListRow(list)
		p.List = &row
	}
	return web.View{Name: "link", Data: p}, nil
}

func (s *server) linkGone(v *visit) web.View {
	p := linkPage{ownFrame: s.ownFrame(v, "This link has ended", "clips"), Gone: true}
	return web.View{Name: "link", Data: p, Status: http.StatusNotFound}
}

// mailedLinkPressed uses a mailed link up. The session is always a new one: what the
// browser had before is worth nothing afterwards.
func (s *server) mailedLinkPressed(v *visit) (web.View, error) {
	token := v.PathValue("token")
	_, list, err := s.Subscriptions.Peek(v.Context(), token)
	var session string
	if err == nil {
		session, err = s.Subscriptions.SignIn(v.Context(), token)
	}
	if errors.Is(err, eventseer.ErrNotFound) {
		return s.linkGone(v), nil
	}
	if err != nil {
		return web.View{}, err
	}
	if v.session != "" {
		if err := s.Subscriptions.SignOut(v.Context(), v.session); err != nil && !errors.Is(err, ErrSignedOut) {
			s.Log.Warn("end the session before", "cause", err)
		}
	}
	s.setCookie(v, sessionCookie, session, sessionAge)
	v.target = "/clips?done=begun"
	if list.Query == "" {
		next, _ := url.QueryUnescape(s.cookie(v.Request, nextCookie)) // "" where it is no path
		v.target = cmp.Or(localPath(next), "/clips")
	}
	s.setCookie(v, nextCookie, "", -1)
	return web.View{}, nil
}

func (s *server) signOut(v *visit) (web.View, error) {
	if v.session != "" {
		if err := s.Subscriptions.SignOut(v.Context(), v.session); err != nil && !errors.Is(err, ErrSignedOut) {
			return web.View{}, err
		}
	}
	s.setCookie(v, sessionCookie, "", -1)
	v.target = "/sent?what=signout"
	return web.View{}, nil
}

// A sentPage says that something was sent.
type sentPage struct {
	ownFrame
	Lines []string
	Back  views.Link
}

// sentTexts are the pages after a form, by the parameter what.
var sentTexts = map[string]struct {
	title string
	lines []string
	back  views.Link
}{
	"signin": {"Look in your mail", []string{
		"If the address is right, a mail is on its way. It holds a link that signs you in; nothing happens before you open it and press the button there.",
		"It may take a few minutes. If it does not come, look among unwanted mail, or ask again.",
	}, views.Link{Text: "Ask again", Href: "/signin"}},
	"subscribe": {"Look in your mail", []string{
		"A mail is on its way to the address you gave. Open the link in it and press the button there: only then does your list begin, and nothing else is sent before.",
		"It may take a few minutes. If it does not come, look among unwanted mail, or ask again.",
	}, views.Link{Text: "To the open calls", Href: "/"}},
	"signout": {"You are signed out", []string{"Your lists go on, and so do their mails."}, views.Link{Text: "To the open calls", Href: "/"}},
	"report":  {"Thank you", []string{"Your report is with whoever runs this site. Once it has been read, the page shows what was changed."}, views.Link{Text: "To the open calls", Href: "/"}},
	"appeal":  {"Thank you", []string{"Your objection is with whoever runs this site. A person reads it and decides whether the warning stays."}, views.Link{Text: "To the open calls", Href: "/"}},
	"removal": {"Thank you", []string{"Your request is with whoever runs this site. A person reads it and takes out what it asks for."}, views.Link{Text: "To the open calls", Href: "/"}},
	"submit":  {"Thank you", []string{"The page is in the queue of the crawler. Once it has been visited and read, the call is found by the search."}, views.Link{Text: "Submit another", Href: "/submit"}},
	"noted":   {"Thank you", []string{"The page was passed on to whoever runs this site. A person looks at it."}, views.Link{Text: "Submit another", Href: "/submit"}},
}

var errNothingSent = &visitError{status: http.StatusNotFound, text: "This page says what became of a form. Nothing was sent from here."}

func (s *server) sent(v *visit) (web.View, error) {
	text, known := sentTexts[v.URL.Query().Get("what")]
	if !known {
		return web.View{}, errNothingSent
	}
	return web.View{Name: "sent", Data: sentPage{ownFrame: s.ownFrame(v, text.title, ""), Lines: text.lines, Back: text.back}}, nil
}
