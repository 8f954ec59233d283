package train

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// maxUnlabelled is the largest number of links per page for training that lead to pages of its site without a
// label.
const maxUnlabelled = 5

// A linkSet collects the links of labelled pages that stay within their site. Links that leave it are not
// used, because a model that is to judge a site must not see the labels of its pages.
type linkSet struct {
	targets    map[string]datasets.Label // by addressKey
	judged     linkExamples              // to labelled pages
	unlabelled linkExamples              // to pages without a label
}

// A linkExamples holds links: their documents, the labels of their targets, and for each the index of the
// page it is on.
type linkExamples struct {
	docs    []*features.Document
	targets []datasets.Label
	page    []int
}

// addTargets records the labels of pages that links may lead to.
func (s *linkSet) addTargets(labels []datasets.Label) {
	for _, l := range labels {
		if key := addressKey(l.URL); s.targets[key].URL == "" {
			s.targets[key] = l
		}
	}
}

// addLinks adds the links of a labelled page, each pair of target and anchor text once. Of the links to pages
// without a label it adds only the maxUnlabelled with the smallest hashes.
func (s *linkSet) addLinks(page int, l datasets.Label, t *tagtree.Tree) {
	links, here := t.Links(), webgraph.HostOf(l.URL)
	seen := map[string]bool{addressKey(l.URL): true}
	keep := map[int]datasets.Label{}
	type drawn struct {
		hash uint64
		link int
	}
	var unlabelled []drawn
	for i, link := range links {
		key := addressKey(link.Target)
		pair := key + "\x00" + link.Anchor
		if seen[key] || seen[pair] || !webgraph.SameSite(webgraph.HostOf(link.Target), here) {
			continue
		}
		seen[pair] = true
		switch target, ok := s.targets[key]; {
		case ok && target.Group == l.Group:
			keep[i] = target
		case !ok:
			unlabelled = append(unlabelled, drawn{xxh3.HashString(pair), i})
		}
	}
	slices.SortFunc(unlabelled, func(a, b drawn) int { return cmp.Compare(a.hash, b.hash) })
	few := map[int]datasets.Label{}
	for _, d := range unlabelled[:min(len(unlabelled), maxUnlabelled)] {
		few[d.link] = datasets.Label{URL: links[d.link].Target, Group: l.Group}
	}
	for i, doc := range features.ReadLinks(t, nil) {
		if target, ok := keep[i]; ok {
			s.judged.addLink(page, target, doc)
		} else if target, ok := few[i]; ok {
			s.unlabelled.addLink(page, target, doc)
		}
	}
}

func (e *linkExamples) addLink(page int, target datasets.Label, doc *features.Document) {
	e.docs = append(e.docs, doc)
	e.targets = append(e.targets, target)
	e.page = append(e.page, page)
}

// asCorpus returns the links as a corpus, with the links to unlabelled pages at its end.
func (s *linkSet) asCorpus(pages *corpus) (*corpus, error) {
	if len(s.judged.docs) == 0 {
		return nil, errors.New("no labelled page links to another labelled page of its site")
	}
	c := &corpus{task: pages.task, classes: pages.classes, digest: pages.digest, pages: pages, numJudgedOnly: len(s.judged.docs)}
	for _, part := range []linkExamples{s.judged, s.unlabelled} {
		for i, doc := range part.docs {
			target := part.targets[i]
			c.docs = append(c.docs, doc)
			c.labels = append(c.labels, target)
			c.class = append(c.class, classOf(c.task, c.classes, target))
			c.groups = append(c.groups, pages.groups[part.page[i]])
			c.pageOf = append(c.pageOf, part.page[i])
		}
	}
	c.sizes = []int{len(c.docs)}
	return c, nil
}

// addressKey returns a URL without the parts in which URLs of the same page may differ. These are the
// scheme, a leading www, the name of an index file and a slash at the end.
func addressKey(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	rest = strings.ToLower(strings.TrimPrefix(rest, "www."))
	for _, index := range []string{"/index.html", "/index.htm", "/index.php"} {
		if s, ok := strings.CutSuffix(rest, index); ok {
			rest = s
			break
		}
	}
	return strings.TrimSuffix(rest, "/")
}

// pageURL returns the URL of example i, or for a link the URL of the page it is on.
func (c *corpus) pageURL(i int) string {
	if c.pages != nil {
		return c.pages.labels[c.pageOf[i]].URL
	}
	return c.labels[i].URL
}

// measureReport measures the predictions, which are of the first examples of c. For links it adds how often the
// first link of a page is right; for layers the recall of the layers.
func (c *corpus) measureReport(title string, ps []eval.Prediction, seed uint64) (*eval.Report, error) {
	r, err := eval.New(title, c.classes, ps, seed)
	if err != nil {
		return nil, err
	}
	switch {
	case c.pages != nil:
		top, _ := eval.TopOfListShare(ps, c.pageOf, seed)
		r.Figures = append(r.Figures, top)
	case c.task == classify.TaskLayer:
		r.Figures = append(r.Figures, layerFigures(ps, seed)...)
	}
	return r, nil
}
