package ui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"

	"golang.org/x/time/rate"
)

// formLimits say how often one address may send which forms.
type formLimits struct {
	mail   *web.Limiter // what sends a mail
	fetch  *web.Limiter // what fetches a page
	search *web.Limiter // what looks through the archive
	note   *web.Limiter // what a person must read
	press  *web.Limiter // all others
	secret *web.Limiter // wrong passwords of the operator
}

func newFormLimits() formLimits {
	every := func(pause time.Duration, atOnce int) *web.Limiter {
		return web.NewLimiter(rate.Every(pause), atOnce)
	}
	return formLimits{
		mail: every(time.Minute, 5), fetch: every(20*time.Second, 6), search: every(3*time.Second, 20),
		note: every(time.Minute, 5), press: every(time.Second, 60), secret: every(30*time.Second, 5),
	}
}

// accountRoutes are the pages of readers and of what they subscribe to.
func (s *server) accountRoutes(mux *http.ServeMux) {
	get := func(path string, f func(*visit) (web.View, error)) { mux.HandleFunc("GET "+path, s.own(f)) }
	post := func(path string, limit *web.Limiter, f func(*visit) (web.View, error)) {
		mux.HandleFunc("POST "+path, s.post(limit, f))
	}
	get("/subscribe", s.readers(s.subscribe))
	post("/subscribe", s.formLimits.search, s.readers(s.subscribePressed))
	get("/signin", s.readers(s.signIn))
	post("/signin", s.formLimits.mail, s.readers(s.signInPressed))
	get("/signin/{token}", s.readers(s.mailedLink))
	post("/signin/{token}", s.formLimits.press, s.readers(s.mailedLinkPressed))
	post("/signout", s.formLimits.press, s.readers(s.signOut))
	get("/sent", s.sent)

	get("/clips", s.signedIn(s.clips))
	get("/clips/{list}", s.signedIn(s.editList))
	post("/clips/{list}", s.formLimits.search, s.signedIn(s.editListPressed))
	post("/clips/{list}/snooze", s.formLimits.press, s.signedIn(s.snoozeList))
	post("/clips/{list}/remove", s.formLimits.press, s.signedIn(s.removeList))
	get("/e/{id}/star", s.signedIn(s.star))
	post("/e/{id}/star", s.formLimits.press, s.signedIn(s.starPressed))

	get("/account", s.signedIn(s.account))
	post("/account", s.formLimits.press, s.signedIn(s.accountPressed))
	mux.HandleFunc("GET /account/export", s.exportAccount)
	get("/account/forget", s.signedIn(s.forget))
	post("/account/forget", s.formLimits.press, s.signedIn(s.forgetPressed))

	get("/d/{token}", s.readers(s.digest))
	get("/v/{token}", s.readers(s.vote))
	post("/v/{token}", s.formLimits.press, s.readers(s.votePressed))
	get("/unsubscribe/{token}", s.readers(s.unsubscribe))
	mux.HandleFunc("POST /unsubscribe/{token}", s.unsubscribePressed)
	mux.HandleFunc("GET /feed/{file}", s.secretFeed)
}

// reminderDays are the days before a deadline that a reader may be reminded at.
var reminderDays = []int{30, 14, 7, 3, 1}

// pauses are what a reader may choose, in days; the first ends a pause.
var pauses = []int{0, 7, 30, 90}

// An accountPage holds what a reader may set.
type accountPage struct {
	ownFrame
	Address, User string
	Zone          string
	ZoneOffers    []string
	Days          []formChoice
	Pauses        []formChoice
	PausedUntil   views.Stamp
	Refused       string
	Since         views.Stamp
}

// A formChoice is a box or a button of several.
type formChoice struct {
	Value, Text string
	Chosen      bool
}

func (s *server) account(v *visit) (web.View, error) {
	p := s.newAccountPage(v, *v.account)
	p.Said = map[string]string{"saved": "Saved."}[v.URL.Query().Get("done")]
	return web.View{Name: "account", Data: p}, nil
}

func (s *server) newAccountPage(v *visit, a eventseer.Account) accountPage {
	now := s.Now()
	p := accountPage{
		ownFrame: s.ownFrame(v, "Your account", "clips"), Address: views.Clip(a.Address, 200), User: views.Clip(a.User, 200),
		Zone: views.Clip(a.Zone, 60), ZoneOffers: zoneOffers(), Refused: views.Clip(a.Refused, views.MaxValue), Since: views.NewStamp(a.Created, now),
	}
	for _, d := range reminderDays {
		p.Days = append(p.Days, formChoice{strconv.Itoa(d), daysBefore(d), slices.Contains(a.Reminders, d)})
	}
	paused := a.Paused.After(now)
	if paused {
		p.PausedUntil = views.NewStamp(a.Paused, now)
		p.Pauses = append(p.Pauses, formChoice{"", "as it is now", true})
	}
	for _, d := range pauses {
		text := strconv.Itoa(d) + " days from now"
		if d == 0 {
			text = "no pause"
		}
		p.Pauses = append(p.Pauses, formChoice{strconv.Itoa(d), text, !paused && d == 0})
	}
	return p
}

func daysBefore(d int) string {
	if d == 1 {
		return "1 day before"
	}
	return strconv.Itoa(d) + " days before"
}

// zoneOffers are the zones of zoneList by their full names.
func zoneOffers() []string {
	var names []string
	for _, region := range zoneList {
		for city := range strings.FieldsSeq(region.cities) {
			if region.name == "World" {
				names = append(names, city)
			} else {
				names = append(names, region.name+"/"+city)
			}
		}
	}
	return names
}

// accountPressed saves what a reader set.
func (s *server) accountPressed(v *visit) (web.View, error) {
	a := *v.account
	a.Zone = strings.TrimSpace(v.PostForm.Get("zone"))
	a.Reminders = nil
	for _, d := range reminderDays {
		if slices.Contains(v.PostForm["reminder"], strconv.Itoa(d)) {
			a.Reminders = append(a.Reminders, d)
		}
	}
	problems := ownFrame{}
	if a.Zone != "" && eventseer.NamedZone(a.Zone) == nil {
		problems.wrong("zone", "“%s” is no time zone. Write a name such as Europe/Oslo, or leave it empty for UTC.", views.Clip(a.Zone, 60))
	}
	if chosen := v.PostForm.Get("pause"); chosen != "" {
		d, err := strconv.Atoi(chosen)
		switch {
		case err != nil || !slices.Contains(pauses, d):
			problems.wrong("pause", "Choose one of the pauses.")
		case d == 0:
			a.Paused = time.Time{}
		default:
			a.Paused = s.Now().UTC().AddDate(0, 0, d)
		}
	}
	if len(problems.Problems) == 0 {
		err := problems.wrongInput(s.Subscriptions.SaveAccount(v.Context(), a), map[string]string{"zone": "zone", "reminders": "reminders"})
		if err != nil {
			return web.View{}, err
		}
	}
	if len(problems.Problems) == 0 {
		v.target = "/account?done=saved"
		return web.View{}, nil
	}
	p := s.newAccountPage(v, a)
	p.Problems = problems.Problems
	return web.View{Name: "account", Data: p, Status: p.status()}, nil
}

// A forgetPage asks whether all that is known of a reader shall be removed.
type forgetPage struct {
	ownFrame
	Lists, Stars int
	Done         bool
}

func (s *server) forget(v *visit) (web.View, error) {
	p, err := s.newForgetPage(v)
	return web.View{Name: "forget", Data: p}, err
}

func (s *server) newForgetPage(v *visit) (forgetPage, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.account.ID)
	return forgetPage{ownFrame: s.ownFrame(v, "Forget me", "clips"), Lists: len(lists), Stars: len(v.account.Stars)}, err
}

func (s *server) forgetPressed(v *visit) (web.View, error) {
	if v.PostForm.Get("sure") != "yes" {
		p, err := s.newForgetPage(v)
		p.wrong("sure", "Tick the box to say that you are sure. Nothing was removed.")
		return web.View{Name: "forget", Data: p, Status: p.status()}, err
	}
	if err := s.Subscriptions.Forget(v.Context(), v.account.ID); err != nil {
		return web.View{}, err
	}
	s.endSession(v)
	v.account = nil
	return web.View{Name: "forget", Data: forgetPage{ownFrame: s.ownFrame(v, "You are forgotten", "clips"), Done: true}}, nil
}

// endSession ends the cookie of a session, and what the forms of its pages held to.
func (s *server) endSession(v *visit) {
	s.setCookie(v, sessionCookie, "", -1)
	v.session = ""
	if v.user == "" {
		v.binding = "form " + s.formSecret(v)
	}
}
