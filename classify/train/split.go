package train

import (
	"slices"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/webgraph"
)

// split puts the documents of each group into one of k folds, page types and
// calls evenly spread, so that tasks that use all pages share their folds, or
// disciplines, where they are learnt. The documents of a
// labels file are spread without regard to the files after it: adding a file
// moves no document of another, unless its messages tie two groups.
func (c *corpus) split(k int, seed uint64) ([]int, error) {
	if c.pages != nil {
		return c.splitPages(k, seed)
	}
	strata, n, err := c.strata()
	if err != nil {
		return nil, err
	}
	folds := make([]int, 0, len(strata))
	foldOf := map[string]int{}
	for _, size := range c.sizes {
		if size == 0 {
			continue
		}
		from := len(folds)
		part, err := eval.GroupedFolds(strata[from:from+size], c.groups[from:from+size], n, k, seed)
		if err != nil {
			return nil, err
		}
		for i, fold := range part {
			group := c.groups[from+i]
			if first, ok := foldOf[group]; ok {
				fold = first
			}
			foldOf[group] = fold
			folds = append(folds, fold)
		}
	}
	return folds, nil
}

// splitPages puts links into the folds of their pages.
func (c *corpus) splitPages(k int, seed uint64) ([]int, error) {
	of, err := c.pages.split(k, seed)
	if err != nil {
		return nil, err
	}
	folds := make([]int, len(c.pageOf))
	for i, page := range c.pageOf {
		folds[i] = of[page]
	}
	return folds, nil
}

// strata returns what kind of document each is, of n, to be spread evenly.
func (c *corpus) strata() (strata []int, n int, err error) {
	if c.task == classify.TaskDiscipline || c.task == classify.TaskLayer {
		return c.class, len(c.classes), nil
	}
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		return nil, 0, err
	}
	strata = make([]int, len(c.labels))
	for i, l := range c.labels {
		strata[i] = 2 * (slices.Index(types, l.PageType) + 1) // 0 for an unknown type
		if l.IsCFP {
			strata[i]++
		}
	}
	return strata, 2 * (len(types) + 1), nil
}

// foldTable says for each page in which fold it was held out. A host stands for
// all its pages, unless its groups are in several folds, as those of a mail
// archive: then each page stands for itself.
func (c *corpus) foldTable(folds []int, k int) (*classify.Folds, error) {
	const several = -1
	hosts := map[string]int{}
	for i, l := range c.labels {
		host := webgraph.HostKey(l.URL)
		if f, ok := hosts[host]; ok && f != folds[i] {
			hosts[host] = several
		} else if !ok {
			hosts[host] = folds[i]
		}
	}
	foldOf := map[string]int{}
	for i, l := range c.labels {
		if host := webgraph.HostKey(l.URL); hosts[host] == several {
			foldOf[l.URL] = folds[i]
		} else {
			foldOf[host] = folds[i]
		}
	}
	return classify.NewFolds(k, foldOf)
}
