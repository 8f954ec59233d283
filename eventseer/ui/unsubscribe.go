package ui

import (
	"errors"
	"net/http"
	"net/url"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// oneClick is the body of RFC 8058: what a mail program sends when its reader presses
// "unsubscribe". It has neither a session nor a cookie, only the secret in the URL.
const oneClick = "List-Unsubscribe"

// A leavePage ends a list's mails, or all, and says so.
type leavePage struct {
	ownFrame
	Action  string
	Address string
	List    string // "" of all lists
	Left    bool
	Posted  bool // this is the answer to a form, without a way back of its own
	Gone    bool
}

// unsubscribe only asks: programs that look at mails open all their links.
func (s *server) unsubscribe(v *visit) (web.View, error) {
	leaving, err := s.Subscriptions.Leaving(v.Context(), v.PathValue("token"))
	if errors.Is(err, eventseer.ErrNotFound) {
		return s.leaveGone(v), nil
	}
	if err != nil {
		return web.View{}, err
	}
	return web.View{Name: "unsubscribe", Data: s.newLeavePage(v, leaving)}, nil
}

func (s *server) leaveGone(v *visit) web.View {
	p := leavePage{ownFrame: s.ownFrame(v, "This link has ended", "clips"), Gone: true}
	return web.View{Name: "unsubscribe", Data: p, Status: http.StatusNotFound}
}

func (s *server) newLeavePage(v *visit, l eventseer.Leaving) leavePage {
	p := leavePage{
		ownFrame: s.ownFrame(v, "Stop these mails", "clips"), Action: "/unsubscribe/" + url.PathEscape(v.PathValue("token")),
		Address: views.Clip(l.Address, maxAddress), List: views.Clip(firstOf(l.List.Name, l.List.Query), eventseer.MaxListName), Left: l.Left,
	}
	if l.Left {
		p.Title = "These mails have ended"
	}
	return p
}

// unsubscribePressed ends mails at once. What a mail program sends is obeyed as it is;
// it is answered without leading on, as RFC 8058 wants. The button of our page sends
// the same, so that it works without cookies too. Only the way back needs a token.
func (s *server) unsubscribePressed(w http.ResponseWriter, r *http.Request) {
	if err := s.readForm(w, r); err != nil {
		s.own(func(*visit) (web.View, error) { return web.View{}, err })(w, r)
		return
	}
	if r.PostForm.Get(oneClick) != "One-Click" {
		s.post(s.formLimits.press, s.readers(s.returnPressed))(w, r)
		return
	}
	r.Header.Del("Cookie") // nothing of the answer depends on who asks
	r.Header.Del("Sec-Fetch-Site")
	r.Header.Del("Origin")
	if s.UserHeader != "" {
		r.Header.Del(s.UserHeader)
	}
	s.own(s.readers(s.leave))(noCookie{w}, r)
}

// leave ends what a token is for.
func (s *server) leave(v *visit) (web.View, error) {
	token := v.PathValue("token")
	err := s.Subscriptions.Leave(v.Context(), token)
	var leaving eventseer.Leaving
	if err == nil {
		leaving, err = s.Subscriptions.Leaving(v.Context(), token)
	}
	if errors.Is(err, eventseer.ErrNotFound) {
		return s.leaveGone(v), nil
	}
	if err != nil {
		return web.View{}, err
	}
	p := s.newLeavePage(v, leaving)
	p.Posted = true
	return web.View{Name: "unsubscribe", Data: p}, nil
}

// returnPressed begins again what was ended.
func (s *server) returnPressed(v *visit) (web.View, error) {
	if v.PostForm.Get("press") != "return" {
		return web.View{}, web.BadRequest("the form says neither to end the mails nor to begin them again")
	}
	err := s.Subscriptions.Return(v.Context(), v.PathValue("token"))
	if errors.Is(err, eventseer.ErrNotFound) {
		return s.leaveGone(v), nil
	}
	v.target = "/unsubscribe/" + url.PathEscape(v.PathValue("token"))
	return web.View{}, err
}

// noCookie is an answer that sets no cookie.
type noCookie struct{ http.ResponseWriter }

func (n noCookie) WriteHeader(status int) {
	n.Header().Del("Set-Cookie")
	n.ResponseWriter.WriteHeader(status)
}
