package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/rundir"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// visits yields the visits of a short description. A number is a target fetched, "-" another page,
// "c" a call, "r" a redirect, "e" a page of status 500.
func visits(said string, cost float64) iter.Seq2[Visit, error] {
	return func(yield func(Visit, error) bool) {
		for i, word := range strings.Fields(said) {
			v := Visit{URL: fmt.Sprintf("https://h%d.example/%d", i%3, i), Cost: 1, Status: 200}
			switch word {
			case "c":
				v.Call, v.Cost, v.Status = true, cost, 0
			case "r":
				v.Cost, v.Status = 0, 301
			case "e":
				v.Status, v.URL = 500, "https://t.example/1"
			case "-":
			default:
				v.URL = "https://t.example/" + word
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

func targets(n int) []Target {
	var all []Target
	for i := range n {
		all = append(all, Target{URL: fmt.Sprintf("https://t.example/%d", i+1), Event: fmt.Sprintf("e%d", i/2), Kind: "page"})
	}
	return all
}

func TestScore(t *testing.T) {
	for _, test := range []struct {
		name, said string
		cost       float64
		budget     int
		curve      []int
		want       Run
		events     int
	}{
		{"nothing", "", 1, 3, []int{0, 0, 0, 0}, Run{FirstHit: math.NaN()}, 0},
		{"targets", "1 - 3", 1, 4, []int{0, 1, 1, 2, 2}, Run{FirstHit: 1, Pages: 3, Spent: 3, Hosts: 2, TargetHosts: 1}, 2},
		{"twice the same", "1 1 2", 1, 3, []int{0, 1, 1, 2}, Run{FirstHit: 1, Pages: 3, Spent: 3, Hosts: 1, TargetHosts: 1}, 1},
		{"calls are paid", "c 1 c 2", 1, 4, []int{0, 0, 1, 1, 2}, Run{FirstHit: 2, Pages: 2, Calls: 2, CallCost: 2, Spent: 4, Hosts: 1, TargetHosts: 1}, 1},
		{"cheap calls", "c c c c c 1 2", 0.2, 4, []int{0, 0, 1, 2, 2}, Run{FirstHit: 2, Pages: 2, Calls: 5, CallCost: 1, Spent: 3, Hosts: 1, TargetHosts: 1}, 1},
		{"sums of costs are rounded", "c c c c c c c c c c 1", 0.9, 10, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, Run{FirstHit: 10, Pages: 1, Calls: 10, CallCost: 9, Spent: 10, Hosts: 1, TargetHosts: 1}, 1},
		{"free calls", "c c 1", 0, 2, []int{0, 1, 1}, Run{FirstHit: 1, Pages: 1, Calls: 2, Spent: 1, Hosts: 1, TargetHosts: 1}, 1},
		{"errors and redirects find nothing", "e r 2", 1, 3, []int{0, 0, 1, 1}, Run{FirstHit: 2, Pages: 2, Spent: 2, Hosts: 1, TargetHosts: 1}, 1},
		{"beyond the budget", "- - 1", 1, 2, []int{0, 0, 0}, Run{FirstHit: math.NaN(), Pages: 2, Spent: 2, Hosts: 2}, 0},
		{"nonsense costs nothing", "c 1", math.NaN(), 1, []int{0, 1}, Run{FirstHit: 1, Pages: 1, Calls: 1, Spent: 1, Hosts: 1, TargetHosts: 1}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := newTargetScorer(&Experiment{Targets: targets(4), Budget: test.budget}).scoreCell(Cell{}, Record{Visits: visits(test.said, test.cost)})
			if err != nil {
				t.Fatal(err)
			}
			var curve []int
			for b := range test.budget + 1 {
				curve = append(curve, got.TargetHits.CountAt(b))
			}
			if diff := cmp.Diff(test.curve, curve); diff != "" || got.Events() != test.events {
				t.Errorf("%d events, want %d, curve (-want +got):\n%s", got.Events(), test.events, diff)
			}
			got.TargetHits, got.EventHits, got.Worths, got.TenthHit = nil, nil, nil, 0
			got.Hours, got.Megabytes = Harvest{}, Harvest{} // see TestEffort
			if diff := cmp.Diff(test.want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// harvest_auc is the mean over 1…budget of targets fetched ÷ targets.
func TestAUC(t *testing.T) {
	r := Run{TargetHits: Hits{1, 3}, Worths: []float64{1, 1}}
	if got, want := r.HarvestArea(4, 4), (1.0+1+2+2)/4/4; got != want {
		t.Errorf("AUC %v, want %v", got, want)
	}
	if got, want := r.HarvestArea(8, 4), (1.0+1+2+2+2+2+2+2)/8/4; got != want {
		t.Errorf("AUC beyond the run %v, want %v", got, want)
	}
	if got, want := r.HarvestArea(2, 4), (1.0+1)/2/4; got != want {
		t.Errorf("AUC of less than the run %v, want %v", got, want)
	}
}

// toy is an experiment in which a finds all at once, b half of it, and the oracle
// as much as a.
func toy(t *testing.T) Experiment {
	t.Helper()
	said := map[string]string{"a": "1 2 3 4", "b": "- 1 - 2", "oracle": "1 2 3 4"}
	return Experiment{
		Strategies: []string{"a", "b", "oracle"}, Seeds: []string{"00", "01", "02", "03", "04", "05"}, Repeats: 2, Budget: 4, Targets: targets(4), Parallel: 3,
		Crawl: func(_ context.Context, c Cell) (Record, error) {
			return Record{Visits: visits(said[c.Strategy], 1), Violations: c.Repeat}, nil
		},
	}
}

func TestSummarise(t *testing.T) {
	e := toy(t)
	told := 0
	e.Progress = func(done, all int, r Run) {
		if told++; done != told || all != 36 {
			t.Errorf("told %d of %d after %d", done, all, told)
		}
	}
	runs, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := e.Summarise(runs, All, 1)
	a, b := s.Strategies["a"], s.Strategies["b"]
	if a.Runs != 12 || a.HarvestAUC.Mean != 0.625 || b.HarvestAUC.Mean != 0.25 || a.HarvestAUC.CI95 != [2]float64{0.625, 0.625} {
		t.Errorf("areas %+v, %+v of %d runs", a.HarvestAUC, b.HarvestAUC, a.Runs)
	}
	if got := *b.OracleShare; math.Abs(got.Mean-0.4) > 1e-12 {
		t.Errorf("share of the oracle %+v", got)
	}
	if a.RecallAt["4"].Mean != 1 || b.RecallAt["4"].Mean != 0.5 || b.Events.Mean != 1 || a.Events.Mean != 2 {
		t.Errorf("recall %v, %v, events %v, %v", a.RecallAt, b.RecallAt, a.Events, b.Events)
	}
	if a.PolitenessViolations != 6 {
		t.Errorf("%d violations", a.PolitenessViolations)
	}
	if len(s.Tests) != 8 { // one pair, four figures, two tests; the oracle is not compared
		t.Fatalf("%d tests", len(s.Tests))
	}
	for _, test := range s.Tests {
		if test.A != "a" || test.B != "b" || test.Delta <= 0 || math.Abs(test.P-2.0/64) > 1e-12 || *test.Ratio < 1.9 {
			t.Errorf("%+v", test)
		}
	}
	if got := e.Summarise(runs, "b", 1).Tests; len(got) != 8 || got[0].A != "b" || got[0].Delta >= 0 {
		t.Errorf("against b: %+v", got)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
	if got := e.Summarise(runs, "oracle", 1).Tests; got == nil || len(got) > 0 {
		t.Errorf("tests against the oracle, which is no rival: %#v", got)
	}
}

func TestReportIsTheSameTwice(t *testing.T) {
	e := toy(t)
	e.Strategies[0], e.Strategies[1] = "a", "<script>alert(1)</script>"
	runs, err := e.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "cannot be the name of a folder") {
		t.Fatalf("a strategy with a slash in its name: %v", err)
	}
	e.Strategies[1] = "b"
	if runs, err = e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	write := func() string {
		var b bytes.Buffer
		curves := e.Curves(runs, 1)
		settings := []Setting{{"web", "<img src=x>"}}
		for _, err := range []error{
			e.WriteReport(&b, e.Summarise(runs, "a", 1), runs, curves, settings, "eventseer lab run '<b>'"),
			e.WriteCurves(&b, curves), e.Plot(&b, curves, "png"), e.WriteQrels(&b), WriteTREC(&b, e.Cells()[0], visits("- 1 c 1 2", 1)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	first := write()
	if first != write() {
		t.Error("the same runs give other bytes")
	}
	for _, not := range []string{"<img", "<b>", "<?xml", "http://www.w3.org/2000/svg\" onload"} {
		if strings.Contains(first, not) {
			t.Errorf("the report holds %q", not)
		}
	}
	for _, want := range []string{"00-0 Q0 https://t.example/1 2 9999998 a\n", "05-1 0 https://t.example/4 1\n", "b,4,2.00,2.00,2.00,0.5000,1.00\n", "a against b", "The oracle knows all links"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(first, "area to 4<"); n != 1 {
		t.Errorf("the area to the budget, which is no later than the early one, stands there %d times", n)
	}
}

func TestExperimentRefuses(t *testing.T) {
	for name, change := range map[string]func(*Experiment){
		"not an experiment": func(e *Experiment) { e.Strategies = nil },
		"must be 1 to":      func(e *Experiment) { e.Budget = 0 },
		"more than":         func(e *Experiment) { e.Repeats = math.MaxInt / 9 }, // 18 times that is less than 0
		"used twice":        func(e *Experiment) { e.Seeds[1] = e.Seeds[0] },
		"no targets":        func(e *Experiment) { e.Targets = nil },
	} {
		e := toy(t)
		change(&e)
		if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e, broken := toy(t), errors.New("disk full")
	e.Crawl = func(context.Context, Cell) (Record, error) {
		return Record{Visits: func(yield func(Visit, error) bool) { yield(Visit{}, broken) }}, nil
	}
	if _, err := e.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("a record that cannot be read: %v", err)
	}
}

// trec_eval orders by score only.
func TestTRECScoresDiffer(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTREC(&b, Cell{"a", "00", 0}, visits(strings.Repeat("- ", 5000), 1)); err != nil {
		t.Fatal(err)
	}
	last := float32(math.Inf(1))
	for line := range strings.Lines(b.String()) {
		var topic, q, doc, strategy string
		var rank int
		var score float32
		if _, err := fmt.Sscan(line, &topic, &q, &doc, &rank, &score, &strategy); err != nil || score >= last {
			t.Fatalf("%s after %v: %v", line, last, err)
		}
		last = score
	}
	if topicName("05-1", 0) == topicName("05", 1) {
		t.Error("two draws are one topic")
	}
}

// A draw from which the oracle finds nothing does not affect the others.
func TestOracleShareOfNothing(t *testing.T) {
	e := toy(t)
	all := e.Crawl
	e.Crawl = func(ctx context.Context, c Cell) (Record, error) {
		if c.Seeds == "00" {
			return Record{Visits: visits("- -", 1)}, nil
		}
		return all(ctx, c)
	}
	runs, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := e.Summarise(runs, All, 1)
	if got := s.Strategies["oracle"].OracleShare; got == nil || got.Mean != 1 {
		t.Errorf("the oracle's share of itself is %+v", got)
	}
	e.Seeds = e.Seeds[:1]
	if got := e.Summarise(runs, All, 1).Strategies["a"]; got.OracleShare != nil || got.Runs != 2 {
		t.Errorf("of nothing: %+v of %d runs", got.OracleShare, got.Runs)
	}
}

// The tables for researchers contain the data of the summary: one row per crawl, and one row per visit within
// the budget.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	e := toy(t)
	e.Strategies, e.Seeds, e.Repeats = []string{"a"}, []string{"00"}, 1
	e.Targets[0].Kind, e.Targets[0].Event = "pdf", "e1"
	run := filepath.Join(dir, RunsDir, e.Cells()[0].Name())
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	pages := `{"url":"https://x.example/","how":"seed","status":200,"cost":1,"bytes":10}
{"url":"https://x.example/","how":"backlinks","cost":0.5}
{"url":"https://t.example/1","how":"back","status":200,"cost":1,"bytes":20}
{"url":"https://y.example/,\"","how":"forward","status":404,"cost":1}
{"url":"https://beyond.example/","how":"forward","status":200,"cost":1}
`
	for name, text := range map[string]string{rundir.PagesFile: pages, CellFile: "{}"} {
		if err := os.WriteFile(filepath.Join(run, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, runs, err := ReadComplete(e, dir, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	var table, visits bytes.Buffer
	if err := errors.Join(e.WriteRuns(&table, runs), e.WriteVisits(&visits, dir)); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&visits)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	want := `strategy,seeds,repeat,found,events,area,area_1000,first_hit,tenth_hit,pages,calls,spent,hosts,target_hosts,violations
a,00,0,1,1,0.125,0.125,2.5,,3,1,3.5,3,1,0
strategy,seeds,repeat,n,url,how,status,bytes,cost,spent,kind,event
a,00,0,1,https://x.example/,seed,200,10,1,1,,
a,00,0,2,https://x.example/,backlinks,0,0,0.5,1.5,,
a,00,0,3,https://t.example/1,back,200,20,1,2.5,pdf,e1
a,00,0,4,"https://y.example/,""",forward,404,0,1,3.5,,
`
	if diff := cmp.Diff(want, table.String()+string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// One URL counts once, whatever kinds it has.
func TestOfKinds(t *testing.T) {
	all := []Target{{URL: "https://a.example/", Kind: "mail"}, {URL: "https://b.example/", Kind: "page"}, {URL: "https://b.example/", Kind: "pdf"}}
	if got := OfKinds(all, []string{"page", "pdf"}); len(got) != 1 || got[0].Kind != "page" {
		t.Errorf("page and pdf: %v", got)
	}
	if got := OfKinds(all, []string{"mail", "pdf"}); len(got) != 2 {
		t.Errorf("mail and pdf: %v", got)
	}
}
