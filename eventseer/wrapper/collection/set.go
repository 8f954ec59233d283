// Package collection keeps the wrappers of all sites. It finds the wrapper for the template of each
// page, learns from the page and reads records and lists by it.
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

// A Set holds the wrappers of a data directory and finds for each page that of its template (paper
// 004, section 4.2). A folder has for each wrapper a file NAME.wrapper as Wrapper.Encode gives it,
// and for each host one HOST.site with its clusters and what its category pages listed. Files are
// replaced whole. One that cannot be read is renamed to end in .bad and what it held is learned
// again; it hides no other.
//
// A Set is safe for concurrent use; pages of one host take turns. No two of one folder may be open
// at once.
type Set struct {
	dir string
	o   SetOptions

	mu    sync.Mutex // guards below
	sites map[webgraph.Host]*site
	used  []webgraph.Host // of sites, the last used last
}

// SetOptions are those of OpenSet.
type SetOptions struct {
	// Archive gives pages again: to learn from the first page of a template once there
	// is a second, and for Lesson.Reinduce. Nil: no page can be had again.
	Archive Archive
	// Clusters are the options of clustering; Max 0 means MaxWrappers.
	Clusters template.ClusterOptions
	// Warn is called for files that cannot be read and for pages that the Archive fails to give. It
	// may be called from many goroutines. If nil it is not called.
	Warn func(error)
}

// An Archive gives pages again that were seen before. It is safe for concurrent use.
type Archive interface {
	// Last returns the newest copy of a page; nil and no error if there is none.
	Last(url string) (*webgraph.Page, error)
}

const (
	// MaxWrappers is the number of templates that are distinguished on one host; those
	// with the fewest pages give way.
	MaxWrappers = 40
	// maxSites bounds the hosts that are kept in memory.
	maxSites = 64
)

// The suffixes of the files of a Set.
const (
	wrapperSuffix = ".wrapper"
	siteSuffix    = ".site"
	badSuffix     = ".bad"
)

// OpenSet returns the set of a folder, which is made if need be.
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

// LearnPage finds the cluster of a page, or opens one, and calls use with what there is to
// learn. If use returns nil, cluster and wrapper are saved, else the wrapper is as it
// was. Pages of the host wait
// meanwhile, so use must not call the Set. A page without a tree of elements or a host
// is of no template: use is not called.
func (s *Set) LearnPage(t *tagtree.Tree, use func(*Lesson) error) error {
	host, shape := templateOf(t)
	if shape == nil {
		return nil
	}
	site := s.lock(host)
	defer site.mu.Unlock()
	l := site.lesson(t, shape)
	if err := use(l); err != nil {
		delete(site.wrappers, l.cluster.ID) // half changed: the file is what counts
		return err
	}
	return site.save(l)
}

// View calls use with the state of the page's template, like Take, but neither learns nor saves
// anything. The Wrapper is nil without one.
func (s *Set) View(t *tagtree.Tree, use func(*Lesson) error) error {
	host, shape := templateOf(t)
	if shape == nil {
		return nil
	}
	site := s.lock(host)
	defer site.mu.Unlock()
	return use(site.view(t, shape))
}

// templateOf returns what a page's template is recognised by, nil for what has none.
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

// maxHost bounds the name of a host, so that it fits into file names. These have up to 255 bytes,
// and their other parts less than 50.
const maxHost = 200

// lock returns the site of a host with its mutex held.
func (s *Set) lock(host webgraph.Host) *site {
	for {
		site := s.site(host)
		site.mu.Lock()
		if !site.gone {
			return site
		}
		site.mu.Unlock()
	}
}

// site returns the site of a host, which is read if it is not in memory.
func (s *Set) site(host webgraph.Host) *site {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.used, host); i >= 0 {
		s.used = append(slices.Delete(s.used, i, i+1), host)
		return s.sites[host]
	}
	if len(s.used) >= maxSites {
		s.evict()
	}
	site := s.openSite(host)
	s.sites[host] = site
	s.used = append(s.used, host)
	return site
}

// evict removes the least recently used site that is not in use from memory. All of it is in its
// files.
func (s *Set) evict() {
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

// List returns the wrappers of the folder by name, as they are in their files. The
// error joins those of files that cannot be read; the others are returned all the same.
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

// ErrNoWrapper means that a Set has no wrapper of a name.
var ErrNoWrapper = errors.New("no such wrapper")

// Update calls change with a wrapper, by its name, and saves it if that returns nil.
func (s *Set) Update(name string, change func(*wrapper.Wrapper) error) error {
	host, id, ok := parseName(name)
	if !ok {
		return fmt.Errorf("wrapper %q: %w", name, ErrNoWrapper)
	}
	site := s.lock(host)
	defer site.mu.Unlock()
	w := site.wrapper(id)
	if w == nil {
		return fmt.Errorf("wrapper %q: %w", name, ErrNoWrapper)
	}
	if err := change(w); err != nil {
		delete(site.wrappers, id) // half changed: the file is what counts
		return err
	}
	return site.saveWrapper(id, w)
}
