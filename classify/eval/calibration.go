package eval

import "math"

// numBins is the number of bins of equal width that calibration is measured in.
const numBins = 10

// A Bin holds the examples whose probability lies between Low and High.
type Bin struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Examples int     `json:"examples"`
	// Said is their mean probability, Held the share of them it came true for.
	Said float64 `json:"said"`
	Held float64 `json:"held"`
}

// A trust is how far one prediction's probability can be relied on. Of two
// classes it is that of the second; of more, that of the guess.
type trust struct {
	said float64 // the probability
	held float64 // 1 if it came true, else 0
	loss float64 // squared error, see Brier
	bin  int
}

// trustOf returns one trust a prediction, or nil if the scores of one of them
// are no probabilities.
func trustOf(classes int, ps []Prediction) []trust {
	all := make([]trust, len(ps))
	for i, p := range ps {
		t := trust{said: p.Score}
		if classes == 2 {
			t.held = float64(p.Truth)
			t.loss = float64((t.said - t.held) * (t.said - t.held))
		} else {
			if len(p.Scores) != classes {
				return nil
			}
			t.said = p.Scores[p.Guess]
			if p.Guess == p.Truth {
				t.held = 1
			}
			for k, s := range p.Scores {
				if k == p.Truth {
					s--
				}
				t.loss += float64(s * s)
			}
		}
		if !(t.said >= 0 && t.said <= 1) {
			return nil
		}
		t.bin = min(int(t.said*numBins), numBins-1)
		all[i] = t
	}
	return all
}

// calibrationError returns the Brier score and the expected calibration error,
// NaN where there are no probabilities.
func calibrationError(all []trust, weight []float64) (brier, ece float64) {
	var loss, total float64
	var said, held [numBins]float64
	for i, t := range all {
		loss += float64(weight[i] * t.loss)
		total += weight[i]
		said[t.bin] += float64(weight[i] * t.said)
		held[t.bin] += float64(weight[i] * t.held)
	}
	if total == 0 {
		return math.NaN(), math.NaN()
	}
	for b := range numBins {
		ece += math.Abs(said[b] - held[b])
	}
	return loss / total, ece / total
}

// reliability returns the bins that hold examples, from low to high.
func reliability(all []trust) []Bin {
	var bins [numBins]Bin
	for _, t := range all {
		b := &bins[t.bin]
		b.Examples++
		b.Said += t.said
		b.Held += t.held
	}
	var filled []Bin
	for i, b := range bins {
		if b.Examples > 0 {
			n := float64(b.Examples)
			filled = append(filled, Bin{
				Low: float64(i) / numBins, High: float64(i+1) / numBins, Examples: b.Examples,
				Said: rounded(b.Said / n), Held: rounded(b.Held / n),
			})
		}
	}
	return filled
}

// rounded keeps six decimals: what a curve needs.
func rounded(v float64) float64 { return math.Round(v*1e6) / 1e6 }
