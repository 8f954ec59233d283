package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/boost"
	"github.com/eventseer/eventseer/classify/centroid"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/classify/nb"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/internal/usage"
)

// An algorithm is a named learner with its default inputs.
type algorithm struct {
	name    string
	about   string
	inputs  func(r *Recipe) // sets features, terms and statistic
	trainer func(s Parameters) classify.Trainer
	cost    float64 // cost of a training error; 0: the algorithm has no such parameter
	alpha   float64 // smoothing; 0: has none
	serial  bool    // only one model can be trained at a time
	stacked bool    // boosted trees judge by the structure and by the learner's decision values on the words
}

// The costs, smoothing and widths of kernels gave good results in grouped cross-validation on the pages
// of the shipped models. Few values were compared.
var algorithms = [...]algorithm{
	{"svm-trees", "boosted trees over the structure and over linear SVMs of squared hinge loss, classes balanced, that read the words", setStackedInputs, linearSVM, 0.1, 0, false, true},
	{"svm", "linear SVM of squared hinge loss, classes balanced", setShippedInputs, linearSVM, 0.25, 0, false, false},
	{"libsvm-linear", "linear C-SVC by libsvm-go, classes balanced", setShippedInputs, librarySVM(classify.LinearKernel), 0.5, 0, true, false},
	{"libsvm-rbf", "C-SVC by libsvm-go, kernel exp(-|x-y|²/20), classes balanced", setShippedInputs, librarySVM(classify.RBFKernel), 1, 0, true, false},
	{"libsvm-poly", "C-SVC by libsvm-go, kernel (x·y/20+1)², classes balanced", setShippedInputs, librarySVM(classify.PolynomialKernel), 1, 0, true, false},
	{"nb-multinomial", "multinomial naive Bayes", setCountedInputs, multinomialNB, 0, 0.1, false, false},
	{"nb-complement", "complement naive Bayes", setCountedInputs, complementNB, 0, 0.1, false, false},
	{"nb-bernoulli", "Bernoulli naive Bayes", setPresenceInputs, bernoulliNB, 0, 0.1, false, false},
	{"nb-diligenti", "the modified naive Bayes of the context-focused crawler (Diligenti et al. 2000)", setThesisInputs, diligentiNB, 0, 0.001, false, false},
	{"thesis-tfidf40-svm", "linear C-SVC of paper 002", setThesisInputs, thesisSVM, 1, 0, false, false},
	{"bs04-ngram40-svm", "linear C-SVC of BS04, as paper 002 describes it", setNgram40Inputs, thesisSVM, 1, 0, false, false},
	{"centroid", "nearest centroid by cosine", setBodyInputs, nearestCentroid, 0, 0, false, false},
}

func linearSVM(s Parameters) classify.Trainer {
	return svm.Linear{C: s.Cost, Loss: svm.SquaredHinge, Balanced: true, Seed: s.Seed}
}

func thesisSVM(s Parameters) classify.Trainer { return svm.Linear{C: s.Cost, Seed: s.Seed} }

func librarySVM(kernel classify.KernelType) func(Parameters) classify.Trainer {
	return func(s Parameters) classify.Trainer {
		return svm.LIBSVM{Kernel: kernel, C: s.Cost, Gamma: 0.05, Coef0: 1, Degree: 2, Balanced: true}
	}
}

func multinomialNB(s Parameters) classify.Trainer { return nb.Multinomial{Alpha: s.Alpha} }
func complementNB(s Parameters) classify.Trainer  { return nb.Complement{Alpha: s.Alpha} }
func bernoulliNB(s Parameters) classify.Trainer   { return nb.Bernoulli{Alpha: s.Alpha} }
func diligentiNB(s Parameters) classify.Trainer   { return nb.Diligenti{Alpha: s.Alpha} }
func nearestCentroid(Parameters) classify.Trainer { return centroid.Trainer{} }

// setShippedInputs sets the inputs of the shipped models.
func setShippedInputs(r *Recipe) {
	r.features, r.Terms = features.DefaultOptions(), 6000
	r.features.MaxTerms = features.MaxVocabulary // not limited here: the best terms are selected by class
	switch r.task {
	case classify.TaskPageType:
		r.features.Blocks = append(r.features.Blocks, features.Menu)
		r.Terms = 1000
	case classify.TaskDiscipline:
		setDisciplineInputs(r)
	case classify.TaskLink:
		r.features.Blocks, r.Terms = slices.Clone(linkBlocks), 300
	case classify.TaskLayer:
		r.features.Blocks, r.Terms = slices.Clone(layerBlocks), 300
	}
}

// callPassages are the lengths, in words, of the passages that are searched for calls. A call may be a
// part of a home page or a page of news, see models/cfp.md.
var callPassages = [...]int{60, 150, 300}

// callForests is the number of forests whose mean judges calls. Over seeds 1 to 3 the F1 of calls on web
// pages is 0.886 with one forest and 0.891 with the mean of four, see doc/decisions/056.
const callForests = 4

// setStackedInputs sets single stems and the structure as inputs. Phrases are not needed, because cues of
// the structure contain them.
func setStackedInputs(r *Recipe) {
	setShippedInputs(r)
	r.Terms = min(r.Terms, 3000)
	r.features.NGrams = 1
	if r.task != classify.TaskLink && r.task != classify.TaskLayer {
		r.features.Blocks = []string{features.Body, features.Title, features.Headings, features.URL, features.Menu, features.Structure}
	}
	if r.task == classify.TaskCFP {
		r.passages = slices.Clone(callPassages[:])
	}
}

// setCountedInputs sets the shipped inputs without the dense block, which is not made of words. Counts are
// weighted as by Rennie et al. 2003, which gives an F1 of 0.76 on calls; raw counts give 0.66. Rows of
// numbers are used unchanged.
func setCountedInputs(r *Recipe) {
	setShippedInputs(r)
	r.features.Normalize = r.task != TaskVectors
	r.features.Blocks = withoutName(r.features.Blocks, r.denseBlock())
}

// setPresenceInputs sets inputs for models of present and absent terms.
func setPresenceInputs(r *Recipe) {
	setCountedInputs(r)
	r.features.Weights, r.features.Normalize = features.Binary, false
	r.Terms = 100
	r.Statistic = classify.InformationGain.String()
}

// setBodyInputs sets a single block of unit length, so that the decision value of a centroid is a cosine.
func setBodyInputs(r *Recipe) {
	setShippedInputs(r)
	r.features.Blocks, r.features.NGrams = []string{features.Body}, 1
}

// setThesisInputs sets the inputs of paper 002, section 3.1, scaled to unit length.
func setThesisInputs(r *Recipe) {
	r.features, r.Terms = features.ThesisOptions(), 0
	r.features.Normalize = true
}

// setNgram40Inputs sets a vocabulary of forty n-grams. Paper 002 does not say how they were chosen there
// (BS04); here they are those with the highest information gain.
func setNgram40Inputs(r *Recipe) {
	r.features = features.Options{Blocks: []string{features.Body}, Weights: features.Binary, MinDocs: 3, MaxTerms: features.MaxVocabulary, NGrams: 3, Normalize: true}
	r.Terms, r.Statistic = 40, classify.InformationGain.String()
}

func withoutName(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

// Parameters are the settings of an algorithm that flags can change. In the argument of NewRecipe, zero
// (for Terms: below zero) keeps the algorithm's default. In a Recipe all values are the ones in use.
type Parameters struct {
	Cost, Alpha float64
	Terms       int      // number of terms selected for each class; 0: all terms
	Statistic   string   // statistic by which terms are selected
	Blocks      []string // +NAME switches a block on, -NAME switches it off
	Calibration string   // one of calibrations
	Seed        uint64   // of learners that draw
}

// A Recipe is an algorithm with all parameters set. It determines how pages become vectors, and which
// trainer learns from them.
type Recipe struct {
	algorithm algorithm
	task      string
	Parameters
	by        classify.Statistic
	features  features.Options
	reference *features.DocumentFrequencies // nil: use those of the training pages
	passages  []int                         // lengths, in terms, of the passages whose words are judged too
	bySite    bool                          // the pages with the same group and class are summed to one example
	command   string                        // the command that made the model, see commandLine
}

// defaultAlgorithm returns the algorithm of the task's shipped model.
func defaultAlgorithm(task string) string {
	switch task {
	case classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer:
		return "svm-trees"
	case classify.TaskTopic:
		return "centroid"
	}
	return "svm"
}

// NewRecipe returns the recipe of algorithm algo with the given parameters; "" is the task's default
// algorithm.
func NewRecipe(algo, task string, asked Parameters) (Recipe, error) {
	if algo == "" {
		algo = defaultAlgorithm(task)
	}
	i := slices.IndexFunc(algorithms[:], func(a algorithm) bool { return a.name == algo })
	if i < 0 {
		return Recipe{}, usage.Errorf("unknown algorithm %q, the algorithms are %s", algo, AlgorithmNames())
	}
	a := algorithms[i]
	r := Recipe{algorithm: a, task: task, Parameters: Parameters{
		Cost: a.cost, Alpha: a.alpha, Statistic: classify.ChiSquared.String(), Calibration: calibrations[0], Seed: asked.Seed,
	}}
	a.inputs(&r)
	if err := r.applyParameters(asked); err != nil {
		return Recipe{}, err
	}
	if dense := r.denseBlock(); a.stacked && !slices.Contains(r.features.Blocks, dense) {
		return Recipe{}, usage.Errorf("--features: the trees of %s need the block %s; use --algo svm to do without it", a.name, dense)
	}
	if r.features.Reference {
		newsgroups, err := datasets.Newsgroups()
		if err != nil {
			return Recipe{}, err
		}
		r.reference = newsgroups
	}
	return r, nil
}

// Name returns the name of the recipe's algorithm.
func (r Recipe) Name() string { return r.algorithm.name }

// learner returns the trainer for the examples that v makes.
func (r Recipe) learner(v view) classify.Trainer {
	trainer := r.algorithm.trainer(r.Parameters)
	if pages, ok := v.(pageView); ok && r.algorithm.stacked {
		return boost.Stack{Base: trainer, From: pages.Terms(), Inputs: pages.Size(), Passages: pages.NumPassageLengths(), Trees: r.boostOptions(), Split: eval.GroupedFolds}
	}
	if r.task == classify.TaskLayer && r.features.Reference {
		return contextgraph.RejectionTrainer{Layers: trainer} // as the papers' crawlers
	}
	return trainer
}

// requiredComponents returns the number of components without which the recipe cannot train. These are the words if
// boosted trees read their decision values, otherwise all components of v.
func (r Recipe) requiredComponents(v view) int {
	if pages, ok := v.(pageView); ok && r.algorithm.stacked {
		return pages.Terms()
	}
	return v.Size()
}

// applyParameters replaces the recipe's parameters by those that are set in asked.
func (r *Recipe) applyParameters(asked Parameters) (err error) {
	for _, p := range []struct {
		flag       string
		asked, own float64
		used       *float64
	}{{"cost", asked.Cost, r.algorithm.cost, &r.Cost}, {"alpha", asked.Alpha, r.algorithm.alpha, &r.Alpha}} {
		switch {
		case p.asked == 0:
		case p.own == 0:
			return usage.Errorf("--%s: algorithm %s has no such option", p.flag, r.algorithm.name)
		case !(p.asked > 0) || math.IsInf(p.asked, 0):
			return usage.Errorf("--%s %v is not above 0", p.flag, p.asked)
		default:
			*p.used = p.asked
		}
	}
	switch {
	case asked.Terms < -1: // -1 is the default
		return usage.Errorf("--terms %d is below 0", asked.Terms)
	case asked.Terms >= 0:
		r.Terms = asked.Terms
	}
	if asked.Statistic != "" {
		r.Statistic = asked.Statistic
	}
	if r.by, err = classify.ParseStatistic(r.Statistic); err != nil {
		return usage.Mark(err)
	}
	if asked.Calibration != "" {
		r.Calibration = asked.Calibration
	}
	if !slices.Contains(calibrations[:], r.Calibration) {
		return usage.Errorf("--calibrate %q: the methods are %s", r.Calibration, strings.Join(calibrations[:], ", "))
	}
	return r.switchBlocks(asked.Blocks)
}

// switchBlocks applies +NAME and -NAME to the recipe's blocks. It records the switches that change
// something.
func (r *Recipe) switchBlocks(asked []string) error {
	usual := slices.Clone(r.features.Blocks)
	for _, s := range asked {
		name := strings.TrimLeft(s, "+-")
		if len(name) != len(s)-1 || !slices.Contains(r.blockNames(), name) {
			return usage.Errorf("--features %q is not a block with + or - before it; the blocks are %s", s, strings.Join(r.blockNames(), ", "))
		}
		switch reads := slices.Contains(r.features.Blocks, name); {
		case s[0] == '+' && !reads:
			r.features.Blocks = append(r.features.Blocks, name)
		case s[0] == '-':
			r.features.Blocks = withoutName(r.features.Blocks, name)
		}
	}
	if len(r.features.Blocks) == 0 {
		return usage.Errorf("--features %s leaves no block to read", strings.Join(asked, ","))
	}
	for _, name := range r.blockNames() {
		switch was, is := slices.Contains(usual, name), slices.Contains(r.features.Blocks, name); {
		case is && !was:
			r.Blocks = append(r.Blocks, "+"+name)
		case was && !is:
			r.Blocks = append(r.Blocks, "-"+name)
		}
	}
	return nil
}

// flags returns the parameters as flags from which the recipe can be reproduced.
func (r Recipe) flags() string {
	var flags []string
	if r.Cost > 0 {
		flags = append(flags, fmt.Sprintf("--cost %g", r.Cost))
	}
	if r.Alpha > 0 {
		flags = append(flags, fmt.Sprintf("--alpha %g", r.Alpha))
	}
	flags = append(flags, fmt.Sprintf("--terms %d", r.Terms))
	if r.Terms > 0 {
		flags = append(flags, "--select "+r.Statistic)
	}
	if len(r.Blocks) > 0 {
		flags = append(flags, "--features "+strings.Join(r.Blocks, ","))
	}
	if r.Calibration != calibrations[0] {
		flags = append(flags, "--calibrate "+r.Calibration)
	}
	return strings.Join(flags, " ")
}

// options returns a complete description of the recipe for readers.
func (r Recipe) options() string {
	words := [...]string{"stems", "stems", "single stems and pairs", "one to three stems"}[r.features.NGrams]
	weights := r.features.Weights.String()
	if r.features.Keep > 0 {
		weights = fmt.Sprintf("the %d highest %s values", r.features.Keep, weights)
	}
	if r.features.Reference {
		words += ", document frequencies of 20 Newsgroups"
	}
	blocks := strings.Join(r.features.Blocks, ", ")
	if r.Terms > 0 {
		blocks += fmt.Sprintf("; the best %d terms of each class by %s", r.Terms, r.Statistic)
	}
	if len(r.passages) > 0 {
		blocks += fmt.Sprintf("; the words of passages of %s terms, which overlap by half, are judged too", strings.Trim(fmt.Sprint(r.passages), "[]"))
	}
	if n := r.boostOptions().Forests; r.algorithm.stacked && n > 1 {
		blocks += fmt.Sprintf("; the mean of %d forests", n)
	}
	if r.bySite {
		blocks += "; the pages of a site are one example"
	}
	if r.task == classify.TaskDiscipline {
		blocks += ", lists of topics are others"
	}
	return fmt.Sprintf("%s; %s of %s in %s; %s", r.algorithm.about, weights, words, blocks, r.flags())
}

// AlgorithmNames returns the names of all algorithms, separated by commas.
func AlgorithmNames() string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}

// IsAlgorithm reports whether there is an algorithm with that name.
func IsAlgorithm(name string) bool {
	return slices.ContainsFunc(algorithms[:], func(a algorithm) bool { return a.name == name })
}

// linkBlocks are the blocks in documents of links, see features.ReadLinks.
var linkBlocks = []string{features.Anchors, features.Body, features.Headings, features.URL, features.Link}

// layerBlocks are the blocks for the task layer: words of the page, and outputs of other models.
var layerBlocks = []string{features.Body, features.Title, features.Headings, features.URL, features.Menu, features.Context}

// blockNames returns the blocks in the documents of the task.
func (r *Recipe) blockNames() []string {
	switch r.task {
	case classify.TaskLink:
		return linkBlocks
	case classify.TaskLayer:
		return append(features.BlockNames(), features.Context)
	}
	return features.BlockNames()
}

// denseBlock returns the block of the task's documents that is not made of words.
func (r *Recipe) denseBlock() string {
	switch r.task {
	case classify.TaskLink:
		return features.Link
	case classify.TaskLayer:
		return features.Context
	}
	return features.Structure
}

// boostOptions returns the options of the boosted trees. For layers, which have few dense features and noisy
// class boundaries, fewer and smaller trees are as accurate and take a third of the bytes.
func (r *Recipe) boostOptions() boost.Options {
	o := boost.Options{Seed: r.Seed}
	if r.task == classify.TaskCFP {
		o.Forests = callForests
	}
	if r.task == classify.TaskLayer {
		o.Rounds, o.Leaves, o.Columns = 150, 8, 0.3
	}
	return o
}
