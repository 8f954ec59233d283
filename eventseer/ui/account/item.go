package account

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func ListHref(id string) string { return "/clips/" + url.PathEscape(id) }

const MaxFindPassage = 600 // runes shown

const maxMarks = 60

const MaxWhy = 8

// An ItemView is one item reported to a reader.
type ItemView struct {
	Anchor  string // id of its element, or ""
	Kind    string // "new", "moved" or "closing"
	What    string // the kind in words
	Title   string
	Href    string // of the event
	History string // the change, for a moved deadline
	Place   string
	Passage []views.Piece
	Why     []string
	Source  views.Link
	Next    *views.DeadlineShown
	Old     string // the deadline before it moved
	At      views.TimeStamp
	Useful  int
	Vote    string      // URL for votes, "" for an item without votes
	Star    string      // URL to follow the event
	List    *views.Link // that brought it
}

var ItemKinds = map[eventseer.ItemKind]string{
	eventseer.NewCall: "New call", eventseer.Moved: "Deadline moved", eventseer.Closing: "Closes soon", eventseer.StateChanged: "Cancelled or postponed",
}

// ZoneOf returns the zone that a reader chose, in the account or at /zone.
func ZoneOf(v *Visit) *time.Location {
	if v.Account != nil {
		if zone := eventseer.NamedZone(v.Account.Zone); zone != nil {
			return zone
		}
	}
	return web.ReaderZone(v.Request)
}

// AnchorOf converts the id of an item to an element id.
func AnchorOf(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, "i-"+views.Clip(id, 60))
}

// PassagePieces splits a passage at its marks for display.
func PassagePieces(text string, marks [][2]int) []views.Piece {
	shown := views.Clip(text, MaxFindPassage)
	end := len(shown)
	if shown != text { // it was shortened by an ellipsis
		end -= len("…")
	}
	kept := slices.DeleteFunc(slices.Clone(views.FirstN(marks, maxMarks)), func(m [2]int) bool { return m[0] < 0 || m[1] > end })
	return views.MarkedPieces(shown, kept)
}
