package ui

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A subscribePage makes a list.
type subscribePage struct {
	account.OwnFrame
	account.ListForm
	Address string
}

func (s *server) newSubscribePage(v *account.Visit) subscribePage {
	return subscribePage{OwnFrame: s.ownFrame(v, "Get calls by mail", "clips")}
}

// subscribe shows the form. A query in the URL fills it and starts a preview.
func (s *server) subscribe(v *account.Visit) (web.View, error) {
	p := s.newSubscribePage(v)
	q := v.URL.Query()
	form := url.Values{"q": {q.Get("q")}, "name": {q.Get("name")}, "rhythm": {string(eventseer.Daily)}, "synonyms": {"1"}}
	if strings.TrimSpace(q.Get("q")) == "" {
		p.ListForm = account.NewListForm(account.ReadList(form, &account.OwnFrame{}))
		v.W.Header().Del("X-Robots-Tag")
		return web.View{Name: "subscribe", Data: p}, nil
	}
	return s.showSubscribe(v, p, account.ReadList(form, &p.OwnFrame), true)
}

// showSubscribe shows the form filled with a list, and the preview of the list.
func (s *server) showSubscribe(v *account.Visit, p subscribePage, l eventseer.List, counted bool) (web.View, error) {
	p.ListForm = account.NewListForm(l)
	var err error
	p.Preview, err = s.boundedPreview(v, l, &p.OwnFrame, counted)
	return web.View{Name: "subscribe", Data: p, Status: p.Status()}, err
}

// boundedPreview is like previewList for a list without errors, with a limit for each address. counted
// means that the request was counted already.
func (s *server) boundedPreview(v *account.Visit, l eventseer.List, f *account.OwnFrame, counted bool) (*account.PreviewView, error) {
	if len(f.Problems) > 0 {
		return nil, nil
	}
	if counted && s.formLimits.Search.WaitTime(s.clientAddress(v.Request), s.Now()) > 0 {
		return &account.PreviewView{Busy: true}, nil
	}
	return s.previewList(v, l, f)
}

// subscribePressed shows the preview again, or creates the list: at once for signed-in readers, for
// others when they follow the link in the mail.
func (s *server) subscribePressed(v *account.Visit) (web.View, error) {
	p := s.newSubscribePage(v)
	p.Address = strings.TrimSpace(v.PostForm.Get("address"))
	l := account.ReadList(v.PostForm, &p.OwnFrame)
	if v.PostForm.Get("press") != "save" {
		p.Address = views.Clip(p.Address, account.MaxAddress)
		return s.showSubscribe(v, p, l, false)
	}
	if v.Account == nil {
		if problem := account.AddressProblem(p.Address); problem != "" {
			p.Problems = append([]account.FieldProblem{{Field: "address", Text: problem}}, p.Problems...)
		}
	}
	if len(p.Problems) == 0 {
		if err := s.saveNewList(v, &p, l); err != nil {
			return web.View{}, err
		}
		if v.Target != "" {
			return web.View{}, nil
		}
	}
	p.Address = views.Clip(p.Address, account.MaxAddress)
	return s.showSubscribe(v, p, l, false)
}

// saveNewList stores a new list. It sets the target in v, or errors in p.
func (s *server) saveNewList(v *account.Visit, p *subscribePage, l eventseer.List) error {
	l.Name = cmp.Or(l.Name, views.Clip(account.OneLine(l.Query), eventseer.MaxListName-1))
	if v.Account != nil {
		l.Account = v.Account.ID
		kept, err := s.Subscriptions.SaveList(v.Context(), l)
		if err != nil {
			return p.AddInputProblem(err, account.ListFields)
		}
		v.Target = account.ListHref(kept.ID) + "?done=begun"
		return nil
	}
	if s.formLimits.Mail.WaitTime(s.clientAddress(v.Request), s.Now()) > 0 {
		return eventseer.ErrTooMany
	}
	if err := s.requestSignIn(v, &p.OwnFrame, p.Address, l); err != nil {
		return err
	}
	if len(p.Problems) == 0 {
		v.Target = "/sent?what=subscribe"
	}
	return nil
}

// previewList returns what a list would have found. Errors of the list are recorded in f.
func (s *server) previewList(v *account.Visit, l eventseer.List, f *account.OwnFrame) (*account.PreviewView, error) {
	if v.Account != nil {
		l.Account = v.Account.ID
	}
	found, err := s.Subscriptions.Preview(v.Context(), l)
	if err != nil {
		return nil, f.AddInputProblem(err, account.ListFields)
	}
	p := &account.PreviewView{Since: views.NewTimeStamp(found.Since, s.Now()), Total: found.Total, PerWeek: account.PerWeek(found.PerWeek)}
	p.Items = views.MapSlice(views.FirstN(found.Items, account.MaxPreview), func(item eventseer.Item) account.ItemView { return s.newItemView(v, item) })
	for _, t := range views.FirstN(found.Terms, account.MaxTermsSeen) {
		row := account.TermRow{Term: views.Clip(t.Term, account.MaxSynonym)}
		for _, same := range t.Same {
			switch {
			case slices.Contains(l.Without, same):
			case len(row.Same) == account.MaxTermsSeen:
				row.More++
			default:
				row.Same = append(row.Same, views.Clip(same, account.MaxSynonym))
			}
		}
		p.Terms = append(p.Terms, row)
	}
	p.Without = l.Without
	return p, nil
}

// items

// oneClick is the request body of RFC 8058: a mail program sends it when its reader clicks
// "unsubscribe". There is no session or cookie, only the secret in the URL.
const oneClick = "List-Unsubscribe"

// An unsubscribePage ends the mails of one list or of all, and confirms it.
type unsubscribePage struct {
	account.OwnFrame
	Action  string
	Address string
	List    string // "" of all lists
	Left    bool
	Posted  bool // this responds to a form, without its own way back
	Gone    bool
}

// unsubscribe only asks for confirmation: programs that scan mails open all links.
func (s *server) unsubscribe(v *account.Visit) (web.View, error) {
	leaving, err := s.Subscriptions.Unsubscription(v.Context(), v.PathValue("token"))
	return web.View{Name: "unsubscribe", Data: s.newUnsubscribePage(v, leaving)}, err
}

// orExpiredPage shows the page gone if the target of a mail's token no longer exists.
func orExpiredPage(gone func(*account.Visit) web.View, f func(*account.Visit) (web.View, error)) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		shown, err := f(v)
		if errors.Is(err, eventseer.ErrNotFound) {
			return gone(v), nil
		}
		return shown, err
	}
}

func (s *server) unsubscribeExpired(v *account.Visit) web.View {
	p := unsubscribePage{OwnFrame: s.ownFrame(v, "This link has ended", "clips"), Gone: true}
	return web.View{Name: "unsubscribe", Data: p, Status: http.StatusNotFound}
}

func (s *server) newUnsubscribePage(v *account.Visit, l eventseer.Unsubscription) unsubscribePage {
	p := unsubscribePage{
		OwnFrame: s.ownFrame(v, "Stop these mails", "clips"), Action: "/unsubscribe/" + url.PathEscape(v.PathValue("token")),
		Address: views.Clip(l.Address, account.MaxAddress), List: views.Clip(cmp.Or(l.List.Name, l.List.Query), eventseer.MaxListName), Left: l.Left,
	}
	if l.Left {
		p.Title = "These mails have ended"
	}
	return p
}

// unsubscribePressed ends mails at once. The request of a mail program needs no token and gets no
// redirect, as RFC 8058 requires. The button on the page sends the same request, so it works
// without cookies. Only resubscribing needs a token.
func (s *server) unsubscribePressed(w http.ResponseWriter, r *http.Request) {
	if err := s.readForm(w, r); err != nil {
		s.failOwnPage(w, r, err)
		return
	}
	if r.PostForm.Get(oneClick) != "One-Click" {
		s.formHandler(s.formLimits.Press, s.requireAccounts(orExpiredPage(s.unsubscribeExpired, s.resubscribePressed)))(w, r)
		return
	}
	r.Header.Del("Cookie") // the response does not depend on the visitor
	r.Header.Del("Sec-Fetch-Site")
	r.Header.Del("Origin")
	if s.UserHeader != "" {
		r.Header.Del(s.UserHeader)
	}
	s.ownPageHandler(s.requireAccounts(orExpiredPage(s.unsubscribeExpired, s.unsubscribeToken)))(account.WithoutCookies{ResponseWriter: w}, r)
}

// unsubscribeToken ends the list or the mails that a token is for.
func (s *server) unsubscribeToken(v *account.Visit) (web.View, error) {
	token := v.PathValue("token")
	err := s.Subscriptions.Unsubscribe(v.Context(), token)
	var leaving eventseer.Unsubscription
	if err == nil {
		leaving, err = s.Subscriptions.Unsubscription(v.Context(), token)
	}
	p := s.newUnsubscribePage(v, leaving)
	p.Posted = true
	return web.View{Name: "unsubscribe", Data: p}, err
}

// resubscribePressed resumes what unsubscribing ended.
func (s *server) resubscribePressed(v *account.Visit) (web.View, error) {
	if v.PostForm.Get("press") != "return" {
		return web.View{}, web.BadRequest("the form must say whether to stop the mails or to start them again")
	}
	if err := s.Subscriptions.Resubscribe(v.Context(), v.PathValue("token")); err != nil {
		return web.View{}, err
	}
	return v.Redirect("/unsubscribe/" + url.PathEscape(v.PathValue("token")))
}
