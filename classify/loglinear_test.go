package classify

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

func logLinearFile(t testing.TB) []byte {
	m, err := NewLogLinear(Meta{Task: "test", Classes: []string{"a", "b"}}, []float64{0.5, -200},
		map[uint32][]float64{7: {1.25, -0.001}, 9: {0.001, 0}, math.MaxUint32: {-3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteLogLinear(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLogLinearRounds(t *testing.T) {
	m, err := ReadLogLinear(bytes.NewReader(logLinearFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Features() != 2 || len(m.IDs()) != 2 || m.IDs()[0] != 7 {
		t.Errorf("%d features, want 2: that of weights below a unit is dropped", m.Features())
	}
	scores := make([]float64, 2)
	m.Scores([]Term{{ID: 7, Value: 2}, {ID: math.MaxUint32, Value: 1}, {ID: 8, Value: 5}}, scores)
	if scores[0] != 0.5+2.5-3 || scores[1] != -MaxWeight+4 {
		t.Errorf("scores %v", scores)
	}
	if s := m.Score([]Term{{ID: 7, Value: 1}}); s != 1.75 {
		t.Errorf("score %v, want 1.75", s)
	}
	if _, err := NewLogLinear(Meta{}, []float64{1, 2}, map[uint32][]float64{1: {1}}); err == nil {
		t.Error("a feature with too few weights was accepted")
	}
}

// TestUnits: sums of terms of value 1 are those of Add, to the bit, for any number of outputs.
func TestUnits(t *testing.T) {
	for _, outputs := range []int{1, 3, 4, 5, 30, MaxOutputs} {
		testUnits(t, outputs)
	}
}

func testUnits(t *testing.T, outputs int) {
	rnd := rand.New(rand.NewPCG(1, 1))
	weights := map[uint32][]float64{}
	for range 500 {
		ws := make([]float64, outputs)
		for k := range ws {
			if rnd.IntN(3) > 0 {
				ws[k] = 300 * (rnd.Float64() - 0.5) // some are cut to MaxWeight or -MaxWeight
			}
		}
		weights[rnd.Uint32N(2000)] = ws
	}
	m, err := NewLogLinear(Meta{}, make([]float64, outputs), weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, unitBatch - 1, unitBatch, unitBatch + 1, 5 * unitBatch, 60_000} {
		var terms []Term
		var ids []uint32
		for range n {
			ids = append(ids, rnd.Uint32N(2000))
			terms = append(terms, Term{ID: ids[len(ids)-1], Value: 1})
		}
		var sums [MaxOutputs]int32
		scores, want := make([]float64, outputs), make([]float64, outputs)
		for _, id := range ids {
			at, ws := m.Weights(id)
			for i, k := range at {
				want[k] += float64(ws[i])
			}
		}
		m.Add(terms, scores)
		m.AddUnits(terms, sums[:])
		for k, want := range want {
			if got := float64(sums[k]) / WeightUnit; got != want || scores[k] != want {
				t.Errorf("%d terms, output %d of %d: units %v, scores %v, want %v", n, k, outputs, got, scores[k], want)
			}
		}
		if got := float64(m.SumUnits(ids)) / WeightUnit; got != want[0] || m.Score(terms) != want[0] {
			t.Errorf("%d terms, %d outputs: units %v, score %v, want %v", n, outputs, got, m.Score(terms), want[0])
		}
	}
}

func TestHashTermSeparates(t *testing.T) {
	if HashTerm("ab", "c") == HashTerm("a", "bc") {
		t.Error("template and value run together")
	}
	if got := HashTerm("", ""); got != 84696351 {
		t.Errorf("hash of nothing is %d: hashes in model files must not change", got)
	}
}

func TestReadLogLinearRefuses(t *testing.T) {
	good := logLinearFile(t)
	for n := range good {
		if _, err := ReadLogLinear(bytes.NewReader(good[:n])); err == nil {
			t.Fatalf("the first %d bytes of %d were accepted", n, len(good))
		}
		bad := bytes.Clone(good)
		bad[n] ^= 1
		if _, err := ReadLogLinear(bytes.NewReader(bad)); err == nil {
			t.Fatalf("byte %d changed and the file was accepted", n)
		}
	}
}

func FuzzReadLogLinear(f *testing.F) {
	good := logLinearFile(f)
	f.Add(good[12 : len(good)-32])
	f.Add(binary.LittleEndian.AppendUint32(nil, 1<<31))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := ReadLogLinear(bytes.NewReader(appendSum(append(binary.LittleEndian.AppendUint32([]byte(logLinearMagic), logLinearVersion), body...))))
		if err != nil {
			return
		}
		scores := make([]float64, m.Outputs())
		m.Scores([]Term{{ID: 7, Value: 1}}, scores)
		var b bytes.Buffer
		if err := WriteLogLinear(&b, m); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLogLinear(&b); err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
	})
}

// IDs are stored in model files: they must not change.
func TestNumberedTerm(t *testing.T) {
	if got := NumberedTerm(3, 0x01020304, 0.5); got != (Term{ID: 0xd7d709c, Value: 0.5}) {
		t.Errorf("%#x, %v", got.ID, got.Value)
	}
	if NumberedTerm(1, 2, 1).ID == NumberedTerm(2, 1, 1).ID {
		t.Error("template and value can be exchanged")
	}
}
