package tools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Wrappers stores the templates of sites; a person assigns meanings to their fields. Its methods
// may be called from many goroutines. An unknown name or field gives eventseer.ErrNotFound.
type Wrappers interface {
	// List returns all wrappers, without their fields. The error is about damaged ones; the others
	// are returned nevertheless.
	List(ctx context.Context) ([]Wrapper, error)
	// Notices returns the messages about wrappers, oldest first.
	Notices(ctx context.Context) ([]WrapperNotice, error)
	// Wrapper returns a wrapper with its fields.
	Wrapper(ctx context.Context, name string) (Wrapper, error)
	// SetMeaning assigns a meaning to a field. Ignore marks it as not data. Both are stored when they
	// return.
	SetMeaning(ctx context.Context, name, field, meaning string) error
	IgnoreField(ctx context.Context, name, field string) error
	// Undo reverts the last Mean or Ignore of a wrapper and returns its field, "" if there is none.
	Undo(ctx context.Context, name string) (field string, err error)
}

// A Wrapper is the state of the pages of one template.
type Wrapper struct {
	Name          string // in URLs
	Host, Pattern string // of the pages' URLs
	Kind, Status  string
	Pages         int // learned from
	Named, Open   int // fields with a meaning, and those not decided yet
	CanUndo       bool
	Fields        []WrapperField
}

// A WrapperField is a place where the pages of a template differ.
type WrapperField struct {
	ID, Path string
	Note     string // the part of the place, "" for its text
	Meaning  string // "" without an answer
	Evidence bool   // the meaning was assigned from evidence
	Strength float64
	Ignored  bool
	Repeats  bool
	Seen     int // pages with a value
	Examples []string
	// Proposals are the likeliest meanings, best first.
	Proposals []WrapperProposal
}

// A WrapperProposal is a possible meaning of a field. Strength is the share of values that equal
// the known ones, 0 to 1, on Pages.
type WrapperProposal struct {
	Meaning  string
	Strength float64
	Pages    int
}

// A WrapperNotice is a message about a wrapper.
type WrapperNotice struct {
	At                  time.Time
	Host, Pattern, Text string
}

// WrapperOptions are the parts and settings of the pages of wrappers.
type WrapperOptions struct {
	Wrappers Wrappers
	// Meanings are offered as names of fields.
	Meanings []string
	Now      func() time.Time // the clock; nil means time.Now
	Version  string
	// Log hears of internal errors. Nil drops them.
	Log *slog.Logger
}

// NewWrappers returns the handler of /wrappers and what is below it, for a mount that allows only
// the operator. Forms of other sites get status 403.
func NewWrappers(o WrapperOptions) (http.Handler, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	s, err := web.NewRenderer(o.Version, o.Log)
	if err != nil {
		return nil, err
	}
	if err := s.Parse([]string{"wrappers", "wrapper", "error"}); err != nil {
		return nil, err
	}
	ws := &wrapperServer{Renderer: s, WrapperOptions: o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+WrappersPath, s.PageHandler(ws.listWrappers))
	mux.HandleFunc("GET "+WrappersPath+"/{name}", s.PageHandler(ws.showWrapper))
	mux.HandleFunc("POST "+WrappersPath+"/{name}", buttonHandler(s, MaxWrapperForm, ws.pressButton))
	mux.HandleFunc("GET /static/", s.ServeAsset)
	mux.HandleFunc("GET /", s.PageHandler(s.NotFound))
	return web.WithSecurityHeaders(ownForms(mux)), nil
}

// Limits of the pages.
const (
	WrappersPath     = "/wrappers"
	MaxWrapperForm   = 16 << 10 // bytes
	maxWrappers      = 500
	maxNotices       = 20
	maxFields        = 300
	maxExamples      = 4
	maxProposals     = 4
	maxWrapperOffers = 60 // meanings offered
)

// A wrapperServer serves the wrappers.
type wrapperServer struct {
	*web.Renderer
	WrapperOptions
}

// A wrappersPage lists the wrappers.
type wrappersPage struct {
	views.Frame
	Wrappers []wrapperRow
	Notices  []noticeRow
	Problem  string
	More     int // wrappers not listed
}

// A wrapperRow is a wrapper in the list.
type wrapperRow struct {
	Wrapper
	Href  string
	State string // in words
}

// A noticeRow is a notice with its time.
type noticeRow struct {
	WrapperNotice
	Seen views.TimeStamp
}

// A wrapperPage is one wrapper with a form for each of its fields.
type wrapperPage struct {
	views.Frame
	Wrapper wrapperRow
	Fields  []fieldForm
	Offers  []string
	More    int // fields not shown
}

// A fieldForm is a field with its possible meanings.
type fieldForm struct {
	WrapperField
	Action string // where its form goes
	Now    string // its present meaning, in words
}

func (ws *wrapperServer) listWrappers(r *http.Request) (web.View, error) {
	all, err := ws.Wrappers.List(r.Context())
	p := wrappersPage{Frame: ws.NewFrame("Wrappers", "wrappers")}
	if err != nil {
		ws.Log.Warn("wrappers cannot be read", "cause", err)
		p.Problem = "Some wrappers cannot be read; see the log."
	}
	p.Wrappers = views.MapSlice(views.FirstN(all, maxWrappers), newWrapperRow)
	p.More = max(0, len(all)-maxWrappers)
	notices, err := ws.Wrappers.Notices(r.Context())
	if err != nil {
		ws.Log.Warn("the notices of wrappers cannot be read", "cause", err)
	}
	for _, n := range slices.Backward(notices[max(0, len(notices)-maxNotices):]) {
		p.Notices = append(p.Notices, noticeRow{WrapperNotice{At: n.At, Host: views.Clip(n.Host, 80), Pattern: views.Clip(strings.TrimPrefix(n.Pattern, n.Host), views.MaxValue), Text: views.Clip(n.Text, views.MaxValue)}, views.NewTimeStamp(n.At, ws.WrapperOptions.Now())})
	}
	return web.View{Name: "wrappers", Data: p}, nil
}

func newWrapperRow(w Wrapper) wrapperRow {
	row := wrapperRow{Wrapper: w, Href: WrapperHref(w.Name), State: cmp.Or(stateWords[w.Status], views.Clip(w.Status, 40))}
	row.Host, row.Pattern, row.Kind = views.Clip(w.Host, 80), views.Clip(strings.TrimPrefix(w.Pattern, w.Host), views.MaxValue), views.Clip(w.Kind, 40)
	return row
}

// stateWords are the states of wrappers in words.
var stateWords = map[string]string{
	"learning": "learning: too few pages so far", "active": "reads pages", "broken": "disabled: its pages have a different layout now",
}

func WrapperHref(name string) string { return WrappersPath + "/" + url.PathEscape(name) }

func (ws *wrapperServer) showWrapper(r *http.Request) (web.View, error) {
	w, err := ws.Wrappers.Wrapper(r.Context(), r.PathValue("name"))
	if err != nil {
		return web.View{}, err
	}
	p := wrapperPage{
		Frame: ws.NewFrame(views.Clip(w.Host+" "+w.Pattern, 100), "wrappers"), Wrapper: newWrapperRow(w),
		Offers: views.FirstN(ws.Meanings, maxWrapperOffers), More: max(0, len(w.Fields)-maxFields),
	}
	p.Fields = views.MapSlice(views.FirstN(w.Fields, maxFields), func(f WrapperField) fieldForm { return newFieldForm(w.Name, f) })
	return web.View{Name: "wrapper", Data: p}, nil
}

func newFieldForm(name string, f WrapperField) fieldForm {
	form := fieldForm{WrapperField: f, Action: WrapperHref(name) + "?" + url.Values{"field": {f.ID}}.Encode()}
	form.Path, form.Note, form.Examples, form.Proposals = views.Clip(f.Path, views.MaxValue), views.Clip(f.Note, views.MaxValue), nil, nil
	form.Examples = views.MapSlice(views.FirstN(f.Examples, maxExamples), func(x string) string { return views.Clip(eventseer.Redact(x), views.MaxValue) })
	for _, q := range views.FirstN(f.Proposals, maxProposals) {
		if q.Meaning != f.Meaning || f.Evidence { // a person may confirm a meaning from evidence
			form.Proposals = append(form.Proposals, q)
		}
	}
	switch {
	case f.Ignored:
		form.Now = "no data"
	case f.Meaning == "":
		form.Now = "not named yet"
	case f.Evidence:
		form.Now = fmt.Sprintf("%s, by evidence (%s)", views.Clip(f.Meaning, 80), views.PercentText(f.Strength))
	default:
		form.Now = views.Clip(f.Meaning, 80)
	}
	return form
}

// Share returns how strong a proposal is, in words.
func (p WrapperProposal) Share() string { return views.PercentText(p.Strength) }

// meaningName matches valid names of fields.
var meaningName = regexp.MustCompile(`^[a-z][a-z0-9_.+-]{0,63}$`)

// pressButton applies the button and redirects to the field.
func (ws *wrapperServer) pressButton(r *http.Request) (target string, err error) {
	field, err := ws.applyButton(r)
	target = WrapperHref(r.PathValue("name"))
	if field != "" {
		target += "#" + url.PathEscape(field)
	}
	return target, err
}

// applyButton applies the button and returns its field.
func (ws *wrapperServer) applyButton(r *http.Request) (field string, err error) {
	ctx, name, field := r.Context(), r.PathValue("name"), r.URL.Query().Get("field")
	button, value, given := strings.Cut(r.PostForm.Get("press"), "=")
	switch button {
	case "undo":
		return ws.Wrappers.Undo(ctx, name)
	case "ignore":
		return field, ws.Wrappers.IgnoreField(ctx, name, field)
	case "name":
		if !given {
			value = strings.TrimSpace(r.PostForm.Get("meaning"))
		}
		if !meaningName.MatchString(value) {
			return "", web.BadRequest("%q is not a name of a field: it must have up to 64 characters of a-z, 0-9 and _.+-, the first a letter", views.Clip(value, 80))
		}
		return field, ws.Wrappers.SetMeaning(ctx, name, field, value)
	}
	return "", web.BadRequest("no button %q", views.Clip(button, 40))
}
