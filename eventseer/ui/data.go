package ui

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of the dumps offered.
const (
	maxDumps    = 200
	maxSumsFile = 1 << 20
	sumsFile    = "SHA256SUMS"
)

// A dataPage lists the dumps.
type dataPage struct {
	views.Frame
	Dumps []dumpRow
	More  int // not listed
}

// A dumpRow is one file of Options.Dumps.
type dumpRow struct {
	Name, Href, Size, Sum string
	At                    views.Stamp
}

// A dump is a file that SHA256SUMS names.
type dump struct {
	name, sum string
	size      int64
	at        time.Time
}

// dumpName is what the name of a dump may be: no path, nothing hidden.
var dumpName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

var sumLine = regexp.MustCompile(`^([0-9a-fA-F]{64})[ \t]+\*?(\S+)$`)

// dumps lists the regular files that SHA256SUMS names, the newest first. A folder
// without that file has none yet.
func (s *server) dumps() ([]dump, error) {
	root, err := os.OpenRoot(s.Dumps)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read only
	f, err := root.Open(sumsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	var list []dump
	seen := map[string]bool{}
	for lines := bufio.NewScanner(io.LimitReader(f, maxSumsFile)); lines.Scan(); {
		m := sumLine.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if m == nil || !dumpName.MatchString(m[2]) || seen[m[2]] {
			continue
		}
		info, err := root.Lstat(m[2])
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		seen[m[2]] = true
		list = append(list, dump{m[2], strings.ToLower(m[1]), info.Size(), info.ModTime()})
	}
	slices.SortFunc(list, func(a, b dump) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.name, b.name)) })
	return list, nil
}

func (s *server) data(*http.Request) (web.View, error) {
	if s.Dumps == "" {
		return web.View{}, web.ErrNoPage
	}
	list, err := s.dumps()
	if err != nil {
		return web.View{}, err
	}
	p := dataPage{Frame: s.Frame("Data", "data"), More: max(0, len(list)-maxDumps)}
	for _, d := range views.Head(list, maxDumps) {
		p.Dumps = append(p.Dumps, dumpRow{d.name, "/data/" + d.name, fileSize(d.size), d.sum, views.NewStamp(d.at, s.Now())})
	}
	return web.View{Name: "data", Data: p}, nil
}

// fileSize writes a size as people read it.
func fileSize(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// dumpFile serves one of the dumps listed, and SHA256SUMS itself.
func (s *server) dumpFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := s.serveDump(w, r, name); err != nil {
		if !errors.Is(err, web.ErrNoPage) {
			s.Log.Error("serve a dump", "name", name, "cause", err)
		}
		s.Page(s.NotFound)(w, r)
	}
}

func (s *server) serveDump(w http.ResponseWriter, r *http.Request, name string) error {
	if s.Dumps == "" || !dumpName.MatchString(name) {
		return web.ErrNoPage
	}
	list, err := s.dumps()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(d dump) bool { return d.name == name })
	if at < 0 && (name != sumsFile || len(list) == 0) {
		return web.ErrNoPage
	}
	root, err := os.OpenRoot(s.Dumps)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // read only
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, web.ErrNoPage)
	}
	h := w.Header()
	h.Set("Content-Type", dumpType(name))
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Access-Control-Allow-Origin", "*")
	if at >= 0 {
		h.Set("ETag", `"`+list[at].sum[:32]+`"`)
		h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(dumpTime)) // a server without deadlines needs none
	http.ServeContent(w, r, name, info.ModTime(), f)
	return nil
}

// dumpTime is how long the download of a dump may take.
const dumpTime = time.Hour

func dumpType(name string) string {
	switch filepath.Ext(name) {
	case ".json", ".jsonld":
		return "application/json"
	case ".gz":
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".xz":
		return "application/x-xz"
	}
	if name == sumsFile {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
