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

	"eventseer/features"
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
//	          4  float64 threshold, then a class: float64 A, float64 B
//	32 bytes  SHA-256 of everything before
//
//	linear    uint32 rows, uint32 columns, then a row: float32 bias,
//	          columns × float32 weight
//	trees     uint32 inputs, uint16 outputs, then an output: float64 base,
//	          uint32 trees, then a tree: uint16 nodes, then a node:
//	          int32 input (-1: a leaf), float32 value; of inner nodes also
//	          float32 threshold, uint16 left, uint16 right
//
// Format versions: 1 is the first, its section 3 is linear without a kind;
// 2 has kinds. Both are read.
const (
	modelMagic   = "ESmodel\n"
	modelVersion = 2
)

// Limits on what a model file may hold.
const (
	maxModelBytes = 64 << 20
	maxClasses    = 256
)

// ErrIncompatible is returned for a model file that only another program reads:
// one in another format version, or made with other features.
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

// ReadModel reads a model file to its end. Its error is ErrIncompatible for an
// unknown format version or unknown features, and says what is wrong for a truncated or changed file.
func ReadModel(r io.Reader) (*Model, error) {
	m, err := readModel(r)
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	return m, nil
}

func readModel(r io.Reader) (*Model, error) {
	b, version, err := readSealed(r, modelMagic, modelVersion, maxModelBytes)
	if err != nil {
		return nil, err
	}
	var sections [4][]byte
	for i := range sections {
		if sections[i], b, err = cutSection(b); err != nil {
			return nil, err
		}
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(b))
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

// readSealed reads all of r, a magic, a version, a body and a checksum, and
// returns the body. The version, from 1 to latest, is looked at before the
// checksum, so that a later format may end in another way.
func readSealed(r io.Reader, magic string, latest uint32, limit int64) (body []byte, version uint32, err error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, 0, err
	}
	if int64(len(b)) > limit {
		return nil, 0, fmt.Errorf("more than %d bytes", limit)
	}
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, 0, fmt.Errorf("the file does not begin with %q, it is of another kind", magic)
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

func cutSection(b []byte) (section, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errTruncated
	}
	n := binary.LittleEndian.Uint32(b)
	if b = b[4:]; uint64(n) > uint64(len(b)) {
		return nil, nil, errTruncated
	}
	return b[:n], b[n:], nil
}

func (m *Model) decodePlatt(b []byte) error {
	if len(b) != 8+16*len(m.Classes) {
		return fmt.Errorf("%d bytes of calibration for %d classes", len(b), len(m.Classes))
	}
	next := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
		return v
	}
	m.Threshold = next()
	for range m.Classes {
		m.Platt = append(m.Platt, Platt{A: next(), B: next()})
	}
	return nil
}
