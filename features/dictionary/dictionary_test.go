package dictionary

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, o Options) (*Dictionary, []string) {
	t.Helper()
	var bad []string
	o.Bad = func(err error) { bad = append(bad, err.Error()) }
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return d, bad
}

func TestBuiltIn(t *testing.T) {
	d, bad := open(t, Options{})
	if len(bad) > 0 {
		t.Errorf("the built-in sets have bad lines: %v", bad)
	}
	for term, want := range map[string]string{
		"CFP": "call for papers", "Calls for Papers": "cfp", "deadlines": "due date", "camera-ready": "final version",
		"programme committees": "program committee",
	} {
		if got := d.Synonyms(term); !slices.Contains(got, want) {
			t.Errorf("Synonyms(%q) = %q, want %q among them", term, got, want)
		}
	}
	for _, term := range []string{"workshop", "", "   ", "symposium"} {
		if got := d.Synonyms(term); len(got) > 0 {
			t.Errorf("Synonyms(%q) = %q, want none", term, got)
		}
	}
}

func TestSets(t *testing.T) {
	path := write(t, "own.txt", `
# engines
engine, motor, power unit # the quiet kind
alone
motor, `+strings.Repeat("w ", MaxWords+1)+`
`+strings.Repeat("x,", maxSet)+`y
motor, drive
`)
	d, bad := open(t, Options{Sets: []string{path}})
	for _, want := range []string{":4: a set needs at least two terms", ":5: term \"w w", ":6: a set has 26 terms"} {
		if !slices.ContainsFunc(bad, func(s string) bool { return strings.HasPrefix(s, path+want) }) {
			t.Errorf("reports %q lack %q", bad, want)
		}
	}
	if diff := cmp.Diff([]string{"engine", "power unit", "drive"}, d.Synonyms("Motors")); diff != "" {
		t.Errorf("Synonyms(Motors) (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"engine", "motor"}, d.Synonyms("power units")); diff != "" {
		t.Errorf("Synonyms(power units) (-want +got):\n%s", diff)
	}
}

// TestManySets reads 100,000 sets: a cycle of words, and sets that share a word. Synonyms are not
// followed further than one set, and a word has MaxSynonyms of them at most.
func TestManySets(t *testing.T) {
	const sets = 50_000
	name := func(n int) string { return fmt.Sprintf("node %d", n%sets) }
	var b strings.Builder
	for n := range sets {
		fmt.Fprintf(&b, "%s, %s\nshared, other%d\n", name(n), name(n+1), n)
	}
	path := write(t, "many.txt", b.String())
	d, bad := open(t, Options{Sets: []string{path}})
	if len(bad) > 0 {
		t.Errorf("%d reports, the first %q", len(bad), bad[0])
	}
	for _, n := range []int{0, 1, 777, sets - 1} {
		want := []string{name(n - 1 + sets), name(n + 1)}
		got := d.Synonyms(name(n))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("Synonyms(%s) = %q, want %q", name(n), got, want)
		}
	}
	if got := d.Synonyms("shared"); len(got) != MaxSynonyms {
		t.Errorf("a word of %d sets has %d synonyms, at most %d are allowed", sets, len(got), MaxSynonyms)
	}
}

const tinyThesaurus = `ISO8859-1
caf` + "\xe9" + `|1
(noun)|coffee shop|bar|place (generic term)|shut (antonym)
paper|3
(noun)|material (generic term)
(noun)|composition|report
(verb)|cover
universe|1
(noun)|cosmos
university|1
(noun)|academy
short|2
(adj)|brief
lost
next|1
-|following
`

func TestMyThes(t *testing.T) {
	path := write(t, "th.dat", tinyThesaurus)
	d, bad := open(t, Options{MyThes: []string{path}})
	for term, want := range map[string][]string{
		"Café": {"coffee shop", "bar"}, "papers": {"cover"}, "universities": {"academy"}, "universal": {"cosmos"},
		"next": {"following"}, "lost": nil,
	} {
		if diff := cmp.Diff(want, d.Synonyms(term)); diff != "" {
			t.Errorf("Synonyms(%q) (-want +got):\n%s", term, diff)
		}
	}
	if len(bad) != 0 {
		t.Errorf("reports %q", bad)
	}
	d, _ = open(t, Options{MyThes: []string{path}, Senses: 2})
	if diff := cmp.Diff([]string{"composition", "report", "cover"}, d.Synonyms("paper")); diff != "" {
		t.Errorf("with two senses (-want +got):\n%s", diff)
	}
}

func TestMyThesBad(t *testing.T) {
	path := write(t, "th.dat", "UTF-8\nno count\n(noun)|stray\nmany|9999999\nshort|3\n(adj)|brief\nnext|1\n(adj)|coming\nlast|1\n")
	d, bad := open(t, Options{MyThes: []string{path}})
	if len(bad) != 4 || !strings.HasPrefix(bad[0], path+":2: ") || !strings.HasPrefix(bad[3], path+":7: ") {
		t.Errorf("reports %q", bad)
	}
	if got := d.Synonyms("next"); !slices.Equal(got, []string{"coming"}) {
		t.Errorf("after bad lines: %q", got)
	}
	for _, text := range []string{"", "PK\x03\x04", "klingon\n"} {
		if _, err := Open(Options{MyThes: []string{write(t, "th.dat", text)}}); err == nil {
			t.Errorf("a thesaurus of %q was read", text)
		}
	}
	if _, err := Open(Options{Sets: []string{filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a file that is not there was read")
	}
}

var tinyWordNet = fstest.MapFS{
	"data.noun": {Data: []byte("  1 A licence\n00000020 03 n 03 due_date 0 time_limit 0 deadline 0 001 @ 00000000 n 0000 | a time  \n" +
		"00000100 03 n 02 talk 0 lecture 0 000 | a speech\n00000140 03 n 02 talk 0 gossip 0 000 | chat\nrotten\n00000180 03 n zz talk 0 000\n")},
	"index.noun": {Data: []byte("  1 A licence\ndeadline n 1 1 @ 1 1 00000020\ntalk n 2 0 2 1 00000100 00000140\nrotten n\ntalks n 99 0 1 1 00000100\n")},
	"data.adj":   {Data: []byte("00000020 00 s 02 quiet(p) 0 silent 0 000 | still\n")},
	"index.adj":  {Data: []byte("silent a 1 0 1 1 00000020\n")},
	"data.verb":  {}, "index.verb": {}, "data.adv": {}, "index.adv": {},
}

func TestWordNet(t *testing.T) {
	var bad []string
	table := newSynonymTable()
	o := Options{Senses: 1, Bad: func(err error) { bad = append(bad, err.Error()) }}
	if err := readWordNet(tinyWordNet, "wn", o, &table); err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string][]string{"deadlines": {"due date", "time limit"}, "talk": {"lecture"}, "silent": {"quiet"}} {
		if diff := cmp.Diff(want, table.lookup(term)); diff != "" {
			t.Errorf("lookup(%q) (-want +got):\n%s", term, diff)
		}
	}
	want := []string{
		"wn/data.noun:5: not a synset: it has fewer than 6 fields", `wn/data.noun:6: not a synset: it announces "zz" words`,
		"wn/index.noun:4: not an entry: it has fewer than 7 fields", `wn/index.noun:5: not an entry: it announces "99" senses`,
	}
	if diff := cmp.Diff(want, bad); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	if _, err := Open(Options{WordNet: t.TempDir()}); err == nil {
		t.Error("an empty folder was read as WordNet")
	}
}

// TestCyclesOfThesauri reads a MyThes thesaurus and a WordNet database of 50,000 words each. The words
// are a cycle, one of them is its own synonym, and one has 50,000 entries. A cycle is no
// error, since words may be synonyms of each other. Synonyms of synonyms are not looked for, so a word of a
// cycle has its neighbour only. Entries that are cut short are reported with file and line.
func TestCyclesOfThesauri(t *testing.T) {
	const words = 50_000
	name := func(n int) string { return fmt.Sprintf("node %d", n%words) }
	underscored := func(n int) string { return strings.ReplaceAll(name(n), " ", "_") }
	var thesaurus, data, index strings.Builder
	thesaurus.WriteString("UTF-8\n")
	for n := range words {
		next := name(n + 1)
		if n == 7 {
			next = name(n)
		}
		fmt.Fprintf(&thesaurus, "%s|1\n(noun)|%s\nshared|1\n(noun)|other%d\n", name(n), next, n)
		// Each synset points to the next one as its hypernym, and the last one to the first.
		fmt.Fprintf(&data, "%08d 03 n 02 %s 0 %s 0 001 @ %08d n 0000 | of a cycle\n", n, underscored(n), strings.ReplaceAll(next, " ", "_"), (n+1)%words)
		fmt.Fprintf(&index, "%s n 1 1 @ 1 1 %08d\nshared n 1 0 1 1 %08d\n", underscored(n), n, n)
	}
	thesaurus.WriteString("cut|3\n(noun)|short\nend|1\n(noun)|finish\n")
	data.WriteString("cut n\n")
	index.WriteString("cut n 3 0 1 1 00000001\n")
	files := fstest.MapFS{
		"data.noun": {Data: []byte(data.String())}, "index.noun": {Data: []byte(index.String())}, "data.verb": {}, "index.verb": {},
		"data.adj": {}, "index.adj": {}, "data.adv": {}, "index.adv": {},
	}
	for kind, read := range map[string]func(o Options, table *synonymTable) error{
		"th.dat": func(o Options, table *synonymTable) error {
			return readMyThes(strings.NewReader(thesaurus.String()), "th.dat", o, table)
		},
		"wn/data.noun": func(o Options, table *synonymTable) error { return readWordNet(files, "wn", o, table) },
	} {
		var bad []string
		table := newSynonymTable()
		if err := read(Options{Senses: 1, Bad: func(err error) { bad = append(bad, err.Error()) }}, &table); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, n := range []int{0, 1, 777, words - 1} {
			if got := table.lookup(name(n)); !slices.Equal(got, []string{name(n + 1)}) {
				t.Errorf("%s: lookup(%s) = %q, want its neighbour %q only", kind, name(n), got, name(n+1))
			}
		}
		if got := table.lookup(name(7)); len(got) > 0 {
			t.Errorf("%s: a word that is its own synonym has synonyms %q", kind, got)
		}
		if got := table.lookup("shared"); len(got) != MaxSynonyms {
			t.Errorf("%s: a word of %d entries has %d synonyms, want %d", kind, words, len(got), MaxSynonyms)
		}
		if len(bad) == 0 || len(bad) > 2 || !strings.HasPrefix(bad[0], kind+":") {
			t.Errorf("%s: reports %q, want the entry that is cut short with file and line", kind, bad)
		}
		bounded(t, table)
	}
}

func TestStem(t *testing.T) {
	for _, c := range [][3]string{
		{"Submissions", "en", "submiss"}, {"Einreichungen", "de", "einreich"}, {"ΠΡΟΘΕΣΜΙΕΣ", "en", "προθεσμ"}, {"the", "", "the"}, {"", "", ""},
	} {
		if got := Stem(c[0], c[1]); got != c[2] {
			t.Errorf("Stem(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func FuzzMyThes(f *testing.F) {
	f.Add(tinyThesaurus)
	f.Add("UTF-8\na|2\n(x)|b\nb|1\n-|c")
	f.Fuzz(func(t *testing.T, s string) {
		table := newSynonymTable()
		if readMyThes(strings.NewReader(s), "th.dat", Options{Senses: 1}, &table) == nil {
			bounded(t, table)
		}
	})
}

func FuzzWordNet(f *testing.F) {
	f.Add(string(tinyWordNet["data.noun"].Data), string(tinyWordNet["index.noun"].Data))
	f.Fuzz(func(t *testing.T, data, index string) {
		table := newSynonymTable()
		files := fstest.MapFS{
			"data.noun": {Data: []byte(data)}, "index.noun": {Data: []byte(index)}, "data.verb": {}, "index.verb": {},
			"data.adj": {}, "index.adj": {}, "data.adv": {}, "index.adv": {},
		}
		if readWordNet(files, "wn", Options{Senses: 1}, &table) == nil {
			bounded(t, table)
		}
	})
}

func FuzzSets(f *testing.F) {
	f.Add("a b, c d # e\nf,\ng")
	f.Fuzz(func(t *testing.T, s string) {
		table := newSynonymTable()
		if err := readSets(strings.NewReader(s), "own.txt", nil, &table); err == nil {
			bounded(t, table)
		}
	})
}

// bounded checks what holds of every table.
func bounded(t *testing.T, table synonymTable) {
	t.Helper()
	for key, synonyms := range table.synonyms {
		if len(synonyms) == 0 || len(synonyms) > MaxSynonyms || slices.Contains(synonyms, key) {
			t.Errorf("synonyms of %q: %q", key, synonyms)
		}
		if len(table.lookup(key)) != len(synonyms) {
			t.Errorf("lookup(%q) = %q, want %q", key, table.lookup(key), synonyms)
		}
	}
}

// TestMistakableNames checks that a name is not a synonym if another topic has the same stems.
func TestMistakableNames(t *testing.T) {
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for term, want := range map[string]string{
		"dh":                   "dh, digital humanities",
		"humanities computing": "digital humanities, humanities computing", // itself as well
		"medical imaging":      "biomedical imaging, medical images, medical imaging",
	} {
		if got := strings.Join(d.SameNames(term), ", "); got != want {
			t.Errorf("%s: %q, want %q", term, got, want)
		}
	}
	if slices.Contains(d.Synonyms("digital humanities"), "humanities computing") {
		t.Error("digital humanities are looked for as humanities computing, which finds human-computer interaction")
	}
}
