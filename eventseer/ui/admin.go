package ui

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const (
	maxAdminAction = 64   // bytes of an action's name
	maxAdminValue  = 2000 // bytes of what is typed, and of a subject
	maxSaid        = 500  // runes of what an action says
)

// adminRoutes are the operator's pages.
func (s *server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+web.AdminPath, s.served(s.newOperatorVisit, s.admin))
	mux.HandleFunc("GET "+web.AdminPath+"/{panel}", s.served(s.newOperatorVisit, s.panel))
	mux.HandleFunc("POST "+web.AdminPath+"/{panel}", s.served(s.newOperatorVisit, s.checked(s.formLimits.press, s.panelPressed)))
	for path, tool := range s.Tools {
		gated := s.operated(tool)
		for _, pattern := range []string{"GET " + path, "GET " + path + "/", "POST " + path, "POST " + path + "/"} {
			mux.Handle(pattern, gated)
		}
	}
}

// operated lets the operator alone through to next.
func (s *server) operated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.guard.Origins.Check(r)
		if err != nil {
			err = errForeignForm
		} else {
			_, err = s.operator(w, r)
		}
		if err != nil {
			s.own(func(*visit) (web.View, error) { return web.View{}, err })(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// newOperatorVisit lets in requests of this machine, and those with the token. Others
// learn that there is such a page only where there is a token to ask for.
func (s *server) newOperatorVisit(w http.ResponseWriter, r *http.Request) (*visit, error) {
	if err := s.guard.Origins.Check(r); err != nil {
		return nil, errForeignForm
	}
	v := &visit{Request: r, w: w}
	who, err := s.operator(w, r)
	if err != nil {
		return nil, err
	}
	v.user = who
	v.binding = "operator " + s.formSecret(v)
	return v, nil
}

// operator returns who of those with rights asks.
func (s *server) operator(w http.ResponseWriter, r *http.Request) (who string, err error) {
	if s.isHere(r) {
		return "this machine", nil
	}
	if s.AdminToken == "" {
		return "", web.ErrNoPage
	}
	address := s.clientAddress(r)
	_, password, given := r.BasicAuth()
	if given && s.formLimits.secret.Bucket(web.Network(address)).TokensAt(s.Now()) < 1 {
		return "", eventseer.ErrTooMany
	}
	if given && hmac.Equal(s.guard.Mac("password", password), s.guard.Mac("password", s.AdminToken)) {
		return "token, from " + address.String(), nil
	}
	if given {
		s.formLimits.secret.Wait(address, s.Now())
		s.Log.Warn("a wrong token for the operator's pages", "from", address)
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="EventSeer operator", charset="UTF-8"`)
	return "", &visitError{status: http.StatusUnauthorized, text: "These are the pages of whoever runs this site. They ask for the admin token as the password; any name will do."}
}

// panels are all panels, with those that the UI brings along. A panel of Options of the
// same name takes the place of one of these.
func (s *server) panels() []Panel {
	all := s.Panels
	for _, own := range []Panel{s.deskPanel(), s.auditPanel()} {
		if _, taken := findPanel(all, own.Name); own.Show != nil && !taken {
			all = append(all[:len(all):len(all)], own)
		}
	}
	return all
}

func findPanel(panels []Panel, name string) (Panel, bool) {
	for _, p := range panels {
		if p.Name == name {
			return p, true
		}
	}
	return Panel{}, false
}

// An adminFrame is what the operator's pages show around their content.
type adminFrame struct {
	ownFrame
	Menu []views.MenuEntry
}

func (s *server) adminFrame(v *visit, title, nav string) adminFrame {
	f := adminFrame{ownFrame: s.ownFrame(v, title, nav), Menu: []views.MenuEntry{{Name: "admin", Text: "Overview", Href: web.AdminPath}}}
	f.ByProxy = false
	for _, p := range s.panels() {
		f.Menu = append(f.Menu, views.MenuEntry{Name: p.Name, Text: views.Clip(p.Title, 40), Href: panelHref(p.Name)})
	}
	return f
}

func panelHref(name string) string { return web.AdminPath + "/" + url.PathEscape(name) }

// An adminPage lists the panels by their groups.
type adminPage struct {
	adminFrame
	Who    string
	Groups []panelGroup
}

type panelGroup struct {
	Name  string
	Links []views.Link
}

func (s *server) admin(v *visit) (web.View, error) {
	p := adminPage{adminFrame: s.adminFrame(v, "Operator", "admin"), Who: v.user}
	at := map[string]int{}
	add := func(group string, l views.Link) {
		i, known := at[group]
		if !known {
			i = len(p.Groups)
			at[group] = i
			p.Groups = append(p.Groups, panelGroup{Name: group})
		}
		p.Groups[i].Links = append(p.Groups[i].Links, l)
	}
	for _, panel := range s.panels() {
		add(views.Clip(firstOf(panel.Group, "Other"), 40), views.Link{Text: views.Clip(panel.Title, 80), Href: panelHref(panel.Name)})
	}
	add("Learning", views.Link{Text: "Wrappers: what the fields of sites’ templates mean", Href: wrappersPath})
	add("Learning", views.Link{Text: "Label pages, where serve runs with --label-input", Href: web.LabelPath})
	return web.View{Name: "admin", Data: p}, nil
}

// saidIn is what an action said, of a link that we made.
func (s *server) saidIn(q url.Values) string {
	said := q.Get("said")
	mac, err := base64.RawURLEncoding.DecodeString(q.Get("by"))
	if said == "" || err != nil || !hmac.Equal(mac, s.guard.Mac("said", said)) {
		return ""
	}
	return said
}

// withSaid says in a query what an action said, so that nobody else can put words there.
func (s *server) withSaid(q url.Values, said string) url.Values {
	said = views.Clip(strings.ToValidUTF8(said, "\uFFFD"), maxSaid)
	q.Set("said", said)
	q.Set("by", base64.RawURLEncoding.EncodeToString(s.guard.Mac("said", said)))
	return q
}
