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
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/classify/loglinear"
	"eventseer/eventseer"
	"eventseer/eventseer/series"
)

var update = flag.Bool("update", false, "write the model and its card")

// What examples count, and how many are drawn of the descriptors of a field.
const (
	drawnExamples  = 60
	drawnWeight    = 0.5
	singleWeight   = 0.2
	maxNames       = 8
	editionWeight  = 2
	folds          = 5
	leastRecordLen = 3 // topics of an edition that is measured
)

var trainOptions = loglinear.Options{Epochs: 12, Rate: .2, L1: .08, L2: .002, Seed: 1}

// An edition is a record of a corpus with the fields of its known series.
type edition struct {
	event  eventseer.Event
	series string
	fields []int
	corpus string
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

// examplesOfTable draws examples of the table's descriptors, and takes the names of series.
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
			for _, i := range rng.Perm(len(f.descriptors))[:6] {
				e.Topics = append(e.Topics, f.descriptors[i])
			}
			if rng.IntN(2) == 0 {
				e.Title = "Conference on " + f.Name
			}
			add(e, drawnWeight)
		}
	}
	return append(out, examplesOfSeries(out)...)
}

// examplesOfSeries takes the names of series. One of several fields counts for each by what a
// model of the descriptors says of its name: a list may name three fields for all of a
// category. The names of a field count together for as many as maxNames at most.
func examplesOfSeries(descriptors []loglinear.Example) (out []loglinear.Example) {
	first, err := loglinear.Train(context.Background(), classify.Meta{}, len(All()), descriptors, nil, trainOptions)
	if err != nil {
		panic(err)
	}
	sums := make([]float64, len(All()))
	for _, s := range series.Shipped().All() {
		classes, terms := numbers(known(s.Fields)), TermsOf(eventseer.Event{Title: s.Name})
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

// editions reads the records of the corpora whose series is known: gold, the working part of
// sites.
func editions(t *testing.T) (out []edition) {
	root := filepath.Join("..", "..", "..", "shared", "corpora")
	work := workSites(t)
	for _, file := range []string{"gold/gold.jsonl", "sites/sites.jsonl"} {
		f, err := os.Open(filepath.Join(root, file))
		if err != nil {
			t.Skip("no corpora: ", err)
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<24)
		for sc.Scan() {
			type record struct {
				URL, Site, Home, Title, Acronym string
				Topics                          []string
			}
			var r struct {
				record
				Event *record
			}
			if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Event != nil {
				if !work[r.Site] {
					continue
				}
				r.Title, r.Acronym, r.Topics, r.URL = r.Event.Title, r.Event.Acronym, r.Event.Topics, r.Home
			}
			e := eventseer.Event{Title: r.Title, Acronym: r.Acronym, Topics: r.Topics, URL: r.URL}
			m, ok := series.Shipped().Match(series.PageOf(e))
			if !ok || len(e.Topics) < leastRecordLen {
				continue
			}
			ids := numbers(known(m.Series.Fields))
			if len(ids) == 0 {
				continue
			}
			e.Title = "" // the series is hidden
			out = append(out, edition{e, m.Series.ID, ids, strings.Split(file, "/")[0]})
		}
	}
	return out
}

func workSites(t *testing.T) map[string]bool {
	data, err := os.ReadFile(filepath.Join("..", "..", "datasets", "split", "sites.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	work := map[string]bool{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if site, part, _ := strings.Cut(line, "\t"); part == "work" {
			work[site] = true
		}
	}
	return work
}

func fit(t *testing.T, table []loglinear.Example, known []edition, leftOut int) *classify.LogLinear {
	examples := slices.DeleteFunc(slices.Clone(table), func(e loglinear.Example) bool { return e.Group != "table" && foldOf(e.Group) == leftOut })
	for _, k := range known {
		if foldOf(k.series) == leftOut {
			continue
		}
		for _, class := range k.fields {
			examples = append(examples, loglinear.Example{Terms: TermsOf(k.event), Class: class, Group: k.series, Weight: editionWeight / float64(len(k.fields))})
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

// TestFitFields measures the model on editions of series that it has not seen, whose names are
// hidden, and with -update writes it.
func TestFitFields(t *testing.T) {
	table, records := examplesOfTable(), editions(t)
	fields := All()
	disciplines := map[string]*[3]int{} // right, told, true
	perField := map[string]*[3]int{}
	count := func(m map[string]*[3]int, key string, i int) {
		if m[key] == nil {
			m[key] = &[3]int{}
		}
		m[key][i]++
	}
	none, top, topD := 0, 0, 0
	for fold := range folds {
		m := fit(t, table, records, fold)
		for _, k := range records {
			if foldOf(k.series) != fold {
				continue
			}
			ids := numbers(told(m, k.event))
			truth := fields[k.fields[0]]
			if len(ids) == 0 {
				none++
				count(disciplines, truth.Discipline, 2)
				count(perField, truth.ID, 2)
				continue
			}
			best := fields[ids[0]]
			if slices.Contains(k.fields, ids[0]) {
				truth = best
				top++
			} else if i := slices.IndexFunc(k.fields, func(i int) bool { return fields[i].Discipline == best.Discipline }); i >= 0 {
				truth = fields[k.fields[i]]
			} else if os.Getenv("FIELD_ERRORS") != "" {
				t.Logf("%s: %s, not %s: %.160q", k.series, best.ID, truth.ID, k.event.Topics)
			}
			if truth.Discipline == best.Discipline {
				topD++
				count(disciplines, best.Discipline, 0)
			}
			count(disciplines, best.Discipline, 1)
			count(disciplines, truth.Discipline, 2)
			if truth.ID == best.ID {
				count(perField, best.ID, 0)
			}
			count(perField, best.ID, 1)
			count(perField, truth.ID, 2)
		}
	}
	var card strings.Builder
	fmt.Fprintf(&card, "%d editions of %d series: field right %d, discipline right %d, none told %d\n", len(records), seriesOf(records), top, topD, none)
	for name, m := range map[string]map[string]*[3]int{"disciplines": disciplines, "fields": perField} {
		sum, n := 0.0, 0
		var rows []string
		for key, c := range m {
			f := 2 * float64(c[0]) / float64(max(1, c[1]+c[2]))
			if c[2] > 0 {
				sum += f
				n++
			}
			rows = append(rows, fmt.Sprintf("| %s | %d | %d | %.2f |", key, c[2], c[1], f))
		}
		slices.Sort(rows)
		fmt.Fprintf(&card, "%s: macro F1 %.3f of %d\n%s\n", name, sum/float64(n), n, strings.Join(rows, "\n"))
	}
	t.Log("\n" + card.String())
	if !*update {
		return
	}
	var b bytes.Buffer
	if err := classify.WriteLogLinear(&b, fit(t, table, records, -1)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "models", "field.model"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
}

func seriesOf(records []edition) int {
	seen := map[string]bool{}
	for _, k := range records {
		seen[k.series] = true
	}
	return len(seen)
}
