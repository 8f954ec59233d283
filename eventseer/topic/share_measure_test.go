//go:build measure

package topic

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestShareOfTopics prints the share of printed topics of events in which a topic of the vocabulary is
// found, and 200 sampled pairs. EVENTSEER_EVENTS names the file of records, written by `eventseer export`.
func TestShareOfTopics(t *testing.T) {
	f, err := os.Open(os.Getenv("EVENTSEER_EVENTS"))
	if err != nil {
		t.Skip("no events: ", err)
	}
	defer f.Close()
	printed, names := map[string]int{}, map[string]int{}
	events, with := 0, 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var e struct{ Topics []string }
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		for _, p := range e.Topics {
			printed[p]++
		}
		all := NamesInAll(e.Topics)
		for _, name := range all {
			names[name]++
		}
		if len(e.Topics) > 0 {
			events++
			if len(all) > 0 {
				with++
			}
		}
	}
	var mapped, unmapped []string
	total, held := 0, 0
	for _, p := range slices.Sorted(maps.Keys(printed)) {
		total += printed[p]
		if len(NamesIn(p)) > 0 {
			held += printed[p]
			mapped = append(mapped, p)
		} else {
			unmapped = append(unmapped, p)
		}
	}
	once := 0
	for _, n := range names {
		if n == 1 {
			once++
		}
	}
	t.Logf("vocabulary of %d; %d printed topics, %d distinct; held: %.3f of all, %.3f of distinct; %d topics found, %d of them in one event; %d of %d events with topics have one",
		Size(), total, len(printed), float64(held)/float64(total), float64(len(mapped))/float64(len(printed)), len(names), once, with, events)
	rng := rand.New(rand.NewPCG(27, 41))
	draw := func(from []string) {
		for _, i := range rng.Perm(len(from))[:min(200, len(from))] {
			fmt.Printf("%.110s => %s\n", from[i], strings.Join(NamesIn(from[i]), " | "))
		}
	}
	draw(mapped)
	fmt.Println("---")
	draw(unmapped)
}
