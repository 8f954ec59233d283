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

// boundedPreview is like preview for a list without errors, with a limit for each address. counted
// means that the request was counted already.
func (s *server) boundedPreview(v *account.Visit, l eventseer.List, f *account.OwnFrame, counted bool) (*account.PreviewView, error) {
	if len(f.Problems) > 0 {
		return nil, nil
	}
	if counted && s.formLimits.Search.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
		return &account.PreviewView{Busy: true}, nil
	}
	return s.preview(v, l, f)
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
		if err := s.saveNew(v, &p, l); err != nil {
			return web.View{}, err
		}
		if v.Target != "" {
			return web.View{}, nil
		}
	}
	p.Address = views.Clip(p.Address, account.MaxAddress)
	return s.showSubscribe(v, p, l, false)
}

// saveNew stores a new list. It sets the target in v, or errors in p.
func (s *server) saveNew(v *account.Visit, p *subscribePage, l eventseer.List) error {
	l.Name = cmp.Or(l.Name, views.Clip(account.OneLine(l.Query), eventseer.MaxListName-1))
	if v.Account != nil {
		l.Account = v.Account.ID
		kept, err := s.Subscriptions.SaveList(v.Context(), l)
		if err != nil {
			return p.WrongInput(err, account.ListFields)
		}
		v.Target = account.ListHref(kept.ID) + "?done=begun"
		return nil
	}
	if s.formLimits.Mail.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
		return eventseer.ErrTooMany
	}
	if err := s.ask(v, &p.OwnFrame, p.Address, l); err != nil {
		return err
	}
	if len(p.Problems) == 0 {
		v.Target = "/sent?what=subscribe"
	}
	return nil
}

// preview returns what a list would have found. Errors of the list are recorded in f.
func (s *server) preview(v *account.Visit, l eventseer.List, f *account.OwnFrame) (*account.PreviewView, error) {
	if v.Account != nil {
		l.Account = v.Account.ID
	}
	found, err := s.Subscriptions.Preview(v.Context(), l)
	if err != nil {
		return nil, f.WrongInput(err, account.ListFields)
	}
	p := &account.PreviewView{Since: views.NewStamp(found.Since, s.Now()), Total: found.Total, PerWeek: account.PerWeek(found.PerWeek)}
	p.Items = views.Map(views.Head(found.Items, account.MaxPreview), func(item eventseer.Item) account.ItemView { return s.newItemView(v, item) })
	for _, t := range views.Head(found.Terms, account.MaxTermsSeen) {
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

// A leavePage ends the mails of one list or of all, and confirms it.
type leavePage struct {
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
	leaving, err := s.Subscriptions.Leaving(v.Context(), v.PathValue("token"))
	return web.View{Name: "unsubscribe", Data: s.newLeavePage(v, leaving)}, err
}

// orGone shows the page gone if the target of a mail's token no longer exists.
func orGone(gone func(*account.Visit) web.View, f func(*account.Visit) (web.View, error)) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		shown, err := f(v)
		if errors.Is(err, eventseer.ErrNotFound) {
			return gone(v), nil
		}
		return shown, err
	}
}

func (s *server) leaveGone(v *account.Visit) web.View {
	p := leavePage{OwnFrame: s.ownFrame(v, "This link has ended", "clips"), Gone: true}
	return web.View{Name: "unsubscribe", Data: p, Status: http.StatusNotFound}
}

func (s *server) newLeavePage(v *account.Visit, l eventseer.Leaving) leavePage {
	p := leavePage{
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
		s.ownFail(w, r, err)
		return
	}
	if r.PostForm.Get(oneClick) != "One-Click" {
		s.post(s.formLimits.Press, s.readers(orGone(s.leaveGone, s.returnPressed)))(w, r)
		return
	}
	r.Header.Del("Cookie") // the response does not depend on the visitor
	r.Header.Del("Sec-Fetch-Site")
	r.Header.Del("Origin")
	if s.UserHeader != "" {
		r.Header.Del(s.UserHeader)
	}
	s.own(s.readers(orGone(s.leaveGone, s.leave)))(account.NoCookie{ResponseWriter: w}, r)
}

// leave ends what a token stands for.
func (s *server) leave(v *account.Visit) (web.View, error) {
	token := v.PathValue("token")
	err := s.Subscriptions.Leave(v.Context(), token)
	var leaving eventseer.Leaving
	if err == nil {
		leaving, err = s.Subscriptions.Leaving(v.Context(), token)
	}
	p := s.newLeavePage(v, leaving)
	p.Posted = true
	return web.View{Name: "unsubscribe", Data: p}, err
}

// returnPressed resumes what was ended.
func (s *server) returnPressed(v *account.Visit) (web.View, error) {
	if v.PostForm.Get("press") != "return" {
		return web.View{}, web.BadRequest("the form must say whether to stop the mails or to start them again")
	}
	if err := s.Subscriptions.Return(v.Context(), v.PathValue("token")); err != nil {
		return web.View{}, err
	}
	return v.GoOn("/unsubscribe/" + url.PathEscape(v.PathValue("token")))
}
