//go:build measure

package field

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

var update = flag.Bool("update", false, "write the model and its card")

// Weights of examples, and numbers of samples of a field's descriptors.
const (
	drawnExamples = 60
	drawnWeight   = 0.5
	singleWeight  = 0.2
	maxNames      = 8
	editionWeight = 3
	taughtFields  = 2 // fields of an edition used for training, the first ones
	folds         = 5
	leastTopics   = 3 // minimum topics of an edition that is measured without its title
)

var trainOptions = loglinear.Options{Epochs: 12, Rate: .2, L1: .3, L2: .002, Seed: 1}

// An edition is a record of a corpus with the fields of datasets/fields.tsv, -1 for none.
type edition struct {
	event               eventseer.Event
	corpus, part, group string
	fields              []int
	series              string // known series, hidden from the model that is measured on the edition
}

func foldOf(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte("field " + group))
	return int(h.Sum32() % folds)
}

func numbers(ids []string) (out []int) {
	for _, id := range ids {
		out = append(out, slices.IndexFunc(All(), func(f Field) bool { return f.ID == id }))
	}
	return out
}

// examplesOfTable returns examples sampled from the table's descriptors, and the names of series.
func examplesOfTable() (out []loglinear.Example) {
	for class, f := range All() {
		rng := rand.New(rand.NewPCG(7, uint64(class)))
		add := func(e eventseer.Event, weight float64) {
			out = append(out, loglinear.Example{Terms: TermsOf(e), Class: class, Group: "table", Weight: weight})
		}
		for _, d := range f.descriptors {
			add(eventseer.Event{Topics: []string{d}}, singleWeight)
			add(eventseer.Event{Title: "International Conference on " + d}, singleWeight)
		}
		for range drawnExamples {
			e := eventseer.Event{}
			from := f.descriptors
			if others := descriptorsWithin(f); len(others) > 0 && rng.IntN(2) == 0 {
				from = others
			}
			for _, i := range rng.Perm(len(from))[:min(6, len(from))] {
				e.Topics = append(e.Topics, from[i])
			}
			if rng.IntN(2) == 0 {
				e.Title = "Conference on " + f.Name
			}
			add(e, drawnWeight)
		}
	}
	return append(out, examplesOfSeries(out)...)
}

// descriptorsWithin returns the descriptors of the other fields in a general field's discipline; for
// computing, those of all its disciplines. It returns none for any other field, and for one with enough
// descriptors.
func descriptorsWithin(f Field) (all []string) {
	if !f.IsGeneral() || len(f.descriptors) >= 24 {
		return nil
	}
	for _, other := range All() {
		if other.ID != f.ID && (other.Discipline == f.Discipline || f.Discipline == computing && ofComputing[other.Discipline]) {
			all = append(all, other.descriptors...)
		}
	}
	return all
}

// examplesOfSeries returns the names of series as examples. A list may name three fields for all series of
// a category. A series with several fields is therefore weighted for each by what a model of the
// descriptors predicts from its name. The names of a field together count as at most maxNames.
func examplesOfSeries(descriptors []loglinear.Example) (out []loglinear.Example) {
	first, err := loglinear.Train(context.Background(), classify.Meta{}, len(All()), descriptors, nil, trainOptions)
	if err != nil {
		panic(err)
	}
	sums := make([]float64, len(All()))
	for _, s := range series.Shipped().All() {
		classes, terms := numbers(fieldsOfWords(s.Fields)), TermsOf(eventseer.Event{Title: s.Name})
		scores := make([]float64, len(All()))
		first.Scores(terms, scores)
		var sum float64
		for _, class := range classes {
			sum += math.Exp(scores[class])
		}
		for _, class := range classes {
			share := math.Exp(scores[class]) / sum
			sums[class] += share
			out = append(out, loglinear.Example{Terms: terms, Class: class, Group: s.ID, Weight: share})
		}
	}
	for i := range out {
		out[i].Weight *= min(1, maxNames/sums[out[i].Class])
	}
	return out
}

// editions returns datasets/fields.tsv with the records of the corpora. They are gold, sites, and the
// events of the frozen web in the file named by EVENTSEER_EVENTS, which `eventseer export` wrote after a
// crawl.
func editions(t *testing.T) (out []edition) {
	records := map[string]eventseer.Event{}
	root := filepath.Join("..", "..", "..", "shared", "corpora")
	for corpus, path := range map[string]string{
		"gold": filepath.Join(root, "gold", "gold.jsonl"), "sites": filepath.Join(root, "sites", "sites.jsonl"), "web": os.Getenv("EVENTSEER_EVENTS"),
	} {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			t.Skip("no corpora: ", err)
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<24)
		for sc.Scan() {
			type record struct {
				URL, Home, Title, Acronym string
				Topics                    []string
			}
			var r struct {
				record
				Event *record
			}
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Event != nil {
				r.Title, r.Acronym, r.Topics, r.URL = r.Event.Title, r.Event.Acronym, r.Event.Topics, r.Home
			}
			records[corpus+" "+r.URL] = eventseer.Event{Title: r.Title, Acronym: r.Acronym, Topics: r.Topics, URL: r.URL}
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "datasets", "fields.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		event, known := records[c[0]+" "+c[1]]
		if !known {
			continue // from the frozen web, if EVENTSEER_EVENTS is not set
		}
		l := edition{event: event, corpus: c[0], part: c[2], group: c[3]}
		for _, id := range strings.Fields(c[4]) {
			i, ok := IndexOf(id)
			if id == "-" {
				i = -1
			} else if !ok {
				t.Fatalf("fields.tsv: no field %q in %q", id, line)
			}
			l.fields = append(l.fields, i)
		}
		if m, ok := series.Shipped().Match(series.PageOf(event)); ok {
			l.series = m.Series.ID
		}
		out = append(out, l)
	}
	return out
}

// fit trains a model on the table, without the hidden series, and on editions.
func fit(t *testing.T, table []loglinear.Example, known []edition, hidden map[string]bool) *classify.LogLinear {
	examples := slices.DeleteFunc(slices.Clone(table), func(e loglinear.Example) bool { return hidden[e.Group] })
	for _, k := range known {
		if k.fields[0] < 0 {
			continue
		}
		classes := k.fields[:min(len(k.fields), taughtFields)]
		add := func(e eventseer.Event, weight float64) {
			for _, class := range classes {
				examples = append(examples, loglinear.Example{Terms: TermsOf(e), Class: class, Group: "edition " + k.group, Weight: weight / float64(len(classes))})
			}
		}
		add(k.event, editionWeight)
		if k.event.Title != "" && len(k.event.Topics) > 0 {
			add(eventseer.Event{Title: k.event.Title}, editionWeight/2)
		}
	}
	meta := classify.Meta{Task: "field", Algo: "log-linear", Seed: trainOptions.Seed}
	for _, f := range All() {
		meta.Classes = append(meta.Classes, f.ID)
	}
	m, err := loglinear.Train(context.Background(), meta, len(All()), examples, nil, trainOptions)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A result counts editions by the correctness of the predicted fields.
type result struct {
	right, coarse, wrong, none int
	disciplines                map[string]*[3]int // correct, predicted, labelled
	log                        []string
}

// count adds an edition. It is right if the first predicted field is among the labelled ones. It is coarse
// if only the disciplines agree and one of the two is a general field.
func (r *result) count(k edition, ids []int) {
	fields := All()
	at := func(d string) *[3]int {
		if r.disciplines == nil {
			r.disciplines = map[string]*[3]int{}
		}
		if r.disciplines[d] == nil {
			r.disciplines[d] = &[3]int{}
		}
		return r.disciplines[d]
	}
	may := slices.Contains(k.fields, -1)
	of := slices.DeleteFunc(slices.Clone(k.fields), func(i int) bool { return i < 0 })
	if len(ids) == 0 {
		if !may {
			r.none++
			at(fields[of[0]].Discipline)[2]++
			r.log = append(r.log, fmt.Sprintf("none, not %s: %.80q %.80q", fields[of[0]].ID, k.event.Title, k.event.Topics))
		}
		return
	}
	best := fields[ids[0]]
	at(best.Discipline)[1]++
	same := slices.DeleteFunc(slices.Clone(of), func(i int) bool { return fields[i].Discipline != best.Discipline })
	switch {
	case slices.Contains(of, ids[0]):
		r.right++
	case len(same) > 0 && (best.IsGeneral() || slices.ContainsFunc(same, func(i int) bool { return fields[i].IsGeneral() })):
		r.coarse++
	default:
		r.wrong++
		r.log = append(r.log, fmt.Sprintf("%s, not %d %.80q %.80q", best.ID, k.fields, k.event.Title, k.event.Topics))
	}
	if len(same) > 0 {
		at(best.Discipline)[0]++
		at(best.Discipline)[2]++
	} else if len(of) > 0 {
		at(fields[of[0]].Discipline)[2]++
	}
}

func (r *result) String() string {
	var rows []string
	sum, n := 0.0, 0
	for _, name := range slices.Sorted(maps.Keys(r.disciplines)) {
		c := r.disciplines[name]
		f := 2 * float64(c[0]) / float64(max(1, c[1]+c[2]))
		if c[2] > 0 {
			sum += f
			n++
		}
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %.2f |", name, c[2], c[1], f))
	}
	told := r.right + r.coarse + r.wrong
	return fmt.Sprintf("field right %d, right discipline %d, wrong %d, none told %d: right of told %.3f; macro F1 of %d disciplines %.3f\n%s",
		r.right, r.coarse, r.wrong, r.none, float64(r.right+r.coarse)/float64(max(1, told)), n, sum/float64(max(1, n)), strings.Join(rows, "\n"))
}

// TestFitFields measures the model on editions whose series is hidden from it. The open editions are
// measured by cross-validation over groups, with FIELD_ASIDE=1 the held-out ones. With -update it writes
// the model.
func TestFitFields(t *testing.T) {
	table, all := examplesOfTable(), editions(t)
	open := slices.DeleteFunc(slices.Clone(all), func(k edition) bool { return k.part != "open" })
	aside := slices.DeleteFunc(slices.Clone(all), func(k edition) bool { return k.part != "aside" })
	var whole, topics result
	measure := func(m *classify.LogLinear, set []edition) {
		for _, k := range set {
			whole.count(k, numbers(predict(m, k.event)))
			if len(k.event.Topics) >= leastTopics {
				k.event.Title = ""
				topics.count(k, numbers(predict(m, k.event)))
			}
		}
	}
	hide := func(set []edition) map[string]bool {
		hidden := map[string]bool{}
		for _, k := range set {
			hidden[k.series] = true
		}
		return hidden
	}
	if os.Getenv("FIELD_ASIDE") != "" {
		measure(fit(t, table, open, hide(aside)), aside)
		t.Logf("%d editions aside, of %d groups", len(aside), groupsOf(aside))
	} else if !*update {
		for fold := range folds {
			of := func(k edition) bool { return foldOf(k.group) == fold }
			held := slices.DeleteFunc(slices.Clone(open), func(k edition) bool { return !of(k) })
			measure(fit(t, table, slices.DeleteFunc(slices.Clone(open), of), hide(held)), held)
		}
		t.Logf("%d open editions, of %d groups", len(open), groupsOf(open))
	}
	t.Log("\ntitle and topics: " + whole.String() + "\ntopics alone: " + topics.String())
	if os.Getenv("FIELD_ERRORS") != "" {
		t.Log("\n" + strings.Join(whole.log, "\n"))
	}
	if !*update {
		return
	}
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, fit(t, table, open, nil)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "models", "field.model"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
}

func groupsOf(set []edition) int {
	seen := map[string]bool{}
	for _, k := range set {
		seen[k.group] = true
	}
	return len(seen)
}
