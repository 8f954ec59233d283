package main

import (
	"context"
	"fmt"
	"slices"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/datasets"
	"eventseer/features"
	"eventseer/features/tagtree"
)

// shownProblems is how many problems of a dataset are printed.
const shownProblems = 10

// A corpus is labelled pages, read for one task.
type corpus struct {
	task    string
	classes []string
	digest  string
	labels  []datasets.Label
	docs    []*features.Document
	class   []int    // of each document
	groups  []string // of each document
}

// readCorpus reads the pages that labels names from inputs, without those of an
// excluded page type. Problems are talk, as long as there are pages at all.
func (a *app) readCorpus(ctx context.Context, task, labels string, inputs, exclude []string) (*corpus, error) {
	classes, err := classify.Classes(task)
	if err != nil {
		return nil, usageError{err}
	}
	data, err := datasets.Open(labels)
	if err != nil {
		return nil, err
	}
	c := &corpus{task: task, classes: classes}
	for e := range data.Examples(a.pages(ctx, inputs, "")) {
		if slices.Contains(exclude, e.PageType) {
			continue
		}
		tree, err := tagtree.Parse(e.Page)
		if err != nil {
			data.Problems = append(data.Problems, datasets.Problem{File: labels, Line: e.Line, Text: err.Error()})
			continue
		}
		c.labels = append(c.labels, e.Label)
		c.docs = append(c.docs, features.Read(tree))
		c.class = append(c.class, classOf(task, classes, e.Label))
		c.groups = append(c.groups, e.Group)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !a.config.Quiet {
		if err := data.WriteProblems(a.stderr, shownProblems); err != nil {
			return nil, err
		}
	}
	if len(c.docs) == 0 {
		return nil, fmt.Errorf("%s: none of its %d pages is in the input", labels, data.Len())
	}
	c.digest = data.Digest()
	return c, nil
}

// classOf is the index of the label's class for a task.
func classOf(task string, classes []string, l datasets.Label) int {
	if task == classify.TaskPageType {
		return slices.Index(classes, l.PageType)
	}
	if l.IsCFP {
		return 1
	}
	return 0
}

// counts returns the number of documents of each class.
func (c *corpus) counts() []int {
	n := make([]int, len(c.classes))
	for _, k := range c.class {
		n[k]++
	}
	return n
}

// numGroups returns the number of different groups.
func (c *corpus) numGroups() int {
	groups := slices.Clone(c.groups)
	slices.Sort(groups)
	return len(slices.Compact(groups))
}

// split puts the documents of each group into one of k folds, page types and
// calls evenly spread, so that all tasks share their folds.
func (c *corpus) split(k int, seed uint64) ([]int, error) {
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		return nil, err
	}
	strata := make([]int, len(c.labels))
	for i, l := range c.labels {
		strata[i] = 2 * slices.Index(types, l.PageType)
		if l.IsCFP {
			strata[i]++
		}
	}
	return eval.GroupedFolds(strata, c.groups, 2*len(types), k, seed)
}

// foldTable says for each page in which fold it was held out. A host stands for
// all its pages, unless its groups are in several folds, as those of a mail
// archive: then each page stands for itself.
func (c *corpus) foldTable(folds []int, k int) (*classify.Folds, error) {
	const several = -1
	hosts := map[string]int{}
	for i, l := range c.labels {
		host := classify.HostKey(l.URL)
		if f, ok := hosts[host]; ok && f != folds[i] {
			hosts[host] = several
		} else if !ok {
			hosts[host] = folds[i]
		}
	}
	foldOf := map[string]int{}
	for i, l := range c.labels {
		if host := classify.HostKey(l.URL); hosts[host] == several {
			foldOf[l.URL] = folds[i]
		} else {
			foldOf[host] = folds[i]
		}
	}
	return classify.NewFolds(k, foldOf)
}
