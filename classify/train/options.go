package train

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/datasets/files"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/usage"
	"github.com/eventseer/eventseer/webgraph"
)

// TaskVectors is the task of learning the classes of a file of vectors, without pages.
const TaskVectors = "vectors"

// Options control what is trained, on which data, and by which algorithm.
type Options struct {
	Task      string   // of classify, or TaskVectors
	Algorithm string   // "" for the algorithm of the task's shipped model
	Labels    []string // labels files, or the file of vectors
	Pages     []string // inputs that hold the labelled pages
	Exclude   []string // page types to leave out
	// Corrections is a file of corrections of labels; "" for none. Training uses the corrected labels,
	// figures are measured with the original ones.
	Corrections string
	Targets     string // for task layer: the file of targets from which layers are counted
	Links       string // for task layer: the file of links along which layers are counted
	Against     string // a class to distinguish from all others together; "" for all classes
	Parameters
	Tune time.Duration // time limit of the search for better parameters; 0: no search
}

// An Environment provides training with the functions and streams of its caller.
type Environment struct {
	// ReadPages returns the pages of inputs.
	ReadPages func(ctx context.Context, inputs []string) iter.Seq2[*webgraph.Page, error]
	// Container reports whether an input is a single file with many pages.
	Container func(input string) bool
	// ReadTargets returns the URLs of the targets of the given kinds in a file.
	ReadTargets func(path string, kinds []string) (map[string]bool, error)
	// ReadLinks reads a file of links.
	ReadLinks func(path string) (*contextgraph.Graph, error)
	// Layers returns the reader of documents for the task layer.
	Layers func() (DocumentReader, error)
	Stdin  io.Reader // what "-" names
	// Problems receives the problems of labels files; nil discards them.
	Problems io.Writer
	Now      func() time.Time
	Logf     func(format string, args ...any)
}

// A DocumentReader computes the document of a page for the task layer.
type DocumentReader interface {
	Document(t *tagtree.Tree) *features.Document
}

// prepareTraining returns the recipe of o and the corpus to train on.
func prepareTraining(ctx context.Context, o Options, env Environment) (Recipe, *corpus, error) {
	r, err := o.recipe()
	if err != nil {
		return Recipe{}, nil, err
	}
	c, err := readExamples(ctx, o, env)
	return r, c, err
}

// recipe returns the recipe of o.
func (o Options) recipe() (Recipe, error) {
	if o.Tune < 0 {
		return Recipe{}, usage.Errorf("--tune %v is below 0", o.Tune)
	}
	return NewRecipe(o.Algorithm, o.Task, o.Parameters)
}

// prepareModel is like prepareTraining, but returns an error if the result cannot be stored as a model file.
func prepareModel(ctx context.Context, o Options, env Environment) (Recipe, *corpus, error) {
	r, err := o.recipe()
	switch {
	case err != nil:
		return Recipe{}, nil, err
	case o.Task == TaskVectors:
		return Recipe{}, nil, usage.Errorf("a model file judges pages, so --task vectors works only with eval cv")
	case o.Against != "":
		return Recipe{}, nil, usage.Errorf("a model file holds all classes of its task, so --one-against-rest works only with eval cv")
	case r.Calibration != calibrations[0]:
		return Recipe{}, nil, usage.Errorf("a model file cannot hold %s calibration, which works only with eval cv", r.Calibration)
	}
	c, err := readExamples(ctx, o, env)
	return r, c, err
}

// readExamples reads the corpus that o names and checks that it can be trained on.
func readExamples(ctx context.Context, o Options, env Environment) (*corpus, error) {
	read := readPages
	if o.Task == TaskVectors {
		read = func(_ context.Context, o Options, env Environment) (*corpus, error) { return readRows(o, env) }
	}
	c, err := read(ctx, o, env)
	if err == nil && o.Against != "" {
		err = c.reduceToOneVsRest(o.Against)
	}
	if err == nil {
		err = c.checkTrainable(o.Labels)
	}
	return c, err
}

// reduceToOneVsRest reduces the classes of the corpus to two: "rest" and class.
func (c *corpus) reduceToOneVsRest(class string) error {
	one := slices.Index(c.classes, class)
	if one < 0 {
		return usage.Errorf("--one-against-rest %q: the classes are %s", class, strings.Join(c.classes, ", "))
	}
	c.classes = []string{"rest", class}
	for i, k := range c.class {
		c.class[i] = 0
		if k == one {
			c.class[i] = 1
		}
		if k, ok := c.corrected[i]; ok {
			c.corrected[i] = 0
			if k == one {
				c.corrected[i] = 1
			}
		}
	}
	return nil
}

// ClassNames returns the classes that training with o distinguishes, or an error if the task is unknown.
func (o Options) ClassNames() ([]string, error) {
	classes, err := Classes(o.Task)
	if err == nil && classes != nil && o.Against != "" {
		return []string{"rest", o.Against}, nil
	}
	return classes, err
}

// Classes returns the classes of task. For vectors it returns none, because the file defines them.
func Classes(task string) ([]string, error) {
	if task == TaskVectors {
		return nil, nil
	}
	classes, err := classify.Classes(task)
	if err != nil {
		return nil, usage.Mark(err)
	}
	return classes, nil
}

// readPages reads the pages that o names, without checking that each class has enough examples.
func readPages(ctx context.Context, o Options, env Environment) (*corpus, error) {
	if o.Corrections != "" && o.Task != classify.TaskCFP && o.Task != classify.TaskPageType {
		return nil, usage.Errorf("--corrections: task %s has no corrections of labels, only %s and %s have", o.Task, classify.TaskCFP, classify.TaskPageType)
	}
	if len(o.Pages) == 0 {
		return nil, usage.Errorf("--pages INPUT is needed: the input with the labelled pages")
	}
	if o.Task == classify.TaskLayer {
		return readLayers(ctx, o, env)
	}
	return readCorpus(ctx, o, env)
}

// readRows reads the vectors of one file. The name of the file determines its format. A row without a
// group is a group of its own.
func readRows(o Options, env Environment) (*corpus, error) {
	if len(o.Labels) != 1 || len(o.Pages) > 0 || len(o.Exclude) > 0 || len(o.Blocks) > 0 || o.Corrections != "" {
		return nil, usage.Errorf("--task vectors reads one file: --data once, and no --pages, --exclude-type, --features or --corrections")
	}
	from := files.Source{Missing: "error", Stdin: env.Stdin}
	if err := from.Check(o.Labels[0]); err != nil {
		return nil, err
	}
	if texts, err := from.HoldsTexts(o.Labels[0]); err != nil || texts {
		return nil, cmp.Or(err, usage.Errorf("--data %s holds pages or texts, but --task vectors needs vectors", o.Labels[0]))
	}
	v, err := from.Vectors(o.Labels[0])
	if err != nil {
		return nil, err
	}
	c := &corpus{task: TaskVectors, classes: v.Classes, dims: v.NumComponents()}
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

// assignFolds assigns the examples of each group to one of k folds, with classes evenly spread.
func (c *corpus) assignFolds(k int, seed uint64) ([]int, error) {
	if c.rows == nil {
		return c.splitIntoFolds(k, seed)
	}
	return eval.GroupedFolds(c.class, c.groups, len(c.classes), k, seed)
}

// subset returns a corpus of the examples that use selects.
func (c *corpus) subset(use func(i int) bool) *corpus {
	p := &corpus{task: c.task, classes: c.classes, digest: c.digest, dims: c.dims, pages: c.pages}
	file, end := 0, 0 // sizes[file] documents come from the current file, which ends before index end
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
			if i < c.numJudgedOnly {
				p.numJudgedOnly++
			}
		}
		if k, ok := c.corrected[i]; ok {
			p.setLearntClass(len(p.class), k)
		}
		p.class = append(p.class, c.class[i])
		p.groups = append(p.groups, c.groups[i])
	}
	return p
}
