package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/classify/boost"
	"eventseer/classify/centroid"
	"eventseer/classify/eval"
	"eventseer/classify/nb"
	"eventseer/classify/svm"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"
	"eventseer/datasets"
	"eventseer/features"
)

// An algorithm is a learner by name, with the features it learns from.
type algorithm struct {
	name    string
	about   string
	inputs  func(r *recipe) // sets features, terms and statistic
	trainer func(s parameters) classify.Trainer
	cost    float64 // of a training error; 0: has none
	alpha   float64 // smoothing; 0: has none
	serial  bool    // trains one model at a time
	stacked bool    // trees judge by what the learner says of the words, and by the structure
}

// Costs and smoothing did well, of a few tried, in grouped cross-validation on the
// pages the shipped models are made from, as is the width of the kernels.
var algorithms = [...]algorithm{
	{"svm-trees", "boosted trees over the structure and over linear SVMs of squared hinge loss, classes balanced, that read the words", stackedInputs, linearSVM, 0.1, 0, false, true},
	{"svm", "linear SVM of squared hinge loss, classes balanced", shippedInputs, linearSVM, 0.25, 0, false, false},
	{"libsvm-linear", "linear C-SVC by libsvm-go, classes balanced", shippedInputs, librarySVM(classify.LinearKernel), 0.5, 0, true, false},
	{"libsvm-rbf", "C-SVC by libsvm-go, kernel exp(-|x-y|²/20), classes balanced", shippedInputs, librarySVM(classify.RBFKernel), 1, 0, true, false},
	{"libsvm-poly", "C-SVC by libsvm-go, kernel (x·y/20+1)², classes balanced", shippedInputs, librarySVM(classify.PolynomialKernel), 1, 0, true, false},
	{"nb-multinomial", "multinomial naive Bayes", countedInputs, multinomialNB, 0, 0.1, false, false},
	{"nb-complement", "complement naive Bayes", countedInputs, complementNB, 0, 0.1, false, false},
	{"nb-bernoulli", "Bernoulli naive Bayes", presenceInputs, bernoulliNB, 0, 0.1, false, false},
	{"nb-diligenti", "the modified naive Bayes of the context-focused crawler (Diligenti et al. 2000)", thesisInputs, diligentiNB, 0, 0.001, false, false},
	{"thesis-tfidf40-svm", "linear C-SVC of paper 002", thesisInputs, thesisSVM, 1, 0, false, false},
	{"bs04-ngram40-svm", "linear C-SVC of BS04, as paper 002 describes it", ngram40Inputs, thesisSVM, 1, 0, false, false},
	{"centroid", "nearest centroid by cosine", bodyInputs, nearestCentroid, 0, 0, false, false},
}

func linearSVM(s parameters) classify.Trainer {
	return svm.Linear{C: s.cost, Loss: svm.SquaredHinge, Balanced: true, Seed: s.seed}
}

func thesisSVM(s parameters) classify.Trainer { return svm.Linear{C: s.cost, Seed: s.seed} }

func librarySVM(kernel classify.KernelType) func(parameters) classify.Trainer {
	return func(s parameters) classify.Trainer {
		return svm.LIBSVM{Kernel: kernel, C: s.cost, Gamma: 0.05, Coef0: 1, Degree: 2, Balanced: true}
	}
}

func multinomialNB(s parameters) classify.Trainer { return nb.Multinomial{Alpha: s.alpha} }
func complementNB(s parameters) classify.Trainer  { return nb.Complement{Alpha: s.alpha} }
func bernoulliNB(s parameters) classify.Trainer   { return nb.Bernoulli{Alpha: s.alpha} }
func diligentiNB(s parameters) classify.Trainer   { return nb.Diligenti{Alpha: s.alpha} }
func nearestCentroid(parameters) classify.Trainer { return centroid.Trainer{} }

// shippedInputs are those of the shipped models.
func shippedInputs(r *recipe) {
	r.features, r.terms = features.Default(), 6000
	r.features.MaxTerms = features.MaxVocabulary // the best are chosen by class
	switch r.task {
	case classify.TaskPageType:
		r.features.Blocks = append(r.features.Blocks, features.Menu)
		r.terms = 1000
	case classify.TaskDiscipline:
		disciplineInputs(r)
	case classify.TaskLink:
		r.features.Blocks, r.terms = slices.Clone(linkBlocks), 300
	case classify.TaskLayer:
		r.features.Blocks, r.terms = slices.Clone(layerBlocks), 300
	}
}

// stackedInputs are single stems, for phrases are among the cues of the structure.
func stackedInputs(r *recipe) {
	shippedInputs(r)
	r.terms = min(r.terms, 3000)
	r.features.NGrams = 1
	if r.task != classify.TaskLink && r.task != classify.TaskLayer {
		r.features.Blocks = []string{features.Body, features.Title, features.Headings, features.URL, features.Menu, features.Structure}
	}
}

// countedInputs are the shipped ones but for the structure, which is no words.
// Counts are weighed as Rennie et al. 2003 do, which gives an F1 of .76 on calls
// where raw counts give .66. Rows of numbers stay as they are.
func countedInputs(r *recipe) {
	shippedInputs(r)
	r.features.Normalize = r.task != taskVectors
	r.features.Blocks = without(r.features.Blocks, r.denseBlock())
}

// presenceInputs are for a model of present and absent terms.
func presenceInputs(r *recipe) {
	countedInputs(r)
	r.features.Weights, r.features.Normalize = features.Binary, false
	r.terms = 100
	r.statistic = classify.InformationGain.String()
}

// bodyInputs are one block of unit length, so that a decision value of a
// centroid is a cosine.
func bodyInputs(r *recipe) {
	shippedInputs(r)
	r.features.Blocks, r.features.NGrams = []string{features.Body}, 1
}

// thesisInputs are those of paper 002, section 3.1, scaled to unit length.
func thesisInputs(r *recipe) {
	r.features, r.terms = features.Thesis(), 0
	r.features.Normalize = true
}

// ngram40Inputs are a vocabulary of forty n-grams. Paper 002 does not say how
// BS04 chose them: here they tell most of the class.
func ngram40Inputs(r *recipe) {
	r.features = features.Options{Blocks: []string{features.Body}, Weights: features.Binary, MinDocs: 3, MaxTerms: features.MaxVocabulary, NGrams: 3, Normalize: true}
	r.terms, r.statistic = 40, classify.InformationGain.String()
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

// parameters are what flags may change of an algorithm. What is zero, or below
// zero for terms, stays as the algorithm has it; in a recipe all are in force.
type parameters struct {
	cost, alpha float64
	terms       int      // chosen for each class; 0 keeps all
	statistic   string   // by which terms are chosen
	blocks      []string // +NAME and -NAME switch a block on and off
	calibration string   // one of calibrations
	seed        uint64   // of learners that draw
}

// A recipe is an algorithm with everything set: what becomes of a page, and
// what learns from it.
type recipe struct {
	algorithm algorithm
	task      string
	parameters
	by        classify.Statistic
	features  features.Options
	reference *features.DocumentFrequencies // nil: those of the training pages
	bySite    bool                          // the pages of a group and class are one example
	command   string                        // that made it, see trainCommand
}

// defaultAlgorithm is what the shipped model of the task is made by.
func defaultAlgorithm(task string) string {
	switch task {
	case classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer:
		return "svm-trees"
	case classify.TaskTopic:
		return "centroid"
	}
	return "svm"
}

// newRecipe returns the recipe of an algorithm, "" for the task's default, with
// what is asked for changed.
func newRecipe(algo, task string, asked parameters) (recipe, error) {
	if algo == "" {
		algo = defaultAlgorithm(task)
	}
	i := slices.IndexFunc(algorithms[:], func(a algorithm) bool { return a.name == algo })
	if i < 0 {
		return recipe{}, app.Usagef("unknown algorithm %q, the algorithms are %s", algo, algorithmNames())
	}
	a := algorithms[i]
	r := recipe{algorithm: a, task: task, parameters: parameters{
		cost: a.cost, alpha: a.alpha, statistic: classify.ChiSquared.String(), calibration: calibrations[0], seed: asked.seed,
	}}
	a.inputs(&r)
	if err := r.apply(asked); err != nil {
		return recipe{}, err
	}
	if dense := r.denseBlock(); a.stacked && !slices.Contains(r.features.Blocks, dense) {
		return recipe{}, app.Usagef("--features: the trees of %s read the block %s; --algo svm does without", a.name, dense)
	}
	if r.features.Reference {
		newsgroups, err := datasets.Newsgroups()
		if err != nil {
			return recipe{}, err
		}
		r.reference = newsgroups
	}
	return r, nil
}

// learner returns what learns from the examples that v makes.
func (r recipe) learner(v view) classify.Trainer {
	trainer := r.algorithm.trainer(r.parameters)
	if pages, ok := v.(pageView); ok && r.algorithm.stacked {
		return boost.Stack{Base: trainer, From: pages.Terms(), Inputs: pages.Size(), Trees: r.trees(), Split: eval.GroupedFolds}
	}
	if r.task == classify.TaskLayer && r.features.Reference {
		return contextgraph.Rejecting{Layers: trainer} // as the papers' crawlers
	}
	return trainer
}

// words returns how many components of v the recipe cannot do without: those
// that are words, where the structure is for trees that read the words first.
func (r recipe) words(v view) int {
	if pages, ok := v.(pageView); ok && r.algorithm.stacked {
		return pages.Terms()
	}
	return v.Size()
}

// apply changes the recipe as asked.
func (r *recipe) apply(asked parameters) (err error) {
	for _, p := range []struct {
		flag       string
		asked, own float64
		used       *float64
	}{{"cost", asked.cost, r.algorithm.cost, &r.cost}, {"alpha", asked.alpha, r.algorithm.alpha, &r.alpha}} {
		switch {
		case p.asked == 0:
		case p.own == 0:
			return app.Usagef("--%s: algorithm %s has none", p.flag, r.algorithm.name)
		case !(p.asked > 0) || math.IsInf(p.asked, 0):
			return app.Usagef("--%s %v is not above 0", p.flag, p.asked)
		default:
			*p.used = p.asked
		}
	}
	switch {
	case asked.terms < -1: // -1 is the default
		return app.Usagef("--terms %d is below 0", asked.terms)
	case asked.terms >= 0:
		r.terms = asked.terms
	}
	if asked.statistic != "" {
		r.statistic = asked.statistic
	}
	if r.by, err = classify.ParseStatistic(r.statistic); err != nil {
		return app.Usage(err)
	}
	if asked.calibration != "" {
		r.calibration = asked.calibration
	}
	if !slices.Contains(calibrations[:], r.calibration) {
		return app.Usagef("--calibrate %q is none of %s", r.calibration, strings.Join(calibrations[:], ", "))
	}
	return r.switchBlocks(asked.blocks)
}

// switchBlocks applies +NAME and -NAME to the blocks that are read, and notes
// those that change something.
func (r *recipe) switchBlocks(asked []string) error {
	usual := slices.Clone(r.features.Blocks)
	for _, s := range asked {
		name := strings.TrimLeft(s, "+-")
		if len(name) != len(s)-1 || !slices.Contains(r.blockNames(), name) {
			return app.Usagef("--features %q is not + or - and a block, the blocks are %s", s, strings.Join(r.blockNames(), ", "))
		}
		switch reads := slices.Contains(r.features.Blocks, name); {
		case s[0] == '+' && !reads:
			r.features.Blocks = append(r.features.Blocks, name)
		case s[0] == '-':
			r.features.Blocks = without(r.features.Blocks, name)
		}
	}
	if len(r.features.Blocks) == 0 {
		return app.Usagef("--features %s leaves no block to read", strings.Join(asked, ","))
	}
	for _, name := range r.blockNames() {
		switch was, is := slices.Contains(usual, name), slices.Contains(r.features.Blocks, name); {
		case is && !was:
			r.blocks = append(r.blocks, "+"+name)
		case was && !is:
			r.blocks = append(r.blocks, "-"+name)
		}
	}
	return nil
}

// flags are the parameters as flags: with them, the recipe can be had again.
func (r recipe) flags() string {
	var flags []string
	if r.cost > 0 {
		flags = append(flags, fmt.Sprintf("--cost %g", r.cost))
	}
	if r.alpha > 0 {
		flags = append(flags, fmt.Sprintf("--alpha %g", r.alpha))
	}
	flags = append(flags, fmt.Sprintf("--terms %d", r.terms))
	if r.terms > 0 {
		flags = append(flags, "--select "+r.statistic)
	}
	if len(r.blocks) > 0 {
		flags = append(flags, "--features "+strings.Join(r.blocks, ","))
	}
	if r.calibration != calibrations[0] {
		flags = append(flags, "--calibrate "+r.calibration)
	}
	return strings.Join(flags, " ")
}

// options say all of the recipe to people.
func (r recipe) options() string {
	words := [...]string{"stems", "stems", "single stems and pairs", "one to three stems"}[r.features.NGrams]
	weights := r.features.Weights.String()
	if r.features.Keep > 0 {
		weights = fmt.Sprintf("the %d highest %s values", r.features.Keep, weights)
	}
	if r.features.Reference {
		words += ", document frequencies of 20 Newsgroups"
	}
	blocks := strings.Join(r.features.Blocks, ", ")
	if r.terms > 0 {
		blocks += fmt.Sprintf("; the best %d terms of each class by %s", r.terms, r.statistic)
	}
	if r.bySite {
		blocks += "; the pages of a site are one example"
	}
	if r.task == classify.TaskDiscipline {
		blocks += ", lists of topics are others"
	}
	return fmt.Sprintf("%s; %s of %s in %s; %s", r.algorithm.about, weights, words, blocks, r.flags())
}

// algorithmNames lists the names newRecipe knows.
func algorithmNames() string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}
