package ui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// An eventPage is one edition with all its data.
type eventPage struct {
	views.Frame
	ID                eventseer.EventID
	Name              views.Name
	Kind, Days, Place string
	Badges            []views.Badge
	Parent            views.Link // the event with which it is held
	Publisher         string
	Official          views.Link
	Homepage          string // URL of the event's own site if that is not the call, or ""
	Submission        string // URL, or ""
	System            string // the submission system
	Next              *views.DeadlineShown
	Deadlines         []views.DeadlineRow
	OwnZone           bool              // the table has a column with the reader's time
	Calls             []views.CallShown // none for an event with one call
	MoreCalls         int               // not shown
	Topics            []views.Link
	Research          []views.Link // fields of research
	Warnings          []string
	Confidence        string
	Fields            []views.FieldRow
	Pages             []views.Link
	Related           []views.Link
	Trail             []views.TrailRow
	History           []views.ChangeRow
	Changes           string // URL of the full comparison, "" if fewer than two versions are stored
	FirstSeen         views.TimeStamp
	LastSeen          views.TimeStamp
	Hidden            string // description of omitted data
	People            []views.PersonRow
	Around            eventContext
	Calendar          []subscription
	Actions           eventActions
	JSONLD            template.HTML // JSON-LD block for search engines, or ""
}

// eventActions are the actions offered to a reader; "" is not offered.
type eventActions struct {
	Star, List, Similar, Report, Appeal string
	Starred                             bool // in the browser
}

func (s *server) event(r *http.Request) (web.View, error) {
	id := eventseer.EventID(r.PathValue("id"))
	e, err := s.Store.Event(r.Context(), id)
	if err != nil {
		return web.View{}, err
	}
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return web.View{}, err
	}
	page := s.newEventPage(r, e, history)
	page.Around, err = s.readContext(r, e)
	if err != nil {
		return web.View{}, err
	}
	page.Parent = parentLink(e)
	return web.View{Name: "event", Data: page}, nil
}

func (s *server) newEventPage(r *http.Request, e eventseer.Event, history []eventseer.Change) eventPage {
	now, zone := s.Now(), web.ReaderZone(r)
	name := views.NameOf(e)
	p := eventPage{
		Frame: s.FrameOf(r, views.Clip(name.Full(), 100), ""), ID: e.ID, Name: name,
		Kind: views.KindNames[e.Kind], Days: views.DaysText(e.EventStart, e.EventEnd), Place: views.VenueLine(e.Location),
		Publisher: views.Clip(e.Publisher, 100), Official: views.SourceLink(views.OfficialPage(e)),
		Submission: views.WebLink(e.SubmissionURL), System: views.SystemOf(e),
		Fields: views.FieldRows(e), Confidence: views.PercentText(e.Confidence),
		FirstSeen: views.NewTimeStamp(e.FirstSeen, now), LastSeen: views.NewTimeStamp(e.LastSeen, now),
		Badges: views.BadgesOf(e, history, now), Hidden: views.HiddenText(e, history), OwnZone: zone != time.UTC,
	}
	if p.Homepage = views.WebLink(e.Homepage); p.Homepage == p.Official.Href {
		p.Homepage = ""
	}
	href := views.EventHref(e.ID)
	p.JSON = "/api/v1/events/" + strings.TrimPrefix(href, "/e/") + ".json"
	p.Next = views.NextWhen(e, now, zone)
	p.Warnings = views.MapSlice(views.FirstN(e.Warnings, views.MaxTopics), func(w eventseer.Warning) string { return views.Clip(cmp.Or(w.Text, w.Rule), views.MaxValue) })
	p.Topics = views.MapSlice(views.FirstN(e.Topics, views.MaxTopics), views.TopicLink)
	p.Research = views.FieldLinks(e)
	p.Pages = views.MapSlice(views.FirstN(e.Pages, views.MaxPages), views.PageLink)
	p.Related = views.MapSlice(views.FirstN(e.Related, views.MaxPages), views.PageLink)
	p.Deadlines = views.DeadlineRows(e, history, now, zone)
	p.Calls, p.MoreCalls = views.CallsShown(e, now, zone)
	p.Trail = views.TrailRows(e.Trail, history, now)
	p.History = views.ChangeRows(history, now)
	if s.Versions != nil && slices.ContainsFunc(views.PagesOf(e), func(page string) bool {
		seen, err := s.Versions.Versions(r.Context(), page)
		return err == nil && len(seen) > 1
	}) {
		p.Changes = href + "/history"
	}
	if s.People {
		p.People, p.Meta.NoIndex = views.PersonRows(e), len(e.Committee) > 0
	}
	p.Meta.Canonical, p.Meta.About = s.canonicalURL(r, href), views.AboutEvent(e, p.Next)
	s.addActions(r, &p, e, history)
	return p
}

// similarCalls redirects to a search for calls similar to an event, the most similar first. The keywords of the event
// are determined only here, because that takes longer than writing its page.
func (s *server) similarCalls(w http.ResponseWriter, r *http.Request) {
	q, err := "", eventseer.ErrNotFound
	if s.Similar != nil {
		q, err = s.Similar(r.Context(), eventseer.EventID(r.PathValue("id")))
	}
	if err != nil {
		s.PageHandler(func(*http.Request) (web.View, error) { return web.View{}, err })(w, r)
		return
	}
	f := views.Frame{All: true, Sort: string(eventseer.OrderRelevance)}
	http.Redirect(w, r, f.SearchHref(q), http.StatusSeeOther)
}

// addActions adds the actions offered to a reader.
func (s *server) addActions(r *http.Request, p *eventPage, e eventseer.Event, history []eventseer.Change) {
	href := views.EventHref(e.ID)
	_, host, _ := strings.Cut(s.siteBase(r), "://")
	for _, f := range s.Formats {
		switch f.Name {
		case "ics":
			p.Calendar = append(p.Calendar,
				subscription{Text: "Add to calendar", About: "and keep it up to date", Href: template.URL("webcal://" + host + strings.TrimPrefix(href, "/") + f.Ending)}, // #nosec G203 -- our base, an escaped id
				subscription{Text: "Download for a calendar", Href: template.URL(href + f.Ending)},                                                                        // #nosec G203
				subscription{Text: "Help with calendar programs", Href: template.URL(calendarHelp(url.Values{"call": {string(e.ID)}}))})                                   // #nosec G203
		case "atom":
			p.Meta.Feeds = append(p.Meta.Feeds, views.FeedLink{Type: views.MediaType(f.ContentType), Title: p.Title + ", changes", Href: href + f.Ending})
			p.Calendar = append(p.Calendar, subscription{Text: "Feed of its changes", Href: template.URL(href + f.Ending)}) // #nosec G203
		}
	}
	if term := query.TermText("id", string(e.ID)); term != "" {
		p.Actions.List = views.SearchHref(term, true)
	}
	starred, _ := s.starredCalls(r)
	p.Actions.Starred = slices.Contains(starred, e.ID)
	if s.Subscriptions != nil {
		p.Actions.Star = href + "/star"
	}
	if s.Similar != nil {
		p.Actions.Similar = href + "/similar"
	}
	if s.Desk != nil {
		p.Actions.Report, p.Actions.Appeal = href+"/report", href+"/appeal"
	}
	if s.JSONLD == nil || p.Meta.NoIndex {
		return
	}
	if data, ok := s.JSONLD(e, history, s.canonicalURL(r, href)); ok && !bytes.ContainsAny(data, "<>") {
		p.JSONLD = template.HTML(`<script type="application/ld+json">` + string(data) + `</script>`) // #nosec G203 -- holds no <
	}
}

// Limits on what is shown besides an event.
const (
	maxAround   = 20 // workshops, other editions
	maxHeldWith = 60 // events examined to find workshops
	maxClips    = 6
	maxClipText = 300 // runes of a clip

)

// eventContext is the series, parent, workshops and clips of an event.
type eventContext struct {
	Series     views.Link
	SeriesName string // full name, "" if unknown
	Ranks      []views.RankChip
	Rates      []views.RateRow // newest first, few
	Editions   []views.Link
	Workshops  []views.Link
	Clips      []clipRow
	Expected   *views.EstimateShown // of the next edition
}

// A clipRow is a passage of a page that mentions the event.
type clipRow struct {
	Title  string
	Text   string
	Source views.Link
	Seen   views.TimeStamp
}

// readContext reads an event's series, workshops and clips. Damaged data is logged and left out.
func (s *server) readContext(r *http.Request, e eventseer.Event) (a eventContext, err error) {
	ctx, now := r.Context(), s.Now()
	if id := series.IDOf(e); s.Series != nil && id != "" {
		series := s.readSeries(ctx, id)
		a.Series = views.Link{Text: views.Clip(views.NonEmpty(series.Acronym, e.Acronym, series.Name, id)[0], 60), Href: views.SeriesHref(id)}
		a.SeriesName = views.Clip(series.Name, 200)
		a.Ranks = views.RankChips(series.Ranks, false)
		if rates := views.NewRatesShown(series.Rates); rates != nil {
			a.Rates = views.FirstN(rates.Rows, 5)
		}
		editions := s.readEditions(ctx, id)
		a.Expected = views.ExpectedAfter(editions, e, now)
		for _, other := range editions {
			if other.ID != e.ID && len(a.Editions) < maxAround {
				a.Editions = append(a.Editions, views.EventLink(other))
			}
		}
	}
	a.Workshops = s.eventsHeldWith(ctx, e)
	clips, err := s.Store.Clips(ctx, e.ID)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("the clips of an event cannot be read", "id", e.ID, "cause", err)
	}
	for _, c := range slices.Backward(clips) {
		if len(a.Clips) < maxClips {
			a.Clips = append(a.Clips, clipRow{views.Clip(c.Title, 120), views.Clip(eventseer.Redact(c.Summary), maxClipText), views.SourceLink(c.URL), views.NewTimeStamp(c.Seen, now)})
		}
	}
	return a, ctx.Err()
}

// eventsHeldWith finds the events that name e as their parent.
func (s *server) eventsHeldWith(ctx context.Context, e eventseer.Event) []views.Link {
	term := query.TermText("title", views.CutToRunes(cmp.Or(e.Acronym, e.Title), 100))
	if term == "" || e.Parent != "" {
		return nil // a workshop has no workshops
	}
	if e.Year > 0 {
		term = strings.TrimPrefix(term, "title:") + fmt.Sprintf(" year:%d", e.Year)
	}
	found, err := s.Index.Find(ctx, eventseer.Query{Text: term, Limit: maxHeldWith})
	if err != nil {
		var bad web.BadQuery
		if !errors.As(err, &bad) && ctx.Err() == nil {
			s.Log.Warn("the search for workshops of an event failed", "id", e.ID, "cause", err)
		}
		return nil
	}
	var links []views.Link
	for _, h := range found.Hits {
		child, err := s.Store.Event(ctx, h.ID)
		if err == nil && child.ID != e.ID && series.IsNameOf(child.Parent, e) && len(links) < maxAround {
			links = append(links, views.EventLink(child))
		}
	}
	return links
}

// parentLink returns a link to the parent of e, if it is known.
func parentLink(e eventseer.Event) views.Link {
	l := views.Link{Text: views.Clip(e.Parent, views.MaxValue)}
	if e.ParentID != "" {
		l.Href = views.EventHref(e.ParentID)
	}
	return l
}

// addEstimates adds the estimates of the next edition to closed calls of a list.
func (s *server) addEstimates(ctx context.Context, rows []views.CallRow, events []eventseer.Event) {
	if s.Series == nil {
		return
	}
	read := 0
	for i, e := range events {
		id := series.IDOf(e)
		if rows[i].Next != nil || id == "" || read == views.MaxExpected {
			continue
		}
		read++
		if next := views.ExpectedAfter(s.readEditions(ctx, id), e, s.Now()); next != nil {
			row := next.Paper()
			rows[i].Expected = &row
			rows[i].Series = views.SeriesHref(id)
		}
	}
}

// rankReader returns a function that reads the ranks of an event's series, cached per series.
func (s *server) rankReader(ctx context.Context) func(e eventseer.Event) []views.RankChip {
	known := map[string][]views.RankChip{}
	return func(e eventseer.Event) []views.RankChip {
		id := series.IDOf(e)
		if s.Series == nil || id == "" {
			return nil
		}
		chips, ok := known[id]
		if !ok {
			chips = views.RankChips(s.readSeries(ctx, id).Ranks, false)
			known[id] = chips
		}
		return chips
	}
}

// readEditions reads the editions of a series. Damaged ones are logged and left out.
func (s *server) readEditions(ctx context.Context, id string) []eventseer.Event {
	editions, err := s.Series.Editions(ctx, id)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
	}
	return editions
}

// readSeries reads the data on a series. If it is damaged, it is logged and the result is empty.
func (s *server) readSeries(ctx context.Context, id string) eventseer.Series {
	series, err := s.Series.Series(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) && ctx.Err() == nil {
		s.Log.Warn("a series cannot be read", "series", id, "cause", err)
	}
	return series
}

// markRow marks the query words in a row and adds a passage of a clip.
func (s *server) markRow(ctx context.Context, row *views.CallRow, e eventseer.Event, places []eventseer.WordPosition) {
	places = views.FirstN(places, eventseer.MaxPlaces)
	byField, topics := map[string][][2]int{}, map[int][][2]int{}
	for _, p := range places {
		if p.Field == "topic" {
			topics[p.Part] = append(topics[p.Part], p.Offset)
		} else {
			byField[p.Field] = append(byField[p.Field], p.Offset)
		}
	}
	row.Heading = views.MarkedPieces(row.Title, byField["title"])
	row.Acronym = views.MarkedPieces(row.Short, byField["acronym"])
	views.MarkTopics(row, e.Topics, topics)
	var page string
	if row.Passage, page = s.foundPassage(ctx, e, places); page != "" {
		row.PassageOf = views.PageLink(page)
	}
}

// foundPassage returns the passage with the query words and its page. It is taken from the text of
// a page, otherwise from a clip.
func (s *server) foundPassage(ctx context.Context, e eventseer.Event, places []eventseer.WordPosition) ([]views.Piece, string) {
	if part, ranges := firstPart(places, "text"); part >= 0 {
		if p, page, ok := s.textPassage(ctx, e, part, ranges); ok {
			return views.MarkedPieces(p.Summary, p.Marks), page
		}
	}
	if part, ranges := firstPart(places, "clip"); part >= 0 {
		return s.clipPassage(ctx, e.ID, part, ranges)
	}
	return nil, ""
}

// maxTextPassage bounds the passages of search results, in bytes.
const maxTextPassage = 360

// textPassage cuts the passage around byte ranges from the text of an event's page.
func (s *server) textPassage(ctx context.Context, e eventseer.Event, part int, ranges [][2]int) (p clip.Passage, page string, ok bool) {
	store, ok := s.Store.(eventseer.TextStore)
	if !ok {
		return p, "", false
	}
	texts, err := store.Texts(ctx, e.ID, time.Time{})
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("the text of a found page cannot be read", "id", e.ID, "cause", err)
	}
	texts = eventseer.SearchedTexts(texts, e.Committee, s.People)
	if part >= len(texts) {
		return p, "", false
	}
	p, ok = clip.CutText(texts[part].Text, ranges, maxTextPassage)
	return p, texts[part].URL, ok
}

// firstPart returns the first part of a field with a hit, or -1, and the byte ranges of its hits.
func firstPart(places []eventseer.WordPosition, field string) (part int, ranges [][2]int) {
	part = -1
	for _, p := range places {
		if p.Field == field && (part < 0 || p.Part == part) {
			part, ranges = p.Part, append(ranges, p.Offset)
		}
	}
	return part, ranges
}

// clipPassage reads a clip, marks the hits, and returns it with its page. A damaged clip is logged and
// left out.
func (s *server) clipPassage(ctx context.Context, id eventseer.EventID, part int, ranges [][2]int) ([]views.Piece, string) {
	clips, err := s.Store.Clips(ctx, id)
	if err != nil {
		s.Log.Warn("a found clip cannot be read", "id", id, "cause", err)
	}
	if part < 0 || part >= len(clips) {
		return nil, ""
	}
	text, page := clips[part].Summary, clips[part].URL
	if safe := eventseer.Redact(text); safe != text {
		return views.UnmarkedPieces(views.Clip(safe, 2*views.PassageAround)), page
	}
	return views.MarkedPieces(views.CutAround(text, ranges)), page
}
