// Package collection manages the wrappers of all sites. It finds the wrapper for the template of each page,
// learns from the page, and reads records and lists by it.
package collection

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/webgraph"
)

// A Set has the wrappers of a data directory and finds the one for a page's template (paper 004, section
// 4.2). Its folder has a file NAME.wrapper for each wrapper, in the format of Wrapper.Encode. It has a file
// HOST.site for each host, with its clusters and the rows of its category pages. Files are replaced
// atomically. A file that cannot be read is renamed with the suffix .bad, and its content is learned again.
//
// A Set is safe for concurrent use, but calls for pages of one host run one after the other. Only one Set may
// use a folder at a time.
type Set struct {
	dir string
	o   SetOptions

	mu    sync.Mutex // guards sites and used
	sites map[webgraph.Host]*site
	used  []webgraph.Host // keys of sites, most recently used last
}

// SetOptions are the options of OpenSet.
type SetOptions struct {
	// Archive has copies of pages seen earlier. They are used to learn from the first page of a template once
	// there is a second one, and by Lesson.Reinduce. If it is nil, no copies are available.
	Archive Archive
	// Clusters are the options of clustering. A Max of 0 means MaxWrappers.
	Clusters template.ClusterOptions
	// Warn is called for files that cannot be read and for errors of Archive. It may be called concurrently.
	// If it is nil, warnings are dropped.
	Warn func(error)
}

// An Archive has copies of pages seen earlier. It is safe for concurrent use.
type Archive interface {
	// LastVersion returns the newest copy of a page, or nil and no error if there is none.
	LastVersion(url string) (*webgraph.Page, error)
}

const (
	// MaxWrappers is the maximum number of templates per host. Those with the fewest pages are removed first.
	MaxWrappers = 40
	// maxSites is the maximum number of hosts in memory.
	maxSites = 64
)

// Suffixes of the files of a Set.
const (
	wrapperSuffix = ".wrapper"
	siteSuffix    = ".site"
	badSuffix     = ".bad"
)

// OpenSet returns the set in a folder. It creates the folder if necessary.
func OpenSet(dir string, o SetOptions) (*Set, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("wrappers: %w", err)
	}
	o.Clusters.Max = cmp.Or(o.Clusters.Max, MaxWrappers)
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	return &Set{dir: dir, o: o, sites: make(map[webgraph.Host]*site)}, nil
}

// LearnPage adds a page to its cluster, or to a new one, and calls use with the lesson. If use returns nil,
// cluster and wrapper are saved. Otherwise the wrapper is restored from its file.
//
// Other calls for the host wait meanwhile, so use must not call the Set. If the page has no tree of elements
// or no host, LearnPage does nothing.
func (s *Set) LearnPage(t *tagtree.Tree, use func(*Lesson) error) error {
	host, shape := templateOf(t)
	if shape == nil {
		return nil
	}
	site := s.lockSite(host)
	defer site.mu.Unlock()
	l := site.newLesson(t, shape)
	if err := use(l); err != nil {
		delete(site.wrappers, l.cluster.ID) // may be partly changed; the next use reads the file
		return err
	}
	return site.saveLesson(l)
}

// View is like LearnPage but neither learns nor saves anything. The lesson's Wrapper is nil if the template
// has none.
func (s *Set) View(t *tagtree.Tree, use func(*Lesson) error) error {
	host, shape := templateOf(t)
	if shape == nil {
		return nil
	}
	site := s.lockSite(host)
	defer site.mu.Unlock()
	return use(site.viewLesson(t, shape))
}

// templateOf returns the host and the shape of a page. The shape is nil if the page has no tree of elements
// or no valid host.
func templateOf(t *tagtree.Tree) (webgraph.Host, *template.Shape) {
	outline := t.Outline()
	if outline == nil || t.Page == nil {
		return "", nil
	}
	host := webgraph.HostOf(t.Page.URL)
	if host == "" || len(host) > maxHost {
		return "", nil
	}
	return host, template.NewShape(outline)
}

// maxHost is the maximum length of a host's name in bytes. It must fit into a file name of 255 bytes, whose
// other parts have less than 50.
const maxHost = 200

// lockSite returns the site of a host with its mutex locked. The caller must unlock it.
func (s *Set) lockSite(host webgraph.Host) *site {
	for {
		site := s.siteOf(host)
		site.mu.Lock()
		if !site.gone {
			return site
		}
		site.mu.Unlock()
	}
}

// siteOf returns the site of a host. It is loaded if it is not in memory.
func (s *Set) siteOf(host webgraph.Host) *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.used, host); i >= 0 {
		s.used = append(slices.Delete(s.used, i, i+1), host)
		return s.sites[host]
	}
	if len(s.used) >= maxSites {
		s.evictIdle()
	}
	site := s.openSite(host)
	s.sites[host] = site
	s.used = append(s.used, host)
	return site
}

// evictIdle removes the least recently used idle site from memory. Its data is in its files.
func (s *Set) evictIdle() {
	for i, host := range s.used {
		if site := s.sites[host]; site.mu.TryLock() {
			site.gone = true
			site.mu.Unlock()
			delete(s.sites, host)
			s.used = slices.Delete(s.used, i, i+1)
			return
		}
	}
}

// A Named is a wrapper with its name in the Set, such as "conf.example-3".
type Named struct {
	Name    string
	Wrapper *wrapper.Wrapper
}

// List returns the wrappers in the folder by name, in their saved state. The error joins the errors of files
// that cannot be read; the other wrappers are returned nevertheless.
func (s *Set) List() ([]Named, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("wrappers: %w", err)
	}
	var list []Named
	var bad []error
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), wrapperSuffix)
		if !ok {
			continue
		}
		w, err := readWrapper(filepath.Join(s.dir, f.Name()))
		if err != nil {
			bad = append(bad, err)
			continue
		}
		list = append(list, Named{Name: name, Wrapper: w})
	}
	return list, errors.Join(bad...)
}

// ErrNoWrapper means that a Set has no wrapper with the given name.
var ErrNoWrapper = errors.New("no such wrapper")

// Update calls change with the named wrapper and saves the wrapper if change returns nil.
func (s *Set) Update(name string, change func(*wrapper.Wrapper) error) error {
	host, id, ok := parseName(name)
	if !ok {
		return fmt.Errorf("wrapper %q: %w", name, ErrNoWrapper)
	}
	site := s.lockSite(host)
	defer site.mu.Unlock()
	w := site.wrapper(id)
	if w == nil {
		return fmt.Errorf("wrapper %q: %w", name, ErrNoWrapper)
	}
	if err := change(w); err != nil {
		delete(site.wrappers, id) // may be partly changed; the next use reads the file
		return err
	}
	return site.saveWrapper(id, w)
}
