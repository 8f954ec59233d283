package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func vec(pairs ...float64) features.Vector {
	v := features.Vector{}
	for i := 0; i < len(pairs); i += 2 {
		v.Index, v.Value = append(v.Index, uint32(pairs[i])), append(v.Value, pairs[i+1])
	}
	return v
}

// A vectorFormat is one way to write vectors and to read them back.
type vectorFormat struct {
	name  string
	write func(io.Writer, *Vectors) error
	read  func(io.Reader, string) (*Vectors, error)
}

var vectorFormats = []vectorFormat{
	{"svmlight", func(w io.Writer, v *Vectors) error { return WriteSVMLight(w, v, false) }, ReadSVMLight},
	{"arff", func(w io.Writer, v *Vectors) error { return WriteARFF(w, v, false) },
		func(r io.Reader, n string) (*Vectors, error) { return ReadARFF(r, n, ColumnOptions{}) }},
	{"dense arff", func(w io.Writer, v *Vectors) error { return WriteARFF(w, v, true) },
		func(r io.Reader, n string) (*Vectors, error) { return ReadARFF(r, n, ColumnOptions{}) }},
	{"csv", func(w io.Writer, v *Vectors) error { return WriteTable(w, v, ',') },
		func(r io.Reader, n string) (*Vectors, error) { return ReadTable(r, n, ',', ColumnOptions{}) }},
	{"tsv", func(w io.Writer, v *Vectors) error { return WriteTable(w, v, '\t') },
		func(r io.Reader, n string) (*Vectors, error) { return ReadTable(r, n, '\t', ColumnOptions{}) }},
}

func TestReadSVMLight(t *testing.T) {
	const in = "\ufeff# a comment\n+1 qid:7 1:.5 3:-2e-3 # page one\r\n\n-1 2:0 4:1234567890123456789\n  1   16777216:3\t \n3 # no component"
	got, err := ReadSVMLight(strings.NewReader(in), "x.svm")
	if err != nil {
		t.Fatal(err)
	}
	want := &Vectors{Classes: []string{"-1", "1", "3"}, Rows: []Row{
		{X: vec(0, .5, 2, -2e-3), Class: 1, Group: "7", ID: "page one", Line: 2},
		{X: vec(3, 1234567890123456789), Line: 4},
		{X: vec(MaxIndex-1, 3), Class: 1, Line: 5},
		{Class: 2, ID: "no component", Line: 6},
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.NumComponents() != MaxIndex || got.Name(2) != "3" || !slices.Equal(got.counts(), []int{1, 2, 1}) {
		t.Errorf("%d components, the third is %q, counts %v", got.NumComponents(), got.Name(2), got.counts())
	}
}

func TestVectorsAreRefused(t *testing.T) {
	svm := func(in string) error { _, err := ReadSVMLight(strings.NewReader(in), "f"); return err }
	arff := func(in string) error { _, err := ReadARFF(strings.NewReader(in), "f", ColumnOptions{}); return err }
	csv := func(in string) error {
		_, err := ReadTable(strings.NewReader(in), "f", ',', ColumnOptions{})
		return err
	}
	const head = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n"
	for _, test := range []struct {
		name string
		err  error
		kind error
		text string
	}{
		{"no row", svm("# nothing\n"), ErrFormat, "f: "},
		{"word for a label", svm("1 1:1\nspam 1:1\n"), ErrFormat, `f:2: not in the format: the line begins with "spam"`},
		{"several labels", svm("1,2 1:1\n"), ErrFormat, `a label is one number`},
		{"not a number", svm("1 1:1\n\n1 1:nan\n"), ErrNotFinite, "f:3: value not finite: 1:nan: leave"},
		{"infinite", svm("1 1:-Inf\n"), ErrNotFinite, "f:1: "},
		{"too large for a float64", svm("1 1:1e999\n"), ErrNotFinite, "f:1: "},
		{"unsorted", svm("1 3:1 2:1\n"), ErrOrder, "f:1: index out of order: index 2 follows 3: sort"},
		{"twice", svm("1 3:1 3:1\n"), ErrOrder, "index 3 follows 3"},
		{"from zero", svm("1 0:1\n"), ErrOrder, "zero_based=False"},
		{"negative", svm("1 -1:1\n"), ErrFormat, `"-1:1" is no index:value`},
		{"no value", svm("1 1:\n"), ErrFormat, `"1:" is no index:value`},
		{"no colon", svm("1 1\n"), ErrFormat, `"1" is no index:value`},
		{"garbage after the value", svm("1 1:2x 2:1\n"), ErrFormat, `"1:2x"`},
		{"large index", svm("1 16777217:1\n"), ErrTooLarge, "f:1: "},
		{"huge index", svm("1 99999999999999999999999:1\n"), ErrTooLarge, "f:1: "},
		{"long line", svm("1 " + strings.Repeat(" ", maxVectorLine)), ErrTooLarge, "f:1: "},
		{"long comment", svm("1 1:1 #" + strings.Repeat("x", maxNameBytes+1)), ErrTooLarge, "f:1: "},
		{"regression", svm(linesOf(MaxClasses+1, func(i int) string { return fmt.Sprintf("%d.5 1:1", i) })), ErrTooLarge, "f:257: "},
		{"empty group", svm("1 qid: 1:1\n"), ErrFormat, "qid:"},

		{"arff without data", arff("@relation r\n"), ErrFormat, "f:2: not in the format: no @data line"},
		{"no arff", arff("<html>\n"), ErrFormat, `f:1: not in the format: "<html>" before @data`},
		{"no attribute", arff("@data\n"), ErrFormat, "@data before"},
		{"a date", arff("@attribute d date 'yyyy'\n"), ErrFormat, `f:1: not in the format: attribute "d" is of type "date"`},
		{"twice declared", arff("@attribute d numeric\n@attribute 'd' real\n"), ErrFormat, "f:2: "},
		{"a string", arff("@attribute s string\n@attribute c {a}\n@data\n"), ErrFormat, `attribute "s" is a string`},
		{"no values", arff("@attribute s {}\n"), ErrFormat, "an empty list of values"},
		{"value twice", arff("@attribute s {a,'a'}\n"), ErrFormat, "twice"},
		{"open quote", arff("@attribute 's numeric\n"), ErrFormat, "a quote ' is not closed"},
		{"too few", arff(head + "1\n"), ErrFormat, "f:5: not in the format: 1 values for 2 attributes"},
		{"missing", arff(head + "1,a\n?,a\n"), ErrMissing, `f:6: missing value: attribute "x" is ?: impute`},
		{"no class", arff(head + "1,?\n"), ErrMissing, "f:5: "},
		{"unknown class", arff(head + "1,d\n"), ErrFormat, `f:5: not in the format: attribute "c" is "d", not one of a, b`},
		{"no number", arff(head + "x,a\n"), ErrFormat, `attribute "x" is "x", which is not a number`},
		{"arff not a number", arff(head + "NaN,a\n"), ErrNotFinite, "f:5: "},
		{"weights", arff(head + "1,a,{5}\n"), ErrFormat, "weight"},
		{"sparse order", arff(head + "{1 a,0 1}\n"), ErrOrder, "f:5: "},
		{"sparse number", arff(head + "{2 a}\n"), ErrFormat, `"2" is not the number of an attribute, must be 0 to 1`},
		{"sparse open", arff(head + "{1 a\n"), ErrFormat, "the line ends before its row or declaration is complete"},
		{"sparse rest", arff(head + "{1 a} {5}\n"), ErrFormat, "remove it"},
		{"no utf-8", arff(head + "1,\xff\n"), ErrFormat, "iconv"},
		{"no arff row", arff(head), ErrFormat, "no row after @data"},

		{"empty csv", csv(""), ErrFormat, "f: "},
		{"header only", csv("x,class\n"), ErrFormat, "f: "},
		{"text", csv("x,class\n1,a\nhello,a\n"), ErrFormat, `f:3: not in the format: column "x" is "hello"`},
		{"ragged", csv("x,class\n1,a\n1\n"), ErrFormat, "f:3: "},
		{"csv missing", csv("x,class\n1,a\n,a\n"), ErrMissing, `f:3: missing value: column "x"`},
		{"csv no class", csv("x,class\n1,\n"), ErrMissing, "f:2: "},
		{"csv infinite", csv("x,class\ninf,b\n"), ErrNotFinite, "f:2: "},
		{"quote", csv("x,class\n\"1,a\n2,b\n"), ErrFormat, "quotes inside a field must be doubled"},
		{"endless quote", csv("x,class\n\"" + strings.Repeat("y", maxVectorLine+readBuffer)), ErrTooLarge, "is a quote not closed?"},
		{"column twice", func() error {
			_, err := ReadTable(strings.NewReader("x,c\n1,a\n"), "f", ',', ColumnOptions{Group: "c"})
			return err
		}(), ErrFormat, "must be different"},
		{"no such column", func() error {
			_, err := ReadTable(strings.NewReader("x,c\n1,a\n"), "f", ',', ColumnOptions{Class: "d"})
			return err
		}(), ErrFormat, `f:1: not in the format: there is no column "d", the columns are x, c`},
	} {
		if !errors.Is(test.err, test.kind) || !strings.Contains(fmt.Sprint(test.err), test.text) {
			t.Errorf("%s: error %.200v, want %v with %q", test.name, test.err, test.kind, test.text)
		}
	}
}

func linesOf(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func TestReadARFF(t *testing.T) {
	const in = `% made by hand
@RELATION 'it''s'
@Attribute length REAL
@attribute 'a \'quoted\' name' {0,1}
@attribute colour {red, 'dark blue',"green"} % with a comment
@attribute who string
@attribute class {no,yes}

@data
1.5, 1, 'dark blue', "x, \"y\"", yes
{1 1, 3 'z', 4 no}
% nothing
{0 2}
?,?,green,?,no
`
	got, err := ReadARFF(strings.NewReader(in), "x.arff", ColumnOptions{ID: "who", MissingZero: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Vectors{
		Names:   []string{"length", "a 'quoted' name", "colour=red", "colour=dark blue", "colour=green"},
		Classes: []string{"no", "yes"}, Missing: 2,
		Rows: []Row{
			{X: vec(0, 1.5, 1, 1, 3, 1), Class: 1, ID: `x, "y"`, Line: 10},
			{X: vec(1, 1, 2, 1), ID: "z", Line: 11},
			{X: vec(0, 2, 2, 1), Line: 13}, // the absent class is the first, as is the absent colour
			{X: vec(4, 1), Line: 14},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadARFFFirstValueThatIsNotZero(t *testing.T) {
	got, err := ReadARFF(strings.NewReader("@attribute x {2,0}\n@attribute c numeric\n@data\n{1 1}\n{0 0, 1 0}\n"), "f", ColumnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{{X: vec(0, 2), Class: 1, Line: 4}, {Line: 5}}
	if diff := cmp.Diff(want, got.Rows, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadTable(t *testing.T) {
	for _, test := range []struct {
		name, in string
		o        ColumnOptions
		want     *Vectors
	}{
		{"header", "x,\"y,z\",label\n1,0,b\n0,-2,a\n", ColumnOptions{}, &Vectors{
			Names: []string{"x", "y,z"}, Classes: []string{"a", "b"},
			Rows: []Row{{X: vec(0, 1), Class: 1, Line: 2}, {X: vec(1, -2), Line: 3}},
		}},
		{"no header", "1,2,a\n", ColumnOptions{}, &Vectors{
			Names: []string{"1", "2"}, Classes: []string{"a"}, Rows: []Row{{X: vec(0, 1, 1, 2), Line: 1}},
		}},
		{"columns", "\ufeffk,_group,site,x\nyes,g,s,NA\n", ColumnOptions{Class: "k", ID: "site", MissingZero: true}, &Vectors{
			Names: []string{"x"}, Classes: []string{"yes"}, Missing: 1, Rows: []Row{{Group: "g", ID: "s", Line: 2}},
		}},
	} {
		got, err := ReadTable(strings.NewReader(test.in), "f", ',', test.o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestVectorsRoundTrip writes random sets in every format and reads them back.
func TestVectorsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &Vectors{Classes: []string{"-1", "1", "7"}}
		dims := rapid.IntRange(1, 12).Draw(t, "dims")
		for i := range dims {
			v.Names = append(v.Names, fmt.Sprintf("%d:%s", i, rapid.StringMatching(`[a-zé',"{}%? \\]*`).Draw(t, "name")))
		}
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			row := Row{Class: rapid.IntRange(0, 2).Draw(t, "class"), Group: strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "group"))}
			row.ID = rapid.StringMatching(`[a-z'"%,#:/]+( [?\\{}a-z]+)*`).Draw(t, "id")
			for ix := range dims {
				if x := rapid.Float64().Draw(t, "value"); x != 0 && rapid.Bool().Draw(t, "there") {
					row.X.Index, row.X.Value = append(row.X.Index, uint32(ix)), append(row.X.Value, x)
				}
			}
			v.Rows = append(v.Rows, row)
		}
		for k := range v.Classes { // readers know only the classes that occur
			v.Rows = append(v.Rows, Row{Class: k, Group: "1", ID: "x"})
		}
		for _, f := range vectorFormats {
			roundTrip(t, f, v)
		}
	})
}

func roundTrip(t *rapid.T, f vectorFormat, v *Vectors) {
	var b bytes.Buffer
	if err := f.write(&b, v); err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	got, err := f.read(bytes.NewReader(b.Bytes()), "f")
	if err != nil {
		t.Fatalf("%s: %v\n%s", f.name, err, b.Bytes())
	}
	want := *v
	if f.name == "svmlight" {
		want.Names = nil
	}
	if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Row{}, "Line")); diff != "" {
		t.Fatalf("%s (-want +got):\n%s\n%s", f.name, diff, b.Bytes())
	}
}

func TestWriteSVMLight(t *testing.T) {
	v := &Vectors{Classes: []string{"not_cfp", "cfp"}, Rows: []Row{
		{X: vec(0, .1, 9, 2), Class: 1, Group: "b.example", ID: "http://b.example/\n#x"},
		{Group: "a.example"}, {X: vec(1, 1), Group: "b.example"},
	}}
	for _, test := range []struct {
		plain bool
		want  string
	}{
		{false, "1 qid:1 1:0.1 10:2 # http://b.example/ #x\n-1 qid:2\n-1 qid:1 2:1\n"},
		{true, "1 1:0.1 10:2\n-1\n-1 2:1\n"},
	} {
		var b strings.Builder
		if err := WriteSVMLight(&b, v, test.plain); err != nil {
			t.Fatal(err)
		}
		if b.String() != test.want {
			t.Errorf("plain %t: got %q, want %q", test.plain, b.String(), test.want)
		}
	}
	if got := SVMLightLabels([]string{"b", "a", "c"}); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("labels %q", got)
	}
}

func TestWriteARFFRefusesOneNameTwice(t *testing.T) {
	v := &Vectors{Names: []string{"x", "x"}, Classes: []string{"a"}}
	if err := WriteARFF(io.Discard, v, false); err == nil || !strings.Contains(err.Error(), `two components are named "x"`) {
		t.Errorf("error %v", err)
	}
	v.Names = []string{"class", "_class"}
	var b strings.Builder
	if err := WriteARFF(&b, v, false); err != nil || !strings.Contains(b.String(), "@attribute '__class' {'a'}") {
		t.Errorf("error %v in\n%s", err, b.String())
	}
}

func TestParseFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int32(), func(i int32) float64 { return float64(i) / 1000 })).Draw(t, "x")
		format := rapid.SampledFrom([]byte("efg")).Draw(t, "format")
		s := strconv.FormatFloat(x, format, rapid.IntRange(-1, 20).Draw(t, "digits"), 64)
		want, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Skip(err)
		}
		if got, n := parseFloat([]byte(s + " 1")); math.Float64bits(got) != math.Float64bits(want) || n != len(s) {
			t.Fatalf("%q is read as %v (%d bytes), want %v", s, got, n, want)
		}
	})
	for _, s := range []string{"", " ", "-", "+", ".", "-.", "1.2.3", "1e", "e5", "x", "--1", "1,5"} {
		if x, n := parseFloat([]byte(s)); n != 0 {
			t.Errorf("%q is read as %v", s, x)
		}
	}
}

func TestDBWorld(t *testing.T) {
	for file, dims := range map[string]int{
		"dbworld_bodies": 4702, "dbworld_bodies_stemmed": 3721, "dbworld_subjects": 242, "dbworld_subjects_stemmed": 229,
	} {
		f, err := os.Open(golden.SharedPath(t, "corpora/dbworld/"+file+".arff"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v, err := ReadARFF(f, file, ColumnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if counts := v.counts(); v.NumComponents() != dims || !slices.Equal(counts, []int{35, 29}) {
			t.Errorf("%s: %d components, %v rows of classes %q, want %d and 35, 29", file, v.NumComponents(), counts, v.Classes, dims)
		}
	}
}

func checkVectors(t *testing.T, v *Vectors) {
	for _, row := range v.Rows {
		if row.Class < 0 || row.Class >= len(v.Classes) || row.Line < 1 {
			t.Fatalf("row %+v of classes %q", row, v.Classes)
		}
		for i, ix := range row.X.Index {
			if !isFinite(row.X.Value[i]) || i > 0 && ix <= row.X.Index[i-1] || v.Names != nil && int(ix) >= len(v.Names) {
				t.Fatalf("row %+v", row)
			}
		}
	}
}

// fuzzVectors feeds a reader: it never fails without an error of ours, and what
// it reads can be written and read again.
func fuzzVectors(f *testing.F, format vectorFormat) {
	f.Fuzz(func(t *testing.T, in string) {
		v, err := format.read(strings.NewReader(in), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		checkVectors(t, v)
		var b bytes.Buffer
		if err := format.write(&b, v); err != nil {
			return
		}
		again, err := format.read(&b, "f")
		if err != nil || len(again.Rows) != len(v.Rows) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}

func FuzzReadSVMLight(f *testing.F) {
	f.Add("+1 qid:3 1:0.5 7:1e-3 # x\n-1 2:nan\n")
	f.Add("1 1:1 1:2\n0 0:1")
	fuzzVectors(f, vectorFormats[0])
}

func FuzzReadARFF(f *testing.F) {
	f.Add("@relation r\n@attribute 'a b' {0,1}\n@attribute c {x,'y z'}\n@data\n1,x\n{0 1,1 'y z'}\n?,x\n")
	f.Add("@attribute \"a\\\"\" numeric\n@attribute _id string\n@attribute c string\n@data\n1e3,'%',\"q\"\n")
	fuzzVectors(f, vectorFormats[1])
}

func FuzzReadTable(f *testing.F) {
	f.Add("x,_group,class\n1,g,a\n-.5,h,\"b\"\"c\"\n")
	f.Add("1,2,3\n4,5,6")
	fuzzVectors(f, vectorFormats[3])
}

// BenchmarkReadSVMLight reads 50,000 rows of 40 components, the largest set of
// the comparison with LIBLINEAR.
func BenchmarkReadSVMLight(b *testing.B) {
	v := &Vectors{Classes: []string{"-1", "1"}}
	x := uint32(1)
	for n := range 50_000 {
		row := Row{Class: n % 2}
		for i := range uint32(40) {
			x = x*1664525 + 1013904223
			row.X.Index, row.X.Value = append(row.X.Index, 500*i+x>>24), append(row.X.Value, float64(x>>8)/(1<<24))
		}
		v.Rows = append(v.Rows, row)
	}
	var file bytes.Buffer
	if err := WriteSVMLight(&file, v, true); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadSVMLight(bytes.NewReader(file.Bytes()), "f"); err != nil {
			b.Fatal(err)
		}
	}
}

// counts returns the number of rows of each class.
func (v *Vectors) counts() []int {
	counts := make([]int, len(v.Classes))
	for _, row := range v.Rows {
		counts[row.Class]++
	}
	return counts
}
