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

// A Lesson is a page with what a Set knows of its template.
type Lesson struct {
	// Wrapper is that of the page's cluster, nil while the page is the only one of it.
	Wrapper *wrapper.Wrapper
	// Kind says what most pages of the cluster hold, Pattern what their URLs share.
	Kind    wrapper.Kind
	Pattern string
	// Opened means that the page is of no template that was known: it opened a cluster.
	Opened bool
	// Rows are the records of this page on category pages of the host, the newest page first. They
	// link to it (paper 004, section 5).
	Rows []Row
	// Fresh are the records of this category page that are new or changed since they
	// were last seen on a category page of the host.
	Fresh []Row

	site    *site
	cluster *template.Cluster
	tree    *tagtree.Tree
}

const (
	// minPages is the number of pages of a template from which it has a wrapper.
	minPages = 2
	// maxInitial bounds the pages that are had again to begin a wrapper with.
	maxInitial = 10
	// maxLearnedLinks bounds the links of a page that teach URL patterns.
	maxLearnedLinks = 500
)

// lesson puts a page into its cluster and returns what there is to learn.
func (s *site) lesson(t *tagtree.Tree, shape *template.Shape) *Lesson {
	links := t.Links()
	for _, link := range links[:min(len(links), maxLearnedLinks)] {
		if webgraph.HostOf(link.Target) == s.host {
			s.clusters.Learn(link.Target)
		}
	}
	k, opened := s.clusters.Add(t.Page.URL, shape)
	l := &Lesson{Opened: opened, site: s, cluster: k, tree: t}
	if record.ListShare(t) >= record.ListShareOfCategory {
		s.lists[k.ID] = min(s.lists[k.ID]+1, k.Pages)
	}
	l.describe()
	if l.Wrapper == nil && k.Pages >= minPages {
		l.Wrapper = wrapper.New(string(s.host), l.Pattern)
		l.learnAll(l.archived(maxInitial))
	}
	if l.Wrapper != nil {
		l.Wrapper.Pattern, l.Wrapper.Kind = l.Pattern, l.Kind
	}
	if l.Kind == wrapper.CategoryPage {
		l.Fresh = s.fresh(t)
	}
	return l
}

// view returns what is known of a page's template.
func (s *site) view(t *tagtree.Tree, shape *template.Shape) *Lesson {
	l := &Lesson{Kind: wrapper.RecordPage, site: s, tree: t}
	if l.cluster, _ = s.clusters.Find(t.Page.URL, shape); l.cluster != nil {
		l.describe()
	} else {
		l.Rows = s.rowsOf(t.Page.URL)
	}
	return l
}

func (l *Lesson) describe() {
	s, k := l.site, l.cluster
	l.Kind, l.Pattern, l.Wrapper = wrapper.RecordPage, s.clusters.Pattern(k), s.wrapper(k.ID)
	if 2*s.lists[k.ID] > k.Pages {
		l.Kind = wrapper.CategoryPage
	}
	l.Rows = s.rowsOf(l.tree.Page.URL)
}

// Name returns the name of the Wrapper in the Set.
func (l *Lesson) Name() string {
	return strings.TrimSuffix(filepath.Base(l.site.wrapperPath(l.cluster.ID)), wrapperSuffix)
}

// Read reads the page and learns from it first if it is a training page. That is a page that the
// wrapper has not learned yet, unless the wrapper is set aside. A page that was learned teaches
// nothing more when it is seen again, for what two versions of it share would pass for the
// template.
func (l *Lesson) Read() wrapper.Reading {
	w := l.Wrapper
	if w.Status == wrapper.Broken || slices.Contains(w.Ledger.Learned, l.tree.Page.URL) {
		return w.Apply(l.tree)
	}
	return w.Learn(l.tree)
}

// Reinduce relearns the wrapper from the newest archived pages of its cluster and reports whether
// there were at least n; if not, nothing changes. This page is left to Read.
func (l *Lesson) Reinduce(n int) bool {
	trees := l.archived(max(n, maxInitial))
	if len(trees) < n {
		return false
	}
	l.Wrapper.Restart()
	l.learnAll(trees)
	return true
}

// learnAll learns pages, the biggest first, as partial tree alignment begins.
func (l *Lesson) learnAll(trees []*tagtree.Tree) {
	slices.SortStableFunc(trees, func(a, b *tagtree.Tree) int { return len(b.Text()) - len(a.Text()) })
	for _, t := range trees {
		l.Wrapper.Learn(t)
	}
}

// archived returns the newest other pages of the cluster, the newest first. They must be in the
// archive and still have the template.
func (l *Lesson) archived(most int) []*tagtree.Tree {
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
		page, err := archive.Last(url)
		if err != nil {
			l.site.set.o.Warn(fmt.Errorf("wrappers of %s: %w", l.site.host, err))
		}
		if err != nil || page == nil {
			continue
		}
		t, err := tagtree.Parse(page)
		if err != nil {
			continue // what cannot be read teaches nothing
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
