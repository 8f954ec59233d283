package engine

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/replay"
	"eventseer/internal/warc"
)

type transportWrap = func(http.RoundTripper) http.RoundTripper

// A recording is where the answers of a crawl are kept. The zero value keeps
// none.
type recording struct {
	files  []string      // what was written to, for run.json
	wrap   transportWrap // nil without a recording
	failed func() error  // why it cannot go on; nil without a recording
}

// recorder returns what records every answer where --record says.
func recorder(a *app.App, flag string) (r recording, err error) {
	if flag == "" {
		return r, nil
	}
	path, one, err := RecordingPath(flag)
	if err != nil {
		return r, err
	}
	o := warc.WriterOptions{Software: UserAgent(), UserAgent: UserAgent(), Operator: a.Config.Contact, Robots: "RFC 9309, " + a.Config.Robots, Now: a.Now}
	if o.Operator != "" {
		o.UserAgent += " (+" + o.Operator + ")"
	}
	if !one {
		o.MaxSize = int64(a.Config.RecordSize)
	}
	w, err := warc.Create(path, o)
	if err != nil {
		return r, err
	}
	a.OnClose(w.Close)
	if torn := w.Torn(); torn > 0 {
		a.Logf("%s: %d bytes of a torn last record cut off", flag, torn)
	}
	wrap := func(next http.RoundTripper) http.RoundTripper { return replay.NewRecorder(next, w) }
	return recording{[]string{path}, wrap, w.Err}, nil
}

// Arrived implements crawler.Observer: a recording that failed, as on a full
// disk, ends the crawl before it commits pages that came to nothing by that.
func (r recording) Arrived([]crawler.Told) error {
	if r.failed == nil {
		return nil
	}
	if err := r.failed(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// RecordingPath returns the absolute path of what --record names: one file, if
// the name ends in .gz or .warc or there is such a file, else the beginning of
// the names of many; in a folder they are called web.
func RecordingPath(flag string) (path string, one bool, err error) {
	if path, err = filepath.Abs(flag); err != nil {
		return "", false, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir(), strings.HasSuffix(flag, "/"):
		return filepath.Join(path, "web"), false, nil
	case err == nil, strings.HasSuffix(path, ".gz"), strings.HasSuffix(path, ".warc"):
		return path, true, nil
	}
	return path, false, nil
}

// RecordedFiles returns the files that names stand for, in order: each a file, or
// what --record was given.
func RecordedFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		series, err := warc.Series(name)
		if err == nil && len(series) == 0 {
			_, err = os.Stat(name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, series...)
	}
	return files, nil
}
