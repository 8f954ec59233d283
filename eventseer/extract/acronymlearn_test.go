package extract

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"eventseer/eventseer"
)

var learnAcronym = flag.Bool("learn-acronym", false, "learn acronymWeights anew and write acronymweights.go")

// acronymPrior are the weights that the fit starts from and is pulled to; of
// the others they are 0.
var acronymPrior = map[string]float64{"acronym": -2, "votes": 2, "most votes": 1, "after at": -2}

// TestLearnAcronym shows on sites held out what share of acronyms is right.
// With -learn-acronym it writes the weights learned from all.
func TestLearnAcronym(t *testing.T) {
	if os.Getenv("CI") != "true" && !*learnAcronym {
		t.Skip("learns for half a minute; set CI=true or -learn-acronym")
	}
	ls := acronymLessons(t)
	prior := priorOf(acronymFeatures, acronymPrior)
	right, all, none := 0, 0, 0
	var sure [10][2]int // by tenths of belief: right, all
	for folding := range foldings * titleFolds {
		w := fitRanker(ls, prior, func(l titleLesson) bool { return !heldOut(l.site, folding) })
		for _, l := range ls {
			if !heldOut(l.site, folding) {
				continue
			}
			all++
			belief := softmax(weigh(l.vectors, w))
			best := mostBelieved(belief, 1)[0]
			if l.gain[best] > 0 {
				right++
			}
			if best == len(l.vectors)-1 {
				none++
				continue
			}
			bin := &sure[min(int(belief[best]*10), 9)]
			bin[1]++
			if l.gain[best] > 0 {
				bin[0]++
			}
		}
	}
	t.Logf("right on sites held out: %d of %d, %d said to have none; by tenths of belief %v", right, all, none, sure)
	if right*100 < 80*all {
		t.Error("fewer than 80 % of acronyms right")
	}
	if *learnAcronym {
		w := fitRanker(ls, prior, func(titleLesson) bool { return true })
		writeWeights(t, "acronymweights.go", "acronymWeights are the weights of acronymFeatures by name.", "LearnAcronym -learn-acronym", namesOf(acronymFeatures), w)
	}
}

// acronymLessons reads the pages of gold; the last candidate of each is that
// there is no acronym.
func acronymLessons(t *testing.T) []titleLesson {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	pages := goldTrees(t)
	var ls []titleLesson
	for _, line := range sharedLines(t, "corpora/gold/gold.jsonl") {
		var r struct {
			URL, Acronym string
			Source       struct{ Repo string }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if pages[r.URL] == nil {
			continue
		}
		p := read(pages[r.URL], now.Year()+MaxAhead)
		title, _ := p.title()
		l := titleLesson{site: r.Source.Repo, weight: 1}
		want := scoredAcronym(r.Acronym)
		for _, x := range p.ballot(title, eventseer.Provenance{}).rivals(title) {
			l.vectors = append(l.vectors, acronymRanker.vector(x))
			l.gain = append(l.gain, is(want != "" && scoredAcronym(x.acronym) == want))
		}
		l.vectors, l.gain = append(l.vectors, make([]float64, len(acronymFeatures))), append(l.gain, is(want == ""))
		ls = append(ls, l)
	}
	weighSites(ls)
	return ls
}

var (
	notASCII  = regexp.MustCompile(`[^a-z0-9]`)
	yearAtEnd = regexp.MustCompile(`(19|20)\d\d$|([a-z])\d\d$`)
)

// scoredAcronym is an acronym as score_extract.py compares it.
func scoredAcronym(s string) string {
	return yearAtEnd.ReplaceAllString(notASCII.ReplaceAllString(strings.ToLower(s), ""), "$2")
}
