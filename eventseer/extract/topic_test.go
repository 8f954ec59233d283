package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func topicsOf(t testing.TB, name, body string) []string {
	t.Helper()
	p := read(parse(t, name, body), 2040)
	p.roles = shippedWeights().roles.Roles(p.t, p.blocks)
	topics, _ := p.topics(shippedWeights().topics)
	return topics
}

func TestTopics(t *testing.T) {
	three := []string{"Paper dams", "River models", "Locks and weirs"}
	tests := []struct {
		name, file, page string
		want             []string
	}{
		{"a list under a heading", "p.html", "<h2>Topics of interest</h2><ul><li>Paper dams<li>River models;<li>Locks and weirs.</ul>", three},
		{"a list behind a sentence", "p.html", "<p>Topics include, but are not limited to:</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"a sentence", "p.html", "<p>Topics of interest include: paper dams, river models, and locks and weirs.</p>", []string{"paper dams", "river models", "locks and weirs"}},
		{"a sentence without a colon", "p.html", "<p>Typical areas are paper dams, river models, and locks.</p>", []string{"paper dams", "river models", "locks"}},
		{"topics one submits on", "p.html", "<p>The suggested list of topics for submission is:</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"keywords", "p.html", "<p>Keywords: paper dams; river models; locks and weirs</p>", []string{"paper dams", "river models", "locks and weirs"}},
		{"nested lists", "p.html", "<p>Topics include:</p><ul><li>Water:<ul><li>Paper dams<li>River models</ul><li>Traffic:<ul><li>Locks and weirs</ul></ul>", three},
		{"groups with headings", "p.html", "<h2>Topics</h2><h3>Water</h3><ul><li>Paper dams<li>River models</ul><h3>Traffic</h3><ul><li>Locks and weirs</ul>", three},
		{"groups of one rank", "p.html", "<h2>Topics of interest</h2><h2>Water</h2><ul><li>Paper dams<li>River models</ul><h2>Traffic</h2><ul><li>Locks and weirs</ul><h2>Submission</h2><ul><li>Use the template<li>Send two files</ul>", three},
		{"paragraphs of commas", "p.html", "<h3>Topics</h3><p>Papers on these topics are welcome:</p><p>Topic 1: Water</p><p>Paper dams, river models, locks, weirs</p>", []string{"Paper dams", "river models", "locks", "weirs"}},
		{"semicolons under a heading", "p.html", "<h3>Tópicos de interesse</h3><p>Paper dams; River models; Locks and weirs</p>", three},
		{"three commas under a heading", "p.html", "<h3>Topics</h3><p>Paper dams, river models, locks</p>", nil},
		{"a list behind a solicitation", "p.html", "<p>We solicit original papers on:</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"bullets in plain text", "p.txt", "RDX 2027\n\nTopics of interest include:\n\n * Paper dams\n * River models\n * Locks and\n   weirs\n", three},
		{"numbers in plain text", "p.txt", "RDX 2027\n\nTopics of interest include:\n\n1. Paper dams\n2. River models\n3. Locks and weirs\n", three},
		{"demands", "p.html", "<p>Submissions on all topics must include the following:</p><ul><li>A title page<li>A summary<li>A list of authors</ul>", nil},
		{"instructions", "p.html", "<h2>Topics</h2><ul><li>Paper dams<li>River models<li>Papers must not exceed 10 pages<li>Please use the template<li>Locks and weirs</ul>", three},
		{"a menu", "p.html", "<nav><ul><li><a href=/t>Topics</a><li><a href=/d>Dates</a><li><a href=/v>Venue</a></ul></nav>", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, topicsOf(t, test.file, test.page)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestThousandsOfTopics(t *testing.T) {
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "<li>Dams number %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	if topics := topicsOf(t, "p.html", "<h2>Topics</h2><ul>"+b.String()+"</ul>"); len(topics) != maxTopics {
		t.Errorf("%d topics read, want %d", len(topics), maxTopics)
	}
}

func FuzzTopics(f *testing.F) {
	for _, s := range []string{"Topics include: a b, c d, and e f.", "Keywords: x; y; z", "::: , , , ; ; ;", "areas are one, two, three", "• a • b • c", "Topics of interest"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		topics := topicsOf(t, "p.html", "<h2>Topics</h2><p>"+s+"</p><ul><li>"+s+"<li>"+s+":<ul><li>"+s+"</ul></ul><p>Topics include: "+s)
		if len(topics) > maxTopics {
			t.Errorf("%d topics", len(topics))
		}
		for _, topic := range topics {
			if len(topic) > maxTopicBytes || topic == "" {
				t.Errorf("topic of %d bytes", len(topic))
			}
		}
	})
}
