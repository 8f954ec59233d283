package ui

import (
	"net/url"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const (
	maxFindPassage = 600 // runes shown
	maxMarks       = 60
	maxWhy         = 8
)

// An itemView is one thing told to a reader.
type itemView struct {
	Anchor  string // id of its element, "" of none
	Kind    string // "new", "moved" or "closing"
	What    string // the kind in words
	Title   string
	Href    string // of the event
	History string // what changed, of a moved deadline
	Place   string
	Passage []views.Piece
	Why     []string
	Source  views.Link
	Next    *views.When
	Old     string // the deadline before it moved
	At      views.Stamp
	Useful  int
	Vote    string      // where a vote goes to, "" of an item nobody may vote on
	Star    string      // where the event can be followed
	List    *views.Link // that brought it
}

var itemKinds = map[eventseer.ItemKind]string{
	eventseer.NewCall: "New call", eventseer.Moved: "Deadline moved", eventseer.Closing: "Closes soon", eventseer.StateChanged: "Cancelled or postponed",
}

func (s *server) newItemView(v *visit, i eventseer.Item) itemView {
	now := s.Now()
	view := itemView{
		Kind: views.Clip(string(i.Kind), 20), What: itemKinds[i.Kind], Title: views.Clip(i.Title, 300),
		Href: views.EventHref(i.Event), Star: views.EventHref(i.Event) + "/star", Place: views.Clip(i.Place, 120), Passage: passagePieces(i.Passage, i.Marks),
		Source: views.SourceLink(i.Source), At: views.NewStamp(i.At, now), Useful: i.Useful,
	}
	if i.Title == "" {
		view.Title = "Untitled call"
	}
	for _, why := range views.Head(i.Why, maxWhy) {
		view.Why = append(view.Why, views.Clip(why, views.MaxValue))
	}
	zone := zoneOf(v)
	if i.Next.Date != "" {
		w := views.NewWhenIn(i.Next, now, zone)
		view.Next = &w
	}
	if i.Kind == eventseer.StateChanged {
		view.History = view.Href + "/history"
	}
	if i.Kind == eventseer.Moved {
		view.History = view.Href + "/history"
		if i.Old.Date != "" {
			old := views.NewWhenIn(i.Old, now, zone)
			view.Old = old.Date
			if old.Clock != "" {
				view.Old += ", " + old.Clock
			}
		}
	}
	return view
}

// zoneOf is the zone that a reader chose, in the account or at /zone.
func zoneOf(v *visit) *time.Location {
	if v.account != nil {
		if zone := eventseer.NamedZone(v.account.Zone); zone != nil {
			return zone
		}
	}
	return web.ReaderZone(v.Request)
}

// votable is a view of an item that may be voted on, by who holds its token.
func (s *server) votable(v *visit, i eventseer.Item) itemView {
	view := s.newItemView(v, i)
	if view.Anchor = anchor(i.ID); v.anchors[view.Anchor] {
		view.Anchor = "" // an id stands on a page once
	}
	if v.anchors == nil {
		v.anchors = map[string]bool{}
	}
	v.anchors[view.Anchor] = true
	if token := s.Subscriptions.VoteToken(i); token != "" {
		view.Vote = "/v/" + url.PathEscape(token)
	}
	return view
}

// anchor makes an id of an element from an item's.
func anchor(id string) string {
	clean := make([]byte, 0, len(id)+2)
	for _, c := range []byte("i-" + views.Clip(id, 60)) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			clean = append(clean, c)
		}
	}
	return string(clean)
}

// passagePieces cuts a passage at its marks, to what is shown of it.
func passagePieces(text string, marks [][2]int) []views.Piece {
	shown := views.Clip(text, maxFindPassage)
	end := len(shown)
	if shown != text { // it ends in an ellipsis of ours
		end -= len("…")
	}
	kept := slices.DeleteFunc(slices.Clone(views.Head(marks, maxMarks)), func(m [2]int) bool { return m[0] < 0 || m[1] > end })
	return views.Marked(shown, kept)
}
