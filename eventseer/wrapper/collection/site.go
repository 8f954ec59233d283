package collection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/webgraph"
)

// A site is the state of a Set for one host.
type site struct {
	set  *Set
	host webgraph.Host

	mu       sync.Mutex // guards the fields below
	gone     bool       // true if evicted; then the caller must get the site again
	clusters template.Clusters
	ids      []int                    // IDs of the clusters when they were last loaded or saved
	lists    map[int]int              // number of category pages by cluster ID
	wrappers map[int]*wrapper.Wrapper // wrappers loaded so far by cluster ID, nil for a cluster without one
	tables   []*rowTable              // rows of category pages, newest last
}

// Format and version in the file of a site, which is one JSON object.
const (
	siteFormat  = "eventseer-site"
	siteVersion = 1 // 1: first version
)

type siteFile struct {
	Format   string              `json:"format"`
	Version  int                 `json:"version"`
	Clusters []*template.Cluster `json:"clusters"`
	Lists    map[int]int         `json:"lists,omitempty"`
	Tables   []*rowTable         `json:"tables,omitempty"`
}

// openSite loads the site of a host. If its file cannot be read, the site is empty, and new clusters get IDs
// above those of existing wrapper files.
func (s *Set) openSite(host webgraph.Host) *site {
	site := &site{
		set: s, host: host, lists: make(map[int]int), wrappers: make(map[int]*wrapper.Wrapper),
		clusters: template.Clusters{Options: s.o.Clusters},
	}
	path := site.filePath(siteSuffix)
	file, err := readSite(path)
	if err != nil {
		s.o.Warn(errors.Join(err, setAside(path)))
	}
	site.clusters.Restore(file.Clusters)
	if len(file.Clusters) == 0 {
		site.clusters.StartIDsAfter(s.lastID(host))
	}
	site.ids = site.clusterIDs()
	for _, k := range site.clusters.All() {
		if n := file.Lists[k.ID]; n > 0 {
			site.lists[k.ID] = n
		}
	}
	for _, t := range file.Tables {
		site.storeTable(t)
	}
	return site
}

// readSite reads the file of a site. It returns an empty one if the file does not exist.
func readSite(path string) (siteFile, error) {
	var file siteFile
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return siteFile{}, fmt.Errorf("%s: %w", path, err)
	}
	if file.Format != siteFormat || file.Version != siteVersion {
		return siteFile{}, fmt.Errorf("%s: %w: %q, version %d", path, wrapper.ErrFormat, file.Format, file.Version)
	}
	return file, nil
}

func readWrapper(path string) (*wrapper.Wrapper, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	w, err := wrapper.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

func readFile(path string) ([]byte, error) {
	data, err := lines.ReadFile(path, wrapper.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// setAside renames a file that cannot be read.
func setAside(path string) error { return os.Rename(path, path+badSuffix) }

// filePath returns the path of a file of the site. suffix is the part of its name after the host.
func (s *site) filePath(suffix string) string {
	return filepath.Join(s.set.dir, url.PathEscape(string(s.host))+suffix)
}

func (s *site) wrapperPath(id int) string { return s.filePath("-" + strconv.Itoa(id) + wrapperSuffix) }

// parseName splits the name of a wrapper into host and cluster ID.
func parseName(name string) (host webgraph.Host, id int, ok bool) {
	at := strings.LastIndexByte(name, '-')
	if at <= 0 {
		return "", 0, false
	}
	unescaped, err := url.PathUnescape(name[:at])
	id, numErr := strconv.Atoi(name[at+1:])
	if err != nil || numErr != nil || id <= 0 || webgraph.HostOf("http://"+unescaped+"/") != webgraph.Host(unescaped) {
		return "", 0, false
	}
	return webgraph.Host(unescaped), id, true
}

// lastID returns the largest ID among the wrapper files of a host, or 0.
func (s *Set) lastID(host webgraph.Host) int {
	last := 0
	files, err := os.ReadDir(s.dir)
	if err != nil {
		s.o.Warn(fmt.Errorf("wrappers: %w", err))
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(strings.TrimSuffix(f.Name(), badSuffix), wrapperSuffix)
		if h, id, named := parseName(name); ok && named && h == host {
			last = max(last, id)
		}
	}
	return last
}

// wrapper returns the wrapper of a cluster, or nil if there is none.
func (s *site) wrapper(id int) *wrapper.Wrapper {
	if w, ok := s.wrappers[id]; ok {
		return w
	}
	path := s.wrapperPath(id)
	w, err := readWrapper(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.set.o.Warn(errors.Join(err, setAside(path)))
	}
	s.wrappers[id] = w
	return w
}

// saveLesson saves the wrapper and then the site. In this order, a crash cannot leave a page marked as learned that
// the wrapper did not learn.
func (s *site) saveLesson(l *Lesson) error {
	if l.Wrapper != nil {
		if err := s.saveWrapper(l.cluster.ID, l.Wrapper); err != nil {
			return err
		}
	}
	file := siteFile{Format: siteFormat, Version: siteVersion, Clusters: s.clusters.All(), Lists: s.lists, Tables: s.tables}
	data, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("wrappers of %s: %w", s.host, err)
	}
	if err := replaceFile(s.filePath(siteSuffix), data); err != nil {
		return err
	}
	return s.removeOrphans()
}

func (s *site) saveWrapper(id int, w *wrapper.Wrapper) error {
	data, err := w.Encode()
	if err != nil {
		return err
	}
	s.wrappers[id] = w
	return replaceFile(s.wrapperPath(id), data)
}

// removeOrphans removes the wrappers of clusters that no longer exist.
func (s *site) removeOrphans() error {
	before, now := s.ids, s.clusterIDs()
	s.ids = now
	for _, id := range before {
		if slices.Contains(now, id) {
			continue
		}
		delete(s.wrappers, id)
		delete(s.lists, id)
		if err := os.Remove(s.wrapperPath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("wrappers: %w", err)
		}
	}
	return nil
}

func (s *site) clusterIDs() (ids []int) {
	for _, k := range s.clusters.All() {
		ids = append(ids, k.ID)
	}
	return ids
}

// replaceFile replaces a file atomically.
func replaceFile(path string, data []byte) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("wrappers: %w", err)
	}
	return nil
}
