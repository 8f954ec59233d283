//go:build measure

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
)

// readSearches are 50 saved searches: topics, names that pages print, and parts of a call.
var readSearches = []string{
	"data mining", `"machine learning"`, `"deep learning" OR "neural networks"`, "semantic web", "ontology engineering", "information retrieval", "recommender systems",
	`"natural language processing"`, "sentiment analysis", `"computer vision"`, "image processing", `"internet of things"`, "edge computing", `"cloud computing"`, "blockchain",
	"privacy", "access control", "intrusion detection", "software testing", `"formal methods"`, "requirements engineering", "business process", "program analysis",
	"parallel algorithms", "high performance computing", "distributed systems", "query optimization", "data streams", "spatial data", "smart cities", "e-learning",
	"bioinformatics", "human computer interaction", "social networks", "wireless sensor networks", "graph theory", "logic programming", "game theory", "robotics",
	"visualization", "EasyChair", "LNCS", "Springer", "best paper", "travel grants", "doctoral", "camera-ready", "keynote", "double-blind", "special issue",
}

// drawForReading returns the seed of a draw and the file for it. It skips the test if they are not set.
func drawForReading(t *testing.T) (seed uint64, path string) {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("EVENTSEER_DRAW"), 10, 64)
	path = os.Getenv("EVENTSEER_CLIPS")
	if err != nil || path == "" {
		t.Skip("EVENTSEER_DRAW and EVENTSEER_CLIPS name no seed and no file")
	}
	return seed, path
}

// TestClipsForReading writes 100 clips for a reader to judge to the file in EVENTSEER_CLIPS. They are
// drawn by the seed in EVENTSEER_DRAW from those of 50 saved searches in the calls of corpora/gold
// and corpora/mails, each with its query, its explanation and its page. A clip is good if it has a
// matched word in a readable sentence.
//
//	EVENTSEER_DRAW=1 EVENTSEER_CLIPS=/tmp/clips.txt go test -tags measure -run TestClipsForReading -v ./cmd/eventseer/internal/engine
func TestClipsForReading(t *testing.T) {
	seed, path := drawForReading(t)
	documents := callDocuments(t)
	words, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	type drawn struct {
		query string
		match match.Match
		event eventseer.Event
	}
	byQuery, matches, fromText := map[string][]drawn{}, 0, 0
	for _, q := range readSearches {
		l, err := match.Compile(eventseer.List{ID: "l", Query: q}, words, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range documents {
			if m, ok := l.Explain(d, now); ok {
				byQuery[q] = append(byQuery[q], drawn{q, m, d.Event})
				matches++
				if m.Page != "" {
					fromText++
				}
			}
		}
	}
	t.Logf("%d calls, %d searches, %d matches, %d with a clip from a page's text", len(documents), len(readSearches), matches, fromText)
	r := rand.New(rand.NewPCG(seed, 29))
	var out strings.Builder
	for n := 0; n < 100; {
		q := readSearches[r.IntN(len(readSearches))]
		if len(byQuery[q]) == 0 {
			continue
		}
		i := r.IntN(len(byQuery[q]))
		d := byQuery[q][i]
		byQuery[q] = append(byQuery[q][:i:i], byQuery[q][i+1:]...)
		n++
		passage, end := "", 0
		for _, m := range d.match.Marks {
			passage += d.match.Passage[end:m[0]] + "[" + d.match.Passage[m[0]:m[1]] + "]"
			end = m[1]
		}
		passage += d.match.Passage[end:]
		fmt.Fprintf(&out, "%d. %s | %s | %s\n   %s\n", n, q, strings.Join(d.match.Why, "; "), cmp.Or(d.match.Page, "no text"), passage)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSynonymsForReading writes 100 results for a reader to judge to the file in EVENTSEER_CLIPS. They
// are drawn by the seed in EVENTSEER_DRAW from those that searches for all names of topics find only by
// other names, each with its query, why it was found, and the title and topics of the call.
//
//	EVENTSEER_DRAW=1 EVENTSEER_CLIPS=/tmp/synonyms.txt go test -tags measure -run TestSynonymsForReading -v ./cmd/eventseer/internal/engine
func TestSynonymsForReading(t *testing.T) {
	seed, path := drawForReading(t)
	documents := callDocuments(t)
	words, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	forms, wider := match.New(words), match.New(words)
	var narrow, wide []eventseer.List
	for _, topic := range dictionary.Topics() {
		for _, name := range topic.Names {
			q := strconv.Quote(name)
			narrow = append(narrow, eventseer.List{ID: name, Query: q})
			wide = append(wide, eventseer.List{ID: name, Query: q, Synonyms: true})
		}
	}
	if err := errors.Join(forms.Set(narrow...), wider.Set(wide...)); err != nil {
		t.Fatal(err)
	}
	var only []string
	asWritten := 0
	for _, d := range documents {
		known := map[string]bool{} // other forms of the words are not synonyms
		for _, m := range forms.Match(d, now) {
			known[m.List.ID] = true
		}
		asWritten += len(known)
		for _, m := range wider.Match(d, now) {
			if !known[m.List.ID] {
				only = append(only, fmt.Sprintf("%s | %s | %s | %s\n   %s\n", m.List.ID, strings.Join(m.Why, "; "), d.Event.Title, strings.Join(d.Event.Topics[:min(8, len(d.Event.Topics))], ", "), m.Passage))
			}
		}
	}
	t.Logf("%d calls, %d searches: %d results as written, %d only by synonyms and other names", len(documents), len(wide), asWritten, len(only))
	rand.New(rand.NewPCG(seed, 30)).Shuffle(len(only), func(i, j int) { only[i], only[j] = only[j], only[i] })
	if err := os.WriteFile(path, []byte(strings.Join(only[:min(100, len(only))], "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// callDocuments are the calls of corpora/gold and corpora/mails as saved searches see them.
func callDocuments(t *testing.T) (documents []eventseer.Document) {
	now := func() time.Time { return time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC) }
	gold, _ := goldStore(t)
	mails, err := store.Open(filepath.Join(t.TempDir(), "mails.db"), store.Options{Now: now, IsEdition: IsEdition})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mails.Close() })
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.New(ingest.Options{Extractor: foldExtractors(t, "")[0], Store: mails, Clipper: clipper, Now: now})
	data, err := datasets.Open(golden.SharedPath(t, "corpora/mails/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: now}
	a.Config.Quiet = true
	for e := range data.Examples(PagesOfInputs(context.Background(), a, []string{golden.SharedPath(t, "corpora/mails/mails.mbox.gz")}, "")) {
		tree, err := tagtree.Parse(e.Page)
		if err != nil || !e.IsCFP {
			continue
		}
		if _, err := in.StorePage(t.Context(), tree, 1); err != nil {
			t.Logf("%s: %v", e.URL, err)
		}
	}
	for _, st := range []*store.Store{gold, mails} {
		for e, err := range st.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			d := eventseer.Document{Event: e}
			if d.Clips, err = st.Clips(t.Context(), e.ID); err != nil {
				t.Fatal(err)
			}
			texts, err := st.Texts(t.Context(), e.ID, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			d.Texts = eventseer.SearchedTexts(texts, e.Committee, false)
			documents = append(documents, d)
		}
	}
	return documents
}
