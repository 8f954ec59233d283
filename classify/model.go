package classify

import (
	"errors"
	"fmt"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Tasks for which models are made. Classes returns the classes of each, in the order that models and
// labels use.
const (
	TaskCFP      = "cfp"       // Is the page a call for papers?
	TaskPageType = "page-type" // Of which type is the page?
	TaskTopic    = "topic"     // How similar is the page to the known calls, or is it on a topic given by the user?
	// TaskDiscipline asks for the academic discipline of a page.
	TaskDiscipline = "discipline"
	TaskLink       = "link"  // Does the link lead to a call for papers?
	TaskLayer      = "layer" // How many links lie between the page and a call for papers?
)

// Classes returns the classes of task. For tasks with two classes the second class is the positive one.
func Classes(task string) ([]string, error) {
	switch task {
	case TaskCFP:
		return []string{"not_cfp", "cfp"}, nil
	case TaskLink:
		return []string{"no_call", "call"}, nil
	case TaskLayer:
		return []string{"0", "1", "2", "3", Other}, nil
	case TaskTopic:
		return []string{"off_topic", "on_topic"}, nil
	case TaskPageType:
		return []string{
			"cfp", "cfp_list", "conference", "homepage", "institution_topic",
			"mail_announcement", "weblog", Other,
		}, nil
	case TaskDiscipline:
		return []string{
			"informatics", "mathematics", "physics", "chemistry", "sociology", // of paper 002
			"biology", "medicine", "linguistics", "economics", Other,
		}, nil
	}
	return nil, fmt.Errorf("unknown task %q, the tasks are %s, %s, %s, %s, %s and %s", task, TaskCFP, TaskPageType, TaskTopic, TaskDiscipline, TaskLink, TaskLayer)
}

// Other is the page type, the discipline and the layer of pages that belong to no other class, and of
// pages without text.
const Other = "other"

// Meta describes the origin of a model. It holds no time and no path, so that the same data, options and
// seed give the same file.
type Meta struct {
	Task    string   `json:"task"`
	Algo    string   `json:"algo"`
	Options string   `json:"options"` // options of the trainer and the features, for readers
	Seed    uint64   `json:"seed"`
	Classes []string `json:"classes"`
	// Counts is the number of training examples of each class; Groups is the number of groups that the
	// examples come from.
	Counts []int `json:"counts"`
	Groups int   `json:"groups"`
	// Data is the digest of the labels and the page bodies.
	Data string `json:"data"`
	// Program is the name and version of the program that wrote the model.
	Program string `json:"program"`
	// Figures were measured on groups that the measured model was not trained on.
	Figures []Figure `json:"figures"`
	// Calibration maps the model's own probability of its choice to the probability that the choice is
	// right. It is nil for models that are calibrated otherwise.
	Calibration *Isotonic `json:"calibration,omitempty"`
}

// Examples returns the number of examples the model was trained on.
func (m Meta) Examples() int {
	sum := 0
	for _, n := range m.Counts {
		sum += n
	}
	return sum
}

// A Figure is one measured number with its 95 % confidence interval.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A Model is everything needed to classify a page by its features. It is read-only and safe for
// concurrent use.
type Model struct {
	Meta
	Vectorizer *features.Vectorizer
	// Classifier is a *Linear, a *Kernel or a *Stack.
	Classifier Classifier
	// Platt maps the decision value of each class to a probability. Models of two classes use only the
	// second one.
	Platt []Platt
	// Threshold is the minimum score of the second class at which a two-class model chooses that class,
	// in [0, 1]. Models of more classes do not use it.
	Threshold float64
}

// NewModel returns m with weights rounded to single precision. It returns an error if the parts of m do
// not fit each other.
func NewModel(m Model) (*Model, error) {
	if m.Vectorizer == nil || m.Classifier == nil {
		return nil, errors.New("model: vectorizer and classifier are needed")
	}
	m.Classifier = Rounded(m.Classifier)
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return &m, nil
}

func (m *Model) check() error {
	n := len(m.Classes)
	if n < 2 || n > maxClasses {
		return fmt.Errorf("%d classes, must be 2 to %d", n, maxClasses)
	}
	if len(m.Platt) != n || len(m.Counts) != n {
		return fmt.Errorf("there are %d calibrations and %d counts for %d classes; each class needs one of both", len(m.Platt), len(m.Counts), n)
	}
	if !(m.Threshold >= 0 && m.Threshold <= 1) {
		return fmt.Errorf("threshold %v is not in [0, 1]", m.Threshold)
	}
	for k, p := range m.Platt {
		if !isFinite(p.A) || !isFinite(p.B) {
			return fmt.Errorf("calibration of class %q is not finite", m.Classes[k])
		}
	}
	return m.checkClassifier()
}

// IsBinary reports whether m has exactly two classes.
func (m *Model) IsBinary() bool { return len(m.Classes) == 2 }

// Scores returns a probability for each class; they sum to 1. If the page's vector is empty, the class that
// FallbackClass returns has probability 1.
func (m *Model) Scores(d *features.Document) []float64 {
	var scores []float64
	m.Vectorizer.ForVector(d, func(x features.Vector) {
		if x.Len() == 0 {
			scores = make([]float64, len(m.Classes))
			scores[FallbackClass(m.Classes)] = 1
			return
		}
		scores = CalibratedProbabilities(m.Platt, m.Classifier.Decide(x))
	})
	return scores
}

// FallbackClass returns the class of a page without any known term. It is "other" if that is one of classes,
// else the first class, which is the negative one in two-class tasks.
func FallbackClass(classes []string) int {
	for k, c := range classes {
		if c == Other {
			return k
		}
	}
	return 0
}

// CalibratedProbabilities converts decision values into probabilities that sum to 1. For two classes it uses only the
// calibrator of the second; for more it applies each class's own calibrator and normalises the results.
func CalibratedProbabilities[C Calibrator](calibrators []C, decisions []float64) []float64 {
	if len(decisions) == 2 {
		p := calibrators[1].Probability(decisions[1])
		return []float64{1 - p, p}
	}
	scores := make([]float64, len(decisions))
	var sum float64
	for k, d := range decisions {
		scores[k] = calibrators[k].Probability(d)
		sum += scores[k]
	}
	if sum == 0 {
		scores[argmax(decisions)] = 1
		return scores
	}
	for k := range scores {
		scores[k] /= sum
	}
	return scores
}

// Class returns the index of the class that m chooses for the given scores.
func (m *Model) Class(scores []float64) int { return DecideClass(scores, m.Threshold) }

// DecideClass returns the index of the class to choose for scores. Of two classes it is the second if its
// score reaches the threshold. Of more it is the likeliest, the first if several are equal.
func DecideClass(scores []float64, threshold float64) int {
	if len(scores) == 2 {
		if scores[1] >= threshold {
			return 1
		}
		return 0
	}
	return argmax(scores)
}

func argmax(values []float64) int {
	best := 0
	for k, v := range values {
		if v > values[best] {
			best = k
		}
	}
	return best
}

// Rounded returns c as a model file stores it, with linear weights in single precision. A model therefore
// decides the same before it is written and after it is read.
func Rounded(c Classifier) Classifier {
	switch c := c.(type) {
	case *Linear:
		return c.Rounded()
	case *Stack:
		return c.Rounded()
	}
	return c
}

// checkClassifier returns an error if the classifier does not fit the classes or the vectorizer.
func (m *Model) checkClassifier() error {
	n, size := len(m.Classes), m.Vectorizer.Size()
	switch c := m.Classifier.(type) {
	case *Linear:
		for k, row := range c.Weights {
			if len(row) > size {
				return fmt.Errorf("row %d has %d weights, more than the %d terms", k, len(row), size)
			}
		}
		return c.check(n)
	case *Kernel:
		if len(c.Counts) != n {
			return fmt.Errorf("the kernel has %d classes, the model has %d", len(c.Counts), n)
		}
		return c.check()
	case *Stack:
		if dense := c.Trees.Inputs - len(c.Base.Weights) - c.passageInputs(); c.From != m.Vectorizer.Terms() || c.From+dense != size || c.Passages != m.Vectorizer.NumPassageLengths() {
			return fmt.Errorf("trees with components %d to %d and %d lengths of passages do not fit a vectorizer with %d terms, %d components and %d lengths",
				c.From, c.From+dense, c.Passages, m.Vectorizer.Terms(), size, m.Vectorizer.NumPassageLengths())
		}
		return c.check(n)
	}
	return fmt.Errorf("a model file cannot hold a classifier of type %T", m.Classifier)
}

// LinkProbabilities returns for each of t.Links() the probability that it leads to a call. The task of m must be
// link.
func (m *Model) LinkProbabilities(t *tagtree.Tree) []float64 {
	scores := make([]float64, len(t.Links()))
	for i, link := range features.ReadLinks(t, nil) {
		scores[i] = m.Scores(link)[1]
	}
	return scores
}
