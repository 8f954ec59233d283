package ui

import (
	"strconv"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A editListPage changes a list.
type editListPage struct {
	ownFrame
	listForm
	List    listRow
	Feeds   []views.Link
	Snoozes []formChoice
}

// ownList returns the list that a path names, if it is the reader's.
func (s *server) ownList(v *visit) (eventseer.List, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.account.ID)
	if err != nil {
		return eventseer.List{}, err
	}
	for _, l := range lists {
		if l.ID == v.PathValue("list") {
			return l, nil
		}
	}
	return eventseer.List{}, eventseer.ErrNotFound
}

func (s *server) newEditListPage(v *visit, l eventseer.List) editListPage {
	p := editListPage{ownFrame: s.ownFrame(v, "Change a list", "clips"), listForm: newListForm(l), List: s.newListRow(l), Feeds: s.feedLinks(v, l)}
	for _, d := range []int{7, 30, 90} {
		p.Snoozes = append(p.Snoozes, formChoice{Value: strconv.Itoa(d), Text: strconv.Itoa(d) + " days"})
	}
	return p
}

func (s *server) editList(v *visit) (web.View, error) {
	l, err := s.ownList(v)
	if err != nil {
		return web.View{}, err
	}
	p := s.newEditListPage(v, l)
	p.Said = map[string]string{"saved": "Saved.", "begun": "Your list has begun. Below is what it would have brought."}[v.URL.Query().Get("done")]
	p.Preview, err = s.boundedPreview(v, l, &p.ownFrame, true)
	return web.View{Name: "editlist", Data: p}, err
}

// editListPressed shows what a change would bring, or saves it.
func (s *server) editListPressed(v *visit) (web.View, error) {
	kept, err := s.ownList(v)
	if err != nil {
		return web.View{}, err
	}
	var f ownFrame
	press := v.PostForm.Get("press")
	helper := wordHelper{v.PostForm.Get("all"), v.PostForm.Get("phrase"), v.PostForm.Get("any"), v.PostForm.Get("none")}
	if press == "words" {
		v.PostForm.Set("q", helper.addWords(v.PostForm.Get("q")))
		helper = wordHelper{}
	}
	l := readList(v.PostForm, &f)
	l.ID, l.Account, l.Snoozed, l.Created = kept.ID, v.account.ID, kept.Snoozed, kept.Created
	if press == "save" && len(f.Problems) == 0 {
		if l.Name == "" {
			l.Name = views.Clip(oneLine(l.Query), eventseer.MaxListName-1)
		}
		_, err := s.Subscriptions.SaveList(v.Context(), l)
		if err == nil {
			v.target = listHref(l.ID) + "?done=saved"
			return web.View{}, nil
		}
		if err := f.wrongInput(err, listFields); err != nil {
			return web.View{}, err
		}
	}
	p := s.newEditListPage(v, kept)
	p.listForm, p.Problems = newListForm(l), f.Problems
	p.Helper = wordHelper{views.Clip(helper.All, views.MaxValue), views.Clip(helper.Phrase, views.MaxValue), views.Clip(helper.Any, views.MaxValue), views.Clip(helper.None, views.MaxValue)}
	if p.Preview, err = s.boundedPreview(v, l, &p.ownFrame, false); err != nil {
		return web.View{}, err
	}
	return web.View{Name: "editlist", Data: p, Status: p.status()}, nil
}

// snoozeList makes a list silent for some days, 0 ends that.
func (s *server) snoozeList(v *visit) (web.View, error) {
	l, err := s.ownList(v)
	if err != nil {
		return web.View{}, err
	}
	days := -1
	if !readNumber(v.PostForm.Get("days"), &days, 0, 365) || days < 0 {
		return web.View{}, web.BadRequest("days is a number from 0 to 365")
	}
	v.target = "/clips?done=snoozed"
	l.Snoozed = s.Now().UTC().AddDate(0, 0, days)
	if days == 0 {
		l.Snoozed, v.target = time.Time{}, "/clips?done=awake"
	}
	_, err = s.Subscriptions.SaveList(v.Context(), l)
	return web.View{}, err
}

func (s *server) removeList(v *visit) (web.View, error) {
	l, err := s.ownList(v)
	if err != nil {
		return web.View{}, err
	}
	v.target = "/clips?done=removed"
	return web.View{}, s.Subscriptions.RemoveList(v.Context(), v.account.ID, l.ID)
}
