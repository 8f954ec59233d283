package ui

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const (
	clipsPerPage = 25
	maxClipsPage = eventseer.MaxStream*(eventseer.MaxListsAnAccount+1)/clipsPerPage + 1
	maxStarsSeen = 50 // followed events listed by name
)

// A clipsPage is a reader's own: the lists, the events followed, and what was found.
type clipsPage struct {
	ownFrame
	Lists                []listRow
	Only                 *listRow // the list whose finds are shown alone
	Stars                []views.Link
	MoreStars            int
	Items                []itemView
	Total, From, To      int
	Newer, Older         string
	PausedUntil, Refused string
	Here                 string // leads back to this page
}

// A listRow is a list in words.
type listRow struct {
	ID, Name, Query, Href string
	Rhythm                string
	Options               string
	SnoozedUntil          string
	Finds                 int
	Volume                string
	Feed                  string
	Only                  string // the page with its finds alone
}

func (s *server) newListRow(l eventseer.List) listRow {
	row := listRow{
		ID: l.ID, Name: views.Clip(l.Name, eventseer.MaxListName), Query: views.Clip(l.Query, eventseer.MaxQuery), Href: listHref(l.ID), Rhythm: rhythmText(l.Rhythm),
		Only: "/clips?" + url.Values{"list": {l.ID}}.Encode(),
	}
	if row.Name == "" {
		row.Name = views.Clip(row.Query, eventseer.MaxListName)
	}
	switch {
	case l.Exact:
		row.Options = "words as written"
	case l.Synonyms:
		row.Options = "words of the same meaning too"
	}
	if l.Snoozed.After(s.Now()) {
		row.SnoozedUntil = l.Snoozed.UTC().Format("2 Jan 2006")
	}
	return row
}

func listHref(id string) string { return "/clips/" + url.PathEscape(id) }

// clipsSaid are what /clips says was done, by the parameter done.
var clipsSaid = map[string]string{
	"begun": "Your list has begun.", "removed": "The list is removed.", "snoozed": "The list is silent now; its finds are kept.",
	"awake": "The list sends mails again.", "voted": "Thank you: this teaches us what fits.",
	"starred": "You follow this call now: you are told if a deadline of it moves, and before it closes.", "unstarred": "You no longer follow this call.",
}

func (s *server) clips(v *visit) (web.View, error) {
	q := v.URL.Query()
	number := 1
	if !readNumber(q.Get("page"), &number, 1, maxClipsPage) {
		return web.View{}, web.BadRequest("page is a number from 1 to %d", maxClipsPage)
	}
	p := clipsPage{ownFrame: s.ownFrame(v, "Your calls", "clips"), Refused: views.Clip(v.account.Refused, views.MaxValue)}
	p.Said = clipsSaid[q.Get("done")]
	if v.account.Paused.After(s.Now()) {
		p.PausedUntil = v.account.Paused.UTC().Format("2 January 2006")
	}
	names, err := s.showLists(v, &p, q.Get("list"))
	if err == nil {
		err = s.showStars(v, &p)
	}
	if err == nil {
		err = s.showItems(v, &p, names, number)
	}
	return web.View{Name: "clips", Data: p}, err
}

// showLists fills in the lists and returns them as links by their ids.
func (s *server) showLists(v *visit, p *clipsPage, only string) (map[string]views.Link, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.account.ID)
	if err != nil {
		return nil, err
	}
	names := map[string]views.Link{}
	for _, l := range views.Head(lists, eventseer.MaxListsAnAccount) {
		row := s.newListRow(l)
		if err := s.countFinds(v, l, &row); err != nil {
			return nil, err
		}
		row.Feed = s.feedPath(v, l)
		names[l.ID] = views.Link{Text: row.Name, Href: row.Href}
		p.Lists = append(p.Lists, row)
		if l.ID == only {
			p.Only = &row
		}
	}
	if only != "" && p.Only == nil {
		return nil, eventseer.ErrNotFound
	}
	return names, nil
}

// countFinds says how much a list has brought since it was made.
func (s *server) countFinds(v *visit, l eventseer.List, row *listRow) error {
	_, total, err := s.Subscriptions.Items(v.Context(), v.account.ID, l.ID, 0, 1)
	if err != nil {
		return err
	}
	row.Finds = total
	if age := s.Now().Sub(l.Created); !l.Created.IsZero() && age >= 7*24*time.Hour {
		row.Volume = perWeek(float64(total) / (age.Hours() / (7 * 24)))
	}
	return nil
}

// showStars fills in the events that a reader follows. Those that are gone are named by
// their ids.
func (s *server) showStars(v *visit, p *clipsPage) error {
	for i, id := range v.account.Stars {
		if i == maxStarsSeen {
			p.MoreStars = len(v.account.Stars) - maxStarsSeen
			break
		}
		name := string(id)
		if e, err := s.Store.Event(v.Context(), id); err == nil {
			name = views.NameOf(e).Full()
		} else if v.Context().Err() != nil {
			return err
		}
		p.Stars = append(p.Stars, views.Link{Text: views.Clip(name, views.MaxValue), Href: views.EventHref(id)})
	}
	return nil
}

// showItems fills in one page of what was found.
func (s *server) showItems(v *visit, p *clipsPage, names map[string]views.Link, number int) error {
	list := ""
	if p.Only != nil {
		list = p.Only.ID
		p.Title = p.Only.Name
	}
	from := (number - 1) * clipsPerPage
	items, total, err := s.Subscriptions.Items(v.Context(), v.account.ID, list, from, clipsPerPage)
	if err != nil {
		return err
	}
	p.Total, p.From, p.To = total, from+1, from+len(items)
	for _, i := range views.Head(items, clipsPerPage) {
		item := s.votable(v, i)
		if l, ok := names[i.List]; ok {
			item.List = &l
		}
		p.Items = append(p.Items, item)
	}
	p.Here = clipsHref(list, number)
	if number > 1 {
		p.Newer = clipsHref(list, number-1)
	}
	if p.To < total && len(items) > 0 {
		p.Older = clipsHref(list, number+1)
	}
	return nil
}

func clipsHref(list string, number int) string {
	values := url.Values{}
	if list != "" {
		values.Set("list", list)
	}
	if number > 1 {
		values.Set("page", strconv.Itoa(number))
	}
	if len(values) == 0 {
		return "/clips"
	}
	return "/clips?" + values.Encode()
}

// Count says how much there is.
func (p clipsPage) Count() string {
	switch {
	case p.Total == 0:
		return "Nothing yet. What is found from now on comes here."
	case len(p.Items) == 0:
		return fmt.Sprintf("Nothing on this page; %d finds in all.", p.Total)
	case p.Total == 1:
		return "1 find"
	case p.Newer == "" && p.Older == "":
		return fmt.Sprintf("%d finds, newest first", p.Total)
	}
	return fmt.Sprintf("%d finds, %d to %d shown, newest first", p.Total, p.From, p.To)
}
