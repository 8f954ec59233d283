//go:build measure

package keyword

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/internal/warc"
)

// A goldCall is a call of corpora/gold with the text of its page.
type goldCall struct {
	URL        string   `json:"url"`
	Lang       string   `json:"lang"`
	Discipline string   `json:"discipline"`
	Title      string   `json:"title"`
	Topics     []string `json:"topics"`
	text       string
	stems      map[string]int
	length     int
}

// TestKeywordsOnGold compares three extractors of five keywords on the English calls of corpora/gold. They find noun
// phrases, the most frequent words, and the first words, all without words of every call. It prints the share of the keywords whose
// words are all in one gold topic, the share of calls that a BM25 search for its keywords finds first among all, and the
// share of calls of the same discipline among the next three found.
//
//	go test -tags measure -run TestKeywordsOnGold -v ./eventseer/keyword
func TestKeywordsOnGold(t *testing.T) {
	calls := readGold(t)
	x := New()
	frequency := map[string]int{} // documents by stem
	for _, c := range calls {
		for s := range c.stems {
			frequency[s]++
		}
	}
	disciplines := map[string]int{}
	for _, c := range calls {
		disciplines[c.Discipline]++
	}
	for _, e := range []struct {
		name string
		of   func(s string) []string
	}{
		{"noun phrases", func(s string) []string { return x.Phrases(s, 5) }},
		{"frequency", func(s string) []string { return mostFrequent(s, 5) }},
		{"position", func(s string) []string { return firstWords(s, 5) }},
	} {
		keywords, right, asked, first, near, nearAll := 0, 0, 0, 0, 0, 0
		for i, c := range calls {
			words := e.of(c.text)
			if i < 3 {
				t.Logf("%s: %q: %q", e.name, c.Title, words)
			}
			if len(c.Topics) > 0 {
				for _, w := range words {
					keywords++
					if isInTopic(w, c.Topics) {
						right++
					}
				}
			}
			ranked := rank(calls, frequency, stemsOf(strings.Join(words, " ")))
			asked++
			if len(ranked) > 0 && ranked[0] == i {
				first++
			}
			if disciplines[c.Discipline] < 4 {
				continue
			}
			ranked = slices.DeleteFunc(ranked, func(j int) bool { return j == i })
			for _, j := range ranked[:min(3, len(ranked))] {
				if nearAll++; calls[j].Discipline == c.Discipline {
					near++
				}
			}
		}
		t.Logf("%-13s in a gold topic %d of %d (%.3f); first %d of %d (%.3f); same discipline %d of %d (%.3f)", e.name,
			right, keywords, share(right, keywords), first, asked, share(first, asked), near, nearAll, share(near, nearAll))
	}
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// readGold returns the English calls with their texts.
func readGold(t *testing.T) (calls []*goldCall) {
	t.Helper()
	f, err := os.Open(golden.SharedPath(t, "corpora/gold/gold.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byURL := map[string]*goldCall{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c := &goldCall{}
		if err := json.Unmarshal(lines.Bytes(), c); err != nil {
			t.Fatal(err)
		}
		if c.Lang == "en" {
			byURL[c.URL] = c
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/gold/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		c := byURL[page.URL]
		if c == nil || c.text != "" {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		c.text, c.stems = tree.Analysis().Text(), map[string]int{}
		for _, s := range stemsOf(c.text) {
			c.stems[s]++
			c.length++
		}
		calls = append(calls, c)
	}
	if len(calls) < 100 {
		t.Fatalf("only %d calls have a page", len(calls))
	}
	return calls
}

// functionWords are the words of at least minWord letters that stand in every English text.
var functionWords = text.WordSet(`about above after again all also and any are because been before being below between both but can could did does
doing down during each either etc few for from further had has have having her here his how including into its itself just like made make
must not now off once only our out over own same shall should some such than that the their them then there these they this those through
too under until upon very was were what when where which while who whom why will with within would you your`)

// contentWords returns the words of at least minWord letters that are neither function words nor words of every call.
func contentWords(s string) (words []string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if lower := strings.ToLower(w); len(w) >= minWord && !functionWords[lower] && !callWords[lower] && !callWords[features.Stem(lower)] && features.Stem(lower) != "" {
			words = append(words, lower)
		}
	}
	return words
}

func stemsOf(s string) (stems []string) {
	for _, w := range contentWords(s) {
		stems = append(stems, features.Stem(w))
	}
	return stems
}

// mostFrequent returns the n words of the most frequent stems.
func mostFrequent(s string, n int) (words []string) {
	count, written := map[string]int{}, map[string]string{}
	var stems []string
	for _, w := range contentWords(s) {
		stem := features.Stem(w)
		if count[stem]++; count[stem] == 1 {
			stems, written[stem] = append(stems, stem), w
		}
	}
	slices.SortStableFunc(stems, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	for _, stem := range stems[:min(n, len(stems))] {
		words = append(words, written[stem])
	}
	return words
}

// firstWords returns the first n different words.
func firstWords(s string, n int) (words []string) {
	for _, w := range contentWords(s) {
		if len(words) < n && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// isInTopic reports whether all stems of a keyword are in one topic.
func isInTopic(keyword string, topics []string) bool {
	return slices.ContainsFunc(topics, func(topic string) bool {
		of := stemsOf(topic)
		return !slices.ContainsFunc(stemsOf(keyword), func(s string) bool { return !slices.Contains(of, s) })
	})
}

// rank returns the calls that contain one of the stems, in order of BM25 (k1 1.2, b 0.75).
func rank(calls []*goldCall, frequency map[string]int, stems []string) (found []int) {
	mean := 0.0
	for _, c := range calls {
		mean += float64(c.length) / float64(len(calls))
	}
	score := make([]float64, len(calls))
	for i, c := range calls {
		for _, s := range stems {
			tf := float64(c.stems[s])
			idf := math.Log(1 + (float64(len(calls))-float64(frequency[s])+0.5)/(float64(frequency[s])+0.5))
			score[i] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(c.length)/mean))
		}
		if score[i] > 0 {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return found
}
