package ui

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

const (
	maxAdminAction = 64   // bytes of the name of an action
	maxAdminValue  = 2000 // bytes of an input, and of a subject
	maxSaid        = 500  // runes of the message of an action
)

// adminRoutes are the operator's pages.
func (s *server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+web.AdminPath, s.visitHandler(s.newOperatorVisit, s.admin))
	mux.HandleFunc("GET "+web.AdminPath+"/{panel}", s.visitHandler(s.newOperatorVisit, s.panelPage))
	mux.HandleFunc("POST "+web.AdminPath+"/{panel}", s.visitHandler(s.newOperatorVisit, s.requireToken(s.formLimits.Press, s.panelPressed)))
	mux.HandleFunc("POST "+web.AdminPath+"/signin", s.formHandler(s.formLimits.Press, s.signInOperator))
	mux.HandleFunc("POST "+web.AdminPath+"/signout", s.visitHandler(s.newOperatorVisit, s.requireToken(s.formLimits.Press, s.signOutOperator)))
	for path, tool := range s.Tools {
		gated := s.onlyOperator(tool)
		for _, pattern := range []string{"GET " + path, "GET " + path + "/", "POST " + path, "POST " + path + "/"} {
			mux.Handle(pattern, gated)
		}
	}
}

// panels returns all panels, including those built into the UI. A panel of Options replaces a
// built-in one of the same name.
func (s *server) panels() []Panel {
	ours := []Panel{s.auditPanel()}
	if s.Desk != nil { // visitors' notes to the operator
		ours = []Panel{{Name: "desk", Title: "Reports", Group: "Visitors", Show: s.showNotes, Act: s.actOnNotes}, ours[0]}
	}
	all := slices.Clone(s.Panels)
	for _, own := range ours {
		if _, taken := findPanel(all, own.Name); !taken {
			all = append(all, own)
		}
	}
	return all
}

func findPanel(panels []Panel, name string) (Panel, bool) {
	i := slices.IndexFunc(panels, func(p Panel) bool { return p.Name == name })
	if i < 0 {
		return Panel{}, false
	}
	return panels[i], true
}

// An adminFrame is the common data of the operator's pages.
type adminFrame struct {
	account.OwnFrame
	Menu []views.MenuEntry
}

func (s *server) adminFrame(v *account.Visit, title, nav string) adminFrame {
	f := adminFrame{OwnFrame: s.ownFrame(v, title, nav), Menu: []views.MenuEntry{{Name: "admin", Text: "Overview", Href: web.AdminPath}}}
	f.ByProxy = false
	for _, p := range s.panels() {
		f.Menu = append(f.Menu, views.MenuEntry{Name: p.Name, Text: views.Clip(p.Title, 40), Href: panelHref(p.Name)})
	}
	return f
}

func panelHref(name string) string { return web.AdminPath + "/" + url.PathEscape(name) }

// An adminPage lists the panels by their groups.
type adminPage struct {
	adminFrame
	Who    string
	Groups []panelGroup
}

type panelGroup struct {
	Name  string
	Links []views.Link
}

func (s *server) admin(v *account.Visit) (web.View, error) {
	if v.URL.Query().Has(web.TokenParameter) { // the token must not stay in the address bar
		return v.Redirect(web.AdminPath)
	}
	p := adminPage{adminFrame: s.adminFrame(v, "Operator", "admin"), Who: v.User}
	at := map[string]int{}
	add := func(group string, l views.Link) {
		i, known := at[group]
		if !known {
			i = len(p.Groups)
			at[group] = i
			p.Groups = append(p.Groups, panelGroup{Name: group})
		}
		p.Groups[i].Links = append(p.Groups[i].Links, l)
	}
	for _, panel := range s.panels() {
		add(views.Clip(cmp.Or(panel.Group, "Other"), 40), views.Link{Text: views.Clip(panel.Title, 80), Href: panelHref(panel.Name)})
	}
	add("Learning", views.Link{Text: "Wrappers: the meaning of fields in sites’ templates", Href: tools.WrappersPath})
	add("Learning", views.Link{Text: "Label pages, if serve runs with --label-input", Href: web.LabelPath})
	return web.View{Name: "admin", Data: p}, nil
}

// actionMessage returns the message of an action from a link with a valid code.
func (s *server) actionMessage(q url.Values) string {
	said := q.Get("said")
	mac, err := base64.RawURLEncoding.DecodeString(q.Get("by"))
	if said == "" || err != nil || !hmac.Equal(mac, s.guard.Sign("said", said)) {
		return ""
	}
	return said
}

// withActionMessage adds an action's message to a query, with a code that prevents forged messages.
func (s *server) withActionMessage(q url.Values, said string) url.Values {
	said = views.Clip(strings.ToValidUTF8(said, "\uFFFD"), maxSaid)
	q.Set("said", said)
	q.Set("by", base64.RawURLEncoding.EncodeToString(s.guard.Sign("said", said)))
	return q
}

const maxAudited = 500 // entries shown at /admin/audit

// An auditLog holds the last entries for the operator's page. Options.Audit stores them
// permanently. The zero auditLog is empty.
type auditLog struct {
	mu      sync.Mutex
	entries []AuditEntry // oldest first; mu guards them
}

func (l *auditLog) add(e AuditEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	if n := len(l.entries); n > maxAudited {
		l.entries = slices.Delete(l.entries, 0, n-maxAudited)
	}
}

func (l *auditLog) allEntries() []AuditEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// recordAction records an action of the operator.
func (s *server) recordAction(e AuditEntry) {
	s.audited.add(e)
	if s.Audit != nil {
		s.Audit(e)
		return
	}
	s.Log.Info("operator", "who", e.Who, "action", e.Action, "subject", e.Subject, "result", e.Result)
}

// auditPanel shows the actions of the operator.
func (s *server) auditPanel() Panel {
	return Panel{Name: "audit", Title: "Audit log", Group: "Visitors", Show: func(context.Context, map[string]string) (Sheet, error) {
		t := Table{Caption: "Since the program started, the newest first", Columns: []string{"When", "Who", "What", "Of", "Result"}, Empty: "Nothing was done yet."}
		for _, e := range slices.Backward(s.audited.allEntries()) {
			t.Rows = append(t.Rows, Row{Cells: []Cell{{At: e.At}, {Text: e.Who}, {Text: e.Action}, {Text: e.Subject}, {Text: e.Result}}})
		}
		return Sheet{Intro: "Actions on these pages, and who took them.", Tables: []Table{t}}, nil
	}}
}

const (
	maxNotesShown = 40
	maxDoneShown  = 20
)

var noteKinds = map[eventseer.NoteKind]string{
	eventseer.ErrorReport: "error", eventseer.Submitted: "page for the crawler", eventseer.Suggested: "page without a call", eventseer.Removal: "removal", eventseer.Appeal: "objection to a warning",
}

func (s *server) showNotes(ctx context.Context, query map[string]string) (Sheet, error) {
	waiting, err := s.Desk.Notes(ctx, false, eventseer.MaxNotes)
	if err != nil {
		return Sheet{}, err
	}
	done, err := s.Desk.Notes(ctx, true, eventseer.MaxNoteDone)
	if err != nil {
		return Sheet{}, err
	}
	state := ""
	if len(waiting) > eventseer.MaxNotes/2 {
		state = "bad"
	}
	sheet := Sheet{
		Intro: "Reports of visitors. Settling a report removes it from the list; your note is stored here and not sent to anybody, because the visitor's address is unknown.",
		Facts: []Fact{{"Waiting", strconv.Itoa(len(waiting)) + " of at most " + strconv.Itoa(eventseer.MaxNotes), state}, {"Settled", strconv.Itoa(len(done)), ""}},
	}
	from := 0
	if !readNumber(query["from"], &from, 0, len(waiting)) {
		from = 0
	}
	open := Table{Caption: "Waiting, the oldest first", Columns: []string{"When", "What", "About", "Text"}, Empty: "Nothing waits."}
	if from+maxNotesShown < len(waiting) {
		open.More = "from=" + strconv.Itoa(from+maxNotesShown)
	}
	for _, n := range views.FirstN(waiting[from:], maxNotesShown) {
		row := Row{Cells: s.noteCells(n), Buttons: []Button{{Action: "settle", Subject: n.ID, Label: "Settle", Ask: "Answer"}}}
		if n.Kind == eventseer.Suggested && n.URL != "" && s.Submitter != nil {
			row.Buttons = append(row.Buttons, Button{Action: "queue", Subject: n.ID, Label: "Have it visited"})
		}
		open.Rows = append(open.Rows, row)
	}
	settled := Table{Caption: "Settled, the newest first", Columns: []string{"When", "What", "About", "Text", "Answer"}, Empty: "None yet."}
	slices.SortStableFunc(done, func(a, b eventseer.Note) int { return b.Done.Compare(a.Done) })
	for _, n := range views.FirstN(done, maxDoneShown) {
		settled.Rows = append(settled.Rows, Row{Cells: append(s.noteCells(n), Cell{Text: n.Answer})})
	}
	sheet.Tables = []Table{open, settled}
	return sheet, nil
}

func (s *server) noteCells(n eventseer.Note) []Cell {
	what := cmp.Or(noteKinds[n.Kind], string(n.Kind))
	if n.Field != "" {
		what += ", " + views.FieldName(n.Field)
	}
	about := Cell{Text: n.URL, Href: views.WebLink(n.URL)}
	if n.Event != "" {
		about = Cell{Text: string(n.Event), Href: views.EventHref(n.Event)}
	}
	text := n.Text
	if n.Event != "" && n.URL != "" {
		text += " (see " + n.URL + ")"
	}
	return []Cell{{At: n.At}, {Text: what}, about, {Text: text}}
}

func (s *server) actOnNotes(ctx context.Context, action, subject, value string) (string, error) {
	switch action {
	case "settle":
		if value == "" {
			return "", errors.New("write the outcome, such as “corrected” or “rejected: the page says so”")
		}
		return "Settled: " + value, s.closeNote(ctx, subject, value)
	case "queue":
		waiting, err := s.Desk.Notes(ctx, false, eventseer.MaxNotes)
		if err != nil {
			return "", err
		}
		i := slices.IndexFunc(waiting, func(n eventseer.Note) bool { return n.ID == subject })
		if i < 0 || s.Submitter == nil {
			return "", errors.New("this report does not wait any more")
		}
		if err := s.Submitter.Queue(ctx, waiting[i].URL); err != nil {
			return "", err
		}
		return "The crawler will visit " + waiting[i].URL, s.closeNote(ctx, subject, "queued")
	}
	return "", errors.New("this action does not exist")
}

func (s *server) closeNote(ctx context.Context, id, answer string) error {
	err := s.Desk.CloseNote(ctx, id, answer, s.Now().UTC())
	if errors.Is(err, eventseer.ErrNotFound) {
		return errors.New("this report does not wait any more")
	}
	return err
}

// Limits of a panel.
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
	Alarm   string // error of an action
	Confirm *confirmView
}

// A confirmView shows the effect of an action, with a button to confirm.
type confirmView struct {
	Intro  string
	Tables []tableView
	Button
	Value string // that was typed
}

type tableView struct {
	Table
	ID     string
	Acts   bool // its rows have buttons
	Rows   []rowView
	Hidden int // rows that are not shown
}

type rowView struct {
	ID      string
	Cells   []cellView
	Buttons []buttonView
}

type cellView struct {
	Cell
	Column string
	Out    bool // leads to another site
	At     views.TimeStamp
}

type buttonView struct {
	Button
	ID string // id of the text field beside the button
}

// panelPage shows one panel.
func (s *server) panelPage(v *account.Visit) (web.View, error) {
	panel, known := findPanel(s.panels(), v.PathValue("panel"))
	if !known {
		return web.View{}, errNoPanel
	}
	q := v.URL.Query()
	return s.showPanel(v, panel, panelQuery(q), s.actionMessage(q), "")
}

var errNoPanel = &account.VisitError{Status: http.StatusNotFound, Text: "The operator's area has no such page.", On: views.Link{Text: "All pages of the operator", Href: web.AdminPath}}

// panelQuery returns the parameters that are passed to a panel.
func panelQuery(q url.Values) map[string]string {
	query := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if name != "said" && name != "by" && len(query) < maxPanelQuery && len(name) <= maxAdminAction {
			query[name] = views.Clip(strings.ToValidUTF8(q.Get(name), "\uFFFD"), maxAdminValue)
		}
	}
	return query
}

func queryValues(query map[string]string) url.Values {
	values := url.Values{}
	for name, value := range query {
		values.Set(name, value)
	}
	return values
}

func (s *server) showPanel(v *account.Visit, panel Panel, query map[string]string, said, alarm string) (web.View, error) {
	sheet, err := panel.Show(v.Context(), query)
	if err != nil {
		return web.View{}, err
	}
	p := panelPage{
		adminFrame: s.adminFrame(v, views.Clip(panel.Title, 80), panel.Name), Heading: views.Clip(panel.Title, 80), Intro: views.Clip(sheet.Intro, 2*maxCell),
		Action: panelHref(panel.Name), Back: queryValues(query).Encode(), Find: views.Clip(panel.Find, 80), Query: query["q"], Alarm: alarm,
	}
	p.Said = said
	for _, f := range views.FirstN(sheet.Facts, maxFacts) {
		p.Facts = append(p.Facts, Fact{views.Clip(f.Name, 80), views.Clip(f.Value, maxCell), knownState(f.State)})
	}
	for i, t := range views.FirstN(sheet.Tables, maxTables) {
		p.Tables = append(p.Tables, s.newTableView(t, "t"+strconv.Itoa(i), panel.Act != nil))
	}
	status := 0
	if alarm != "" {
		status = http.StatusUnprocessableEntity
	}
	return web.View{Name: "panel", Data: p, Status: status}, nil
}

// showPreview shows the effect of an action, with a button to confirm.
func (s *server) showPreview(v *account.Visit, panel Panel, query map[string]string, sheet Sheet, b Button) (web.View, error) {
	p := panelPage{
		adminFrame: s.adminFrame(v, views.Clip(panel.Title, 80), panel.Name), Heading: views.Clip(panel.Title, 80),
		Action: panelHref(panel.Name), Back: queryValues(query).Encode(), Query: query["q"],
		Confirm: &confirmView{Intro: views.Clip(sheet.Intro, 2*maxCell), Button: b},
	}
	for i, t := range views.FirstN(sheet.Tables, maxTables) {
		p.Confirm.Tables = append(p.Confirm.Tables, s.newTableView(t, "c"+strconv.Itoa(i), false))
	}
	return web.View{Name: "panel", Data: p}, nil
}

// knownState returns the state if the style sheet defines it, otherwise "".
func knownState(state string) string {
	if slices.Contains([]string{"good", "warn", "bad"}, state) {
		return state
	}
	return ""
}

func (s *server) newTableView(t Table, id string, acts bool) tableView {
	out := tableView{ID: id, Hidden: max(0, len(t.Rows)-maxRows)}
	out.Caption, out.Empty = views.Clip(t.Caption, 200), cmp.Or(views.Clip(t.Empty, maxCell), "There are none.")
	out.Columns = views.MapSlice(views.FirstN(t.Columns, maxCells), func(c string) string { return views.Clip(c, 80) })
	if values, err := url.ParseQuery(t.More); err == nil && t.More != "" {
		out.More = "?" + values.Encode()
	}
	for i, r := range views.FirstN(t.Rows, maxRows) {
		row := rowView{ID: id + "r" + strconv.Itoa(i)}
		for j, c := range views.FirstN(r.Cells, maxCells) {
			cell := s.newCellView(c)
			if j < len(out.Columns) {
				cell.Column = out.Columns[j]
			}
			row.Cells = append(row.Cells, cell)
		}
		if acts {
			for j, b := range views.FirstN(r.Buttons, maxButtons) {
				b.Label, b.Ask, b.Given = views.Clip(b.Label, 40), views.Clip(b.Ask, 80), views.Clip(b.Given, maxCell)
				row.Buttons = append(row.Buttons, buttonView{b, row.ID + "b" + strconv.Itoa(j)})
			}
		}
		out.Acts = out.Acts || len(row.Buttons) > 0
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (s *server) newCellView(c Cell) cellView {
	cell := cellView{Cell: c, At: views.NewTimeStamp(c.At, s.Now())}
	cell.Text, cell.State = views.Clip(strings.ToValidUTF8(c.Text, "\uFFFD"), maxCell), knownState(c.State)
	if localPath(c.Href) == "" && !strings.HasPrefix(c.Href, "?") {
		cell.Href = views.WebLink(c.Href)
		cell.Out = cell.Href != ""
	}
	if cell.Text == "" && cell.At.Machine == "" {
		cell.Text = cell.Href
	}
	return cell
}

// panelPressed performs the action of a button and records it.
func (s *server) panelPressed(v *account.Visit) (web.View, error) {
	panel, known := findPanel(s.panels(), v.PathValue("panel"))
	if !known || panel.Act == nil {
		return web.View{}, web.ErrNoPage
	}
	action, subject, value := v.PostForm.Get("action"), v.PostForm.Get("subject"), strings.TrimSpace(v.PostForm.Get("value"))
	if action == "" || len(action) > maxAdminAction || len(subject) > maxAdminValue || len(value) > maxAdminValue {
		return web.View{}, web.BadRequest("the form has no action, or a value that is too long")
	}
	back, err := url.ParseQuery(v.PostForm.Get("back"))
	if err != nil {
		back = nil
	}
	query := panelQuery(back)
	if panel.Preview != nil && v.PostForm.Get("seen") == "" {
		sheet, err := panel.Preview(v.Context(), action, subject, value)
		switch {
		case v.Context().Err() != nil:
			return web.View{}, err
		case err != nil:
			return s.showPanel(v, panel, query, "", views.Clip(err.Error(), maxSaid))
		case sheet != nil:
			return s.showPreview(v, panel, query, *sheet, Button{Action: action, Subject: subject, Given: value})
		}
	}
	said, err := panel.Act(v.Context(), action, subject, value)
	entry := AuditEntry{At: s.Now().UTC(), Who: v.User, Action: panel.Name + " " + action, Subject: views.Clip(subject, maxCell), Result: views.Clip(said, maxSaid)}
	if err != nil {
		entry.Result = "failed: " + views.Clip(err.Error(), maxSaid)
	}
	s.recordAction(entry)
	if err != nil {
		if v.Context().Err() != nil {
			return web.View{}, err
		}
		return s.showPanel(v, panel, query, "", views.Clip(err.Error(), maxSaid))
	}
	v.Target = panelHref(panel.Name) + "?" + s.withActionMessage(queryValues(query), cmp.Or(said, "Done.")).Encode()
	return web.View{}, nil
}
