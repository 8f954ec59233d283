package classify

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Judgement is the result of the models for one page.
type Judgement struct {
	// CFPScore is the probability that the page is a call for papers.
	CFPScore float64
	// IsCFP means that CFPScore reaches the model's threshold.
	IsCFP bool
	// PageType is the likeliest page type.
	PageType string
	// PageTypeScores holds a probability for each page type; they sum to 1.
	PageTypeScores map[string]float64
	// InContext means that the other pages of the host were used, see HostContext.
	InContext bool
}

// A Judge applies a CFP model and a page-type model to pages. It is safe for
// concurrent use.
type Judge struct {
	cfp, pageType *Model
	shadow        *Shadow // nil: none
}

// NewJudge returns a judge made of a model with task cfp and one with task page-type.
func NewJudge(cfp, pageType *Model) (*Judge, error) {
	for _, need := range []struct {
		model *Model
		task  string
	}{{cfp, TaskCFP}, {pageType, TaskPageType}} {
		if need.model.Task != need.task {
			return nil, fmt.Errorf("judge: a model of task %q is given, one of task %q is needed", need.model.Task, need.task)
		}
		classes, err := Classes(need.task)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(need.model.Classes, classes) {
			return nil, fmt.Errorf("judge: the classes of the %s model are %q, not %q", need.task, need.model.Classes, classes)
		}
	}
	return &Judge{cfp: cfp, pageType: pageType}, nil
}

// CFP and PageType return the models the judge applies.
func (j *Judge) CFP() *Model      { return j.cfp }
func (j *Judge) PageType() *Model { return j.pageType }

// JudgePage judges one page. If the models know no term of the page (see Model.Scores), it is not a call for
// papers and has type other.
func (j *Judge) JudgePage(t *tagtree.Tree) Judgement {
	d := features.Read(t)
	if j.shadow != nil {
		return j.shadow.judgePage(j, t.Page.URL, d)
	}
	return j.JudgeDocument(d)
}

// WithShadow returns a judge that judges as j does and has a shadow model judge the pages of Page too.
func (j *Judge) WithShadow(s *Shadow) *Judge { return &Judge{j.cfp, j.pageType, s} }

// For returns j, because a Judge judges the pages of all hosts alike. Compare Folded.For.
func (j *Judge) For(string) *Judge { return j }

// JudgeDocument is like JudgePage for a page whose features have already been computed.
func (j *Judge) JudgeDocument(d *features.Document) Judgement {
	cfp := j.cfp.Scores(d)
	types := j.pageType.Scores(d)
	judgement := Judgement{
		CFPScore:       cfp[1],
		IsCFP:          j.cfp.Class(cfp) == 1,
		PageType:       j.pageType.Classes[j.pageType.Class(types)],
		PageTypeScores: make(map[string]float64, len(types)),
	}
	for k, class := range j.pageType.Classes {
		judgement.PageTypeScores[class] = types[k]
	}
	return judgement
}

// File names below a folder of models.
const (
	cfpFile      = TaskCFP + ".model"
	pageTypeFile = TaskPageType + ".model"
	foldsFile    = "folds"
)

// ReadJudge reads cfp.model and page-type.model from the folder dir of fsys; "." is its root.
func ReadJudge(fsys fs.FS, dir string) (*Judge, error) {
	cfp, err := readModelFile(fsys, path.Join(dir, cfpFile))
	if err != nil {
		return nil, err
	}
	pageType, err := readModelFile(fsys, path.Join(dir, pageTypeFile))
	if err != nil {
		return nil, err
	}
	return NewJudge(cfp, pageType)
}

func readModelFile(fsys fs.FS, name string) (*Model, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	m, err := ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
