package wrapper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/nightly"
)

// floorF1 is the minimum of the mean F1 over the groups after the last page; see doc/figures.md.
const floorF1 = .95

// A goldGroup is a group.json of the shared corpus.
type goldGroup struct {
	name    string
	Fields  []string                     `json:"fields"`
	Records []map[string]json.RawMessage `json:"records"`
	pages   []*tagtree.Tree
}

func (g *goldGroup) file(i int) string {
	var name string
	_ = json.Unmarshal(g.Records[i]["file"], &name) // checked by readGroups
	return name
}

// values returns the values that page i has of a field: a text, texts or none.
func (g *goldGroup) values(i int, field string) []string {
	var all []string
	if json.Unmarshal(g.Records[i][field], &all) != nil {
		var one string
		if json.Unmarshal(g.Records[i][field], &one) != nil {
			return nil
		}
		all = []string{one}
	}
	return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// goldGroups are the groups of the shared corpus, read once: nothing changes them.
var goldGroups []*goldGroup

func readGroups(t testing.TB) []*goldGroup {
	if goldGroups != nil {
		return goldGroups
	}
	dirs, err := filepath.Glob(filepath.Join(golden.SharedPath(t, "corpora/wrapper/templates"), "*", "group.json"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no groups: %v", err)
	}
	var groups []*goldGroup
	for _, path := range dirs {
		g := &goldGroup{name: filepath.Base(filepath.Dir(path))}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i := range g.Records {
			body, err := os.ReadFile(filepath.Join(filepath.Dir(path), g.file(i)))
			if err != nil {
				t.Fatal(err)
			}
			g.pages = append(g.pages, wrappertest.ParsePage(t, g.file(i), string(body)))
		}
		groups = append(groups, g)
	}
	goldGroups = groups
	return groups
}

// score pairs gold fields with induced ones like score_wrapper.py and returns the micro F1, and the partner
// of each gold field.
func (g *goldGroup) score(w *Wrapper, readings []Reading) (f1 float64, chosen map[string]string) {
	type fit struct {
		gold       string
		field      *Field
		tp, fp, fn int
		f1         float64
	}
	var fits []fit
	for _, gold := range g.Fields {
		for _, f := range w.Fields {
			x := fit{gold: gold, field: f}
			for i, r := range readings {
				want, got := g.values(i, gold), r.Texts(f)
				tp := overlap(want, got)
				x.tp, x.fp, x.fn = x.tp+tp, x.fp+len(got)-tp, x.fn+len(want)-tp
			}
			if x.tp > 0 {
				x.f1 = 2 * float64(x.tp) / float64(2*x.tp+x.fp+x.fn)
				fits = append(fits, x)
			}
		}
	}
	slices.SortStableFunc(fits, func(a, b fit) int { return int(1e9 * (b.f1 - a.f1)) })
	chosen = make(map[string]string)
	used := make(map[*Field]bool)
	var tp, wrong int
	for _, x := range fits {
		if _, done := chosen[x.gold]; done || used[x.field] {
			continue
		}
		used[x.field] = true
		chosen[x.gold] = fmt.Sprintf("%.3f %s %s@%s %s %s", x.f1, x.field.ID, x.field.Path, x.field.Attr, x.field.Part, x.field.Label)
		tp, wrong = tp+x.tp, wrong+x.fp+x.fn
	}
	for _, gold := range g.Fields {
		if _, done := chosen[gold]; !done {
			for i := range g.Records[:len(readings)] {
				wrong += len(g.values(i, gold))
			}
		}
	}
	return 2 * float64(tp) / float64(2*tp+wrong), chosen
}

func overlap(want, got []string) int {
	left, n := slices.Clone(got), 0
	for _, x := range want {
		if i := slices.IndexFunc(left, func(y string) bool { return sameTokens(x, y) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
			n++
		}
	}
	return n
}

// sameTokens reports whether the token F1 of two texts is at least 0.9.
func sameTokens(a, b string) bool {
	wa, wb := wordsOf(a), wordsOf(b)
	if len(wa)+len(wb) == 0 {
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	}
	if 10*min(len(wa), len(wb)) < 8*max(len(wa), len(wb)) {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(wa) && j < len(wb); {
		switch c := strings.Compare(wa[i], wb[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(2*both)/float64(len(wa)+len(wb)) >= .9
}

var wordsMemo = make(map[string][]string)

// wordsOf returns the words of a text, sorted.
func wordsOf(s string) []string {
	words, found := wordsMemo[s]
	if !found {
		words = strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' })
		slices.Sort(words)
		wordsMemo[s] = words
	}
	return words
}

// curve are the numbers of pages after which the records are looked at.
var curve = []int{1, 2, 3, 5, 8, 12}

// TestSharedTemplates feeds the pages of each group one by one and checks the records, of the pages seen and
// of those still to come. .ci/nightly measures the records at the intermediate steps.
func TestSharedTemplates(t *testing.T) {
	groups, curve := readGroups(t), curve
	if !nightly.Enabled() {
		curve = curve[len(curve)-1:]
	}
	sums := make([]float64, len(curve))
	for _, g := range groups {
		w := New("", "")
		var f1 float64
		var chosen map[string]string
		for i, n := range curve {
			if n <= len(g.pages) || i == 0 || curve[i-1] < len(g.pages) {
				for w.Pages < min(n, len(g.pages)) {
					w.Add(g.pages[w.Pages])
				}
				f1, chosen = g.score(w, w.applyAll(g.pages))
			}
			sums[i] += f1
		}
		t.Logf("%-24s F1 %.4f, %d fields", g.name, f1, len(w.Fields))
		for _, f := range g.Fields {
			t.Logf("    %-16s %s", f, chosen[f])
		}
	}
	for i, n := range curve {
		t.Logf("mean F1 after page %d: %.4f", n, sums[i]/float64(len(groups)))
	}
	if mean := sums[len(curve)-1] / float64(len(groups)); mean < floorF1 {
		t.Errorf("mean F1 over %d groups is %.4f, want at least %v", len(groups), mean, floorF1)
	}
}

func (w *Wrapper) applyAll(pages []*tagtree.Tree) []Reading {
	var readings []Reading
	for _, page := range pages {
		readings = append(readings, w.Apply(page))
	}
	return readings
}

// TestSharedBatch compares with templates induced from scratch: a measurement.
func TestSharedBatch(t *testing.T) {
	nightly.SkipUnlessNightly(t)
	groups := readGroups(t)
	sum := 0.
	for _, g := range groups {
		w := batch("", "", g.pages)
		f1, _ := g.score(w, w.applyAll(g.pages))
		sum += f1
		t.Logf("%-24s F1 %.4f", g.name, f1)
	}
	t.Logf("from scratch: mean F1 %.4f", sum/float64(len(groups)))
}
