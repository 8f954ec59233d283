// Package split divides a frozen web into several, so that strategies can be compared on more than one. Each
// part has the pages of some events' sites, which no other part has. All parts have the pages that do not
// belong to an event.
package split

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// MaxParts is the maximum number of parts.
const MaxParts = 20

// Files in the folder of a part.
const (
	WebFile     = "web.warc.gz"
	TargetsFile = "targets.tsv"
	LinksFile   = "links.tsv.gz"
	HostsFile   = "hosts.json" // copy of the file next to the web, if it exists
	SeedsDir    = "seeds"
)

// Options set the frozen web and how it is split.
type Options struct {
	Web     string // path of a WARC with one record per gzip member
	Targets string // path of a TSV file with the columns url, kind and event_site
	Seeds   string // folder of .txt files, each a set of seeds; "" for none
	Links   string // path of the links file for backlinks; "" for none
	Parts   int    // number of parts, from 2 to MaxParts
	Seed    uint64 // random seed of the assignment of sites
	Into    string // folder for the parts, named 1 to Parts; it must not exist
}

// A Part is one part of a split web with its counts.
type Part struct {
	Dir     string
	Records int // records in its WARC
	Targets int // targets of all kinds
	Events  int // distinct values of event_site among its targets
	Draws   int // sets of seeds with at least one seed in the part
}

// A web has the part of each page that belongs to an event.
type web struct {
	parts int
	seed  uint64
	exact map[string]int              // part by URL, for targets including mails
	sites map[webgraph.Host][]siteDir // sites by host
}

// A siteDir is a URL prefix below which all pages belong to one event's site.
type siteDir struct {
	prefix string
	part   int
}

// Split writes the parts of a web. Sites of one registered domain stay together. Mails and calls outside a
// conference's site are assigned by the site of the event that they announce, or by their own URL. Records,
// links, targets and seeds of other parts are left out. Links in pages remain, as links to deleted pages
// would. The same files and options give the same bytes. After an error the folder is removed.
func Split(o Options) (parts []Part, err error) {
	if o.Parts < 2 || o.Parts > MaxParts {
		return nil, fmt.Errorf("the number of parts is %d, must be 2 to %d", o.Parts, MaxParts)
	}
	if err := os.Mkdir(o.Into, 0o755); err != nil {
		return nil, fmt.Errorf("the folder of the parts must be new: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(o.Into))
		}
	}()
	w := &web{parts: o.Parts, seed: o.Seed, exact: map[string]int{}, sites: map[webgraph.Host][]siteDir{}}
	if err := w.readTargets(o.Targets); err != nil {
		return nil, err
	}
	for i := range o.Parts {
		p := Part{Dir: filepath.Join(o.Into, fmt.Sprint(i+1))}
		if err := w.writePart(&p, i, o); err != nil {
			return nil, err
		}
		if p.Targets == 0 {
			return nil, fmt.Errorf("part %d of %d has no target: make fewer parts, or use another --seed", i+1, o.Parts)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func (w *web) writePart(p *Part, part int, o Options) error {
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		return err
	}
	err := errors.Join(
		atomicfile.Write(filepath.Join(p.Dir, WebFile), func(out io.Writer) (err error) {
			p.Records, err = w.copyRecords(out, part, o.Web)
			return err
		}),
		atomicfile.Write(filepath.Join(p.Dir, TargetsFile), func(out io.Writer) error {
			events := map[string]bool{}
			n, err := w.copyRows(out, part, o.Targets, []string{"url"}, func(fields map[string]string) { events[fields["event_site"]] = true })
			delete(events, "")
			p.Targets, p.Events = n, len(events)
			return err
		}),
		copyFile(filepath.Join(filepath.Dir(o.Web), HostsFile), filepath.Join(p.Dir, HostsFile)),
	)
	if err == nil && o.Links != "" {
		err = atomicfile.Write(filepath.Join(p.Dir, LinksFile), func(out io.Writer) error {
			z := gzip.NewWriter(out)
			_, err := w.copyRows(z, part, o.Links, []string{"source", "target"}, nil)
			return errors.Join(err, z.Close())
		})
	}
	if err == nil && o.Seeds != "" {
		p.Draws, err = w.copySeeds(filepath.Join(p.Dir, SeedsDir), part, o.Seeds)
	}
	return err
}

// comparableURL returns a URL without scheme and www, in lower case, for comparison.
func comparableURL(url string) string {
	if canonical, err := webgraph.Canonical(url); err == nil {
		url = canonical
	}
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.TrimPrefix(strings.ToLower(url), "www.")
}

// drawPart returns the part of a URL, which depends on its registered domain.
func (w *web) drawPart(url string) int {
	domain := webgraph.RegisteredDomain(webgraph.HostOf(url))
	h := xxh3.HashString(string(binary.LittleEndian.AppendUint64(nil, w.seed)) + domain)
	return int(h % uint64(w.parts))
}

func (w *web) readTargets(path string) error {
	f, err := tsv.Open(path)
	if err != nil {
		return fmt.Errorf("targets: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	n := 0
	err = tsv.Rows(f, []string{"url", "kind"}, []string{"event_site"}, func(fields []string) error {
		n++
		url, site := strings.Clone(fields[0]), strings.Clone(fields[2])
		switch {
		case site == "":
			// Mail archives share one host, so their messages are assigned one by one.
			w.exact[comparableURL(url)] = int(xxh3.HashString(string(binary.LittleEndian.AppendUint64(nil, w.seed))+url) % uint64(w.parts))
		default:
			part := w.drawPart(site)
			w.exact[comparableURL(url)] = part
			host := webgraph.HostOf("http://" + comparableURL(site))
			w.sites[host] = append(w.sites[host], siteDir{comparableURL(site), part})
		}
		return nil
	})
	if err == nil && n == 0 {
		err = errors.New("it names no target")
	}
	if err != nil {
		return fmt.Errorf("targets %s: %w", path, err)
	}
	return nil
}

// partOf returns the part of a page. alone is false if the page belongs to all parts.
func (w *web) partOf(url string) (part int, alone bool) {
	b := comparableURL(url)
	if part, ok := w.exact[b]; ok {
		return part, true
	}
	longest := -1
	for _, s := range w.sites[webgraph.HostOf("http://"+b)] {
		if strings.HasPrefix(b, s.prefix) && len(s.prefix) > longest {
			longest, part = len(s.prefix), s.part
		}
	}
	return part, longest >= 0
}

// isKeptIn reports whether a part has the page at a URL.
func (w *web) isKeptIn(part int, url string) bool {
	of, alone := w.partOf(url)
	return !alone || of == part
}

// copyRecords copies the gzip members of the records in a part, byte by byte.
func (w *web) copyRecords(out io.Writer, part int, path string) (n int, err error) {
	type member struct {
		at   int64
		keep bool
	}
	var members []member
	r, err := warc.Open(path)
	if err != nil {
		return 0, err
	}
	for r.Scan() {
		record, bad := r.Record()
		if bad != nil {
			continue // damaged, so no crawl can read it
		}
		if record.Position.Skip != 0 {
			_ = r.Close()
			return 0, fmt.Errorf("%s: several records share a gzip member; `eventseer web freeze` writes one record per member", path)
		}
		uri := record.TargetURI()
		members = append(members, member{record.Position.Offset, uri == "" || w.isKeptIn(part, uri)})
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	for i, m := range members {
		end := info.Size()
		if i+1 < len(members) {
			end = members[i+1].at
		}
		if !m.keep {
			continue
		}
		if _, err := io.Copy(out, io.NewSectionReader(f, m.at, end-m.at)); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// copyRows copies the header of a table and the rows whose URLs in columns are all in the part. It calls
// each, if not nil, with the fields of each row.
func (w *web) copyRows(out io.Writer, part int, path string, columns []string, each func(fields map[string]string)) (n int, err error) {
	f, err := tsv.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var head []string
	for lines.Scan() {
		fields := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		row, keep := map[string]string{}, true
		if head != nil {
			for i, name := range head {
				if i < len(fields) {
					row[name] = fields[i]
				}
			}
			for _, name := range columns {
				keep = keep && w.isKeptIn(part, row[name])
			}
		} else {
			head = fields
		}
		if !keep {
			continue
		}
		if _, err := fmt.Fprintln(out, lines.Text()); err != nil {
			return n, err
		}
		if len(row) > 0 {
			n++
			if each != nil {
				each(row)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return n, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// copySeeds copies the sets of seeds, without seeds of other parts. A set without a seed is omitted.
func (w *web) copySeeds(into string, part int, dir string) (draws int, err error) {
	if err := os.Mkdir(into, 0o755); err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt")) // sorted by name
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		return 0, fmt.Errorf("seeds: %s holds no .txt file", dir)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return draws, err
		}
		var kept strings.Builder
		for line := range strings.Lines(string(text)) {
			if url := strings.TrimSpace(line); url != "" && !strings.HasPrefix(url, "#") && w.isKeptIn(part, url) {
				kept.WriteString(url + "\n")
			}
		}
		if kept.Len() == 0 {
			continue
		}
		draws++
		if err := os.WriteFile(filepath.Join(into, filepath.Base(path)), []byte(kept.String()), 0o644); err != nil {
			return draws, err
		}
	}
	return draws, nil
}

// copyFile copies a file if it exists.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
