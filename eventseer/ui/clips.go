package ui

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

const (
	clipsPerPage = 25
	maxClipsPage = eventseer.MaxStream*(eventseer.MaxListsAnAccount+1)/clipsPerPage + 1
	maxStarsSeen = 50 // followed events listed by name
)

// A clipsPage is a reader's own page: lists, followed events, and items found.
type clipsPage struct {
	account.OwnFrame
	Lists                []listRow
	Only                 *listRow // the list whose items are shown, if only one
	Stars                []views.Link
	MoreStars            int
	Items                []account.ItemView
	Total, From, To      int
	Newer, Older         string
	PausedUntil, Refused string
	Here                 string // URL of this page
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
	Only                  string // the page with only its items
}

func (s *server) newListRow(l eventseer.List) listRow {
	row := listRow{
		ID: l.ID, Name: views.Clip(l.Name, eventseer.MaxListName), Query: views.Clip(l.Query, query.MaxText), Href: account.ListHref(l.ID), Rhythm: account.RhythmText(l.Rhythm),
		Only: "/clips?" + url.Values{"list": {l.ID}}.Encode(),
	}
	row.Name = cmp.Or(row.Name, views.Clip(row.Query, eventseer.MaxListName))
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

// clipsSaid are the confirmations shown on /clips, by the parameter "done".
var clipsSaid = map[string]string{
	"begun": "Your list has begun.", "removed": "The list is removed.", "snoozed": "The list is silent now; its items are still stored.",
	"awake": "The list sends mails again.", "voted": "Thank you: this teaches us what fits.",
	"starred": "You follow this call now: we tell you if one of its deadlines moves, and before it closes.", "unstarred": "You no longer follow this call.",
}

func (s *server) clips(v *account.Visit) (web.View, error) {
	q := v.URL.Query()
	number, err := web.ReadNumber(v.Request, "page", 1, 1, maxClipsPage)
	if err != nil {
		return web.View{}, err
	}
	p := clipsPage{OwnFrame: s.ownFrame(v, "Your calls", "clips"), Refused: views.Clip(v.Account.Refused, views.MaxValue)}
	p.Said = clipsSaid[q.Get("done")]
	if v.Account.Paused.After(s.Now()) {
		p.PausedUntil = v.Account.Paused.UTC().Format("2 January 2006")
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
func (s *server) showLists(v *account.Visit, p *clipsPage, only string) (map[string]views.Link, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}
	names := map[string]views.Link{}
	for _, l := range views.FirstN(lists, eventseer.MaxListsAnAccount) {
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

// countFinds counts the items found by a list since it was created.
func (s *server) countFinds(v *account.Visit, l eventseer.List, row *listRow) error {
	_, total, err := s.Subscriptions.Items(v.Context(), v.Account.ID, l.ID, 0, 1)
	if err != nil {
		return err
	}
	row.Finds = total
	if age := s.Now().Sub(l.Created); !l.Created.IsZero() && age >= 7*24*time.Hour {
		row.Volume = account.PerWeek(float64(total) / (age.Hours() / (7 * 24)))
	}
	return nil
}

// showStars fills in the events that a reader follows. Deleted events are shown by their ids.
func (s *server) showStars(v *account.Visit, p *clipsPage) error {
	for i, id := range v.Account.Stars {
		if i == maxStarsSeen {
			p.MoreStars = len(v.Account.Stars) - maxStarsSeen
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

// showItems fills in one page of items.
func (s *server) showItems(v *account.Visit, p *clipsPage, names map[string]views.Link, number int) error {
	list := ""
	if p.Only != nil {
		list = p.Only.ID
		p.Title = p.Only.Name
	}
	from := (number - 1) * clipsPerPage
	items, total, err := s.Subscriptions.Items(v.Context(), v.Account.ID, list, from, clipsPerPage)
	if err != nil {
		return err
	}
	p.Total, p.From, p.To = total, from+1, from+len(items)
	for _, i := range views.FirstN(items, clipsPerPage) {
		item := s.itemWithVote(v, i)
		if l, ok := names[i.List]; ok {
			item.List = &l
		}
		p.Items = append(p.Items, item)
	}
	p.Here = clipsHref(list, number)
	p.Newer, p.Older = neighbourPages(number, p.To < total && len(items) > 0, func(n int) string { return clipsHref(list, n) })
	return nil
}

// neighbourPages returns the URLs of the pages before and after page n of a list, or "". more means
// that there is a page after it.
func neighbourPages(n int, more bool, href func(n int) string) (newer, older string) {
	if n > 1 {
		newer = href(n - 1)
	}
	if more {
		older = href(n + 1)
	}
	return newer, older
}

func clipsHref(list string, number int) string {
	values := url.Values{}
	if list != "" {
		values.Set("list", list)
	}
	if number > 1 {
		values.Set("page", strconv.Itoa(number))
	}
	return views.WithQuery("/clips", values)
}

// Count describes the number of items.
func (p clipsPage) Count() string {
	switch {
	case p.Total == 0:
		return "No items yet. New items will appear here."
	case len(p.Items) == 0:
		return fmt.Sprintf("No items on this page; there are %d in all.", p.Total)
	case p.Total == 1:
		return "1 find"
	case p.Newer == "" && p.Older == "":
		return fmt.Sprintf("%d finds, newest first", p.Total)
	}
	return fmt.Sprintf("%d items, %d to %d shown, newest first", p.Total, p.From, p.To)
}

func (s *server) newItemView(v *account.Visit, i eventseer.Item) account.ItemView {
	now := s.Now()
	view := account.ItemView{
		Kind: views.Clip(string(i.Kind), 20), What: account.ItemKinds[i.Kind], Title: views.Clip(i.Title, 300),
		Href: views.EventHref(i.Event), Star: views.EventHref(i.Event) + "/star", Place: views.Clip(i.Place, 120), Passage: account.PassagePieces(i.Passage, i.Marks),
		Source: views.SourceLink(i.Source), At: views.NewTimeStamp(i.At, now), Useful: i.Useful,
	}
	if i.Title == "" {
		view.Title = "Untitled call"
	}
	view.Why = views.MapSlice(views.FirstN(i.Why, account.MaxWhy), func(why string) string { return views.Clip(why, views.MaxValue) })
	zone := account.ZoneOf(v)
	if i.Next.Date != "" {
		w := views.NewWhenIn(i.Next, now, zone)
		view.Next = &w
	}
	if i.Kind == eventseer.StateChanged || i.Kind == eventseer.Moved {
		view.History = view.Href + "/history"
	}
	if i.Kind == eventseer.Moved && i.Old.Date != "" {
		old := views.NewWhenIn(i.Old, now, zone)
		view.Old = strings.Join(views.NonEmpty(old.Date, old.Clock), ", ")
	}
	return view
}

// itemWithVote returns a view of an item with a link to vote, which contains the item's token.
func (s *server) itemWithVote(v *account.Visit, i eventseer.Item) account.ItemView {
	view := s.newItemView(v, i)
	if view.Anchor = account.AnchorOf(i.ID); v.Anchors[view.Anchor] {
		view.Anchor = "" // an id may occur once on a page
	}
	if v.Anchors == nil {
		v.Anchors = map[string]bool{}
	}
	v.Anchors[view.Anchor] = true
	if token := s.Subscriptions.VoteToken(i); token != "" {
		view.Vote = "/v/" + url.PathEscape(token)
	}
	return view
}

// A editListPage changes a list.
type editListPage struct {
	account.OwnFrame
	account.ListForm
	List    listRow
	Feeds   []views.Link
	Snoozes []account.FormChoice
}

// listOfPath returns the list that a path names, if it is the reader's.
func (s *server) listOfPath(v *account.Visit) (eventseer.List, error) {
	lists, err := s.Subscriptions.Lists(v.Context(), v.Account.ID)
	if err != nil {
		return eventseer.List{}, err
	}
	i := slices.IndexFunc(lists, func(l eventseer.List) bool { return l.ID == v.PathValue("list") })
	if i < 0 {
		return eventseer.List{}, eventseer.ErrNotFound
	}
	return lists[i], nil
}

func (s *server) newEditListPage(v *account.Visit, l eventseer.List) editListPage {
	p := editListPage{OwnFrame: s.ownFrame(v, "Change a list", "clips"), ListForm: account.NewListForm(l), List: s.newListRow(l), Feeds: s.feedLinks(v, l)}
	for _, d := range []int{7, 30, 90} {
		p.Snoozes = append(p.Snoozes, account.FormChoice{Value: strconv.Itoa(d), Text: strconv.Itoa(d) + " days"})
	}
	return p
}

func (s *server) editList(v *account.Visit) (web.View, error) {
	l, err := s.listOfPath(v)
	if err != nil {
		return web.View{}, err
	}
	p := s.newEditListPage(v, l)
	p.Said = map[string]string{"saved": "Saved.", "begun": "Your list has begun. Below is what it would have found."}[v.URL.Query().Get("done")]
	p.Preview, err = s.boundedPreview(v, l, &p.OwnFrame, true)
	return web.View{Name: "editlist", Data: p}, err
}

// editListPressed shows a preview of a changed list, or saves it.
func (s *server) editListPressed(v *account.Visit) (web.View, error) {
	kept, err := s.listOfPath(v)
	if err != nil {
		return web.View{}, err
	}
	var f account.OwnFrame
	press := v.PostForm.Get("press")
	helper := account.WordHelper{All: v.PostForm.Get("all"), Phrase: v.PostForm.Get("phrase"), Any: v.PostForm.Get("any"), None: v.PostForm.Get("none")}
	if press == "words" {
		v.PostForm.Set("q", helper.AddWords(v.PostForm.Get("q")))
		helper = account.WordHelper{}
	}
	l := account.ReadList(v.PostForm, &f)
	l.ID, l.Account, l.Snoozed, l.Created = kept.ID, v.Account.ID, kept.Snoozed, kept.Created
	if press == "save" && len(f.Problems) == 0 {
		l.Name = cmp.Or(l.Name, views.Clip(account.OneLine(l.Query), eventseer.MaxListName-1))
		_, err := s.Subscriptions.SaveList(v.Context(), l)
		if err == nil {
			return v.Redirect(account.ListHref(l.ID) + "?done=saved")
		}
		if err := f.AddInputProblem(err, account.ListFields); err != nil {
			return web.View{}, err
		}
	}
	p := s.newEditListPage(v, kept)
	p.ListForm, p.Problems = account.NewListForm(l), f.Problems
	p.Helper = account.WordHelper{All: views.Clip(helper.All, views.MaxValue), Phrase: views.Clip(helper.Phrase, views.MaxValue), Any: views.Clip(helper.Any, views.MaxValue), None: views.Clip(helper.None, views.MaxValue)}
	p.Preview, err = s.boundedPreview(v, l, &p.OwnFrame, false)
	return web.View{Name: "editlist", Data: p, Status: p.Status()}, err
}

// snoozeList pauses a list for some days; 0 ends the pause.
func (s *server) snoozeList(v *account.Visit) (web.View, error) {
	l, err := s.listOfPath(v)
	if err != nil {
		return web.View{}, err
	}
	days := -1
	if !readNumber(v.PostForm.Get("days"), &days, 0, 365) || days < 0 {
		return web.View{}, web.BadRequest("days must be a number from 0 to 365")
	}
	v.Target = "/clips?done=snoozed"
	l.Snoozed = s.Now().UTC().AddDate(0, 0, days)
	if days == 0 {
		l.Snoozed, v.Target = time.Time{}, "/clips?done=awake"
	}
	_, err = s.Subscriptions.SaveList(v.Context(), l)
	return web.View{}, err
}

func (s *server) removeList(v *account.Visit) (web.View, error) {
	l, err := s.listOfPath(v)
	if err != nil {
		return web.View{}, err
	}
	v.Target = "/clips?done=removed"
	return web.View{}, s.Subscriptions.RemoveList(v.Context(), v.Account.ID, l.ID)
}

// A starPage has the form for following one event, or for no longer following it.
type starPage struct {
	account.OwnFrame
	Name      views.Name
	Event     string // its page
	Next      *views.DeadlineShown
	Followed  bool
	Reminders string // "14 and 3 days"
	Back      string
}

func (s *server) star(v *account.Visit) (web.View, error) {
	e, err := s.Store.Event(v.Context(), eventseer.EventID(v.PathValue("id")))
	if err != nil {
		return web.View{}, err
	}
	p := starPage{
		OwnFrame: s.ownFrame(v, "Follow a call", "clips"), Name: views.NameOf(e), Event: views.EventHref(e.ID),
		Followed: slices.Contains(v.Account.Stars, e.ID), Reminders: account.RemindersText(v.Account.Reminders), Back: account.LocalPath(v.URL.Query().Get("next")),
	}
	p.Next = views.NextWhen(e, s.Now(), account.ZoneOf(v))
	return web.View{Name: "star", Data: p}, nil
}

// starPressed follows an event, or ends that. A deleted event can only be unfollowed.
func (s *server) starPressed(v *account.Visit) (web.View, error) {
	id := eventseer.EventID(v.PathValue("id"))
	a := *v.Account
	a.Stars = slices.DeleteFunc(slices.Clone(a.Stars), func(kept eventseer.EventID) bool { return kept == id })
	done := "unstarred"
	if v.PostForm.Get("press") != "unfollow" {
		e, err := s.Store.Event(v.Context(), id)
		if err != nil {
			return web.View{}, err
		}
		if len(a.Stars) >= eventseer.MaxStars {
			return web.View{}, web.BadRequest("you follow %d calls, the maximum; stop following one first", eventseer.MaxStars)
		}
		if !slices.Contains(a.Stars, e.ID) {
			a.Stars = append(a.Stars, e.ID)
		}
		done = "starred"
	}
	v.Target = cmp.Or(account.LocalPath(v.PostForm.Get("next")), "/clips?done="+done)
	return web.View{}, s.Subscriptions.SaveAccount(v.Context(), a)
}
