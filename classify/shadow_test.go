package classify

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/features"
)

// A steppedClock advances by a step at each reading.
type steppedClock struct{ now, step time.Duration }

func (c *steppedClock) read() time.Time {
	c.now += c.step
	return time.Unix(0, int64(c.now))
}

func shadowOf(t *testing.T, m *Model, clock *steppedClock, record func(Difference)) (*Judge, *Shadow) {
	t.Helper()
	j, err := NewJudge(testModel(t, TaskCFP), testModel(t, TaskPageType))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewShadow(m, clock.read, record)
	if err != nil {
		t.Fatal(err)
	}
	return j.WithShadow(s), s
}

// TestShadowRecordsDifferences has a shadow model that classifies no page as a call. The judgements are
// compared with those of the judge without a shadow.
func TestShadowRecordsDifferences(t *testing.T) {
	strict := *testModel(t, TaskCFP)
	strict.Threshold = 2
	var differ []Difference
	j, s := shadowOf(t, &strict, &steppedClock{}, func(d Difference) { differ = append(differ, d) })
	calls := 0
	for _, url := range []string{"http://a.example/", "http://b.example/"} {
		page := tree(t, url, "<p>call for papers on rivers")
		said := j.JudgePage(page)
		if alone := j.WithShadow(nil).JudgePage(page); alone.IsCFP != said.IsCFP || alone.CFPScore != said.CFPScore || alone.PageType != said.PageType {
			t.Errorf("%s: %+v with a shadow, %+v without", url, said, alone)
		}
		if said.IsCFP {
			calls++
		}
	}
	if calls != 2 || len(differ) != 2 || s.Tally().Judged != 2 || s.Tally().Differ != 2 {
		t.Fatalf("%d calls, tally %+v, differences %+v", calls, s.Tally(), differ)
	}
	if d := differ[0]; d.URL != "http://a.example/" || d.Used != "cfp" || d.Shadow != "not_cfp" || !(d.UsedScore > 0 && d.ShadowScore > 0) {
		t.Errorf("difference %+v", d)
	}
}

// TestShadowIsBounded runs a shadow model that takes ten times as long as the judge. It is skipped so
// often that it takes no longer in total than the judge and shadowSlack and one page.
func TestShadowIsBounded(t *testing.T) {
	clock := &steppedClock{step: 10 * time.Millisecond}
	j, s := shadowOf(t, testModel(t, TaskPageType), clock, func(Difference) {})
	scores := s.scores
	s.scores = func(d *features.Document) []float64 {
		clock.now += 90 * time.Millisecond // and a step: ten times as long as the judge
		return scores(d)
	}
	page := tree(t, "http://a.example/", "<p>call for papers on rivers")
	const pages = 1000
	for range pages {
		j.JudgePage(page)
	}
	got := s.Tally()
	if got.Judged+got.Skipped != pages || got.Skipped == 0 || got.Judged < pages/20 {
		t.Errorf("%d pages judged and %d skipped of %d", got.Judged, got.Skipped, pages)
	}
	if got.Took > got.Used+shadowSlack+100*time.Millisecond {
		t.Errorf("the shadow took %s, the judge %s", got.Took, got.Used)
	}
}

func TestShadowSurvivesPanics(t *testing.T) {
	j, s := shadowOf(t, testModel(t, TaskCFP), &steppedClock{}, func(Difference) {})
	s.scores = func(*features.Document) []float64 { panic("index out of range") }
	page := tree(t, "http://a.example/", "<p>call for papers on rivers")
	for range 3 * maxShadowPanics {
		if said := j.JudgePage(page); said.PageType == "" {
			t.Fatal("no judgement")
		}
	}
	if got := s.Tally(); got.Panics != maxShadowPanics || got.Skipped != 2*maxShadowPanics || got.Panic != "index out of range" {
		t.Errorf("tally %+v", got)
	}
}

func TestShadowJudgesPages(t *testing.T) {
	_, err := NewShadow(testModel(t, TaskLink), time.Now, nil)
	if !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), "eval compare") {
		t.Errorf("a link model as a shadow: %v", err)
	}
}
