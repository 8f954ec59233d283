package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of a list in a format of programs.
const (
	maxEntries     = 1000 // of a calendar or file
	maxFeedEntries = 100  // of a feed
	maxExport      = 16 << 20
	refreshEvery   = 6 * time.Hour // how often calendars and feeds should be asked for
)

const closingPath = "/closing" // has no page of its own

// lists are the paths that may have an ending.
var lists = map[string]bool{"/search": true, "/new": true, "/changes": true, closingPath: true}

// listed matches the name in a path that may have an ending: ids hold no dot.
var listed = regexp.MustCompile(`^/(e|s)/[a-z0-9-]{1,100}$`)

// cutEnding splits "/search.ics" into its path and its format; nil where there is none.
func (s *server) cutEnding(path string) (string, *eventseer.Format) {
	if len(path) > 200 || !strings.Contains(path, ".") {
		return path, nil
	}
	for i := range s.endings {
		f := &s.endings[i]
		if base, ok := strings.CutSuffix(path, f.Ending); ok && (lists[base] || listed.MatchString(base)) {
			return base, f
		}
	}
	return path, nil
}

// ended serves the paths that have an ending.
func (s *server) ended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base, f := s.cutEnding(r.URL.Path)
		switch {
		case f == nil:
			next.ServeHTTP(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are answered here.", http.StatusMethodNotAllowed)
		case f.Write == nil:
			s.endedJSON(base)(w, r)
		default:
			s.export(w, r, base, f)
		}
	})
}

// endedJSON serves the records of the API.
func (s *server) endedJSON(base string) http.HandlerFunc {
	switch {
	case strings.HasPrefix(base, "/e/"):
		return s.api(func(r *http.Request) (any, error) { return s.eventRecord(r, base[len("/e/"):]) })
	case strings.HasPrefix(base, "/s/"):
		return s.api(func(r *http.Request) (any, error) { return s.seriesRecord(r, base[len("/s/"):]) })
	case base == "/new":
		return s.api(func(r *http.Request) (any, error) { return s.changesAnswer(r, newChanges) })
	case base == "/changes":
		return s.api(func(r *http.Request) (any, error) { return s.changesAnswer(r, allChanges) })
	case base == closingPath:
		return s.api(s.closingJSON)
	}
	return s.api(s.eventsJSON)
}

// errTooLong says that a list does not fit one answer.
var errTooLong = web.BadRequest("these are too many calls for one file; ask for fewer with limit and from")

// export writes a list in a format.
func (s *server) export(w http.ResponseWriter, r *http.Request, base string, f *eventseer.Format) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	p, err := s.publication(r, base, f)
	var b limitedBuffer
	if err == nil {
		err = f.Write(&b, p, r.URL.Query())
	}
	if b.over {
		err = errTooLong
	}
	if err != nil {
		s.exportError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.ContentType)
	if name := fileName(base, f); name != "" {
		h.Set("Content-Disposition", name)
	}
	web.Send(w, r, b.Bytes(), publicationTag(p, f, s.Version, r.URL.RawQuery), p.Updated)
}

// exportError says in one sentence what is wrong.
func (s *server) exportError(w http.ResponseWriter, r *http.Request, err error) {
	status, text := s.StatusOf(r, err)
	var input *eventseer.InputError
	if errors.As(err, &input) {
		status, text = http.StatusBadRequest, views.Clip(input.Error(), views.MaxValue)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	web.Write(w, status, []byte(text+"\n"))
}

// limitedBuffer takes maxExport bytes.
type limitedBuffer struct {
	bytes.Buffer
	over bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.Buffer.Write(p)
}

// isFeed reports whether a format lists news, the latest first, for feed readers.
func isFeed(f *eventseer.Format) bool {
	return f.Name == "atom" || f.Name == "rss" || strings.HasPrefix(f.Name, "jsonfeed")
}

// fileName is the Content-Disposition of a list: feeds are shown, tables are saved,
// the rest is opened by whatever program there is.
func fileName(base string, f *eventseer.Format) string {
	if isFeed(f) {
		return ""
	}
	how := "inline"
	if f.Name == "csv" || f.Name == "tsv" {
		how = "attachment"
	}
	name := base[strings.LastIndexByte(base, '/')+1:] // letters, digits and "-"
	return fmt.Sprintf(`%s; filename="eventseer-%s%s"`, how, name, f.Ending)
}

// publicationTag is the tag of a publication: that of what is in it, not of when it was
// written.
func publicationTag(p eventseer.Publication, f *eventseer.Format, version, options string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00", f.Name, version, p.Self, options)
	for _, e := range p.Entries {
		last := uint64(0)
		for _, c := range e.Changes {
			last = max(last, c.Seq)
		}
		change := uint64(0)
		if e.Change != nil {
			change = e.Change.Seq
		}
		b.WriteString(string(e.Event.ID))
		for _, n := range []uint64{last, change, uint64(len(e.Changes)), uint64(e.Event.LastSeen.UnixNano())} { // #nosec G115 -- any bits do
			b.WriteByte(' ')
			b.WriteString(strconv.FormatUint(n, 36))
		}
		fmt.Fprintf(&b, " %t %s\x00", e.Gone, e.Passage)
	}
	return web.WeakTag(b.Bytes())
}
