// Package tools serves pages for the operator: labelling pages, naming the fields of wrappers, and
// showing slices of sites as one page.
package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A Labeler is a queue of pages to be labelled by a person. Its methods may be called from many
// goroutines. The id of a page depends on its URL; an unknown id gives eventseer.ErrNotFound.
type Labeler interface {
	// Page returns the page with that id, or for "" the next one to label, nil if none is left.
	Page(ctx context.Context, id string) (*LabelPage, error)
	// Label stores a label of a page: it is on disk when Label returns. A second label of the same
	// page is ignored.
	Label(ctx context.Context, id string, l PageLabel) error
	// Skip leaves a page out until the queue is opened again.
	Skip(ctx context.Context, id string) error
	// Undo reverts the last Label or Skip and returns the page's id, "" if there is none.
	Undo(ctx context.Context) (id string, err error)
	// Progress returns the counts of the queue.
	Progress() LabelProgress
}

// A PageLabel is a reader's label of a page.
type PageLabel struct {
	IsCFP    bool
	PageType string
}

// A LabelPage is a page to be labelled, with the predictions of the models.
type LabelPage struct {
	ID, URL, Title string
	Lang           string // ISO 639-1, or ""
	Text           string // visible text, one line per block
	// Score is the probability that the page is a call. Threshold is the minimum for a call.
	Score, Threshold float64
	// Types are the likeliest page types, best first.
	Types []TypeScore
	// Call and Type are the features with the most weight in the decision on a call, and for its
	// most probable type.
	Call, Type []LabelReason
}

// A TypeScore is the probability of a page type.
type TypeScore struct {
	PageType string
	Score    float64
}

// A LabelReason is one feature's contribution to a decision; a positive Weight supports it.
type LabelReason struct {
	Text   string
	Weight float64
}

// LabelProgress counts the pages of a queue. Last is the page that Undo would restore, with its
// label; "" if there is none.
type LabelProgress struct {
	Labelled, Skipped, Left int
	Last                    string
}

// LabelOptions are the parts and settings of the labelling pages.
type LabelOptions struct {
	Queue Labeler
	// PageTypes are the possible types of a page, at most nine: key 1 selects the first.
	PageTypes []string
	// Token allows access by /label?token=TOKEN. If it is empty, the server that mounts the handler
	// must check access.
	Token   string
	Now     func() time.Time // the clock; nil means time.Now
	Version string
	// Log receives internal errors. Nil drops them.
	Log *slog.Logger
}

// NewLabel returns the handler of /label and its assets. Forms of other sites and requests without
// o.Token get status 403.
func NewLabel(o LabelOptions) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s, err := web.NewRenderer(o.Version, o.Log)
	if err != nil {
		return nil, err
	}
	if err := s.Parse([]string{"label", "error"}, "templates/labelframe.html"); err != nil {
		return nil, err
	}
	l := &labelServer{Renderer: s, LabelOptions: o}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(web.LabelPath, http.StatusSeeOther))
	mux.HandleFunc("GET "+web.LabelPath, s.PageHandler(l.showPage))
	mux.HandleFunc("POST "+web.LabelPath, buttonHandler(s, MaxLabelForm, l.applyButton))
	mux.HandleFunc("GET /", s.PageHandler(s.NotFound))
	mux.HandleFunc("GET /static/", s.ServeAsset)
	mux.HandleFunc("GET /healthz", web.ServeHealth)
	pages := ownForms(mux)
	if o.Token != "" {
		pages = web.NewOperator(o.Token).OnlyOperator(o.Now, pages)
	}
	return web.WithSecurityHeaders(pages), nil
}

// ownForms rejects forms of other sites.
func ownForms(pages http.Handler) http.Handler {
	return web.WithoutCaching(http.NewCrossOriginProtection().Handler(pages))
}

// buttonHandler reads a form with a size limit, calls press, and redirects to the result.
func buttonHandler(pages *web.Renderer, most int64, press func(*http.Request) (target string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, most)
		if err := r.ParseForm(); err != nil {
			pages.ServeError(w, r, web.BadRequest("the form cannot be read"))
			return
		}
		target, err := press(r)
		if err != nil {
			pages.ServeError(w, r, err)
			return
		}
		http.Redirect(w, r, target, http.StatusSeeOther)
	}
}

const (
	MaxLabelForm  = 16 << 10 // bytes
	MaxLabelText  = 30_000   // runes shown of a page, including line ends
	maxLabelLine  = 4_000    // runes of a line
	maxLabelTitle = 300
	shortLine     = 40 // runes
	minShortRun   = 3  // short lines that become one paragraph
)

// A labelServer serves one queue. It has no state: a partial label is stored in the form.
type labelServer struct {
	*web.Renderer
	LabelOptions
}

// applyButton applies the pressed button and returns the next page. It is the same page until both call
// and type are chosen.
func (l *labelServer) applyButton(r *http.Request) (target string, err error) {
	c := partialLabel{r.PostForm.Get("page"), r.PostForm.Get("call"), r.PostForm.Get("type")}
	button, value, _ := strings.Cut(r.PostForm.Get("press"), "=")
	switch button {
	case "call":
		c.call = value
	case "type":
		c.pageType = value
	case "skip":
		return web.LabelPath, l.Queue.Skip(r.Context(), c.page)
	case "undo":
		id, err := l.Queue.Undo(r.Context())
		return partialLabel{page: id}.href(), err
	default:
		return "", web.BadRequest("no button %q", views.Clip(button, 40))
	}
	if err := c.check(l.PageTypes); err != nil {
		return "", err
	}
	if c.call == "" || c.pageType == "" {
		return c.href(), nil
	}
	return web.LabelPath, l.Queue.Label(r.Context(), c.page, PageLabel{IsCFP: c.call == "yes", PageType: c.pageType})
}

// A partialLabel is the partial label of a page.
type partialLabel struct {
	page     string
	call     string // yes, no or ""
	pageType string // or ""
}

func (c partialLabel) check(types []string) error {
	if !slices.Contains([]string{"", "yes", "no"}, c.call) {
		return web.BadRequest("call must be yes or no")
	}
	if c.pageType != "" && !slices.Contains(types, c.pageType) {
		return web.BadRequest("there is no page type %q", views.Clip(c.pageType, 40))
	}
	return nil
}

func (c partialLabel) href() string {
	return views.ViewHref(web.LabelPath, "", "page", c.page, "call", c.call, "type", c.pageType)
}

// showPage renders the requested page, or the next one. If the page no longer exists, because the queue
// was opened again, it shows the next.
func (l *labelServer) showPage(r *http.Request) (web.View, error) {
	q := r.URL.Query()
	c := partialLabel{q.Get("page"), q.Get("call"), q.Get("type")}
	if err := c.check(l.PageTypes); err != nil {
		return web.View{}, err
	}
	page, err := l.Queue.Page(r.Context(), c.page)
	if errors.Is(err, eventseer.ErrNotFound) {
		c = partialLabel{}
		page, err = l.Queue.Page(r.Context(), "")
	}
	return web.View{Name: "label", Data: newLabelView(l, page, c)}, err
}

// A labelView is the labelling page; without Page there is nothing left to label.
type labelView struct {
	views.Frame
	Progress LabelProgress
	Total    int
	Page     *LabelPage
	Name     string // of the page
	Href     string // of the page, or ""
	Call     string // chosen value: yes, no or ""
	Type     string // chosen value, or ""
	Buttons  []typeButton
	Lines    []string
	Cut      bool // there is more text
	Guess    string
	Reasons  []reasonList
}

// A typeButton selects a type for the page.
type typeButton struct{ Key, Type, Name, About string }

// A reasonList is the list of features for or against one answer.
type reasonList struct {
	Title   string
	Reasons []LabelReason
}

func newLabelView(l *labelServer, page *LabelPage, c partialLabel) labelView {
	v := labelView{Frame: l.NewFrame("Label pages", ""), Progress: l.Queue.Progress(), Page: page}
	v.Total = v.Progress.Labelled + v.Progress.Skipped + v.Progress.Left
	if page == nil {
		return v
	}
	v.Call, v.Type, v.Href = c.call, c.pageType, views.WebLink(page.URL)
	v.Name = cmp.Or(views.Clip(strings.TrimSpace(page.Title), maxLabelTitle), "Page without a title")
	v.Title = v.Name
	for i, name := range l.PageTypes {
		v.Buttons = append(v.Buttons, typeButton{strconv.Itoa(i + 1), name, typeName(name), aboutTypes[name]})
	}
	v.Lines, v.Cut = shownLines(page.Text)
	v.Guess = predictionText(page)
	v.Reasons = reasonLists(page)
	return v
}

// aboutTypes describes the page types.
var aboutTypes = map[string]string{
	"cfp":               "the call itself, on its own page",
	"cfp_list":          "calls, dates or editions of many events",
	"conference":        "any page of one event, even if it contains the call",
	"homepage":          "a page of a person",
	"institution_topic": "a page of a group, institute, project or field",
	"mail_announcement": "a mail, or its page in an archive",
	"weblog":            "a blog, its posts, or news",
	"other":             "none of these",
}

// typeName returns a page type in words.
func typeName(pageType string) string {
	if pageType == "cfp" {
		return "call for papers"
	}
	return strings.ReplaceAll(pageType, "_", " ")
}

// predictionText describes the models' prediction for a page, and its probability.
func predictionText(p *LabelPage) string {
	call := "no call"
	if p.Score >= p.Threshold {
		call = "a call"
	}
	s := fmt.Sprintf("The model says %s: score %.3f; yes from a score of %.3f.", call, p.Score, p.Threshold)
	if len(p.Types) > 0 {
		s += fmt.Sprintf(" Type: %s %.2f", typeName(p.Types[0].PageType), p.Types[0].Score)
		if len(p.Types) > 1 {
			s += fmt.Sprintf(", then %s %.2f", typeName(p.Types[1].PageType), p.Types[1].Score)
		}
		s += "."
	}
	return s
}

// reasonLists groups the features by what they support; empty groups are left out.
func reasonLists(p *LabelPage) []reasonList {
	var lists []reasonList
	add := func(title string, reasons []LabelReason, sign float64) {
		list := reasonList{Title: title}
		for _, r := range reasons {
			if r.Weight*sign > 0 {
				list.Reasons = append(list.Reasons, LabelReason{Text: views.Clip(r.Text, 80), Weight: math.Abs(r.Weight)})
			}
		}
		if len(list.Reasons) > 0 {
			lists = append(lists, list)
		}
	}
	add("For a call", p.Call, 1)
	add("Against a call", p.Call, -1)
	if len(p.Types) > 0 {
		name := typeName(p.Types[0].PageType)
		add("For "+name, p.Type, 1)
		add("Against "+name, p.Type, -1)
	}
	return lists
}

// shownLines returns the paragraphs of text that are shown, and whether text was cut. Runs of short
// lines, as in menus, become one paragraph.
func shownLines(text string) (lines []string, cut bool) {
	var short []string
	flush := func() {
		if len(short) >= minShortRun {
			short = []string{strings.Join(short, " · ")}
		}
		lines, short = append(lines, short...), nil
	}
	left := MaxLabelText
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if left <= 0 {
			cut = true
			break
		}
		line = views.Clip(line, min(left, maxLabelLine))
		n := utf8.RuneCountInString(line)
		left -= n + 1
		if n <= shortLine {
			short = append(short, line)
			continue
		}
		flush()
		lines = append(lines, line)
	}
	flush()
	return lines, cut
}
