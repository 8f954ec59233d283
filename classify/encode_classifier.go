package classify

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Kinds of classifiers in a model file.
const (
	linearKind = 1
	kernelKind = 2
	stackKind  = 3
)

func encodeClassifier(c Classifier) ([]byte, error) {
	switch c := c.(type) {
	case *Linear:
		return append([]byte{linearKind}, encodeLinear(c)...), nil
	case *Kernel:
		return c.AppendBinary([]byte{kernelKind})
	case *Stack:
		base := encodeLinear(c.Base)
		b := binary.LittleEndian.AppendUint32([]byte{stackKind}, uint32(c.From))
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(base))), base...)
		return appendTrees(b, c.Trees), nil
	}
	return nil, fmt.Errorf("a model file holds no %T", c)
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
		return decodeStack(b[1:])
	default:
		return nil, fmt.Errorf("%w: a classifier of kind %d, this program reads 1 to %d", ErrIncompatible, kind, stackKind)
	}
}

func decodeStack(b []byte) (*Stack, error) {
	if len(b) < 4 {
		return nil, errTruncated
	}
	s := &Stack{From: int(binary.LittleEndian.Uint32(b))}
	section, rest, err := cutSection(b[4:])
	if err != nil {
		return nil, err
	}
	if s.Base, err = decodeLinear(section); err != nil {
		return nil, err
	}
	s.Trees, err = decodeTrees(rest)
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
	if len(b) < 8 {
		return nil, errTruncated
	}
	rows, columns := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	b = b[8:]
	if rows > maxClasses || uint64(len(b)) != uint64(rows)*(uint64(columns)+1)*4 {
		return nil, fmt.Errorf("%d rows of %d weights do not fit %d bytes", rows, columns, len(b))
	}
	l := &Linear{}
	next := func() float64 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return float64(v)
	}
	for range rows {
		l.Bias = append(l.Bias, next())
		row := make([]float64, columns)
		for i := range row {
			row[i] = next()
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

// decodeTrees takes no more memory than in proportion to b.
func decodeTrees(b []byte) (*Trees, error) {
	r := treeReader{b: b}
	t := Trees{Inputs: int(r.uint32())}
	outputs := int(r.uint16())
	if outputs > maxClasses {
		return nil, fmt.Errorf("trees of %d outputs, at most %d can be had", outputs, maxClasses)
	}
	for range outputs {
		t.Base = append(t.Base, math.Float64frombits(uint64(r.uint32())|uint64(r.uint32())<<32))
		n := r.uint32()
		if n > maxTrees {
			return nil, fmt.Errorf("%d trees of an output, at most %d can be had", n, maxTrees)
		}
		var trees [][]Node
		for ; n > 0 && !r.short; n-- {
			trees = append(trees, r.tree())
		}
		t.Forest = append(t.Forest, trees)
		if r.short {
			return nil, errTruncated
		}
	}
	if len(r.b) > 0 {
		return nil, fmt.Errorf("%d bytes after the trees", len(r.b))
	}
	return NewTrees(t)
}

// A treeReader reads numbers until they run short, then zeros.
type treeReader struct {
	b     []byte
	short bool
}

func (r *treeReader) take(n int) []byte {
	if len(r.b) < n {
		r.short, r.b = true, nil
		return make([]byte, n)
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *treeReader) uint16() uint16   { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *treeReader) uint32() uint32   { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *treeReader) float32() float32 { return math.Float32frombits(r.uint32()) }

func (r *treeReader) tree() []Node {
	var tree []Node
	for n := r.uint16(); n > 0 && !r.short; n-- {
		node := Node{Input: int32(r.uint32()), Value: r.float32()}
		if node.Input >= 0 {
			node.Threshold, node.Left, node.Right = r.float32(), int32(r.uint16()), int32(r.uint16())
		}
		tree = append(tree, node)
	}
	return tree
}
