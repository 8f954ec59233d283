package ui

import (
	"errors"
	"net/http"
	"net/url"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A votePage asks, or says, what a reader thinks of an item.
type votePage struct {
	ownFrame
	Action string
	Useful int    // what was said, or what the link in the mail proposes
	Title  string // of the item, once it is known
	Href   string
	Done   bool
}

// vote only asks: programs that look at mails open all their links.
func (s *server) vote(v *visit) (web.View, error) {
	p := s.newVotePage(v)
	switch v.URL.Query().Get("useful") {
	case "1", "yes":
		p.Useful = 1
	case "-1", "0", "no":
		p.Useful = -1
	}
	return web.View{Name: "vote", Data: p}, nil
}

func (s *server) newVotePage(v *visit) votePage {
	return votePage{ownFrame: s.ownFrame(v, "Was this useful?", "clips"), Action: "/v/" + url.PathEscape(v.PathValue("token"))}
}

func (s *server) votePressed(v *visit) (web.View, error) {
	useful, known := map[string]int{"yes": 1, "no": -1}[v.PostForm.Get("useful")]
	if !known {
		return web.View{}, web.BadRequest("useful is yes or no")
	}
	item, err := s.Subscriptions.Vote(v.Context(), v.PathValue("token"), useful)
	if errors.Is(err, eventseer.ErrNotFound) {
		return web.View{}, &visitError{status: http.StatusNotFound, text: "This link is not, or no longer, one to vote with. Nothing was kept."}
	}
	if err != nil {
		return web.View{}, err
	}
	if next := localPath(v.PostForm.Get("next")); next != "" {
		v.target = withDone(next, "voted", anchor(item.ID))
		return web.View{}, nil
	}
	p := s.newVotePage(v)
	p.Title, p.Useful, p.Done = views.Clip(item.Title, 300), useful, true
	p.Href = views.EventHref(item.Event)
	return web.View{Name: "vote", Data: p}, nil
}

// withDone says in the URL of a page of ours what was done, and leads to an element.
func withDone(path, done, element string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	q := u.Query()
	q.Set("done", done)
	u.RawQuery, u.Fragment = q.Encode(), element
	return u.String()
}
