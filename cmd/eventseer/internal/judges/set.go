package judges

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/registry"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/strategy/external"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
)

// The kinds of models.
const (
	Own         = "own"          // those of the data directory, and the shipped ones for other tasks
	Shipped     = "shipped"      // those of the program
	CrossFitted = "cross-fitted" // those of the program, trained without the host of the page
)

// A PageJudge returns the judge of a page: one for all, or that of its fold.
type PageJudge interface {
	For(pageURL string) *classify.Judge
}

// A Set is the models of a command. The zero Set is the shipped ones.
type Set struct {
	crossFitted bool
	replaced    map[string]replacement // by task
	own         bool                   // the models of the data directory are among them
	shadow      *classify.Shadow       // nil: none
}

// A replacement is a model that takes the place of a shipped one.
type replacement struct {
	name string // TASK@NUMBER, or task and digest
	path string
	data []byte
}

// CrossFittedSet returns the cross-fitted models.
func CrossFittedSet() Set { return Set{crossFitted: true} }

// SetOfKind returns the set of a kind, without models of the data directory.
func SetOfKind(which string) (Set, error) {
	switch which {
	case Shipped:
		return Set{}, nil
	case CrossFitted:
		return CrossFittedSet(), nil
	}
	return Set{}, app.Usagef("--models %q is neither %s nor %s", which, Shipped, CrossFitted)
}

// Open returns the set of a kind, where "" means Own. The models of the setting model replace those of their
// tasks.
func Open(a *app.App, which string) (s Set, err error) {
	r := OpenRegistry(a)
	if which == "" || which == Own {
		if s, err = inUse(r); err != nil {
			return s, err
		}
	} else if s, err = SetOfKind(which); err != nil {
		return s, app.Usagef("--models %q is neither %s, %s nor %s", which, Own, Shipped, CrossFitted)
	}
	for _, name := range app.SplitList(a.Config.Model) {
		if err := s.replaceByName(r, name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// OpenJudging is Open for a command that only judges pages. It refuses models of other tasks, and models
// together with cross-fitted ones.
func OpenJudging(a *app.App, which string) (Set, error) {
	s, err := Open(a, which)
	if err == nil && s.crossFitted && len(s.replaced) > 0 {
		return s, app.Usagef("--model and --models cross-fitted exclude each other")
	}
	for _, task := range slices.Sorted(maps.Keys(s.replaced)) {
		if task != classify.TaskCFP && task != classify.TaskPageType && err == nil {
			err = fmt.Errorf("%s: %w: it is of task %q, only cfp and page-type models judge pages", s.replaced[task].path, classify.ErrIncompatible, task)
		}
	}
	return s, err
}

// OpenJudge returns the judge of pages of the set that OpenJudging returns.
func OpenJudge(a *app.App, which string) (PageJudge, error) {
	s, err := OpenJudging(a, which)
	if err != nil {
		return nil, err
	}
	return s.PageJudge()
}

// WithShadow returns the set with the shadow model of the data directory, if its models are in the set.
// The record of the shadow model is complete when the command ends.
func (s Set) WithShadow(a *app.App) (_ Set, err error) {
	if s.own {
		s.shadow, err = openShadow(a, OpenRegistry(a))
	}
	return s, err
}

// OpenRegistry returns the registry of the data directory.
func OpenRegistry(a *app.App) *registry.Registry {
	return registry.New(filepath.Join(a.Config.Data, app.ModelsDir), checkModel, a.Now)
}

// inUse returns the models in use in a registry. The model of pairs belongs to the store, which reads
// it itself.
func inUse(r *registry.Registry) (Set, error) {
	s := Set{own: true, replaced: map[string]replacement{}}
	for _, task := range slices.Concat(pageTasks, recordTasks) {
		path := r.FileInUse(task)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = checkModel(task, data)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w; `eventseer model rollback %s` or `eventseer model use %s` replaces it", path, err, task, task)
		}
		v, err := r.InUse(task)
		if err != nil {
			return s, err
		}
		s.replaceBy(task, v, path, data)
	}
	return s, nil
}

func (s *Set) replaceBy(task string, v registry.Version, path string, data []byte) {
	name := v.Name()
	if v.Number == 0 {
		name = fmt.Sprintf("%s %.12s", task, hashOf(data))
	}
	if s.replaced == nil {
		s.replaced = map[string]replacement{}
	}
	s.replaced[task] = replacement{name, path, data}
}

// replaceByName replaces the model of a task by the model that is named. The name is that of a stored
// version, a file, or a shipped model.
func (s *Set) replaceByName(r *registry.Registry, name string) error {
	if task, number, ok := registry.ParseName(name); ok && number > 0 {
		v, err := r.Find(name)
		if err != nil {
			return unknownModelError(name, err)
		}
		data, err := r.Read(v)
		if err != nil {
			return err
		}
		s.replaceBy(task, v, r.Path(v), data)
		return nil
	} else if ok {
		name = task
	}
	data, err := os.ReadFile(name)
	if isPossiblyShipped(name, err) && slices.Contains(slices.Concat(pageTasks, recordTasks), name) {
		delete(s.replaced, name)
		return nil
	}
	if err != nil {
		return unknownModelError(name, err)
	}
	meta, err := classify.ReadMeta(data)
	if err == nil {
		err = checkModel(meta.Task, data)
	}
	if err == nil && meta.Task == pairTask {
		err = fmt.Errorf("%w: a model of task %s is part of the store: `eventseer model use %s` puts it in use", classify.ErrIncompatible, meta.Task, name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.replaceBy(meta.Task, registry.Version{}, name, data)
	return nil
}

// String describes the set: its kind, and the models that replace shipped ones.
func (s Set) String() string {
	kind := Shipped
	if s.crossFitted {
		kind = CrossFitted
	}
	var names []string
	for _, task := range slices.Sorted(maps.Keys(s.replaced)) {
		names = append(names, s.replaced[task].name)
	}
	if len(names) > 0 {
		kind += " with " + strings.Join(names, ", ")
	}
	return kind
}

// Files returns the files of the models that replace shipped ones, by their SHA-256.
func (s Set) Files() map[string]string {
	files := map[string]string{}
	for _, m := range s.replaced {
		files[hashOf(m.data)] = m.path
	}
	return files
}

// Hashes returns the SHA-256 of every model file of the set, except that of a topic.
func (s Set) Hashes() (map[string]string, error) {
	hashes := map[string]string{}
	err := fs.WalkDir(models.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == DisciplineFile || strings.HasSuffix(path, ".md") || strings.Contains(path, "/") && !s.crossFitted {
			return err
		}
		data, err := fs.ReadFile(models.Files(), path)
		hashes[path] = hashOf(data)
		return err
	})
	for task, m := range s.replaced {
		hashes[task+".model"] = hashOf(m.data)
	}
	return hashes, err
}

// Disciplines returns the model of disciplines and its SHA-256.
func (s Set) Disciplines() (m *classify.Model, hash string, err error) {
	data := s.replaced[classify.TaskDiscipline].data
	if data == nil {
		if data, err = fs.ReadFile(models.Files(), DisciplineFile); err != nil {
			return nil, "", err
		}
	}
	m, err = readPageModel(classify.TaskDiscipline, data)
	return m, hashOf(data), err
}

// DisciplineFile is the shipped model whose classes are the named topics.
const DisciplineFile = classify.TaskDiscipline + ".model"

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// PageJudge returns the judge of pages.
func (s Set) PageJudge() (PageJudge, error) {
	full, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		return nil, err
	}
	var base PageJudge = full
	if s.crossFitted {
		if base, err = classify.ReadCrossFitted(models.Files(), "crossfit", full); err != nil {
			return nil, err
		}
	}
	j := mixedJudge{base: base, shadow: s.shadow}
	if j.cfp, err = s.replacement(classify.TaskCFP); err != nil {
		return nil, err
	}
	if j.pageType, err = s.replacement(classify.TaskPageType); err != nil {
		return nil, err
	}
	switch {
	case j.cfp == nil && j.pageType == nil && j.shadow == nil:
		return base, nil
	case s.crossFitted:
		return j, nil
	}
	return j.For(""), nil
}

// replacement returns the model that replaces the shipped one of a task, nil if none does.
func (s Set) replacement(task string) (*classify.Model, error) {
	m, ok := s.replaced[task]
	if !ok {
		return nil, nil
	}
	return readPageModel(task, m.data)
}

// A mixedJudge replaces models of the judge of a page.
type mixedJudge struct {
	base          PageJudge
	cfp, pageType *classify.Model  // nil: that of base
	shadow        *classify.Shadow // nil: none
}

// For implements PageJudge.
func (m mixedJudge) For(pageURL string) *classify.Judge {
	j := m.base.For(pageURL)
	cfp, pageType := j.CFP(), j.PageType()
	if m.cfp != nil {
		cfp = m.cfp
	}
	if m.pageType != nil {
		pageType = m.pageType
	}
	mixed, err := classify.NewJudge(cfp, pageType)
	if err != nil {
		panic(err) // tasks and classes were checked by checkModel
	}
	return mixed.WithShadow(m.shadow)
}

// layerFolds is the folder of the cross-fitted layer models, whose folds are by hosts of the frozen
// web.
const layerFolds = "crossfit/layer"

// CrossFittedTasks are the tasks whose shipped models are cross-fitted.
var CrossFittedTasks = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer}

// Folded returns the models of a task.
func (s Set) Folded(task string) (*classify.Folded[*classify.Model], error) {
	m, err := s.Model(task)
	if err != nil {
		return nil, err
	}
	if _, ok := s.replaced[task]; ok || !s.crossFitted {
		return classify.NewFolded(m), nil
	}
	dir := "crossfit"
	if task == classify.TaskLayer {
		dir = layerFolds
	}
	return classify.ReadFolded(models.Files(), dir, m)
}

// Model returns the model of a task, not cross-fitted.
func (s Set) Model(task string) (*classify.Model, error) {
	m, err := s.replacement(task)
	if m != nil || err != nil {
		return m, err
	}
	return ShippedModel(task)
}

// Layers returns the layer model around a judge and the link model.
func (s Set) Layers(judge PageJudge) (*contextgraph.LayerModels, error) {
	links, err := s.Folded(classify.TaskLink)
	if err != nil {
		return nil, err
	}
	layers, err := s.Folded(classify.TaskLayer)
	if err != nil {
		return nil, err
	}
	return contextgraph.NewLayerModels(judge, links, layers)
}

// Links returns the link model.
func (s Set) Links() (strategy.LinkModel, error) {
	m, err := s.Folded(classify.TaskLink)
	if err != nil {
		return nil, fmt.Errorf("link model: %w", err)
	}
	return strategy.NewLinkModel(m)
}

// RecordModels returns the model files that replace shipped ones of the extractor, nil if none does.
func (s Set) RecordModels() fs.FS {
	files := fileSet{}
	for _, task := range recordTasks {
		if m, ok := s.replaced[task]; ok {
			files[task+".model"] = m.data
		}
	}
	if len(files) == 0 {
		return nil
	}
	return files
}

// A ReachReader computes the features of pages by which their layers are recognised.
type ReachReader struct {
	judge PageJudge
	links *classify.Folded[*classify.Model]
}

// Document reads the document of a page.
func (r ReachReader) Document(t *tagtree.Tree) *features.Document {
	d := features.Read(t)
	return contextgraph.WithReach(d, t, r.judge.For(t.Page.URL).JudgeDocument(d), r.links.For(t.Page.URL))
}

// ReachReader returns a reader with the models of the set.
func (s Set) ReachReader() (ReachReader, error) {
	judge, err := s.PageJudge()
	if err != nil {
		return ReachReader{}, err
	}
	links, err := s.Folded(classify.TaskLink)
	return ReachReader{judge, links}, err
}

// SplitStrategy splits STRATEGY@MODEL+MODEL of a laboratory into the strategy and its models, in the form
// of the setting model. A strategy that is a program has no models of ours.
func SplitStrategy(spec string) (name, models string) {
	if strings.HasPrefix(spec, external.Prefix) {
		return spec, ""
	}
	name, models, _ = strings.Cut(spec, "@")
	return name, strings.ReplaceAll(models, "+", ",")
}

// StrategyName returns the name of the folder of a strategy: the strategy, and of each model the name
// of its file.
func StrategyName(spec string) string {
	name, models := SplitStrategy(spec)
	name = external.NameOf(name)
	for i, model := range app.SplitList(models) {
		name += string("@+"[min(i, 1)]) + filepath.Base(model)
	}
	return name
}
