package edgeindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
	"github.com/eventseer/eventseer/webgraph"
)

// Bounds on a build.
const (
	edgeSources  = 1000      // stored for one target by default
	edgeMemory   = 256 << 20 // bytes, likewise
	leastMemory  = 1 << 20
	maxEdgeLines = 1 << 31 // of all inputs
	maxProblems  = 10      // reported one by one
	maxSites     = 1 << 18 // hosts whose site is cached
)

// Options are the inputs and settings of a build.
type Options struct {
	// Path is the path of the index. It is replaced in one step when the index is complete.
	Path string
	// Inputs are files, or folders that are searched for such files:
	//
	//   - WAT files of Common Crawl: *.wat, *.wat.gz;
	//   - lists with a header that names the columns source and target, and optionally
	//     anchor and nofollow, with tabs or as CSV, such as links.csv.gz of a run;
	//   - lists without header: source and target with a tab or spaces between.
	//
	// Lists may be compressed with gzip.
	Inputs []string
	// Hosts are the hosts whose links are stored: "conf.example" is only this host, ".conf.example"
	// the host and all below it. Empty stores all.
	Hosts []string
	// Sources is the number of sources stored for one target, the first in order of URL. Zero means
	// 1000.
	Sources int
	// Memory is the memory for sorting in bytes, at least 1 MB; the build needs about 100 MB more. Zero
	// means 256 MB.
	Memory int
	// Progress, if not nil, is called from time to time by the building goroutine.
	Progress func(Stats)
}

// Stats are the counts of a build in progress or completed: all inputs are read before the first
// link is written.
type Stats struct {
	Read, Size int64 // bytes of the inputs on disk
	Lines      int64 // lines of lists, and links of WAT files, including invalid ones
	Bad        int64 // lines and records without a valid link
	Broken     int64 // inputs that cannot be read completely
	SameSite   int64 // links within a site, which are left out
	Unwanted   int64 // links to hosts that were not requested
	Sorted     int64 // links to sort, of which Written are written
	Written    int64
	Repeated   int64 // repeated links
	Crowded    int64 // links left out because their target has enough sources
	Edges      int64 // links in the index, once it is complete
	Targets    int64 // URLs they lead to
	// Problems are the first errors, with file and line.
	Problems []error
}

// Build creates the file at o.Path. The same inputs in the same order give the same bytes, whatever
// o.Memory is. Invalid lines are counted and reported, and the build continues.
//
// Build returns an error if there are no readable inputs; then, or when ctx ends, an existing index is
// unchanged. A build that is killed while it writes leaves a file .NAME.new-* behind. While it runs it
// needs about 250 bytes of disk beside o.Path for each link between sites.
func Build(ctx context.Context, o Options) (Stats, error) {
	b := newEdgeBuilder(o)
	err := b.buildIndex(ctx)
	if err != nil {
		err = fmt.Errorf("edge index %s: %w", o.Path, err)
	}
	return b.stats, err
}

// An edgeBuilder builds one index.
type edgeBuilder struct {
	o        Options
	stats    Stats
	maxLines int64
	hosts    map[string]bool // hosts, and domains with their dot; nil means all
	sites    map[string]string
	sort     *edgeSorter
	key      []byte
	value    []byte
	source   string // of the last link: canonical URL, and its site
	raw      string
	site     string
	readPast int64 // bytes of the inputs before this one
}

func newEdgeBuilder(o Options) *edgeBuilder {
	if o.Sources <= 0 {
		o.Sources = edgeSources
	}
	if o.Memory <= 0 {
		o.Memory = edgeMemory
	}
	o.Memory = max(o.Memory, leastMemory)
	b := &edgeBuilder{o: o, maxLines: maxEdgeLines, sites: map[string]string{}}
	if len(o.Hosts) > 0 {
		b.hosts = map[string]bool{}
	}
	for _, h := range o.Hosts {
		b.hosts[strings.ToLower(h)] = true
	}
	return b
}

func (b *edgeBuilder) buildIndex(ctx context.Context) (err error) {
	inputs, err := b.findInputs()
	if err != nil {
		return err
	}
	b.sort = newEdgeSorter(b.o.Path, b.o.Memory)
	probe, err := b.sort.temporaryFile() // fail now rather than after hours of reading
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.sort.close()) }()
	for _, in := range inputs {
		if err := b.readInput(ctx, in); err != nil {
			return err
		}
	}
	if b.stats.Sorted+b.stats.SameSite+b.stats.Unwanted == 0 {
		return errors.Join(append([]error{errors.New("the inputs hold no links")}, b.stats.Problems...)...)
	}
	return b.writeIndex(ctx)
}

// writeIndex writes the sorted links to a new file, which then replaces the old one.
func (b *edgeBuilder) writeIndex(ctx context.Context) (err error) {
	f, err := os.CreateTemp(filepath.Dir(b.o.Path), "."+filepath.Base(b.o.Path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	w, err := newEdgeWriter(f, b.o.Sources)
	if err != nil {
		return err
	}
	err = b.sort.mergeAll(ctx, func(key, value []byte) error {
		if b.stats.Written++; b.stats.Written%ctxPause == 0 {
			b.reportProgress()
		}
		return w.add(key, value)
	})
	if err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	b.stats.Edges, b.stats.Targets, b.stats.Repeated, b.stats.Crowded = w.edges, w.targets, w.merged, w.crowded
	b.reportProgress()
	return installFile(f, b.o.Path)
}

// installFile closes a file and renames it, so that after a crash either the old or the new file
// exists.
func installFile(f *os.File, path string) error {
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (b *edgeBuilder) reportProgress() {
	if b.o.Progress != nil {
		b.o.Progress(b.stats)
	}
}

// countInvalid counts an invalid link and reports the first few.
func (b *edgeBuilder) countInvalid(err error) {
	b.stats.Bad++
	b.reportProblem(err)
}

// countUnreadable counts an input that cannot be read completely.
func (b *edgeBuilder) countUnreadable(err error) {
	b.stats.Broken++
	b.reportProblem(err)
}

func (b *edgeBuilder) reportProblem(err error) {
	if len(b.stats.Problems) < maxProblems {
		b.stats.Problems = append(b.stats.Problems, err)
	}
}

// add adds a link as written. err is an error of sorting; why is the reason if the link is invalid.
func (b *edgeBuilder) add(ctx context.Context, source, target string, v edgeValue) (why, err error) {
	if source != b.raw || b.raw == "" {
		url, err := webgraph.Canonical(source)
		if err != nil {
			return fmt.Errorf("source %w", err), nil
		}
		b.raw, b.source = source, strings.Clone(url)
		b.site = b.siteOf(bareHost(url))
	}
	url, whyNot := webgraph.Canonical(target)
	if whyNot != nil {
		return fmt.Errorf("target %w", whyNot), nil
	}
	host := bareHost(url)
	switch {
	case !b.isWanted(host):
		b.stats.Unwanted++
		return nil, nil
	case b.siteOf(host) == b.site:
		b.stats.SameSite++
		return nil, nil
	}
	b.stats.Sorted++
	v.anchor = backlink.ClipText(v.anchor)
	b.key = append(appendTarget(b.key[:0], url), b.source...)
	b.value = v.appendTo(b.value[:0])
	return nil, b.sort.add(ctx, b.key, b.value)
}

// bareHost returns the host of a canonical URL, an address without its brackets.
func bareHost(url string) string {
	host, _ := sortedlinks.CutURL(url)
	return strings.Trim(host, "[]")
}

// siteOf returns the registered domain of a host.
func (b *edgeBuilder) siteOf(host string) string {
	site, ok := b.sites[host]
	if !ok {
		if len(b.sites) >= maxSites {
			clear(b.sites)
		}
		host = strings.Clone(host)
		site = webgraph.RegisteredDomain(webgraph.Host(host))
		b.sites[host] = site
	}
	return site
}

// isWanted reports whether links to a host are to be indexed.
func (b *edgeBuilder) isWanted(host string) bool {
	if b.hosts == nil || b.hosts[host] || b.hosts["."+host] {
		return true
	}
	for i := range len(host) {
		if host[i] == '.' && b.hosts[host[i:]] {
			return true
		}
	}
	return false
}
