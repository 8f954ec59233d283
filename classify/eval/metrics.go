package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
)

// A Prediction is a classifier's result for one example, with the true class.
type Prediction struct {
	// Truth and Guess are indexes of classes.
	Truth, Guess int
	// Score is the score of the second of two classes. Examples are ranked by it.
	Score float64
	// Scores holds a probability for each class. If it is nil, reports on more than two classes have no
	// curves and no calibration.
	Scores []float64
	// Group names the examples that the bootstrap draws together.
	Group string
	// URL identifies the example where a report lists it. Examples without a URL are not listed.
	URL string
	// Tags assign the example to slices that are also measured separately.
	Tags []Tag
}

// A Tag is one property of an example, such as its language.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A confusion is the number or the weight of examples by truth (row) and guess (column).
type confusion [][]float64

func newConfusion(classes int) confusion {
	c := make(confusion, classes)
	for i := range c {
		c[i] = make([]float64, classes)
	}
	return c
}

func confusionOf(classes int, ps []Prediction, weight []float64) confusion {
	c := newConfusion(classes)
	for i, p := range ps {
		c[p.Truth][p.Guess] += weight[i]
	}
	return c
}

// accuracy returns the fraction of right guesses, 0 without examples.
func (c confusion) accuracy() float64 {
	var right, all float64
	for i, row := range c {
		right += row[i]
		all += sum(row)
	}
	return ratio(right, all)
}

// baseRate returns the accuracy of always guessing the most frequent class.
func (c confusion) baseRate() float64 {
	var most, all float64
	for _, row := range c {
		n := sum(row)
		most = max(most, n)
		all += n
	}
	return ratio(most, all)
}

// guessedWeight returns the weight of the examples classified as class k.
func (c confusion) guessedWeight(k int) float64 {
	var n float64
	for _, row := range c {
		n += row[k]
	}
	return n
}

// classFigures returns precision, recall and F1 of class k. Each is 0 if its denominator is 0, as in the usual
// libraries.
func (c confusion) classFigures(k int) (precision, recall, f1 float64) {
	right, guessed := c[k][k], c.guessedWeight(k)
	precision = ratio(right, guessed)
	recall = ratio(right, sum(c[k]))
	return precision, recall, ratio(2*right, guessed+sum(c[k]))
}

// macroAverages returns the mean precision, recall and F1 of the classes that occur as truth or guess.
func (c confusion) macroAverages() (precision, recall, f1 float64) {
	var n float64
	for k, row := range c {
		if sum(row)+c.guessedWeight(k) == 0 {
			continue
		}
		p, r, f := c.classFigures(k)
		precision, recall, f1 = precision+p, recall+r, f1+f
		n++
	}
	return ratio(precision, n), ratio(recall, n), ratio(f1, n)
}

// weightedF1 returns the mean F1 of the classes, weighted by their numbers of examples.
func (c confusion) weightedF1() float64 {
	var total, all float64
	for k, row := range c {
		_, _, f1 := c.classFigures(k)
		total += float64(f1 * sum(row))
		all += sum(row)
	}
	return ratio(total, all)
}

// matthewsCorrelation returns Matthews' correlation coefficient for any number of classes (Gorodkin 2004, formula 8). It
// is 0 if truth or guess is always the same class.
func (c confusion) matthewsCorrelation() float64 {
	var right, all, both, truths, guesses float64
	for k, row := range c {
		t, p := sum(row), c.guessedWeight(k)
		right += row[k]
		all += t
		both += float64(t * p)
		truths += float64(t * t)
		guesses += float64(p * p)
	}
	square := float64(all * all)
	return ratio(float64(right*all)-both, math.Sqrt(square-truths)*math.Sqrt(square-guesses))
}

// A ranking holds the examples in descending order of score.
type ranking struct {
	ps    []Prediction
	order []int
}

func rankByScore(ps []Prediction) ranking {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[b].Score, ps[a].Score) })
	return ranking{ps, order}
}

// areas returns the average precision and the area under the ROC curve. Average precision is the sum over
// the distinct scores of precision times the increase in recall. In the ROC curve, ties count half. Both
// are NaN unless there are examples of both classes.
func (r ranking) areas(weight []float64) (averagePrecision, rocAUC float64) {
	var positives, negatives float64
	for i, p := range r.ps {
		if p.Truth == 1 {
			positives += weight[i]
		} else {
			negatives += weight[i]
		}
	}
	if positives == 0 || negatives == 0 {
		return math.NaN(), math.NaN()
	}
	var tp, fp float64
	for start := 0; start < len(r.order); {
		var pos, neg float64
		end := start
		for ; end < len(r.order) && r.ps[r.order[end]].Score == r.ps[r.order[start]].Score; end++ {
			if i := r.order[end]; r.ps[i].Truth == 1 {
				pos += weight[i]
			} else {
				neg += weight[i]
			}
		}
		tp, fp = tp+pos, fp+neg
		averagePrecision += float64(pos / positives * ratio(tp, tp+fp))
		rocAUC += neg / negatives * (tp - pos/2) / positives
		start = end
	}
	return averagePrecision, rocAUC
}

// BestThreshold returns the score threshold with the highest F1 on ps, halfway to the next lower score.
// It returns 0.5 if F1 is 0 for all thresholds.
func BestThreshold(ps []Prediction) float64 {
	r := rankByScore(ps)
	var positives, tp, n, best float64
	for _, p := range ps {
		if p.Truth == 1 {
			positives++
		}
	}
	threshold := 0.5
	for at, i := range r.order {
		n++
		if ps[i].Truth == 1 {
			tp++
		}
		next := 0.0
		if at+1 < len(r.order) {
			next = ps[r.order[at+1]].Score
		}
		if next == ps[i].Score {
			continue
		}
		if f1 := ratio(2*tp, n+positives); f1 > best {
			best, threshold = f1, (ps[i].Score+next)/2
		}
	}
	return threshold
}

// oneSided95 is the 95th percentile of the standard normal distribution.
const oneSided95 = 1.645

// ruleOfThree, divided by n, is the one-sided 95 % upper bound of a proportion of which a sample of n has
// no case.
const ruleOfThree = 3

// CalibratedThreshold returns a score threshold that is close to the highest F1 on ps and limits false
// positives.
//
// It is half of the highest F1 that any threshold reaches, which for calibrated probabilities is the
// threshold with the highest F1 (Lipton, Elkan and Naryanaswamy 2014). The measured curve is flat and
// noisy near its maximum, so the position of the maximum varies with the sample, but its height hardly
// does.
//
// If by a one-sided 95 % bound more than mostFalse of the negatives may reach this threshold, the result
// is the lowest threshold for which this is not so. With fewer than 3/mostFalse negatives no threshold
// could satisfy the bound (rule of three); then the result is that of BestThreshold. Without positives it
// is 0.5.
func CalibratedThreshold(ps []Prediction, mostFalse float64) float64 {
	r := rankByScore(ps)
	var positives, yes, found, best float64
	for _, p := range ps {
		positives += float64(p.Truth)
	}
	negatives := float64(len(ps)) - positives
	if negatives*mostFalse < ruleOfThree {
		return BestThreshold(ps)
	}
	last, lowest := 1.0, 0.0 // last is the previous score; lowest, if not 0, is the lowest threshold that few enough negatives reach
	for at, i := range r.order {
		yes++
		found += float64(ps[i].Truth)
		next := 0.0
		if at+1 < len(r.order) {
			next = ps[r.order[at+1]].Score
		}
		if next == ps[i].Score {
			continue
		}
		best = max(best, ratio(2*found, yes+positives))
		rate := ratio(yes-found, negatives)
		if rate+oneSided95*math.Sqrt(ratio(rate*(1-rate), negatives)) > mostFalse && lowest == 0 {
			lowest = (last + ps[i].Score) / 2
		}
		last = ps[i].Score
	}
	if best == 0 {
		return 0.5
	}
	return max(best/2, lowest)
}

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// deviation returns the standard deviation of values, with denominator n.
func deviation(values []float64) float64 {
	mean := sum(values) / float64(len(values))
	var squares float64
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / float64(len(values)))
}

// PrecisionAt1 is the name of the figure that TopOfListShare returns.
const PrecisionAt1 = "precision_at_1"

// TopOfListShare measures how often the first of a ranked list, such as the links of a page, is right. The value is
// the fraction of lists whose highest score belongs to the second class, among lists with both classes.
// Predictions with equal scores count in equal parts. The argument list is the list number of each
// prediction. The interval is a bootstrap over groups. The second result is the number of lists; if it is
// 0, the value is 0.
func TopOfListShare(ps []Prediction, list []int, seed uint64) (classify.Figure, int) {
	tops := topRankedOfLists(ps, list)
	first := make([]Prediction, len(tops)) // one prediction per list, to draw whole groups of lists
	for i, t := range tops {
		first[i].Group = t.group
	}
	mean := func(weight []float64) []float64 {
		var hits, all float64
		for i, t := range tops {
			hits += float64(weight[i] * t.hit)
			all += weight[i]
		}
		return []float64{ratio(hits, all)}
	}
	return groupingOf(first).estimates(seed, mean)[0].figure(PrecisionAt1), len(tops)
}

// A topRanked is the highest-ranked prediction of a list that holds both classes.
type topRanked struct {
	group string
	best  float64
	hit   float64 // fraction of the second class among the predictions with the highest score
}

func topRankedOfLists(ps []Prediction, list []int) []topRanked {
	members := map[int][]int{}
	var order []int
	for i := range ps {
		if members[list[i]] == nil {
			order = append(order, list[i])
		}
		members[list[i]] = append(members[list[i]], i)
	}
	var tops []topRanked
	for _, l := range order {
		if t, ok := highestRanked(ps, members[l]); ok {
			tops = append(tops, t)
		}
	}
	return tops
}

// highestRanked returns the highest-ranked of the predictions at index. If they are not of both classes, ok is
// false.
func highestRanked(ps []Prediction, index []int) (t topRanked, ok bool) {
	t = topRanked{group: ps[index[0]].Group, best: math.Inf(-1)}
	var positives, equals, hits int
	for _, i := range index {
		p := ps[i]
		positives += p.Truth
		if p.Score > t.best {
			t.best, equals, hits = p.Score, 0, 0
		}
		if p.Score == t.best {
			equals++
			hits += p.Truth
		}
	}
	t.hit = float64(hits) / float64(max(1, equals))
	return t, positives > 0 && positives < len(index)
}

// MeanRecall returns the mean recall of the first classes, such as the layers among all classes. A random
// guess gives one over the number of classes, however many examples each has. The interval is a bootstrap
// over groups. A class without an example has recall 0.
func MeanRecall(name string, ps []Prediction, first int, seed uint64) classify.Figure {
	mean := func(weight []float64) []float64 {
		hits, all := make([]float64, first), make([]float64, first)
		for i, p := range ps {
			if p.Truth >= first {
				continue
			}
			all[p.Truth] += weight[i]
			if p.Guess == p.Truth {
				hits[p.Truth] += weight[i]
			}
		}
		var sum float64
		for k := range first {
			sum += ratio(hits[k], all[k])
		}
		return []float64{sum / float64(first)}
	}
	return groupingOf(ps).estimates(seed, mean)[0].figure(name)
}
