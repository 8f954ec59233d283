package ui

import (
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A subscribePage makes a list.
type subscribePage struct {
	ownFrame
	listForm
	Address string
}

func (s *server) newSubscribePage(v *visit) subscribePage {
	return subscribePage{ownFrame: s.ownFrame(v, "Get calls by mail", "clips")}
}

// subscribe shows the form. A query in the URL fills it and is looked for at once.
func (s *server) subscribe(v *visit) (web.View, error) {
	p := s.newSubscribePage(v)
	q := v.URL.Query()
	form := url.Values{"q": {q.Get("q")}, "name": {q.Get("name")}, "rhythm": {string(eventseer.Daily)}, "synonyms": {"1"}}
	if strings.TrimSpace(q.Get("q")) == "" {
		p.listForm = newListForm(readList(form, &ownFrame{}))
		v.w.Header().Del("X-Robots-Tag")
		return web.View{Name: "subscribe", Data: p}, nil
	}
	return s.showSubscribe(v, p, readList(form, &p.ownFrame), true)
}

// showSubscribe shows the form filled with a list, and what it would have brought.
func (s *server) showSubscribe(v *visit, p subscribePage, l eventseer.List, counted bool) (web.View, error) {
	preview, err := s.boundedPreview(v, l, &p.ownFrame, counted)
	if err != nil {
		return web.View{}, err
	}
	p.listForm = newListForm(l)
	p.Preview = preview
	return web.View{Name: "subscribe", Data: p, Status: p.status()}, nil
}

// boundedPreview is preview for a list in which nothing is wrong, as often as one
// address may look. counted says that the request has not been counted yet.
func (s *server) boundedPreview(v *visit, l eventseer.List, f *ownFrame, counted bool) (*previewView, error) {
	if len(f.Problems) > 0 {
		return nil, nil
	}
	if counted && s.formLimits.search.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
		return &previewView{Busy: true}, nil
	}
	return s.preview(v, l, f)
}

// subscribePressed shows the preview again, or makes the list: at once for whoever is
// signed in, else once the link in the mail was used.
func (s *server) subscribePressed(v *visit) (web.View, error) {
	p := s.newSubscribePage(v)
	p.Address = strings.TrimSpace(v.PostForm.Get("address"))
	l := readList(v.PostForm, &p.ownFrame)
	if v.PostForm.Get("press") != "save" {
		p.Address = views.Clip(p.Address, maxAddress)
		return s.showSubscribe(v, p, l, false)
	}
	if v.account == nil {
		if problem := addressProblem(p.Address); problem != "" {
			p.Problems = append([]fieldProblem{{"address", problem}}, p.Problems...)
		}
	}
	if len(p.Problems) == 0 {
		if err := s.saveNew(v, &p, l); err != nil {
			return web.View{}, err
		}
		if v.target != "" {
			return web.View{}, nil
		}
	}
	p.Address = views.Clip(p.Address, maxAddress)
	return s.showSubscribe(v, p, l, false)
}

// saveNew keeps a new list and says in v where to go on, or in p what is wrong with it.
func (s *server) saveNew(v *visit, p *subscribePage, l eventseer.List) error {
	if l.Name == "" {
		l.Name = views.Clip(oneLine(l.Query), eventseer.MaxListName-1)
	}
	if v.account != nil {
		l.Account = v.account.ID
		kept, err := s.Subscriptions.SaveList(v.Context(), l)
		if err != nil {
			return p.wrongInput(err, listFields)
		}
		v.target = listHref(kept.ID) + "?done=begun"
		return nil
	}
	if s.formLimits.mail.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
		return eventseer.ErrTooMany
	}
	if err := s.ask(v, &p.ownFrame, p.Address, l); err != nil {
		return err
	}
	if len(p.Problems) == 0 {
		v.target = "/sent?what=subscribe"
	}
	return nil
}
