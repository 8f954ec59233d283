package ui

import (
	"cmp"
	"slices"
	"strconv"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A starPage follows one event, or ends that.
type starPage struct {
	ownFrame
	Name      views.Name
	Event     string // its page
	Next      *views.When
	Followed  bool
	Reminders string // "14 and 3 days"
	Back      string
}

func (s *server) star(v *visit) (web.View, error) {
	e, err := s.Store.Event(v.Context(), eventseer.EventID(v.PathValue("id")))
	if err != nil {
		return web.View{}, err
	}
	p := starPage{
		ownFrame: s.ownFrame(v, "Follow a call", "clips"), Name: views.NameOf(e), Event: views.EventHref(e.ID),
		Followed: slices.Contains(v.account.Stars, e.ID), Reminders: remindersText(v.account.Reminders), Back: localPath(v.URL.Query().Get("next")),
	}
	if d, ok := eventseer.NextDeadline(e, s.Now()); ok {
		w := views.NewWhenIn(d, s.Now(), zoneOf(v))
		p.Next = &w
	}
	return web.View{Name: "star", Data: p}, nil
}

// starPressed follows an event, or ends that. An event that is gone can only be let go.
func (s *server) starPressed(v *visit) (web.View, error) {
	id := eventseer.EventID(v.PathValue("id"))
	a := *v.account
	a.Stars = slices.DeleteFunc(slices.Clone(a.Stars), func(kept eventseer.EventID) bool { return kept == id })
	done := "unstarred"
	if v.PostForm.Get("press") != "unfollow" {
		e, err := s.Store.Event(v.Context(), id)
		if err != nil {
			return web.View{}, err
		}
		if len(a.Stars) >= eventseer.MaxStars {
			return web.View{}, web.BadRequest("you follow %d calls, which is the most; end one first", eventseer.MaxStars)
		}
		if !slices.Contains(a.Stars, e.ID) {
			a.Stars = append(a.Stars, e.ID)
		}
		done = "starred"
	}
	v.target = cmp.Or(localPath(v.PostForm.Get("next")), "/clips?done="+done)
	return web.View{}, s.Subscriptions.SaveAccount(v.Context(), a)
}

// remindersText says how long before a deadline a reader is reminded: "14 and 3 days".
func remindersText(days []int) string {
	text := ""
	for i, d := range days {
		switch {
		case i == 0:
		case i == len(days)-1:
			text += " and "
		default:
			text += ", "
		}
		text += strconv.Itoa(d)
	}
	switch {
	case text == "":
		return ""
	case text == "1":
		return "1 day"
	}
	return text + " days"
}
