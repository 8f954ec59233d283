package classify

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

// A log-linear file, all numbers little-endian:
//
//	8 bytes   magic "ESlogli\n"
//	uint32    format version
//	uint32    length in bytes of Meta as JSON, then the JSON
//	uint32    outputs
//	outputs × varint  bias in units of 1/WeightUnit
//	uvarint   number of features, then per feature, in ascending order:
//	          uvarint difference to the previous feature,
//	          uvarint number of its weights that are not 0, then per weight, in
//	          ascending order of outputs: uvarint difference to the previous output,
//	          varint weight in units of 1/WeightUnit
//	32 bytes  SHA-256 of everything before
const (
	logLinearMagic   = "ESlogli\n"
	logLinearVersion = 1
	maxLogLinear     = 16 << 20 // bytes of a file
)

// WeightUnit is the fixed-point scale of a LogLinear: its weights are multiples of 1/WeightUnit.
const WeightUnit = 256

// MaxOutputs is the largest number of outputs of a LogLinear.
const MaxOutputs = maxClasses

// MaxWeight is the largest absolute value of a weight of a LogLinear.
const MaxWeight = 127

// A Term is one component of a sparse vector of hashed features.
type Term struct {
	ID    uint32 // see HashTerm
	Value float32
}

// HashTerm returns the ID of a feature: FNV-1a of its template, a zero byte and its
// value. Features whose IDs collide share a weight.
func HashTerm(template, value string) uint32 {
	const prime = 16777619
	h := uint32(2166136261)
	for i := range len(template) {
		h = (h ^ uint32(template[i])) * prime
	}
	h *= prime
	for i := range len(value) {
		h = (h ^ uint32(value[i])) * prime
	}
	return h
}

// NumberedTerm returns the term with value x of a feature whose template and value are numbers. Its ID is
// FNV-1a of both, folded once.
func NumberedTerm(template, value uint32, x float32) Term {
	const prime = 16777619
	h := (uint32(2166136261) ^ template) * prime
	for range 4 {
		h = (h ^ value&0xff) * prime
		value >>= 8
	}
	return Term{ID: h ^ h>>15, Value: x}
}

// A LogLinear computes a score for each of its outputs: a bias plus the sum of weight times value over
// the terms. Terms without a weight add nothing. The softmax of the scores gives probabilities (Berger et
// al. 1996, formula 10). A model with one output scores candidates; the softmax over the candidates is
// the probability that each is chosen. Make one with NewLogLinear; it is then read-only and safe for
// concurrent use.
type LogLinear struct {
	Meta
	bias    []float32
	ids     []uint32 // ascending
	start   []int32  // weights[start[i]:start[i+1]] are the weights of ids[i] that are not 0
	outputs []uint8  // the outputs of weights
	weights []float32
	table   []entry // hash table over ids
	// filter has one bit set for the hash of each of ids. Most terms of a page have no weight, and the
	// table does not fit into the processor's caches, so the filter saves most look-ups.
	filter []uint64
	shift  uint8 // right shift from a hash to the number of its bit
	sums   []outputWeight
}

// An outputWeight holds a weight in units of 1/WeightUnit in its upper bits and the output in its lower 8
// bits. It takes half the memory of two fields, so that more of them fit into the caches.
type outputWeight int32

func packWeight(output uint8, w float32) outputWeight {
	return outputWeight(int32(w*WeightUnit)<<8 | int32(output))
}

func (w outputWeight) output() uint8   { return uint8(w) }
func (w outputWeight) weight() float64 { return float64(w>>8) / WeightUnit }

// An entry is an entry of the hash table of a LogLinear: weights[from:from+n] are those of feature id. An
// entry with n = 0 is free.
type entry struct {
	id, from uint32
	n        uint32
}

// NewLogLinear returns a model with the given biases of its outputs and the given weights of each
// feature, one per output. Weights are rounded to 1/WeightUnit and limited to ±MaxWeight, as in a file.
// Features whose weights are all 0 are dropped.
func NewLogLinear(m Meta, bias []float64, weights map[uint32][]float64) (*LogLinear, error) {
	if len(bias) == 0 || len(bias) > maxClasses {
		return nil, fmt.Errorf("%d outputs; must be 1 to %d", len(bias), maxClasses)
	}
	l := &LogLinear{Meta: m}
	for _, b := range bias {
		l.bias = append(l.bias, rounded(b))
	}
	for id, ws := range weights {
		if len(ws) != len(bias) {
			return nil, fmt.Errorf("feature %d has %d weights for %d outputs", id, len(ws), len(bias))
		}
		if slices.ContainsFunc(ws, func(w float64) bool { return rounded(w) != 0 }) {
			l.ids = append(l.ids, id)
		}
	}
	slices.Sort(l.ids)
	for _, id := range l.ids {
		l.start = append(l.start, int32(len(l.weights)))
		for k, w := range weights[id] {
			if w := rounded(w); w != 0 {
				l.outputs, l.weights = append(l.outputs, uint8(k)), append(l.weights, w)
			}
		}
	}
	l.buildIndex()
	return l, nil
}

// rounded returns w as a whole number of units; NaN gives 0.
func rounded(w float64) float32 {
	if math.IsNaN(w) {
		return 0
	}
	return float32(math.Round(max(-MaxWeight, min(MaxWeight, w))*WeightUnit) / WeightUnit)
}

// buildIndex completes start and builds the hash table, which is at most half full.
func (l *LogLinear) buildIndex() {
	l.start = append(l.start, int32(len(l.weights)))
	size := 2
	for size < 2*len(l.ids)+2 {
		size *= 2
	}
	l.table = make([]entry, size)
	l.sums = make([]outputWeight, len(l.weights))
	for i, w := range l.weights {
		l.sums[i] = packWeight(l.outputs[i], w)
	}
	width := max(6, bits.Len(uint(filterBits*len(l.ids))))
	l.filter, l.shift = make([]uint64, 1<<(width-6)), uint8(32-width)
	for i, id := range l.ids {
		from, to := l.start[i], l.start[i+1]
		if from == to {
			continue
		}
		at := slotOf(id, size)
		for l.table[at].n != 0 {
			at = (at + 1) & (size - 1)
		}
		l.table[at] = entry{id, uint32(from), uint32(to - from)}
		bit := hashOf(id) >> l.shift
		l.filter[bit/64] |= 1 << (bit % 64)
	}
}

// filterBits is the minimum number of bits of the filter per feature. At most a quarter of the terms
// without a weight pass the filter.
const filterBits = 4

func hashOf(id uint32) uint32 { return id * 2654435769 }

func slotOf(id uint32, size int) int { return int(hashOf(id)>>7) & (size - 1) }

// entryOf returns the entry of a feature, or a free entry if the feature has no weights.
func (l *LogLinear) entryOf(id uint32) entry {
	if l.passes(id) == 0 {
		return entry{}
	}
	return l.unfilteredEntry(id)
}

// unfilteredEntry is like find but does not use the filter.
func (l *LogLinear) unfilteredEntry(id uint32) entry {
	for at := slotOf(id, len(l.table)); ; at = (at + 1) & (len(l.table) - 1) {
		if e := l.table[at]; e.id == id || e.n == 0 {
			return e
		}
	}
}

// Outputs returns the number of outputs.
func (l *LogLinear) Outputs() int { return len(l.bias) }

// Features returns the number of features that have a weight.
func (l *LogLinear) Features() int { return len(l.ids) }

// Weights returns the outputs for which a feature has a weight, ascending, and these weights. Callers
// must not change them.
func (l *LogLinear) Weights(id uint32) (outputs []uint8, weights []float32) {
	e := l.entryOf(id)
	return l.outputs[e.from : e.from+e.n], l.weights[e.from : e.from+e.n]
}

// IDs returns the features that have a weight, ascending. Callers must not change it.
func (l *LogLinear) IDs() []uint32 { return l.ids }

// Bias returns the bias of each output. Callers must not change it.
func (l *LogLinear) Bias() []float32 { return l.bias }

// Scores writes the score of each output to scores, whose length must be the number of outputs.
func (l *LogLinear) Scores(terms []Term, scores []float64) {
	for k, b := range l.bias {
		scores[k] = float64(b)
	}
	l.Add(terms, scores)
}

// Add adds the weight times value of each term to scores, which has one number per output.
func (l *LogLinear) Add(terms []Term, scores []float64) {
	for _, t := range terms {
		e := l.entryOf(t.ID)
		if e.n == 0 {
			continue
		}
		value := float64(t.Value)
		for _, s := range l.sums[e.from : e.from+e.n] {
			scores[s.output()] += value * s.weight() // the product is exact
		}
	}
}

// unitBatch is the number of terms that AddUnits and Units look up together. The filter is tested for the
// whole batch first, without a branch per term: most terms have no weight, and processors cannot predict
// which.
const unitBatch = 64

// AddUnits is like Add for terms of value 1. It adds their weights, in units of 1/WeightUnit, to sums,
// one per output. Sums of 60,000 terms cannot overflow.
func (l *LogLinear) AddUnits(terms []Term, sums *[MaxOutputs]int32) {
	var hits [unitBatch]uint32
	for len(terms) > 0 {
		n, batch := 0, terms[:min(len(terms), unitBatch)]
		for i := range batch {
			hits[n%unitBatch] = batch[i].ID
			n += l.passes(batch[i].ID)
		}
		terms = terms[len(batch):]
		for _, id := range hits[:n] {
			e := l.unfilteredEntry(id)
			for _, s := range l.sums[e.from : e.from+e.n] {
				sums[s.output()] += int32(s) >> 8
			}
		}
	}
}

// passes returns 1 if the filter accepts the feature, else 0.
func (l *LogLinear) passes(id uint32) int {
	bit := hashOf(id) >> l.shift
	return int(l.filter[bit/64] >> (bit % 64) & 1)
}

// Units returns the sum of the features' weights for the first output, in units of 1/WeightUnit.
func (l *LogLinear) Units(ids []uint32) int64 {
	var hits [unitBatch]uint32
	sum := int64(0)
	for len(ids) > 0 {
		n, batch := 0, ids[:min(len(ids), unitBatch)]
		for _, id := range batch {
			hits[n%unitBatch] = id
			n += l.passes(id)
		}
		ids = ids[len(batch):]
		for _, id := range hits[:n] {
			if e := l.unfilteredEntry(id); e.n != 0 && l.sums[e.from].output() == 0 {
				sum += int64(l.sums[e.from] >> 8)
			}
		}
	}
	return sum
}

// Score returns the score of the first output.
func (l *LogLinear) Score(terms []Term) float64 {
	sum := float64(l.bias[0])
	for _, t := range terms {
		if outputs, weights := l.Weights(t.ID); len(weights) > 0 && outputs[0] == 0 {
			sum += float64(t.Value) * float64(weights[0])
		}
	}
	return sum
}

// Softmax replaces scores by probabilities that sum to 1.
func Softmax(scores []float64) {
	top := math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	sum := 0.0
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// WriteLogLinear writes l to w. The same model gives the same bytes.
func WriteLogLinear(w io.Writer, l *LogLinear) error {
	meta, err := json.Marshal(l.Meta)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	b := binary.LittleEndian.AppendUint32([]byte(logLinearMagic), logLinearVersion)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(meta))), meta...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(l.bias)))
	for _, x := range l.bias {
		b = binary.AppendVarint(b, int64(x*WeightUnit))
	}
	b = binary.AppendUvarint(b, uint64(len(l.ids)))
	last := uint32(0)
	for _, id := range l.ids {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
		outputs, weights := l.Weights(id)
		b = binary.AppendUvarint(b, uint64(len(weights)))
		before := uint8(0)
		for k, w := range weights {
			b = binary.AppendUvarint(b, uint64(outputs[k]-before))
			b = binary.AppendVarint(b, int64(w*WeightUnit))
			before = outputs[k]
		}
	}
	_, err = w.Write(appendSum(b))
	return err
}

// ReadLogLinear reads a log-linear file to its end. Its errors are those of ReadModel.
func ReadLogLinear(r io.Reader) (*LogLinear, error) {
	b, _, err := readChecked(r, logLinearMagic, logLinearVersion, maxLogLinear)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	l, err := decodeLogLinear(b)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return l, nil
}

func decodeLogLinear(b []byte) (*LogLinear, error) {
	r := byteReader{b: b}
	l := &LogLinear{}
	if err := json.Unmarshal(r.readSection(), &l.Meta); err != nil {
		return nil, err
	}
	if l.Calibration != nil {
		if err := l.Calibration.Check(); err != nil {
			return nil, err
		}
	}
	outputs := r.uint32()
	if outputs < 1 || outputs > maxClasses {
		return nil, fmt.Errorf("%d outputs; must be 1 to %d", outputs, maxClasses)
	}
	for range outputs {
		l.bias = append(l.bias, r.readWeight())
	}
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		return nil, errTruncated
	}
	id := uint64(0)
	for i := range n {
		if r.short {
			return nil, errTruncated
		}
		step := r.uvarint()
		if id += step; id > math.MaxUint32 || step == 0 && i > 0 {
			return nil, fmt.Errorf("feature %d is out of order", i)
		}
		l.ids, l.start = append(l.ids, uint32(id)), append(l.start, int32(len(l.weights)))
		if err := l.decodeWeights(&r, uint64(outputs)); err != nil {
			return nil, fmt.Errorf("feature %d: %w", i, err)
		}
	}
	if err := r.checkEnd(); err != nil {
		return nil, err
	}
	l.buildIndex()
	return l, nil
}

// decodeWeights reads the weights of one feature and appends them to l.
func (l *LogLinear) decodeWeights(r *byteReader, outputs uint64) error {
	n, output := r.uvarint(), uint64(0)
	if n > outputs {
		return fmt.Errorf("%d weights for %d outputs", n, outputs)
	}
	for k := range n {
		step := r.uvarint()
		if output += step; output >= outputs || step > outputs || step == 0 && k > 0 {
			return fmt.Errorf("weight %d is out of order", k)
		}
		l.outputs, l.weights = append(l.outputs, uint8(output)), append(l.weights, r.readWeight())
	}
	return nil
}

func (r *byteReader) uvarint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.short = nil, true
		return 0
	}
	r.b = r.b[n:]
	return x
}

// readWeight reads a weight and checks that it is within ±MaxWeight.
func (r *byteReader) readWeight() float32 {
	x, n := binary.Varint(r.b)
	if n <= 0 || x > MaxWeight*WeightUnit || x < -MaxWeight*WeightUnit {
		r.b, r.short = nil, true
		return 0
	}
	r.b = r.b[n:]
	return float32(x) / WeightUnit
}
