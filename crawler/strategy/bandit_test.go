package strategy

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

func TestPlaceOf(t *testing.T) {
	tests := []struct {
		path, pageType string
		away           bool
		want           string
	}{
		{"html/body/ul[2]/li[3]/a", part.ListPage, true, "cfp_list body/ul/li/a away"},
		{"html/body/div/div[2]/div/table/tr[4]/td/a[2]", "other", false, "other table/tr/td/a"},
		{"text/p[3]", "", false, " text/p"},
		{"", "other", true, "other  away"},
	}
	for _, tt := range tests {
		if got := armName(webgraph.Link{Path: tt.path}, tt.pageType, tt.away); got != tt.want {
			t.Errorf("%q on %q: %q, want %q", tt.path, tt.pageType, got, tt.want)
		}
	}
}

// twoArms is a page with n links in a list, which lead to calls, and n in
// headings, which do not.
func twoArms(t *testing.T, n int) crawler.Arrival {
	var b strings.Builder
	b.WriteString("<title>other</title>")
	for i := range n {
		fmt.Fprintf(&b, `<h2><a href="http://pet%d.example/">x</a></h2><ul><li><a href="http://call%d.example/">x</a></ul>`, i, i)
	}
	return strategytest.ArrivalOf(t, "http://me.example/", b.String())
}

// crawlOf goes where the bandit chooses and counts the calls.
func crawlOf(t *testing.T, s crawler.Strategy, v crawler.Verdict, pages int) (calls int) {
	for range pages {
		if len(v.Rescore) != 1 {
			t.Fatalf("%d links chosen with a page, want 1", len(v.Rescore))
		}
		chosen := v.Rescore[0]
		if chosen.Score != rankChosen || chosen.Why == "" {
			t.Fatalf("chosen %+v, want it before all others, and explained", chosen)
		}
		pageType := "other"
		if strings.Contains(chosen.URL, "call") {
			pageType, calls = "cfp", calls+1
		}
		a := strategytest.Arrive(t, chosen.URL, pageType)
		a.Lease.How, a.Lease.Parent = crawler.Forward, "http://me.example/"
		v = strategytest.Visit(t, s, a)
	}
	return calls
}

func TestBanditPullsTheArmThatPays(t *testing.T) {
	s := newStrategy(t, "bandit")
	v := strategytest.Visit(t, s, twoArms(t, 60))
	for _, c := range v.Forward {
		if c.Score >= rankChosen {
			t.Fatalf("%s waits with %v, which is as much as what is chosen", c.URL, c.Score)
		}
	}
	if calls := crawlOf(t, s, v, 50); calls < 40 {
		t.Errorf("%d calls in 50 pages, want nearly all", calls)
	}
}

// When the good arm has no link left it sleeps, and the other is pulled.
func TestArmsSleep(t *testing.T) {
	s := newStrategy(t, "bandit")
	v := strategytest.Visit(t, s, twoArms(t, 10))
	if calls := crawlOf(t, s, v, 20); calls != 10 {
		t.Errorf("%d calls of 10 in the 20 links there are", calls)
	}
	if v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://last.example/", "other")); len(v.Rescore) != 0 {
		t.Errorf("%v chosen though none waits", v.Rescore)
	}
}

func TestTheArmBeforeEarnsToo(t *testing.T) {
	for strategy, earned := range map[string][2]float64{"bandit": {0.1, 1}, "sb-classifier": {1, 0}} {
		s := newStrategy(t, strategy).(*bandit)
		strategytest.Visit(t, s, strategytest.Arrive(t, "http://me.example/", "other", "http://hub.example/ hub"))
		strategytest.Visit(t, s, strategytest.Arrive(t, "http://hub.example/", "cfp_list", "http://call.example/ x"))
		v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://call.example/", "cfp"))
		if (v.Back > 0) != (strategy == "bandit") {
			t.Errorf("%s asks for %d backlinks of a call", strategy, v.Back)
		}
		for i, name := range []string{"other html/body/p/a away", "cfp_list html/body/p/a away"} {
			if m := s.arms[name]; m == nil || s.rewardOf(m.pullResults) != earned[i] || m.Pulls != 1 {
				t.Errorf("%s, arm %q: %+v, want 1 pull that earned %v", strategy, name, m, earned[i])
			}
		}
	}
}

func TestArmsAreBounded(t *testing.T) {
	s := newStrategy(t, "bandit").(*bandit)
	var notes []crawler.Note
	for i := range maxArms + 10 {
		s.addWaiting(&crawler.Candidate{URL: fmt.Sprint("http://x.example/", i)}, fmt.Sprint("place ", i), "", &notes)
	}
	if len(s.arms) != maxArms+1 || len(s.arms[otherArm].draws) != 10 {
		t.Errorf("%d arms, %d links of %s; want %d and 10", len(s.arms), len(s.arms[otherArm].draws), otherArm, maxArms+1)
	}
	for i := range maxPulls {
		s.addWaiting(&crawler.Candidate{URL: fmt.Sprint("http://y.example/", i)}, "place 1", "", &notes)
	}
	if len(s.links) != maxPulls {
		t.Errorf("%d links remembered, want %d", len(s.links), maxPulls)
	}
}

// A reward is the value of a page, so a mail brings its arm less than a page does. Strategies that know
// only success and failure count it as a failure, unless the experiment says otherwise.
func TestRewardsAreValues(t *testing.T) {
	for _, tt := range []struct {
		values  crawler.Values
		reward  float64
		success bool
	}{
		{crawler.Values{}, math.Round(0.2*valueSteps) / valueSteps, false},
		{crawler.Values{Page: 1, PDF: 1, Mail: 0.75, Again: 1, Past: 1}, 0.75, true},
	} {
		parts := part.Parts{Judge: mailing{}, Learner: svm.Linear{}, Values: tt.values, Finds: part.NewFinds(), Seed: 1}
		page := strategytest.Arrive(t, "http://me.example/", "other", "http://a.example/1 x", "http://a.example/2 x")
		mail := strategytest.Arrive(t, "http://a.example/1", part.MailPage)
		mail.Lease.How, mail.Lease.Parent = crawler.Forward, "http://me.example/"
		visit := func(name string) crawler.Strategy {
			s, err := New(name, parts)
			if err != nil {
				t.Fatal(err)
			}
			strategytest.Visit(t, s, page)
			strategytest.Visit(t, s, mail)
			return s
		}
		if got := visit("bandit").(*bandit).all.Calls; got != tt.reward {
			t.Errorf("%s: a mail brought the bandit %v, want %v", tt.values, got, tt.reward)
		}
		if got := visit("intelligent").(*intelligentCrawler).all.Hits > 0; got != tt.success {
			t.Errorf("%s: a mail is what intelligent looks for: %v", tt.values, got)
		}
		if got := visit("online").(*onlineLearner).examples.exampleAt(1).Level == 0; got != tt.success {
			t.Errorf("%s: a mail is an example of a call for online: %v", tt.values, got)
		}
		if got := visit("back-and-forward").(*backAndForward).known["http://a.example/1"]; got != tt.success {
			t.Errorf("%s: a mail speaks for the page it was sampled from: %v", tt.values, got)
		}
	}
}

// mailing judges every page of the type of mails to be a call.
type mailing struct{ strategytest.Typed }

// JudgePage implements part.Judge.
func (m mailing) JudgePage(t *tagtree.Tree) classify.Judgement {
	j := m.Typed.JudgePage(t)
	j.IsCFP, j.CFPScore = j.PageType == part.MailPage, 0.9
	return j
}
