package collection

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/webgraph"
)

// A Lesson is a page with the wrapper and cluster of its template.
type Lesson struct {
	// Wrapper is the wrapper of the page's cluster. It is nil if the cluster has no other page.
	Wrapper *wrapper.Wrapper
	// Kind is the kind of most pages of the cluster. Pattern is their URL pattern.
	Kind    wrapper.Kind
	Pattern string
	// Opened means that the page is the first one of a new template.
	Opened bool
	// Rows are the records on category pages of the host that link to this page, newest category page first
	// (paper 004, section 5).
	Rows []Row
	// Fresh are the records of this category page that are new, or changed since a category page of the host
	// last had them.
	Fresh []Row

	site    *site
	cluster *template.Cluster
	tree    *tagtree.Tree
}

const (
	// minPages is the minimum number of pages of a template with a wrapper.
	minPages = 2
	// maxInitial is the maximum number of archived pages from which a new wrapper learns.
	maxInitial = 10
	// maxLearnedLinks is the maximum number of links of a page that are added to the URL patterns.
	maxLearnedLinks = 500
)

// newLesson adds a page to its cluster and returns the lesson. It creates a wrapper for a cluster that has
// enough pages.
func (s *site) newLesson(t *tagtree.Tree, shape *template.Shape) *Lesson {
	links := t.Links()
	for _, link := range links[:min(len(links), maxLearnedLinks)] {
		if webgraph.HostOf(link.Target) == s.host {
			s.clusters.LearnURL(link.Target)
		}
	}
	k, opened := s.clusters.Add(t.Page.URL, shape)
	l := &Lesson{Opened: opened, site: s, cluster: k, tree: t}
	if record.ListShare(t) >= record.ListShareOfCategory {
		s.lists[k.ID] = min(s.lists[k.ID]+1, k.Pages)
	}
	l.setDescription()
	if l.Wrapper == nil && k.Pages >= minPages {
		l.Wrapper = wrapper.New(string(s.host), l.Pattern)
		l.learnPages(l.archivedPages(maxInitial))
	}
	if l.Wrapper != nil {
		l.Wrapper.Pattern, l.Wrapper.Kind = l.Pattern, l.Kind
	}
	if l.Kind == wrapper.CategoryPage {
		l.Fresh = s.storeRows(t)
	}
	return l
}

// viewLesson returns the lesson of a page without adding the page.
func (s *site) viewLesson(t *tagtree.Tree, shape *template.Shape) *Lesson {
	l := &Lesson{Kind: wrapper.RecordPage, site: s, tree: t}
	if l.cluster, _ = s.clusters.Find(t.Page.URL, shape); l.cluster != nil {
		l.setDescription()
	} else {
		l.Rows = s.rowsOf(t.Page.URL)
	}
	return l
}

func (l *Lesson) setDescription() {
	s, k := l.site, l.cluster
	l.Kind, l.Pattern, l.Wrapper = wrapper.RecordPage, s.clusters.PatternOf(k), s.wrapper(k.ID)
	if 2*s.lists[k.ID] > k.Pages {
		l.Kind = wrapper.CategoryPage
	}
	l.Rows = s.rowsOf(l.tree.Page.URL)
}

// Name returns the name of the wrapper in the Set.
func (l *Lesson) Name() string {
	return strings.TrimSuffix(filepath.Base(l.site.wrapperPath(l.cluster.ID)), wrapperSuffix)
}

// Read reads the page. It first learns from the page if the wrapper has not learned it yet and is not
// disabled. A page is never learned twice, because what two of its versions share would seem to be part of
// the template.
func (l *Lesson) Read() wrapper.Reading {
	w := l.Wrapper
	if w.Status == wrapper.Broken || slices.Contains(w.Ledger.Learned, l.tree.Page.URL) {
		return w.Apply(l.tree)
	}
	return w.Learn(l.tree)
}

// RelearnFromArchive restarts the wrapper and learns from the newest archived pages of its cluster. It returns false,
// and changes nothing, if there are fewer than n. The lesson's own page is not learned.
func (l *Lesson) RelearnFromArchive(n int) bool {
	trees := l.archivedPages(max(n, maxInitial))
	if len(trees) < n {
		return false
	}
	l.Wrapper.RestartLearning()
	l.learnPages(trees)
	return true
}

// learnPages learns pages, the longest first, as partial tree alignment requires.
func (l *Lesson) learnPages(trees []*tagtree.Tree) {
	slices.SortStableFunc(trees, func(a, b *tagtree.Tree) int { return len(b.Text()) - len(a.Text()) })
	for _, t := range trees {
		l.Wrapper.Learn(t)
	}
}

// archivedPages returns up to the given number of other pages of the cluster, newest first. They must be in the
// archive and still have the template.
func (l *Lesson) archivedPages(most int) []*tagtree.Tree {
	archive := l.site.set.o.Archive
	if archive == nil {
		return nil
	}
	var trees []*tagtree.Tree
	for _, url := range slices.Backward(l.cluster.URLs) {
		if len(trees) == most {
			break
		}
		if url == l.tree.Page.URL {
			continue
		}
		page, err := archive.LastVersion(url)
		if err != nil {
			l.site.set.o.Warn(fmt.Errorf("wrappers of %s: %w", l.site.host, err))
		}
		if err != nil || page == nil {
			continue
		}
		t, err := tagtree.Parse(page)
		if err != nil {
			continue // skip pages that cannot be parsed
		}
		outline := t.Outline()
		if outline == nil {
			continue
		}
		if k, _ := l.site.clusters.Find(url, template.NewShape(outline)); k == l.cluster {
			trees = append(trees, t)
		}
	}
	return trees
}
