package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of what a panel shows.
const (
	maxFacts      = 100
	maxTables     = 20
	maxRows       = 500
	maxCells      = 20
	maxCell       = 500 // runes
	maxButtons    = 6   // of a row
	maxPanelQuery = 20  // parameters
)

// A panelPage draws a Sheet.
type panelPage struct {
	adminFrame
	Heading string
	Intro   string
	Facts   []Fact
	Tables  []tableView
	Action  string
	Back    string // the query of this page
	Find    string // label of the search box
	Query   string
	Alarm   string // what went wrong with an action
}

type tableView struct {
	ID      string
	Caption string
	Columns []string
	Acts    bool // its rows have buttons
	Rows    []rowView
	Empty   string
	More    string
	Hidden  int // rows that are not shown
}

type rowView struct {
	ID      string
	Cells   []cellView
	Buttons []buttonView
}

type cellView struct {
	Column string
	Text   string
	Href   string
	Out    bool // leads to another site
	State  string
	At     views.Stamp
}

type buttonView struct {
	Button
	ID string // of the text typed beside it
}

// panel shows one panel.
func (s *server) panel(v *visit) (web.View, error) {
	panel, known := findPanel(s.panels(), v.PathValue("panel"))
	if !known {
		return web.View{}, errNoPanel
	}
	q := v.URL.Query()
	return s.showPanel(v, panel, panelQuery(q), s.saidIn(q), "")
}

var errNoPanel = &visitError{status: http.StatusNotFound, text: "The operator has no such page.", on: views.Link{Text: "All pages of the operator", Href: web.AdminPath}}

// panelQuery are the parameters that a panel is asked with.
func panelQuery(q url.Values) map[string]string {
	query := map[string]string{}
	for _, name := range sortedKeys(q) {
		if name != "said" && name != "by" && len(query) < maxPanelQuery && len(name) <= maxAdminAction {
			query[name] = views.Clip(strings.ToValidUTF8(q.Get(name), "\uFFFD"), maxAdminValue)
		}
	}
	return query
}

func encodeQuery(query map[string]string) string {
	values := url.Values{}
	for name, value := range query {
		values.Set(name, value)
	}
	return values.Encode()
}

func (s *server) showPanel(v *visit, panel Panel, query map[string]string, said, alarm string) (web.View, error) {
	sheet, err := panel.Show(v.Context(), query)
	if err != nil {
		return web.View{}, err
	}
	p := panelPage{
		adminFrame: s.adminFrame(v, views.Clip(panel.Title, 80), panel.Name), Heading: views.Clip(panel.Title, 80), Intro: views.Clip(sheet.Intro, 2*maxCell),
		Action: panelHref(panel.Name), Back: encodeQuery(query), Find: views.Clip(panel.Find, 80), Query: query["q"], Alarm: alarm,
	}
	p.Said = said
	for _, f := range views.Head(sheet.Facts, maxFacts) {
		p.Facts = append(p.Facts, Fact{views.Clip(f.Name, 80), views.Clip(f.Value, maxCell), knownState(f.State)})
	}
	for i, t := range views.Head(sheet.Tables, maxTables) {
		p.Tables = append(p.Tables, s.newTableView(t, "t"+strconv.Itoa(i), panel.Act != nil))
	}
	status := 0
	if alarm != "" {
		status = http.StatusUnprocessableEntity
	}
	return web.View{Name: "panel", Data: p, Status: status}, nil
}

// knownState keeps what the style sheet knows.
func knownState(state string) string {
	if slices.Contains([]string{"good", "warn", "bad"}, state) {
		return state
	}
	return ""
}

func (s *server) newTableView(t Table, id string, acts bool) tableView {
	out := tableView{
		ID: id, Caption: views.Clip(t.Caption, 200), Empty: cmp.Or(views.Clip(t.Empty, maxCell), "There are none."), Hidden: max(0, len(t.Rows)-maxRows),
	}
	for _, c := range views.Head(t.Columns, maxCells) {
		out.Columns = append(out.Columns, views.Clip(c, 80))
	}
	if values, err := url.ParseQuery(t.More); err == nil && t.More != "" {
		out.More = "?" + values.Encode()
	}
	for i, r := range views.Head(t.Rows, maxRows) {
		row := rowView{ID: id + "r" + strconv.Itoa(i)}
		for j, c := range views.Head(r.Cells, maxCells) {
			cell := s.newCellView(c)
			if j < len(out.Columns) {
				cell.Column = out.Columns[j]
			}
			row.Cells = append(row.Cells, cell)
		}
		if acts {
			for j, b := range views.Head(r.Buttons, maxButtons) {
				b.Label, b.Ask = views.Clip(b.Label, 40), views.Clip(b.Ask, 80)
				row.Buttons = append(row.Buttons, buttonView{b, row.ID + "b" + strconv.Itoa(j)})
			}
		}
		out.Acts = out.Acts || len(row.Buttons) > 0
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (s *server) newCellView(c Cell) cellView {
	cell := cellView{Text: views.Clip(strings.ToValidUTF8(c.Text, "\uFFFD"), maxCell), State: knownState(c.State), At: views.NewStamp(c.At, s.Now())}
	switch {
	case strings.HasPrefix(c.Href, "/") && backTo(c.Href) != "", strings.HasPrefix(c.Href, "?"):
		cell.Href = c.Href
	default:
		cell.Href = views.WebLink(c.Href)
		cell.Out = cell.Href != ""
	}
	if cell.Text == "" && cell.At.Machine == "" {
		cell.Text = cell.Href
	}
	return cell
}

// panelPressed does what a button asks for, and writes it down.
func (s *server) panelPressed(v *visit) (web.View, error) {
	panel, known := findPanel(s.panels(), v.PathValue("panel"))
	if !known || panel.Act == nil {
		return web.View{}, web.ErrNoPage
	}
	action, subject, value := v.PostForm.Get("action"), v.PostForm.Get("subject"), strings.TrimSpace(v.PostForm.Get("value"))
	if action == "" || len(action) > maxAdminAction || len(subject) > maxAdminValue || len(value) > maxAdminValue {
		return web.View{}, web.BadRequest("the form names no action, or says too much")
	}
	back, err := url.ParseQuery(v.PostForm.Get("back"))
	if err != nil {
		back = nil
	}
	query := panelQuery(back)
	said, err := panel.Act(v.Context(), action, subject, value)
	entry := AuditEntry{At: s.Now().UTC(), Who: v.user, Action: panel.Name + " " + action, Subject: views.Clip(subject, maxCell), Result: views.Clip(said, maxSaid)}
	if err != nil {
		entry.Result = "failed: " + views.Clip(err.Error(), maxSaid)
	}
	s.audit(entry)
	if err != nil {
		if v.Context().Err() != nil {
			return web.View{}, err
		}
		return s.showPanel(v, panel, query, "", views.Clip(err.Error(), maxSaid))
	}
	values := url.Values{}
	for name, text := range query {
		values.Set(name, text)
	}
	v.target = panelHref(panel.Name) + "?" + s.withSaid(values, cmp.Or(said, "Done.")).Encode()
	return web.View{}, nil
}
