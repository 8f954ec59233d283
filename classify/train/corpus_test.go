package train

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets"

	"github.com/google/go-cmp/cmp"
)

func TestSubjectKeys(t *testing.T) {
	for _, tt := range []struct {
		subject string
		want    []string
	}{
		{"Call for papers: Gardens 2027", []string{"callforpapersgardens"}},
		{"[list] Re: AW: [other] Call for Papers: Gardens '28 (fwd)", []string{"callforpapersgardens"}},
		{"1999-02-03 - Fwd: Call for papers: Gardens", []string{"callforpapersgardens"}},
		{"Lunch on Monday (was: Re: Call for papers: Gardens 2027)", []string{"lunchonmonday", "callforpapersgardens"}},
		{"CFP", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, subjectKeys(tt.subject)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.subject, diff)
		}
	}
}

func TestThreadsDoNotLeak(t *testing.T) {
	prose := func(topic string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "sentence %s about %s and %s\n", strings.Repeat("x", i), topic, strings.Repeat("y", i%7))
		}
		return b.String()
	}
	foot := "\n--\n" + strings.Repeat("the same signature of all messages and the footer of the list\n", 5)
	var all threads
	var groups []string
	for i, m := range []struct{ subject, text string }{
		{"Gardens workshop", prose("gardens")},                        // 0
		{"Re: Gardens workshop", "Is it late?" + foot},                // 0: thread
		{"Invitation to authors", "please note\n" + prose("gardens")}, // 0: near copy
		{"Bridges workshop", "Short." + foot},                         // 3: only the footer is shared
		{"Harbour seminar", prose("harbours") + foot},                 // 4
		{"Nothing at all", ""},                                        // 5
	} {
		groups = append(groups, all.group(fmt.Sprint(i), m.subject, m.text))
	}
	all.join(groups)
	if diff := cmp.Diff([]string{"0", "0", "0", "3", "4", "5"}, groups); diff != "" {
		t.Error(diff)
	}
}

func TestSplitIsNotMovedByAnotherFile(t *testing.T) {
	one := &corpus{sizes: []int{100}}
	for i := range 100 {
		one.labels = append(one.labels, datasets.Label{PageType: "cfp", IsCFP: i%3 == 0})
		one.groups = append(one.groups, fmt.Sprint("page", i/3))
	}
	two := &corpus{labels: slices.Clone(one.labels), groups: slices.Clone(one.groups), sizes: []int{100, 0, 50}}
	for i := range 50 {
		two.labels = append(two.labels, datasets.Label{IsCFP: i%2 == 0})
		two.groups = append(two.groups, fmt.Sprint("mail", i/2))
	}
	two.groups[149] = "page0" // a group of both files
	alone, err := one.split(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	both, err := two.split(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone, both[:100]); diff != "" {
		t.Errorf("folds of the first file (-alone +both):\n%s", diff)
	}
	foldOf := map[string]int{}
	for i, g := range two.groups {
		if first, ok := foldOf[g]; ok && first != both[i] {
			t.Errorf("group %s is in folds %d and %d", g, first, both[i])
		}
		foldOf[g] = both[i]
	}
	counts := make([]int, 5)
	for _, f := range both[100:] {
		counts[f]++
	}
	if slices.Min(counts) < 6 {
		t.Errorf("the second file has %v documents in the folds", counts)
	}
}
