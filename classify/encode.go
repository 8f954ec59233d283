package classify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/eventseer/eventseer/features"
)

// A model file, all numbers little-endian:
//
//	8 bytes   magic "ESmodel\n"
//	uint32    format version
//	4 times   uint32 length in bytes, then a section:
//	          1  Meta as JSON
//	          2  the vectorizer, as features.Vectorizer writes it
//	          3  the classifier: uint8 kind, then by kind
//	             1 linear  as below
//	             2 kernel  as Kernel.AppendBinary writes it
//	             3 stack   uint32 first dense component, uint32 length of the
//	                       first stage, the first stage as linear, the trees
//	          4  float64 threshold, then per class: float64 A, float64 B
//	32 bytes  SHA-256 of everything before
//
//	linear    uint32 rows, uint32 columns, then per row: float32 bias,
//	          columns × float32 weight
//	trees     uint32 inputs, uint16 outputs, then per output: float64 base,
//	          uint32 trees, then per tree: uint16 nodes, then per node:
//	          int32 input (-1: a leaf), float32 value; of inner nodes also
//	          float32 threshold, uint16 left, uint16 right
//
// In format version 1 section 3 is a linear classifier without a kind; version 2 has kinds. Both can be
// read.
const (
	modelMagic   = "ESmodel\n"
	modelVersion = 2
)

// Limits on the contents of a model file.
const (
	maxModelBytes = 64 << 20
	maxClasses    = 256
)

// ErrIncompatible is returned for a model file that this version of the program cannot use. The file has
// another format version or was made with other features.
var ErrIncompatible = features.ErrIncompatible

var (
	errTruncated = errors.New("the file is truncated")
	errChecksum  = errors.New("the checksum is wrong, the file is damaged: copy or train it again")
)

// WriteModel writes m to w. The same model gives the same bytes.
func WriteModel(w io.Writer, m *Model) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	meta, err := json.Marshal(m.Meta)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	terms, err := m.Vectorizer.AppendBinary(nil)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	classifier, err := encodeClassifier(m.Classifier)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	b := []byte(modelMagic)
	b = binary.LittleEndian.AppendUint32(b, modelVersion)
	for _, section := range [][]byte{meta, terms, classifier, m.encodePlatt()} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(section)))
		b = append(b, section...)
	}
	_, err = w.Write(appendSum(b))
	return err
}

func appendSum(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func appendFloat32(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
}

func appendFloat64(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func (m *Model) encodePlatt() []byte {
	b := appendFloat64(nil, m.Threshold)
	for _, p := range m.Platt {
		b = appendFloat64(appendFloat64(b, p.A), p.B)
	}
	return b
}

// ReadModel reads a model file to its end. It returns ErrIncompatible for an unknown format version or
// unknown features, and an error that describes the damage for a truncated or changed file.
func ReadModel(r io.Reader) (*Model, error) {
	m, err := readModel(r)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return m, nil
}

func readModel(r io.Reader) (*Model, error) {
	b, version, err := readChecked(r, modelMagic, modelVersion, maxModelBytes)
	if err != nil {
		return nil, err
	}
	in := byteReader{b: b}
	var sections [4][]byte
	for i := range sections {
		sections[i] = in.readSection()
	}
	if err := in.checkEnd(); err != nil {
		return nil, err
	}
	var m Model
	if err := json.Unmarshal(sections[0], &m.Meta); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if m.Vectorizer, err = features.DecodeVectorizer(sections[1]); err != nil {
		return nil, err
	}
	if version == 1 {
		m.Classifier, err = decodeLinear(sections[2])
	} else {
		m.Classifier, err = decodeClassifier(sections[2])
	}
	if err != nil {
		return nil, err
	}
	if err := m.decodePlatt(sections[3]); err != nil {
		return nil, err
	}
	return &m, m.check()
}

// readChecked reads all of r, which holds a magic, a version, a body and a checksum, and returns the body
// and the version. The version, from 1 to latest, is checked before the checksum, so that a later format
// may use another checksum.
func readChecked(r io.Reader, magic string, latest uint32, limit int64) (body []byte, version uint32, err error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, 0, err
	}
	if int64(len(b)) > limit {
		return nil, 0, fmt.Errorf("more than %d bytes", limit)
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, 0, fmt.Errorf("the file does not begin with %q, so it is a file of another kind", magic)
	}
	if len(rest) < 4+sha256.Size {
		return nil, 0, errTruncated
	}
	if version = binary.LittleEndian.Uint32(rest); version < 1 || version > latest {
		return nil, 0, fmt.Errorf("%w: format version %d, this program reads versions 1 to %d: train the model again or use the program that wrote it", ErrIncompatible, version, latest)
	}
	end := len(b) - sha256.Size
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, 0, errChecksum
	}
	return b[len(magic)+4 : end], version, nil
}

// A byteReader reads little-endian numbers from b. If b is too short it returns zeros and sets short.
type byteReader struct {
	b     []byte
	short bool
}

// nextBytes returns the next n bytes; n is at most 8. Beyond the end it returns zeros.
func (r *byteReader) nextBytes(n int) []byte {
	if len(r.b) < n {
		r.b, r.short = nil, true
		return make([]byte, 8)
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *byteReader) readUint8() int       { return int(r.nextBytes(1)[0]) }
func (r *byteReader) readUint16() int      { return int(binary.LittleEndian.Uint16(r.nextBytes(2))) }
func (r *byteReader) readUint32() uint32   { return binary.LittleEndian.Uint32(r.nextBytes(4)) }
func (r *byteReader) readFloat32() float32 { return math.Float32frombits(r.readUint32()) }
func (r *byteReader) readFloat64() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.nextBytes(8)))
}

// readSection reads a length, uint32, and returns that many of the following bytes, nil if there are fewer.
func (r *byteReader) readSection() []byte {
	n := r.readUint32()
	if uint64(n) > uint64(len(r.b)) {
		r.b, r.short = nil, true
		return nil
	}
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

// checkEnd returns an error unless exactly all bytes were read.
func (r *byteReader) checkEnd() error {
	switch {
	case r.short:
		return errTruncated
	case len(r.b) > 0:
		return fmt.Errorf("%d bytes too many", len(r.b))
	}
	return nil
}

func (m *Model) decodePlatt(b []byte) error {
	if len(b) != 8+16*len(m.Classes) {
		return fmt.Errorf("the calibration has %d bytes, which do not fit %d classes", len(b), len(m.Classes))
	}
	r := byteReader{b: b}
	m.Threshold = r.readFloat64()
	for range m.Classes {
		m.Platt = append(m.Platt, Platt{A: r.readFloat64(), B: r.readFloat64()})
	}
	return nil
}

// Kinds of classifiers in a model file.
const (
	linearKind = 1
	kernelKind = 2
	stackKind  = 3
	// passagesKind is a stack that reads passages: first the number of passage lengths, then as for
	// stackKind.
	passagesKind = 4
)

func encodeClassifier(c Classifier) ([]byte, error) {
	switch c := c.(type) {
	case *Linear:
		return append([]byte{linearKind}, encodeLinear(c)...), nil
	case *Kernel:
		return c.AppendBinary([]byte{kernelKind})
	case *Stack:
		base := encodeLinear(c.Base)
		b := []byte{stackKind}
		if c.Passages > 0 {
			b = binary.LittleEndian.AppendUint32([]byte{passagesKind}, uint32(c.Passages))
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(c.From))
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(base))), base...)
		return appendTrees(b, c.Trees), nil
	}
	return nil, fmt.Errorf("a model file cannot hold a classifier of type %T", c)
}

func decodeClassifier(b []byte) (Classifier, error) {
	if len(b) < 1 {
		return nil, errTruncated
	}
	switch kind := b[0]; kind {
	case linearKind:
		return decodeLinear(b[1:])
	case kernelKind:
		return DecodeKernel(b[1:])
	case stackKind:
		return decodeStack(b[1:], false)
	case passagesKind:
		return decodeStack(b[1:], true)
	default:
		return nil, fmt.Errorf("%w: a classifier of kind %d, this program reads 1 to %d", ErrIncompatible, kind, passagesKind)
	}
}

func decodeStack(b []byte, passages bool) (*Stack, error) {
	r := byteReader{b: b}
	s := &Stack{}
	if passages {
		s.Passages = int(r.readUint32())
	}
	s.From = int(r.readUint32())
	var err error
	if s.Base, err = decodeLinear(r.readSection()); err != nil {
		return nil, err
	}
	s.Trees, err = r.readTrees()
	return s, err
}

func encodeLinear(l *Linear) []byte {
	columns := 0
	for _, row := range l.Weights {
		columns = max(columns, len(row))
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(l.Weights)))
	b = binary.LittleEndian.AppendUint32(b, uint32(columns))
	for k, row := range l.Weights {
		b = appendFloat32(b, l.Bias[k])
		for _, w := range row {
			b = appendFloat32(b, w)
		}
		for range columns - len(row) {
			b = appendFloat32(b, 0)
		}
	}
	return b
}

func decodeLinear(b []byte) (*Linear, error) {
	r := byteReader{b: b}
	rows, columns := r.readUint32(), r.readUint32()
	if r.short {
		return nil, errTruncated
	}
	if rows > maxClasses || uint64(len(r.b)) != uint64(rows)*(uint64(columns)+1)*4 {
		return nil, fmt.Errorf("%d rows of %d weights do not fit %d bytes", rows, columns, len(r.b))
	}
	l := &Linear{}
	for range rows {
		l.Bias = append(l.Bias, float64(r.readFloat32()))
		row := make([]float64, columns)
		for i := range row {
			row[i] = float64(r.readFloat32())
		}
		l.Weights = append(l.Weights, row)
	}
	return l, nil
}

func appendTrees(b []byte, t *Trees) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(t.Inputs))
	b = le.AppendUint16(b, uint16(len(t.Base)))
	for k, base := range t.Base {
		b = appendFloat64(b, base)
		b = le.AppendUint32(b, uint32(len(t.Forest[k])))
		for _, tree := range t.Forest[k] {
			b = le.AppendUint16(b, uint16(len(tree)))
			for _, n := range tree {
				b = le.AppendUint32(b, uint32(n.Input))
				b = le.AppendUint32(b, math.Float32bits(n.Value))
				if n.Input >= 0 {
					b = le.AppendUint32(b, math.Float32bits(n.Threshold))
					b = le.AppendUint16(le.AppendUint16(b, uint16(n.Left)), uint16(n.Right))
				}
			}
		}
	}
	return b
}

// readTrees reads boosted trees from the rest of r. It allocates memory in proportion to the bytes that r
// still has.
func (r *byteReader) readTrees() (*Trees, error) {
	t := Trees{Inputs: int(r.readUint32())}
	outputs := r.readUint16()
	if outputs > maxClasses {
		return nil, fmt.Errorf("trees have %d outputs, at most %d are supported", outputs, maxClasses)
	}
	for range outputs {
		t.Base = append(t.Base, r.readFloat64())
		n := r.readUint32()
		if n > maxTrees {
			return nil, fmt.Errorf("an output has %d trees, at most %d are supported", n, maxTrees)
		}
		var trees [][]Node
		for ; n > 0 && !r.short; n-- {
			trees = append(trees, r.readTree())
		}
		t.Forest = append(t.Forest, trees)
		if r.short {
			break
		}
	}
	if err := r.checkEnd(); err != nil {
		return nil, err
	}
	return NewTrees(t)
}

func (r *byteReader) readTree() []Node {
	var tree []Node
	for n := r.readUint16(); n > 0 && !r.short; n-- {
		node := Node{Input: int32(r.readUint32()), Value: r.readFloat32()}
		if node.Input >= 0 {
			node.Threshold, node.Left, node.Right = r.readFloat32(), int32(r.readUint16()), int32(r.readUint16())
		}
		tree = append(tree, node)
	}
	return tree
}

// The binary form of a Kernel, all numbers little-endian:
//
//	uint8     version, kernelVersion
//	uint8     type
//	uint16    degree
//	float64   gamma, float64 coef0
//	uint16    classes, then uint32 support vectors of each
//	          float64 rho of each pair
//	          a support vector: classes-1 × float64 coefficient,
//	          uint32 components, then a component: uint32 index, float64 value
//
// Version 1 is the first.
const kernelVersion = 1

// AppendBinary appends the binary form of k, which DecodeKernel reads. The same kernel gives the same
// bytes. It returns an error if k is inconsistent, which a kernel of NewKernel never is.
func (k *Kernel) AppendBinary(b []byte) ([]byte, error) {
	if err := k.check(); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	le := binary.LittleEndian
	b = append(b, kernelVersion, byte(k.Type))
	b = le.AppendUint16(b, uint16(k.Degree))
	b = appendFloat64(appendFloat64(b, k.Gamma), k.Coef0)
	b = le.AppendUint16(b, uint16(len(k.Counts)))
	for _, n := range k.Counts {
		b = le.AppendUint32(b, uint32(n))
	}
	for _, rho := range k.Rho {
		b = appendFloat64(b, rho)
	}
	for s, v := range k.Vectors {
		for _, row := range k.Coef {
			b = appendFloat64(b, row[s])
		}
		b = le.AppendUint32(b, uint32(v.Len()))
		for i, ix := range v.Index {
			b = appendFloat64(le.AppendUint32(b, ix), v.Value[i])
		}
	}
	return b, nil
}

// DecodeKernel reads all of b. It returns an error if b is damaged, and allocates memory only in
// proportion to the length of b.
func DecodeKernel(b []byte) (*Kernel, error) {
	r := byteReader{b: b}
	k, err := r.readKernel()
	if err != nil {
		return nil, fmt.Errorf("kernel is damaged: %w", err)
	}
	return NewKernel(*k)
}

func (r *byteReader) readKernel() (*Kernel, error) {
	if v := r.readUint8(); v != kernelVersion {
		return nil, fmt.Errorf("%w: the kernel has version %d, this program reads version %d", ErrIncompatible, v, kernelVersion)
	}
	k := &Kernel{Type: KernelType(r.readUint8()), Degree: r.readUint16(), Gamma: r.readFloat64(), Coef0: r.readFloat64()}
	classes := r.readUint16()
	if classes < 2 || classes > maxClasses {
		return nil, fmt.Errorf("%d classes", classes)
	}
	total := 0
	for range classes {
		n := r.readUint32()
		if n > maxKernelVectors {
			return nil, fmt.Errorf("a class has %d support vectors, too many", n)
		}
		k.Counts = append(k.Counts, int(n))
		total += int(n)
	}
	for range classes * (classes - 1) / 2 {
		k.Rho = append(k.Rho, r.readFloat64())
	}
	k.Coef = make([][]float64, classes-1)
	for s := 0; s < total && !r.short; s++ {
		r.supportVector(k)
	}
	return k, r.checkEnd()
}

// supportVector reads a support vector and its coefficients.
func (r *byteReader) supportVector(k *Kernel) {
	for c := range k.Coef {
		k.Coef[c] = append(k.Coef[c], r.readFloat64())
	}
	n := int(r.readUint32())
	if n > len(r.b)/12 {
		r.short = true
		return
	}
	v := features.Vector{Index: make([]uint32, n), Value: make([]float64, n)}
	for i := range n {
		v.Index[i], v.Value[i] = r.readUint32(), r.readFloat64()
	}
	k.Vectors = append(k.Vectors, v)
}

// ReadMeta returns the Meta of a model file of any kind. It accepts the files of ReadModel, ReadGate and
// ReadLogLinear and returns the same errors.
func ReadMeta(b []byte) (Meta, error) {
	switch {
	case bytes.HasPrefix(b, []byte(gateMagic)):
		g, err := ReadGate(bytes.NewReader(b))
		if err != nil {
			return Meta{}, err
		}
		return g.Meta, nil
	case bytes.HasPrefix(b, []byte(logLinearMagic)):
		l, err := ReadLogLinear(bytes.NewReader(b))
		if err != nil {
			return Meta{}, err
		}
		return l.Meta, nil
	}
	m, err := ReadModel(bytes.NewReader(b))
	if err != nil {
		return Meta{}, err
	}
	return m.Meta, nil
}
