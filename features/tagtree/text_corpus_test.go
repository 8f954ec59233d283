package tagtree_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"eventseer/features/tagtree"
	"eventseer/internal/golden"
	"eventseer/internal/warc"
	"eventseer/webgraph"
)

// What Analysis.Text measured when it was last changed, less .005.
const (
	floorF1   = 0.978 // of the main text of the 54 articles (shared/tools/score_text.py)
	floorGold = 0.987 // of gold strings that the page has, how many the text has
)

func TestTextOfArticles(t *testing.T) {
	dir := golden.Shared(t, "corpora/articles")
	data, err := os.ReadFile(filepath.Join(dir, "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
	var precision, recall float64
	for _, id := range slices.Sorted(maps.Keys(truth)) {
		want := truth[id]
		page := &webgraph.Page{URL: want.URL, Body: golden.Gunzip(t, filepath.Join(dir, "html", id+".html.gz")), Header: http.Header{"Content-Type": {"text/html"}}}
		p, r := overlap(grams(want.ArticleBody), grams(mainText(t, page)))
		precision, recall = precision+p/float64(len(truth)), recall+r/float64(len(truth))
	}
	f1 := 2 * precision * recall / (precision + recall)
	t.Logf("%d pages: precision %.4f, recall %.4f, F1 %.4f", len(truth), precision, recall, f1)
	if f1 < floorF1 {
		t.Errorf("F1 %.4f, want %.3f", f1, floorF1)
	}
}

func TestTextOfCalls(t *testing.T) {
	dir := golden.Shared(t, "corpora/gold")
	gold := readGold(t, filepath.Join(dir, "gold.jsonl"))
	there, kept := 0, 0
	for page, err := range warc.Pages(filepath.Join(dir, "pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		all, text := spaced(tree.Text()), spaced(tree.Analysis().Text())
		for _, s := range gold[page.URL] {
			if s = spaced(s); strings.Contains(all, s) {
				there++
				if strings.Contains(text, s) {
					kept++
				}
			}
		}
	}
	t.Logf("%d of %d gold strings", kept, there)
	if there < 3_000 || float64(kept) < floorGold*float64(there) {
		t.Errorf("%d of %d gold strings, want %.3f", kept, there, floorGold)
	}
}

// readGold returns by page the titles, places, deadlines, topics and people.
func readGold(t *testing.T, name string) map[string][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gold := make(map[string][]string)
	for in := json.NewDecoder(bufio.NewReader(f)); in.More(); {
		var event struct {
			URL, Title string
			Location   struct{ Text string }
			Deadlines  []struct{ Text string }
			Topics     []string
			Committee  []struct{ Name string }
		}
		if err := in.Decode(&event); err != nil {
			t.Fatal(err)
		}
		list := append([]string{event.Title, event.Location.Text}, event.Topics...)
		for _, d := range event.Deadlines {
			list = append(list, d.Text)
		}
		for _, p := range event.Committee {
			list = append(list, p.Name)
		}
		gold[event.URL] = slices.DeleteFunc(list, func(s string) bool { return len(words(s)) == 0 })
	}
	return gold
}

func mainText(t *testing.T, page *webgraph.Page) string {
	t.Helper()
	tree, err := tagtree.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Analysis().Text()
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// spaced returns the words of s, one space around each, in lower case.
func spaced(s string) string { return " " + strings.ToLower(strings.Join(words(s), " ")) + " " }

// grams counts the runs of four words of s.
func grams(s string) map[string]int {
	w, n := words(s), make(map[string]int)
	for i := range w {
		if i == 0 || i+4 <= len(w) {
			n[strings.Join(w[i:min(i+4, len(w))], " ")]++
		}
	}
	return n
}

// overlap returns the precision and the recall of got.
func overlap(want, got map[string]int) (precision, recall float64) {
	both, inGot, inWant := 0, 0, 0
	for g, n := range got {
		both, inGot = both+min(n, want[g]), inGot+n
	}
	for _, n := range want {
		inWant += n
	}
	return float64(both) / float64(max(1, inGot)), float64(both) / float64(max(1, inWant))
}
