package classify

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
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
	// rows holds the weights for all outputs, 0 included, width words per row. Row i+1 is that of ids[i];
	// row 0 has only zeros, for features without weights. See packRow.
	rows  []uint64
	width int
}

// An entry is an entry of the hash table of a LogLinear: row is the row of feature id. An entry with row 0
// is free.
type entry struct{ id, row uint32 }

// rowZero represents the weight 0 in a row: no weight in units of 1/WeightUnit is less than -rowZero.
const rowZero = MaxWeight * WeightUnit

// rowLanes selects every other weight of a word of a row, as two numbers of 32 bits.
const rowLanes = 0x0000ffff_0000ffff

// packRow writes weights to a row, four to a word. Each takes 16 bits, in units of 1/WeightUnit and increased
// by rowZero. Sums of such words need no branch per weight, and a row of 32 outputs fits a cache line.
func packRow(row []uint64, outputs []uint8, weights []float32) {
	for i := range row {
		row[i] = rowZero * 0x0001_0001_0001_0001
	}
	for i, k := range outputs {
		row[k/4] += uint64(int64(weights[i]*WeightUnit)) << (k % 4 * 16)
	}
}

// unpack returns the weight of output k in the word of a row that contains it, in units of 1/WeightUnit.
func unpack(word uint64, k int) int32 { return int32(word>>(k%4*16)&0xffff) - rowZero }

// NewLogLinear returns a model with the given biases of its outputs and the given weights of each
// feature, one per output. Weights are rounded to 1/WeightUnit and limited to ±MaxWeight, as in a file.
// Features whose weights are all 0 are dropped.
func NewLogLinear(m Meta, bias []float64, weights map[uint32][]float64) (*LogLinear, error) {
	if len(bias) == 0 || len(bias) > maxClasses {
		return nil, fmt.Errorf("there are %d outputs, must be 1 to %d", len(bias), maxClasses)
	}
	l := &LogLinear{Meta: m}
	for _, b := range bias {
		l.bias = append(l.bias, roundToUnit(b))
	}
	for id, ws := range weights {
		if len(ws) != len(bias) {
			return nil, fmt.Errorf("feature %d has %d weights, but there are %d outputs", id, len(ws), len(bias))
		}
		if slices.ContainsFunc(ws, func(w float64) bool { return roundToUnit(w) != 0 }) {
			l.ids = append(l.ids, id)
		}
	}
	slices.Sort(l.ids)
	for _, id := range l.ids {
		l.start = append(l.start, int32(len(l.weights)))
		for k, w := range weights[id] {
			if w := roundToUnit(w); w != 0 {
				l.outputs, l.weights = append(l.outputs, uint8(k)), append(l.weights, w)
			}
		}
	}
	l.buildIndex()
	return l, nil
}

// roundToUnit returns w as a whole number of units; NaN gives 0.
func roundToUnit(w float64) float32 {
	if math.IsNaN(w) {
		return 0
	}
	return float32(math.Round(max(-MaxWeight, min(MaxWeight, w))*WeightUnit) / WeightUnit)
}

// buildIndex completes start, and builds the rows and the hash table, which is at most half full.
func (l *LogLinear) buildIndex() {
	l.start = append(l.start, int32(len(l.weights)))
	size := 2
	for size < 2*len(l.ids)+2 {
		size *= 2
	}
	l.table = make([]entry, size)
	l.width = (len(l.bias) + 3) / 4
	l.rows = make([]uint64, (len(l.ids)+1)*l.width)
	packRow(l.rows[:l.width], nil, nil)
	for i, id := range l.ids {
		from, to := l.start[i], l.start[i+1]
		packRow(l.rows[(i+1)*l.width:][:l.width], l.outputs[from:to], l.weights[from:to])
		if from == to {
			continue
		}
		at := hashSlot(id, size)
		for l.table[at].row != 0 {
			at = (at + 1) & (size - 1)
		}
		l.table[at] = entry{id, uint32(i + 1)}
	}
}

func hashSlot(id uint32, size int) int { return int(id*2654435769>>7) & (size - 1) }

// rowOf returns the row of a feature, or 0 if the feature has no weights.
func (l *LogLinear) rowOf(id uint32) uint32 {
	for at := hashSlot(id, len(l.table)); ; at = (at + 1) & (len(l.table) - 1) {
		if e := l.table[at]; e.id == id || e.row == 0 {
			return e.row
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
	row := l.rowOf(id)
	if row == 0 {
		return nil, nil
	}
	from, to := l.start[row-1], l.start[row]
	return l.outputs[from:to], l.weights[from:to]
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
	if l.width == 1 {
		l.addFewOutputs(terms, scores)
		return
	}
	for _, t := range terms {
		row := l.rowOf(t.ID)
		if row == 0 {
			continue
		}
		from, to := l.start[row-1], l.start[row]
		value, weights := float64(t.Value), l.weights[from:to]
		for i, k := range l.outputs[from:to] {
			scores[k] += value * float64(weights[i]) // the product is exact
		}
	}
}

// addFewOutputs is Add for a model with at most four outputs, whose weights fit into a word.
func (l *LogLinear) addFewOutputs(terms []Term, scores []float64) {
	scores = scores[:len(l.bias)]
	if len(terms) <= maxUnitTerms && !slices.ContainsFunc(terms, func(t Term) bool { return t.Value != 1 }) {
		var lanes [2]uint64
		for _, t := range terms {
			word := l.rows[l.rowOf(t.ID)]
			lanes[0] += word & rowLanes
			lanes[1] += word >> 16 & rowLanes
		}
		for k := range scores {
			scores[k] += float64(unitSum(&lanes, k, len(terms))) / WeightUnit
		}
		return
	}
	for _, t := range terms {
		row := l.rowOf(t.ID)
		if row == 0 {
			continue
		}
		value, word := float64(t.Value), l.rows[row]
		for k := range scores {
			scores[k] += value * (float64(unpack(word, k)) / WeightUnit) // the product is exact
		}
	}
}

// maxUnitTerms is the number of terms of value 1 whose sums cannot overflow.
const maxUnitTerms = 60_000

// unitBatch is the number of terms that AddUnits looks up before it adds their weights. The table
// and the rows do not fit into the processor's caches, and look-ups that do not depend on each other overlap.
const unitBatch = 64

// unitWords is the number of words of a row that AddUnits sums at a time. All words of the models in use fit.
const unitWords = 8

// AddUnits is like Add for terms of value 1. It adds their weights, in units of 1/WeightUnit, to sums,
// one per output. Sums of maxUnitTerms terms cannot overflow.
func (l *LogLinear) AddUnits(terms []Term, sums []int32) {
	sums = sums[:len(l.bias)]
	for from := 0; from < l.width; from += unitWords {
		l.addUnitWords(terms, sums, from, min(from+unitWords, l.width))
	}
}

// addUnitWords is AddUnits for the outputs in the words [from, to) of a row.
func (l *LogLinear) addUnitWords(terms []Term, sums []int32, from, to int) {
	var (
		rows [unitBatch]uint32
		// lanes[i] holds the sums of the weights in word from+i of the rows, of 32 bits each. Its first number
		// has those of the first and third weight, its second those of the second and fourth.
		lanes [unitWords][2]uint64
	)
	n := len(terms)
	for len(terms) > 0 {
		batch := terms[:min(len(terms), unitBatch)]
		terms = terms[len(batch):]
		for i := range batch {
			rows[i] = l.rowOf(batch[i].ID)
		}
		for _, row := range rows[:len(batch)] {
			at := int(row) * l.width
			for i, word := range l.rows[at+from : at+to] {
				lane := &lanes[i%unitWords]
				lane[0] += word & rowLanes
				lane[1] += word >> 16 & rowLanes
			}
		}
	}
	for k := 4 * from; k < min(4*to, len(sums)); k++ {
		sums[k] += unitSum(&lanes[k/4-from], k, n)
	}
}

// unitSum returns the sum of n weights of output k from the lanes of its word, see addUnitWords.
func unitSum(lanes *[2]uint64, k, n int) int32 {
	return int32(uint32(lanes[k%2]>>(k%4/2*32)) - uint32(n*rowZero))
}

// SumUnits returns the sum of the features' weights for the first output, in units of 1/WeightUnit.
func (l *LogLinear) SumUnits(ids []uint32) int64 {
	sum := int64(0)
	for _, id := range ids {
		sum += int64(unpack(l.rows[int(l.rowOf(id))*l.width], 0))
	}
	return sum
}

// Score returns the score of the first output.
func (l *LogLinear) Score(terms []Term) float64 {
	sum := float64(l.bias[0])
	for _, t := range terms {
		if row := l.rowOf(t.ID); row != 0 {
			sum += float64(t.Value) * (float64(unpack(l.rows[int(row)*l.width], 0)) / WeightUnit)
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
	outputs := r.readUint32()
	if outputs < 1 || outputs > maxClasses {
		return nil, fmt.Errorf("there are %d outputs, must be 1 to %d", outputs, maxClasses)
	}
	for range outputs {
		l.bias = append(l.bias, r.readWeight())
	}
	n := r.readUvarint()
	if n > uint64(len(r.b)) {
		return nil, errTruncated
	}
	id := uint64(0)
	for i := range n {
		if r.short {
			return nil, errTruncated
		}
		step := r.readUvarint()
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
	n, output := r.readUvarint(), uint64(0)
	if n > outputs {
		return fmt.Errorf("a feature has %d weights, but there are %d outputs", n, outputs)
	}
	for k := range n {
		step := r.readUvarint()
		if output += step; output >= outputs || step > outputs || step == 0 && k > 0 {
			return fmt.Errorf("weight %d is out of order", k)
		}
		l.outputs, l.weights = append(l.outputs, uint8(output)), append(l.weights, r.readWeight())
	}
	return nil
}

func (r *byteReader) readUvarint() uint64 {
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
