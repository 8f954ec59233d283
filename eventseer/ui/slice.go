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
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Limits of the page, and default values of its form.
const (
	maxSlices    = 2 // maximum number at once, over all visitors
	maxSliceTime = 20 * time.Second

	maxSliceText    = 1000
	maxPrecision    = 20
	maxSlicePages   = 50
	startPrecision  = 1
	startSlicePages = 20
)

// A slicePage is the form and the page around the pages found.
type slicePage struct {
	views.Frame
	tools.SliceQuery
	Offered     bool // a contact is set, so pages may be fetched
	HasSynonyms bool
	Problem     string
	MaxPages    int
	MaxReach    int  // of Precision
	Found       bool // the pages follow here
}

func (s *server) newSlicePage(q tools.SliceQuery) slicePage {
	p := slicePage{
		Frame: s.NewFrame("Slice a page", "slice"), SliceQuery: q, Offered: s.Slicer != nil, HasSynonyms: s.SliceSynonyms,
		MaxPages: maxSlicePages, MaxReach: maxPrecision,
	}
	if q.Text != "" {
		p.Title = "Slice: " + views.Clip(q.Text, 60)
	}
	return p
}

// slice serves the form, or streams the pages found.
func (s *server) slice(w http.ResponseWriter, r *http.Request) {
	q, problem := readSliceQuery(r.URL.Query())
	switch {
	case problem != "":
		s.serveSliceForm(w, r, q, &tools.SliceError{Status: http.StatusBadRequest, Text: problem})
		return
	case s.Slicer == nil || q.URL == "" && q.Text == "" || !slices.Contains([]string{"", "same-origin", "none"}, r.Header.Get("Sec-Fetch-Site")):
		// other sites must not cause requests of the browser: a slice costs the pages it fetches
		s.serveSliceForm(w, r, q, nil)
		return
	}
	select {
	case s.slices <- struct{}{}:
		defer func() { <-s.slices }()
		s.streamSlice(w, r, q)
	default:
		w.Header().Set("Retry-After", "10")
		s.serveSliceForm(w, r, q, &tools.SliceError{Status: http.StatusServiceUnavailable, Text: "The slicer is busy with other requests. Please try again in ten seconds."})
	}
}

// readSliceQuery reads the form; problem describes its first error.
func readSliceQuery(v url.Values) (q tools.SliceQuery, problem string) {
	q = tools.SliceQuery{
		URL: strings.TrimSpace(v.Get("url")), Text: strings.TrimSpace(v.Get("q")), Precision: startPrecision, Pages: startSlicePages,
		Menu: v.Get("layout") == "menu", Highlight: v.Get("show") == "page", Synonyms: v.Get("synonyms") != "",
	}
	switch {
	case len(q.URL) > web.MaxSliceURL || len(q.Text) > maxSliceText:
		return tools.SliceQuery{}, "The address or the query is too long."
	case !readNumber(v.Get("precision"), &q.Precision, 0, maxPrecision):
		problem = fmt.Sprintf("The precision must be a number from 0 to %d.", maxPrecision)
	case !readNumber(v.Get("pages"), &q.Pages, 1, maxSlicePages):
		problem = fmt.Sprintf("The pages must be a number from 1 to %d.", maxSlicePages)
	case q.URL == "" && q.Text == "":
	case views.WebLink(q.URL) == "":
		problem = "The address must be that of a web page, such as https://example.org/."
	case q.Text == "":
		problem = "Write what to search for."
	}
	return q, problem
}

// readNumber reads a number into n, unless text is empty, and reports whether it is in range.
func readNumber(text string, n *int, least, most int) bool {
	if text == "" {
		return true
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < least || number > most {
		return false
	}
	*n = number
	return true
}

// serveSliceForm serves the form alone.
func (s *server) serveSliceForm(w http.ResponseWriter, r *http.Request, q tools.SliceQuery, problem *tools.SliceError) {
	s.PageHandler(func(*http.Request) (web.View, error) {
		p := s.newSlicePage(q)
		v := web.View{Name: "slice", Data: &p}
		if problem != nil {
			p.Problem, v.Status = problem.Text, problem.Status
		}
		return v, nil
	})(withoutCaching(w), r)
}

func withoutCaching(w http.ResponseWriter) http.ResponseWriter {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Robots-Tag", "noindex")
	return w
}

// foundHere marks the place in the surrounding page at which the found pages are inserted.
const foundHere = `<div id="found-here"></div>`

// A sliceStream is a streamed response. Nothing is written before the first page, so an error until
// then can set the status.
type sliceStream struct {
	w             http.ResponseWriter
	before, after []byte // parts of the surrounding page
	query         tools.SliceQuery
	style         template.HTML
	out           *tools.SliceWriter // nil before the first page
}

// sendPage sends a page that was found.
func (st *sliceStream) sendPage(found tools.SlicedPage) error {
	if st.out == nil {
		h := withoutCaching(st.w).Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("X-Accel-Buffering", "no") // a proxy that buffers would delay the pages
		if _, err := st.w.Write(st.before); err != nil {
			return err
		}
		st.out = tools.NewPartWriter(st.w, st.query, st.style)
	}
	if err := st.out.Add(found); err != nil {
		return err
	}
	return http.NewResponseController(st.w).Flush()
}

// close sends the end.
func (st *sliceStream) close(end tools.SliceEnd) {
	_ = st.out.Close(end) // a visitor who has left is not an error
	_, _ = st.w.Write(st.after)
}

// streamSlice streams the pages found.
func (s *server) streamSlice(w http.ResponseWriter, r *http.Request, q tools.SliceQuery) {
	p := s.newSlicePage(q)
	p.Found = true
	var around bytes.Buffer
	if err := s.Render(&around, web.View{Name: "slice", Data: p}); err != nil {
		s.ServeError(withoutCaching(w), r, err)
		return
	}
	style := template.HTML(`<link rel="stylesheet" href="` + s.AssetPath("slice.css") + `">`) // #nosec G203 -- a path of this site
	st := &sliceStream{w: w, query: q, style: style}
	st.before, st.after, _ = bytes.Cut(around.Bytes(), []byte(foundHere))
	ctx, cancel := context.WithTimeout(r.Context(), maxSliceTime)
	defer cancel()
	end, err := s.Slicer.Slice(ctx, q, st.sendPage)
	var problem *tools.SliceError
	switch {
	case st.out == nil && errors.As(err, &problem):
		s.serveSliceForm(w, r, q, problem)
	case st.out == nil:
		s.ServeError(withoutCaching(w), r, cmp.Or(err, errors.New("slicer showed no page")))
	case err != nil:
		if r.Context().Err() == nil {
			s.Log.Error("slice broke off", "cause", err)
		}
		end.Reason = "It broke off here."
		st.close(end)
	default:
		st.close(end)
	}
}
