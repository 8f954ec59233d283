package tools

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A SlicedPage is a page that matches a query.
type SlicedPage struct {
	URL, Title string
	// Parent is the position, from 0, of the shown page that links to it, and Link the number of
	// its link. Both are -1 for the first page, Link also for pages that link to the first.
	Parent, Link int
	Anchor       string // of the link
	How          string // "start", "link", "backlink" or "container"
	Pages        int    // number of links from the first page
	Domains      int    // number of domains entered from that of the first page
	Matches      int
	LeftOut      []SliceLink // links of the page that Write does not write
	TimeLeft     time.Duration
	// Write writes safe, balanced HTML for the inside of a div. After each link it calls after, if
	// that is not nil, with the link's number; a div may be inserted there.
	Write func(w io.Writer, after func(w io.Writer, link int) error) error
}

// A SliceLink is a link to a page that is not shown.
type SliceLink struct{ URL, Anchor string }

// A SliceEnd describes how a search ended.
type SliceEnd struct {
	Reason  string // a sentence
	Pages   int    // read
	Failed  int    // not to be had
	Took    time.Duration
	Waiting []SliceLink // relevant, not followed
}

// MaxLeftOut is the maximum number of a page's links listed as left out. MaxLeft is the maximum number at the
// end.
const (
	MaxLeftOut = 200
	MaxLeft    = 100
)

var sliced = template.Must(template.New("sliced.html").Funcs(template.FuncMap{
	"href": views.WebLink,
}).ParseFS(web.Files, "templates/sliced.html"))

// A SliceLayout is how the pages of a slice are combined.
type SliceLayout struct {
	// Menu lists the pages in a menu beside them (paper 003, figure 5). Otherwise each is shown at
	// the link that leads to it (figure 10).
	Menu bool
	// Stream writes each page when it is added. A browser puts it in its place, by a declarative
	// shadow root and its slots (HTML, section 4.12.4), without a script: pages reached through
	// others follow the page that links to them. Otherwise all is written by Close, each page in
	// its place.
	Stream bool
	// Query and URL are shown in the title of the page.
	Query, URL string
}

// A SliceWriter writes the pages of a slice as one page. Errors of writing are stored and returned
// by Close. It is not safe for concurrent use.
type SliceWriter struct {
	layout SliceLayout
	style  template.HTML // of each shadow root
	whole  bool          // a whole page, not a part of one
	W      *bufio.Writer
	pages  []SlicedPage // in the order they were added; without Write if streamed
	slots  []string     // slot of each page
	behind map[int]bool // links of the first page of a stream that have a slot
}

// NewSliceWriter returns a SliceWriter of a complete, self-contained page.
func NewSliceWriter(w io.Writer, l SliceLayout) (*SliceWriter, error) {
	var css [2][]byte
	for i, name := range []string{"static/style.css", "static/slice.css"} {
		var err error
		if css[i], err = web.Files.ReadFile(name); err != nil {
			return nil, err
		}
	}
	s := &SliceWriter{layout: l, whole: true, W: bufio.NewWriter(w)}
	s.style = template.HTML("<style>" + string(css[1]) + "</style>") // our own file
	return s, sliced.ExecuteTemplate(s.W, "head", struct {
		SliceLayout
		Style template.HTML
	}{l, template.HTML("<style>"+string(css[0])+"</style>") + s.style})
}

// NewPartWriter returns a SliceWriter of a part of a page of this site.
func NewPartWriter(w io.Writer, q SliceQuery, style template.HTML) *SliceWriter {
	return &SliceWriter{layout: SliceLayout{Menu: q.Menu, Stream: true, Query: q.Text, URL: q.URL}, style: style, W: bufio.NewWriter(w)}
}

// Add adds the next page. In a stream it has been sent when Add returns.
func (s *SliceWriter) Add(p SlicedPage) error {
	n := len(s.pages)
	if p.Parent >= n {
		return fmt.Errorf("page %d has the parent %d, which was not written yet", n, p.Parent)
	}
	s.pages = append(s.pages, p)
	s.slots = append(s.slots, s.slotOf(p))
	if !s.layout.Stream {
		return nil
	}
	s.pages[n].Write = nil
	if n == 0 {
		if err := s.beginStream(p); err != nil || !s.layout.Menu {
			return s.flushOutput(err)
		}
	}
	if s.layout.Menu {
		if err := sliced.ExecuteTemplate(s.W, "entry", s.sectionOf(n)); err != nil {
			return err
		}
	}
	return s.flushOutput(s.writeSection(s.W, n, p, nil))
}

func (s *SliceWriter) flushOutput(err error) error {
	if err != nil {
		return err
	}
	if err := sliced.ExecuteTemplate(s.W, "left", s.sectionOf(len(s.pages)-1)); err != nil {
		return err
	}
	return s.W.Flush()
}

// slotOf returns the slot of a page in a stream. It is after the link of the first page by which it
// was reached; "" means after that page.
func (s *SliceWriter) slotOf(p SlicedPage) string {
	switch {
	case !s.layout.Stream || s.layout.Menu || p.Parent < 0 || p.Link < 0:
		return ""
	case p.Parent == 0 && s.behind[p.Link]:
		return slotName(p.Link)
	case p.Parent == 0: // a link in the part of the first page that was cut off
		return ""
	}
	return s.slots[p.Parent]
}

func slotName(link int) string { return fmt.Sprintf("l%d", link) }

// beginStream begins a stream: the shadow root with the slots, and, if there is no menu, the first page in
// it.
func (s *SliceWriter) beginStream(first SlicedPage) error {
	if err := sliced.ExecuteTemplate(s.W, "open", struct {
		Style template.HTML
		Menu  bool
	}{s.style, s.layout.Menu}); err != nil {
		return err
	}
	if !s.layout.Menu {
		s.behind = map[int]bool{}
		err := s.writeSection(s.W, 0, first, func(w io.Writer, link int) error {
			s.behind[link] = true
			_, err := fmt.Fprintf(w, `<slot name="%s"></slot>`, slotName(link))
			return err
		})
		if err != nil {
			return err
		}
	}
	return sliced.ExecuteTemplate(s.W, "opened", nil)
}

// writeSection writes page n and after its links the pages they lead to.
func (s *SliceWriter) writeSection(w io.Writer, n int, p SlicedPage, after func(io.Writer, int) error) error {
	if err := sliced.ExecuteTemplate(w, "section", s.sectionOf(n)); err != nil {
		return err
	}
	if err := p.Write(w, after); err != nil {
		return err
	}
	return sliced.ExecuteTemplate(w, "sectioned", s.sectionOf(n))
}

// Close ends the page with the links that were not followed.
func (s *SliceWriter) Close(end SliceEnd) error {
	end.Waiting = end.Waiting[:min(len(end.Waiting), MaxLeft)]
	v := struct {
		SliceEnd
		Stream, Whole bool
	}{end, s.layout.Stream, s.whole}
	if err := sliced.ExecuteTemplate(s.W, "ended", v); err != nil {
		return err
	}
	if !s.layout.Stream {
		if err := s.writeAll(); err != nil {
			return err
		}
	}
	if err := sliced.ExecuteTemplate(s.W, "close", v); err != nil {
		return err
	}
	return s.W.Flush()
}

// writeAll writes the stored pages, each in its place.
func (s *SliceWriter) writeAll() error {
	if !s.layout.Menu {
		return s.writeTree(s.W, 0)
	}
	menu := make([]sectionView, len(s.pages))
	for n := range menu {
		menu[n] = s.sectionOf(n)
	}
	if err := sliced.ExecuteTemplate(s.W, "menu", menu); err != nil {
		return err
	}
	for n, p := range s.pages {
		if err := s.writeSection(s.W, n, p, nil); err != nil {
			return err
		}
	}
	return sliced.ExecuteTemplate(s.W, "menued", nil)
}

// writeTree writes page n with the pages that its links lead to inside, and after it those without a
// visible link.
func (s *SliceWriter) writeTree(w io.Writer, n int) error {
	if n >= len(s.pages) {
		return nil
	}
	shown := map[int]bool{}
	err := s.writeSection(w, n, s.pages[n], func(w io.Writer, link int) error {
		shown[link] = true
		return s.writeChildren(w, n, func(of int) bool { return of == link })
	})
	if err != nil {
		return err
	}
	return s.writeChildren(w, n, func(of int) bool { return !shown[of] })
}

// writeChildren writes the pages that page n led to by some of its links.
func (s *SliceWriter) writeChildren(w io.Writer, n int, by func(link int) bool) error {
	for i := n + 1; i < len(s.pages); i++ {
		if s.pages[i].Parent == n && by(s.pages[i].Link) {
			if err := s.writeTree(w, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// A sectionView is the data of one page for the templates.
type sectionView struct {
	SlicedPage
	N          int // from 1
	Slot, Name string
	// Shadowed means that the page is in a shadow root, which cannot be a link target; the root's
	// host has its id.
	Shadowed bool
	From     *sectionView // nil for the first page
	More     int          // further links left out
}

func (s *SliceWriter) sectionOf(n int) sectionView {
	p := s.pages[n]
	v := sectionView{SlicedPage: p, N: n + 1, Slot: s.slots[n], Name: views.Clip(cmp.Or(p.Title, p.URL), 150)}
	v.Shadowed = n == 0 && s.layout.Stream && !s.layout.Menu
	v.More = max(0, len(p.LeftOut)-MaxLeftOut)
	v.LeftOut = p.LeftOut[:len(p.LeftOut)-v.More]
	if p.Parent >= 0 {
		from := s.pages[p.Parent]
		v.From = &sectionView{N: p.Parent + 1, Name: views.Clip(cmp.Or(from.Title, from.URL), 80)}
	}
	return v
}

// Entry returns the name of the page in a menu: many pages of a site have the same title.
func (v sectionView) Entry() string { return views.Clip(cmp.Or(v.Anchor, v.Name), 80) }

// A Slicer searches a page and the pages around it. Its methods may be called from many goroutines.
type Slicer interface {
	// Slice searches for q and calls show with each relevant page as soon as it is read, from the
	// goroutine of the call. The first page is always shown. If the first page cannot be fetched it
	// returns a *SliceError with a message for visitors. An error of show ends the search and is
	// returned.
	Slice(ctx context.Context, q SliceQuery, show func(SlicedPage) error) (SliceEnd, error)
}

// A SliceQuery is a visitor's request.
type SliceQuery struct {
	URL, Text string
	Precision int // edges of the tree
	Pages     int // most pages read
	Menu      bool
	Highlight bool // whole pages with marked matches, not slices
	Synonyms  bool
}

// A SliceError is a message for visitors on why there is no slice.
type SliceError struct {
	Status int // of our answer
	Text   string
}

func (e *SliceError) Error() string { return e.Text }
