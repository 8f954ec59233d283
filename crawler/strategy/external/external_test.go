package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// behaviour names the environment variable by which this test binary is a strategy program.
const behaviour = "EVENTSEER_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		program(how)
		return
	}
	os.Exit(m.Run())
}

// program behaves as its name states. The program "twin" makes the same choices as the
// strategy focused-svm.
func program(how string) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var r requestMessage
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		if r.Type == "begin" {
			switch how {
			case "old":
				_ = out.Encode(responseMessage{Version: 0})
			case "wanton":
				_ = out.Encode(responseMessage{Version: Version, Want: []string{"cookies"}})
			default:
				_ = out.Encode(responseMessage{Version: Version, Want: []string{"text"}})
			}
			continue
		}
		got := responseMessage{N: r.N}
		for range r.Links {
			score := r.Relevance
			got.Scores = append(got.Scores, &score)
		}
		switch how {
		case "hang":
			select {}
		case "die":
			fmt.Fprintln(os.Stderr, "out of\nluck")
			os.Exit(3)
		case "half":
			fmt.Print(`{"n":`)
			return
		case "garbage":
			fmt.Println("no JSON")
			continue
		case "flood":
			for {
				fmt.Print(strings.Repeat("x", 1<<16))
			}
		case "twice":
			_ = out.Encode(got)
		case "stranger":
			got.Rescore = []rescoredLink{{"http://stranger.example/", 1}}
		case "dropper":
			got.Drop = []string{"http://stranger.example/"}
		case "greedy":
			got.Back = 1e6
		case "many":
			got.Scores = append(got.Scores, nil)
		case "choosy":
			for i, l := range r.Links {
				score := float64(len(r.Text)) + float64(len(l.Anchor))
				if got.Scores[i] = &score; l.Anchor == "no" {
					got.Scores[i] = nil
				}
			}
			got.Back = 3
			if r.Parent != "" {
				got.Rescore, got.Drop = []rescoredLink{{r.Parent + "a", 2}}, []string{r.Parent + "b"}
			}
		}
		_ = out.Encode(got)
	}
}

func newProgram(t *testing.T, how string) *Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(behaviour, how)
	p, err := New(self, strategy.Parts{Judge: strategytest.Typed{}, Links: strategytest.FlatLinks{}, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// A program that does what a strategy of the table does gives the same verdicts.
func TestSameAsBuiltInStrategy(t *testing.T) {
	p := newProgram(t, "twin")
	twin, err := strategy.New("focused-svm", strategy.Parts{Judge: strategytest.Typed{}})
	if err != nil {
		t.Fatal(err)
	}
	for i, pageType := range []string{"cfp", "other", "cfp_list", "cfp"} {
		a := strategytest.Arrive(t, fmt.Sprintf("http://h%d.example/", i), pageType, "http://a.example/ Call for papers", "http://b.example/ é \u2028 \"pets\"")
		want, got := strategytest.Visit(t, twin, a), strategytest.Visit(t, p, a)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(crawler.Candidate{}, "Why"), cmpopts.IgnoreFields(crawler.Verdict{}, "Notes")); diff != "" {
			t.Errorf("page %d (-twin +program):\n%s", i, diff)
		}
	}
	if v := strategytest.Visit(t, p, crawler.Arrival{Outcome: crawler.Outcome{Fate: crawler.Gone}}); len(v.Forward) != 0 {
		t.Errorf("links of a page that is gone: %v", v.Forward)
	}
}

// Null scores leave links out; others are rescored, dropped, and backlinks are requested.
func TestAnswers(t *testing.T) {
	p := newProgram(t, "choosy")
	first := strategytest.Visit(t, p, strategytest.Arrive(t, "http://h.example/", "cfp", "http://h.example/a yes", "http://h.example/b maybe", "http://h.example/c no"))
	if got := strategytest.Scores(first.Forward); len(got) != 2 || got["http://h.example/b"] != got["http://h.example/a"]+2 || got["http://h.example/a"] <= 3 {
		t.Errorf("scores %v, want two that grow with the anchors and hold the length of the text", got)
	}
	if first.Back != 3 {
		t.Errorf("%d backlinks asked for, want 3", first.Back)
	}
	cs, _ := first.Backward([]webgraph.Link{{Source: "http://back.example/", Anchor: "x"}, {Source: "http://not.example/", Anchor: "no"}})
	if len(cs) != 1 || cs[0].URL != "http://back.example/" {
		t.Errorf("of backlinks %v, want that which has a score", cs)
	}
	a := strategytest.Arrive(t, "http://h.example/a", "other")
	a.Lease.Parent = "http://h.example/"
	second := strategytest.Visit(t, p, a)
	if len(second.Rescore) != 1 || second.Rescore[0].URL != "http://h.example/a" || second.Rescore[0].Score != 2 || len(second.Drop) != 1 {
		t.Errorf("rescored %v, dropped %v", second.Rescore, second.Drop)
	}
}

// Whatever a program does wrong, the call returns an error with the reason, the next call returns the same,
// and the program is ended.
func TestBadPrograms(t *testing.T) {
	for how, want := range map[string]string{
		"hang": "the program did not respond to visit http://h.example/ within", "die": "stderr: out of luck", "half": "middle of a line", "garbage": "not a JSON object",
		"flood": "longer than", "twice": "responds to request 1 instead of 2", "stranger": "not sent to it", "dropper": "not sent to it", "greedy": "must be 0 to 100",
		"many": "2 scores for 1 links", "old": "version 0", "wanton": `asks for "cookies"`,
	} {
		t.Run(how, func(t *testing.T) {
			p := newProgram(t, how)
			p.Patience = 20 * time.Second
			if how == "hang" { // at the first page, not while it starts
				if err := p.startProgram(t.Context()); err != nil {
					t.Fatal(err)
				}
				p.Patience = 300 * time.Millisecond
			}
			a := strategytest.Arrive(t, "http://h.example/", "cfp", "http://a.example/ x")
			var err error
			for range 3 { // "twice" is seen at the second page
				if _, err = p.Visit(t.Context(), a); err != nil {
					break
				}
			}
			if err == nil || !errors.Is(err, crawler.ErrStrategyGone) || !strings.Contains(err.Error(), want) {
				t.Fatalf("error %v, want one that says %q", err, want)
			}
			if _, again := p.Visit(t.Context(), a); again == nil || again.Error() != err.Error() {
				t.Errorf("the next page: %v, want the same error", again)
			}
			if p.cmd != nil {
				t.Error("the program was not ended")
			}
		})
	}
}

// A crawl that is ended does not wait for its program.
func TestCancelled(t *testing.T) {
	p := newProgram(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	a := strategytest.Arrive(t, "http://h.example/", "cfp")
	go cancel()
	if _, err := p.Visit(ctx, a); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("error %v, want that the context was canceled", err)
	}
}

// A restarted program receives everything its predecessor received, and may name links from that time.
func TestRecall(t *testing.T) {
	whole := newProgram(t, "choosy")
	page := strategytest.Arrive(t, "http://h.example/", "cfp", "http://h.example/a yes", "http://h.example/b maybe")
	notes := strategytest.Visit(t, whole, page).Notes
	resumed := newProgram(t, "choosy")
	if err := resumed.RestoreNotes(notes); err != nil {
		t.Fatal(err)
	}
	a := strategytest.Arrive(t, "http://h.example/a", "other")
	a.Lease.Parent = "http://h.example/"
	want, got := strategytest.Visit(t, whole, a), strategytest.Visit(t, resumed, a)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(crawler.Verdict{}, "Backward")); diff != "" {
		t.Errorf("(-whole +resumed):\n%s", diff)
	}
	if err := resumed.RestoreNotes([]crawler.Note{{Key: "request/1", Value: []byte("{broken")}}); err == nil {
		t.Error("a broken note gives no error")
	}
}

func TestNewNeedsAProgram(t *testing.T) {
	if _, err := New("./no-such-program", strategy.Parts{Judge: strategytest.Typed{}}); err == nil || !strings.Contains(err.Error(), "executable") {
		t.Errorf("error %v, want one that says what to name", err)
	}
	if got := NameOf(Prefix + "/opt/x/my strategy.py"); got != "exec-my strategy.py" {
		t.Errorf("name %q", got)
	}
}
