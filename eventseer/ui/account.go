package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// accountRoutes adds the pages of readers and of subscriptions.
func (s *server) accountRoutes(mux *http.ServeMux) {
	get := func(path string, f func(*account.Visit) (web.View, error)) {
		mux.HandleFunc("GET "+path, s.ownPageHandler(f))
	}
	post := func(path string, limit *web.Limiter, f func(*account.Visit) (web.View, error)) {
		mux.HandleFunc("POST "+path, s.formHandler(limit, f))
	}
	get("/subscribe", s.requireAccounts(s.subscribe))
	post("/subscribe", s.formLimits.Search, s.requireAccounts(s.subscribePressed))
	get("/signin", s.requireAccounts(s.signIn))
	post("/signin", s.formLimits.Mail, s.requireAccounts(s.signInPressed))
	get("/signin/{token}", s.requireAccounts(orExpiredPage(s.linkExpired, s.mailedLink)))
	post("/signin/{token}", s.formLimits.Press, s.requireAccounts(orExpiredPage(s.linkExpired, s.mailedLinkPressed)))
	post("/signout", s.formLimits.Press, s.requireAccounts(s.signOut))
	get("/sent", s.sentPage)

	get("/clips", s.requireSignIn(s.clips))
	get("/clips/{list}", s.requireSignIn(s.editList))
	post("/clips/{list}", s.formLimits.Search, s.requireSignIn(s.editListPressed))
	post("/clips/{list}/snooze", s.formLimits.Press, s.requireSignIn(s.snoozeList))
	post("/clips/{list}/remove", s.formLimits.Press, s.requireSignIn(s.removeList))
	get("/e/{id}/star", s.requireSignIn(s.star))
	post("/e/{id}/star", s.formLimits.Press, s.requireSignIn(s.starPressed))

	get("/account", s.requireSignIn(s.account))
	post("/account", s.formLimits.Press, s.requireSignIn(s.accountPressed))
	mux.HandleFunc("GET /account/export", s.exportAccount)
	get("/account/forget", s.requireSignIn(s.forget))
	post("/account/forget", s.formLimits.Press, s.requireSignIn(s.forgetPressed))

	get("/d/{token}", s.requireAccounts(s.digest))
	get("/v/{token}", s.requireAccounts(s.vote))
	post("/v/{token}", s.formLimits.Press, s.requireAccounts(s.votePressed))
	get("/unsubscribe/{token}", s.requireAccounts(orExpiredPage(s.unsubscribeExpired, s.unsubscribe)))
	mux.HandleFunc("POST /unsubscribe/{token}", s.unsubscribePressed)
	mux.HandleFunc("GET /feed/{file}", s.secretFeed)
}

// An accountPage holds the settings of a reader.
type accountPage struct {
	account.OwnFrame
	Address, User string
	Zone          string
	ZoneOffers    []string
	Days          []account.FormChoice
	Pauses        []account.FormChoice
	PausedUntil   views.TimeStamp
	Refused       string
	Since         views.TimeStamp
}

func (s *server) account(v *account.Visit) (web.View, error) {
	p := s.newAccountPage(v, *v.Account)
	p.Said = map[string]string{"saved": "Saved."}[v.URL.Query().Get("done")]
	return web.View{Name: "account", Data: p}, nil
}

func (s *server) newAccountPage(v *account.Visit, a eventseer.Account) accountPage {
	now := s.Now()
	p := accountPage{
		OwnFrame: s.ownFrame(v, "Your account", "clips"), Address: views.Clip(a.Address, 200), User: views.Clip(a.User, 200),
		Zone: views.Clip(a.Zone, 60), ZoneOffers: zoneOffers(), Refused: views.Clip(a.Refused, views.MaxValue), Since: views.NewTimeStamp(a.Created, now),
	}
	for _, d := range account.ReminderDays {
		p.Days = append(p.Days, account.FormChoice{Value: strconv.Itoa(d), Text: account.DaysBefore(d), Chosen: slices.Contains(a.Reminders, d)})
	}
	paused := a.Paused.After(now)
	if paused {
		p.PausedUntil = views.NewTimeStamp(a.Paused, now)
		p.Pauses = append(p.Pauses, account.FormChoice{Value: "", Text: "as it is now", Chosen: true})
	}
	for _, d := range account.Pauses {
		text := strconv.Itoa(d) + " days from now"
		if d == 0 {
			text = "no pause"
		}
		p.Pauses = append(p.Pauses, account.FormChoice{Value: strconv.Itoa(d), Text: text, Chosen: !paused && d == 0})
	}
	return p
}

// zoneOffers returns the zones of zoneList by their full names.
func zoneOffers() (names []string) {
	for _, region := range zoneList {
		names = append(names, region.zones()...)
	}
	return names
}

// accountPressed saves the settings of a reader.
func (s *server) accountPressed(v *account.Visit) (web.View, error) {
	a := *v.Account
	a.Zone = strings.TrimSpace(v.PostForm.Get("zone"))
	a.Reminders = nil
	for _, d := range account.ReminderDays {
		if slices.Contains(v.PostForm["reminder"], strconv.Itoa(d)) {
			a.Reminders = append(a.Reminders, d)
		}
	}
	problems := account.OwnFrame{}
	if a.Zone != "" && eventseer.NamedZone(a.Zone) == nil {
		problems.AddProblem("zone", "“%s” is not a time zone. Write a name such as Europe/Oslo, or leave it empty for UTC.", views.Clip(a.Zone, 60))
	}
	if chosen := v.PostForm.Get("pause"); chosen != "" {
		d, err := strconv.Atoi(chosen)
		switch {
		case err != nil || !slices.Contains(account.Pauses, d):
			problems.AddProblem("pause", "Choose one of the pauses.")
		case d == 0:
			a.Paused = time.Time{}
		default:
			a.Paused = s.Now().UTC().AddDate(0, 0, d)
		}
	}
	if len(problems.Problems) == 0 {
		err := problems.AddInputProblem(s.Subscriptions.SaveAccount(v.Context(), a), map[string]string{"zone": "zone", "reminders": "reminders"})
		if err != nil {
			return web.View{}, err
		}
	}
	if len(problems.Problems) == 0 {
		return v.Redirect("/account?done=saved")
	}
	p := s.newAccountPage(v, a)
	p.Problems = problems.Problems
	return web.View{Name: "account", Data: p, Status: p.Status()}, nil
}

// A forgetPage asks for confirmation before all data of a reader is deleted.
type forgetPage struct {
	account.OwnFrame
	Lists, Stars int
	Done         bool
}

func (s *server) forget(v *account.Visit) (web.View, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.Account.ID)
	p := forgetPage{OwnFrame: s.ownFrame(v, "Forget me", "clips"), Lists: len(lists), Stars: len(v.Account.Stars)}
	if v.Method == http.MethodPost {
		p.AddProblem("sure", "Tick the box to confirm. Nothing was removed.")
	}
	return web.View{Name: "forget", Data: p, Status: p.Status()}, err
}

func (s *server) forgetPressed(v *account.Visit) (web.View, error) {
	if v.PostForm.Get("sure") != "yes" {
		return s.forget(v)
	}
	if err := s.Subscriptions.DeleteAccount(v.Context(), v.Account.ID); err != nil {
		return web.View{}, err
	}
	s.endSession(v)
	v.Account = nil
	return web.View{Name: "forget", Data: forgetPage{OwnFrame: s.ownFrame(v, "You are forgotten", "clips"), Done: true}}, nil
}

// endSession deletes the cookie of a session and the secret of its forms.
func (s *server) endSession(v *account.Visit) {
	s.setCookie(v, sessionCookie, "", -1)
	v.Session = ""
	if v.User == "" {
		v.Binding = "form " + s.formSecret(v)
	}
}

// bytes of a mail address

// A signInPage asks for a mail address.
type signInPage struct {
	account.OwnFrame
	Address string
	Next    string
}

func (s *server) signIn(v *account.Visit) (web.View, error) {
	next := account.LocalPath(v.URL.Query().Get("next"))
	if v.Account != nil {
		return v.Redirect(cmp.Or(next, "/clips"))
	}
	return web.View{Name: "signin", Data: signInPage{OwnFrame: s.ownFrame(v, "Sign in", "clips"), Next: next}}, nil
}

func (s *server) signInPressed(v *account.Visit) (web.View, error) {
	p := signInPage{
		OwnFrame: s.ownFrame(v, "Sign in", "clips"), Address: strings.TrimSpace(v.PostForm.Get("address")),
		Next: account.LocalPath(v.PostForm.Get("next")),
	}
	if err := s.requestSignIn(v, &p.OwnFrame, p.Address, eventseer.List{}); err != nil {
		return web.View{}, err
	}
	if len(p.Problems) > 0 {
		p.Address = views.Clip(p.Address, account.MaxAddress)
		return web.View{Name: "signin", Data: p, Status: p.Status()}, nil
	}
	if p.Next != "" {
		s.setCookie(v, nextCookie, url.QueryEscape(p.Next), nextAge)
	}
	return v.Redirect("/sent?what=signin")
}

// requestSignIn requests a sign-in mail, and records errors in the address or the list in f.
func (s *server) requestSignIn(v *account.Visit, f *account.OwnFrame, address string, list eventseer.List) error {
	if problem := account.AddressProblem(address); problem != "" {
		f.AddProblem("address", "%s", problem)
		return nil
	}
	return f.AddInputProblem(s.Subscriptions.RequestSignIn(v.Context(), web.ClientNetwork(s.clientAddress(v.Request)).String(), address, list), account.ListFields)
}

// A linkPage describes the effect of a mailed link.
type linkPage struct {
	account.OwnFrame
	Address string
	List    *listRow
	Gone    bool
}

func (s *server) mailedLink(v *account.Visit) (web.View, error) {
	address, list, err := s.Subscriptions.SignInRequest(v.Context(), v.PathValue("token"))
	if err != nil {
		return web.View{}, err
	}
	p := linkPage{OwnFrame: s.ownFrame(v, "One step left", "clips"), Address: views.Clip(address, account.MaxAddress)}
	if list.Query != "" {
		row := s.newListRow(list)
		p.List = &row
	}
	return web.View{Name: "link", Data: p}, nil
}

func (s *server) linkExpired(v *account.Visit) web.View {
	p := linkPage{OwnFrame: s.ownFrame(v, "This link has ended", "clips"), Gone: true}
	return web.View{Name: "link", Data: p, Status: http.StatusNotFound}
}

// mailedLinkPressed uses a mailed link, once. The session is always new; an earlier session of the
// browser ends.
func (s *server) mailedLinkPressed(v *account.Visit) (web.View, error) {
	token := v.PathValue("token")
	_, list, err := s.Subscriptions.SignInRequest(v.Context(), token)
	var session string
	if err == nil {
		session, err = s.Subscriptions.SignIn(v.Context(), token)
	}
	if err != nil {
		return web.View{}, err
	}
	if v.Session != "" {
		if err := s.Subscriptions.SignOut(v.Context(), v.Session); err != nil && !errors.Is(err, ErrSignedOut) {
			s.Log.Warn("end the session before", "cause", err)
		}
	}
	s.setCookie(v, sessionCookie, session, account.SessionAge)
	s.moveStarredToAccount(v, session)
	v.Target = "/clips?done=begun"
	if list.Query == "" {
		next, _ := url.QueryUnescape(s.cookie(v.Request, nextCookie)) // "" if it is not a path
		v.Target = cmp.Or(account.LocalPath(next), "/clips")
	}
	s.setCookie(v, nextCookie, "", -1)
	return web.View{}, nil
}

func (s *server) signOut(v *account.Visit) (web.View, error) {
	if v.Session != "" {
		if err := s.Subscriptions.SignOut(v.Context(), v.Session); err != nil && !errors.Is(err, ErrSignedOut) {
			return web.View{}, err
		}
	}
	s.setCookie(v, sessionCookie, "", -1)
	return v.Redirect("/sent?what=signout")
}

// A sentPage confirms that a form was sent.
type sentPage struct {
	account.OwnFrame
	Lines []string
	Back  views.Link
}

// sentTexts are the confirmations of forms, by the parameter "what".
var sentTexts = map[string]struct {
	title string
	lines []string
	back  views.Link
}{
	"signin": {"Look in your mail", []string{
		"If the address is right, we have sent a mail to it. Open the link in the mail and press the button there to sign in.",
		"It may take a few minutes. If it does not arrive, look in your spam folder, or ask again.",
	}, views.Link{Text: "Ask again", Href: "/signin"}},
	"subscribe": {"Look in your mail", []string{
		"We have sent a mail to the address you gave. Open the link in it and press the button there: your list begins then, and we send nothing else before.",
		"It may take a few minutes. If it does not arrive, look in your spam folder, or ask again.",
	}, views.Link{Text: "To the open calls", Href: "/"}},
	"signout": {"You are signed out", []string{"Your lists continue, and so do their mails."}, views.Link{Text: "To the open calls", Href: "/"}},
	"report":  {"Thank you", []string{"Your report was sent to the operator of this site. Once it has been read, the page shows what was changed."}, views.Link{Text: "To the open calls", Href: "/"}},
	"appeal":  {"Thank you", []string{"Your objection was sent to the operator of this site. A person reads it and decides whether the warning stays."}, views.Link{Text: "To the open calls", Href: "/"}},
	"removal": {"Thank you", []string{"Your request was sent to the operator of this site. A person reads it and removes the data."}, views.Link{Text: "To the open calls", Href: "/"}},
	"submit":  {"Thank you", []string{"The page is in the queue of the crawler. Once the crawler has read it, you can find the call by searching."}, views.Link{Text: "Submit another", Href: "/submit"}},
	"noted":   {"Thank you", []string{"The page was sent to the operator of this site. A person reviews it."}, views.Link{Text: "Submit another", Href: "/submit"}},
}

var errNothingSent = &account.VisitError{Status: http.StatusNotFound, Text: "This page shows the result of a form. You have not sent one."}

func (s *server) sentPage(v *account.Visit) (web.View, error) {
	text, known := sentTexts[v.URL.Query().Get("what")]
	if !known {
		return web.View{}, errNothingSent
	}
	return web.View{Name: "sent", Data: sentPage{OwnFrame: s.ownFrame(v, text.title, ""), Lines: text.lines, Back: text.back}}, nil
}

// exportAccount sends a reader's own data as a file.
func (s *server) exportAccount(w http.ResponseWriter, r *http.Request) {
	var out account.AccountExport
	read := s.requireSignIn(func(v *account.Visit) (web.View, error) {
		var err error
		out, err = s.readExport(v)
		return web.View{}, err
	})
	v, err := s.newVisit(w, r)
	if err == nil {
		_, err = read(v)
	}
	var body []byte
	if err == nil {
		body, err = json.MarshalIndent(out, "", "  ")
	}
	if err != nil {
		s.failOwnPage(w, r, err)
		return
	}
	account.SetPrivateHeaders(w)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="eventseer-account.json"`)
	web.Write(w, 0, append(body, '\n'))
}

func (s *server) readExport(v *account.Visit) (account.AccountExport, error) {
	out := account.AccountExport{Account: *v.Account, Lists: []account.ExportedList{}, Starred: []eventseer.Item{}}
	lists, err := s.Subscriptions.Lists(v.Context(), v.Account.ID)
	if err != nil {
		return out, err
	}
	at := map[string]int{}
	for i, l := range views.FirstN(lists, eventseer.MaxListsAnAccount) {
		at[l.ID] = i
		out.Lists = append(out.Lists, account.ExportedList{List: l, Items: []eventseer.Item{}})
	}
	most := eventseer.MaxStream * (eventseer.MaxListsAnAccount + 1)
	for from := 0; from < most; {
		items, total, err := s.Subscriptions.Items(v.Context(), v.Account.ID, "", from, eventseer.MaxStream)
		if err != nil {
			return out, err
		}
		for _, item := range items {
			if i, ok := at[item.List]; ok && item.List != "" {
				out.Lists[i].Items = append(out.Lists[i].Items, item)
			} else {
				out.Starred = append(out.Starred, item)
			}
		}
		if from += len(items); len(items) == 0 || from >= total {
			return out, nil
		}
	}
	return out, errors.New("the account has more items than allowed")
}
