package topic

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/dictionary"
)

// TestNamed reads variants of one topic: number, hyphens, abbreviation, British spelling, word order.
func TestNamed(t *testing.T) {
	for want, variants := range map[string][]string{
		"natural language processing":         {"NLP", "nlp", "Natural-Language Processing", "Natural language processing (NLP)", "processing of natural language", "Topics in natural language processing"},
		"databases":                           {"Database", "DATABASES", "data bases", "database systems", "Advanced database systems"},
		"visualization":                       {"Visualisation", "visualization techniques"},
		"cyber security":                      {"cybersecurity", "Cyber-Security", "cyber security issues"},
		"computer-supported cooperative work": {"CSCW", "Computer supported co-operative work"},
		"data mining":                         {"mining of data", "Data Mining"},
		"image and video processing":          {"Image and Video Processing"},
		"future internet":                     {"Future Internet"},
	} {
		for _, v := range variants {
			if got, ok := Named(v); !ok || got != want {
				t.Errorf("%q names %q, want %q", v, got, want)
			}
		}
	}
	for _, other := range []string{"", "and", "of", "natural", "databases and security", "Personality of computation", "machine and human design"} {
		if got, ok := Named(other); ok {
			t.Errorf("%q names %q", other, got)
		}
	}
}

func TestIn(t *testing.T) {
	for printed, want := range map[string]string{
		"Deep learning for medical images":                    "deep learning|medical imaging",
		"IoT, edge- and cloud computing":                      "internet of things|cloud computing",
		"AI in the hospital":                                  "artificial intelligence",
		"the ai of this hospital":                             "",
		"Privacy of records":                                  "privacy",
		"Transparency of glass":                               "",
		"transparency, accountability":                        "transparency|accountability",
		"Databases, data mining, big data, robotics, malware": "databases|data mining|big data",
		"Gardens": "",
		"検索":      "",
	} {
		if got := strings.Join(NamesIn(printed), "|"); got != want {
			t.Errorf("%q: topics %q, want %q", printed, got, want)
		}
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("deep learning, ", 1e5)
	if got := NamesIn(long); !slices.Equal(got, []string{"deep learning"}) {
		t.Errorf("of a topic without end: %v", got)
	}
	if got := NamesInAll(slices.Repeat([]string{"databases and security; malware"}, 1e5)); len(got) != 3 {
		t.Errorf("of topics without end: %v", got)
	}
	broken := "\xff\xfe data mining" + strings.Repeat("\xe6", 500)
	if got := NamesIn(broken); len(got) > 1 {
		t.Errorf("of broken text: %v", got)
	}
}

// TestVocabulary checks that the name of each topic finds that topic and no other.
func TestVocabulary(t *testing.T) {
	if Size() < 1000 {
		t.Errorf("%d topics", Size())
	}
	first := map[string]string{}
	for _, topic := range dictionary.Topics() {
		name := topic.Names[0]
		if got, ok := Named(name); !ok || got != name {
			t.Errorf("%q names %q", name, got)
		}
		for _, n := range topic.Names {
			if n != strings.TrimSpace(n) || n == "" || len(strings.Fields(n)) > maxWindow {
				t.Errorf("%q among the names of %q", n, name)
			}
			if before, known := first[n]; known {
				t.Errorf("%q is a name of %q and of %q", n, before, name)
			}
			first[n] = name
		}
	}
}
