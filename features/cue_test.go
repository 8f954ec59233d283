package features

import (
	"github.com/eventseer/eventseer/internal/text"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// phrasesOf returns the phrases of a cue.
func phrasesOf(c phraseCue) []string {
	var phrases []string
	for p := range strings.SplitSeq(c.phrases, ";") {
		phrases = append(phrases, strings.Join(strings.Fields(p), " "))
	}
	return phrases
}

// cuesIn returns the names of the cues of an English text, in the order found.
func cuesIn(s string) []string {
	z := tokenizer{language: english}
	var c cueCounter
	z.forEachToken(s, func(t token) {
		if t.word != nil {
			c.addWord(t.word)
		}
	})
	var names []string
	for _, cue := range c.found {
		names = append(names, cues[cue].name)
	}
	return names
}

// A phrase that the tokenizer reads in another way could never be found.
func TestEveryPhraseIsFound(t *testing.T) {
	names := make(map[string]bool)
	for _, c := range cues {
		if names[c.name] {
			t.Errorf("cue %s stands twice", c.name)
		}
		names[c.name] = true
		seen := make(map[string]bool)
		for _, p := range phrasesOf(c) {
			text, _ := strings.CutSuffix(p, "*")
			switch n := strings.Count(p, " ") + 1; {
			case seen[p]:
				t.Errorf("%s: %q stands twice", c.name, p)
			case p == "" || n > maxPhrase || strings.Contains(text, "*"):
				t.Errorf("%s: %q is no phrase of 1 to %d words with a * at its end only", c.name, p, maxPhrase)
			}
			seen[p] = true
			found := false
			for _, name := range cuesIn("lest " + text + " lest") {
				found = found || name == c.name
			}
			if !found {
				t.Errorf("%s: %q is not found in itself", c.name, p)
			}
		}
	}
	if cues[callCue].name != "call" {
		t.Errorf("callCue is the cue %s", cues[callCue].name)
	}
}

func TestCues(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"The Call for Papers", []string{"call"}},
		{"call for more papers", nil},
		{"camera-ready", []string{"camera_ready"}},
		{"I'm", []string{"i"}},
		{"deadlines", []string{"deadline", "upcoming"}}, // the first by its beginning
		{"dead line", nil},
		{"call", nil},
		{"papers for call", nil},
	} {
		if diff := cmp.Diff(tt.want, withoutPaper(cuesIn(tt.text)), cmp.Transformer("set", setOf)); diff != "" {
			t.Errorf("cues of %q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// withoutPaper leaves out the cue that any paper is.
func withoutPaper(names []string) []string {
	var rest []string
	for _, n := range names {
		if n != "paper" {
			rest = append(rest, n)
		}
	}
	return rest
}

func setOf(names []string) map[string]bool { return text.WordSet(strings.Join(names, " ")) }

func TestCuesAreBounded(t *testing.T) {
	if n := len(cuesIn(strings.Repeat("deadline ", 3*maxFound))); n != maxFound {
		t.Errorf("%d cues kept of one run, want %d", n, maxFound)
	}
	long := strings.Repeat("deadline", 1000)
	if got := cuesIn(long); got != nil {
		t.Errorf("a word of %d letters is the cue %q", len(long), got)
	}
}
