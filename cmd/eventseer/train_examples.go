package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
)

// taskVectors learns the classes of a file of vectors, without pages.
const taskVectors = "vectors"

// prepare returns the recipe f asks for and the corpus it learns from.
func prepare(ctx context.Context, a *app.App, f trainFlags) (recipe, *corpus, error) {
	r, err := chooseRecipe(a, f)
	if err != nil {
		return recipe{}, nil, err
	}
	c, err := readExamples(ctx, a, f)
	return r, c, err
}

// recipe returns the recipe f asks for.
func chooseRecipe(a *app.App, f trainFlags) (recipe, error) {
	if f.tune < 0 {
		return recipe{}, app.Usagef("--tune %v is below 0", f.tune)
	}
	f.seed = a.Config.Seed
	return newRecipe(f.algo, f.task, f.parameters)
}

// prepareModel is prepare for what becomes a model file.
func prepareModel(ctx context.Context, a *app.App, f trainFlags) (recipe, *corpus, error) {
	r, err := chooseRecipe(a, f)
	switch {
	case err != nil:
		return recipe{}, nil, err
	case f.task == taskVectors:
		return recipe{}, nil, app.Usagef("a model file judges pages: of --task vectors only eval cv can be had")
	case f.against != "":
		return recipe{}, nil, app.Usagef("a model file holds all classes of its task: --one-against-rest can be had in eval cv only")
	case r.calibration != calibrations[0]:
		return recipe{}, nil, app.Usagef("a model file holds no %s calibration: it can be had in eval cv only", r.calibration)
	}
	c, err := readExamples(ctx, a, f)
	return r, c, err
}

// readExamples reads the corpus f names.
func readExamples(ctx context.Context, a *app.App, f trainFlags) (*corpus, error) {
	read := func(ctx context.Context, f trainFlags) (*corpus, error) { return readPages(ctx, a, f) }
	if f.task == taskVectors {
		read = func(ctx context.Context, f trainFlags) (*corpus, error) { return readRows(ctx, a, f) }
	}
	c, err := read(ctx, f)
	if err == nil && f.against != "" {
		err = c.setAgainst(f.against)
	}
	if err == nil {
		err = c.trainable(f.labels)
	}
	return c, err
}

// setAgainst makes two classes of the corpus: all others, and class.
func (c *corpus) setAgainst(class string) error {
	one := slices.Index(c.classes, class)
	if one < 0 {
		return app.Usagef("--one-against-rest %q: the classes are %s", class, strings.Join(c.classes, ", "))
	}
	c.classes = []string{"rest", class}
	for i, k := range c.class {
		c.class[i] = 0
		if k == one {
			c.class[i] = 1
		}
	}
	return nil
}

// classes returns the classes that are told apart, as taskClasses does.
func (f trainFlags) classes() ([]string, error) {
	classes, err := taskClasses(f.task)
	if err == nil && classes != nil && f.against != "" {
		return []string{"rest", f.against}, nil
	}
	return classes, err
}

func readPages(ctx context.Context, a *app.App, f trainFlags) (*corpus, error) {
	if len(f.pages) == 0 {
		return nil, app.Usagef("--pages INPUT is needed: what holds the labelled pages")
	}
	if f.task == classify.TaskLayer {
		return readLayers(ctx, a, f)
	}
	return readCorpus(ctx, a, f.task, f.labels, f.pages, f.exclude)
}

// readRows reads the vectors of one file, whose name says its format. A row
// without a group is a group of its own.
func readRows(ctx context.Context, a *app.App, f trainFlags) (*corpus, error) {
	if len(f.labels) != 1 || len(f.pages) > 0 || len(f.exclude) > 0 || len(f.blocks) > 0 {
		return nil, app.Usagef("--task vectors reads one file: --data once, and no --pages, --exclude-type or --features")
	}
	from := dataFlags{missing: "error"}
	if err := from.check(f.labels[0]); err != nil {
		return nil, err
	}
	if texts, err := holdsTexts(a, &from, f.labels[0]); err != nil || texts {
		return nil, cmp.Or(err, app.Usagef("--data %s holds pages or texts, --task vectors reads vectors", f.labels[0]))
	}
	v, err := vectors(a, &from, f.labels[0])
	if err != nil {
		return nil, err
	}
	c := &corpus{task: taskVectors, classes: v.Classes, dims: v.Dims()}
	for n, row := range v.Rows {
		if row.Group == "" {
			row.Group = fmt.Sprintf("row %d", n+1)
		}
		c.rows = append(c.rows, row.X)
		c.class = append(c.class, row.Class)
		c.groups = append(c.groups, row.Group)
	}
	return c, nil
}

// foldsOf puts the examples of each group into one of k folds, classes evenly
// spread.
func (c *corpus) foldsOf(k int, seed uint64) ([]int, error) {
	if c.rows == nil {
		return c.split(k, seed)
	}
	return eval.GroupedFolds(c.class, c.groups, len(c.classes), k, seed)
}

// part returns the corpus of those examples that use selects.
func (c *corpus) part(use func(i int) bool) *corpus {
	p := &corpus{task: c.task, classes: c.classes, digest: c.digest, dims: c.dims, pages: c.pages}
	file, end := 0, 0 // sizes[file] documents end at end
	for i := range c.class {
		for file < len(c.sizes) && i == end {
			end += c.sizes[file]
			p.sizes = append(p.sizes, 0)
			file++
		}
		if !use(i) {
			continue
		}
		if c.rows != nil {
			p.rows = append(p.rows, c.rows[i])
		} else {
			p.docs = append(p.docs, c.docs[i])
			p.labels = append(p.labels, c.labels[i])
			p.sizes[len(p.sizes)-1]++
		}
		if c.pages != nil {
			p.pageOf = append(p.pageOf, c.pageOf[i])
			if i < c.judged {
				p.judged++
			}
		}
		p.class = append(p.class, c.class[i])
		p.groups = append(p.groups, c.groups[i])
	}
	return p
}
