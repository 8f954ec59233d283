package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/eventseer"
)

func topicsOf(t testing.TB, name, body string) []string {
	t.Helper()
	p := preparePage(parse(t, name, body), 2040)
	p.roles = shippedWeights().roles.Roles(p.t, p.blocks)
	topics, _ := readTopics(p, shippedWeights().topics)
	return topics
}

// callDatesOf returns a call for papers around a section, in HTML or plain text.
func callOf(name, section string) string {
	if strings.HasSuffix(name, ".txt") {
		return "CALL FOR PAPERS\n\nRDX 2027: Workshop on River Dams\nTarn, Italy, 10-11 May 2027\n\n" + section + "\nIMPORTANT DATES\n\nSubmission of papers: 1 March 2027\nNotification: 1 April 2027\n\nPROGRAM COMMITTEE\n\nAnna Brookfield, University of Tarn\nKarl Weir, Institute of Locks\n"
	}
	return "<title>RDX 2027: Call for papers</title><h1>RDX 2027: Workshop on River Dams</h1><p>Tarn, Italy, 10–11 May 2027</p><p>The workshop brings together researchers and engineers who build dams.</p>" +
		section +
		"<h2>Important dates</h2><ul><li>Submission of papers: 1 March 2027<li>Notification: 1 April 2027</ul><h2>Submission</h2><p>Papers of at most 10 pages are submitted as PDF.</p><h2>Program committee</h2><ul><li>Anna Brookfield, University of Tarn<li>Karl Weir, Institute of Locks</ul>"
}

func TestTopics(t *testing.T) {
	three := []string{"Design of paper dams", "Numerical models of rivers", "Operation of locks and weirs"}
	four := []string{"hydraulic engineering", "numerical simulation", "sensor networks", "operation of weirs"}
	items := "<ul><li>Design of paper dams<li>Numerical models of rivers;<li>Operation of locks and weirs.</ul>"
	tests := []struct {
		name, file, section string
		want                []string
	}{
		{"a list under a heading", "p.html", "<h2>Topics of interest</h2>" + items, three},
		{"a list behind a sentence", "p.html", "<p>Topics of interest include, but are not limited to:</p>" + items, three},
		{"a list behind a solicitation", "p.html", "<h2>Scope</h2><p>We solicit original papers on:</p>" + items, three},
		{"lines", "p.html", "<h2>Topics of interest</h2><p>Design of paper dams<br>Numerical models of rivers<br>Operation of locks and weirs</p>", three},
		{"bullets in lines", "p.html", "<h2>Topics of interest</h2><p>• Design of paper dams<br>• Numerical models of rivers<br>• Operation of locks and weirs</p>", three},
		{"paragraphs", "p.html", "<h2>Topics of interest</h2><p>Design of paper dams</p><p>Numerical models of rivers</p><p>Operation of locks and weirs</p>", three},
		{"cells", "p.html", "<h2>Topics of interest</h2><table><tr><td>Design of paper dams<tr><td>Numerical models of rivers<tr><td>Operation of locks and weirs</table>", three},
		{"numbers", "p.html", "<h2>Topics of interest</h2><p>1. Design of paper dams<br>2. Numerical models of rivers<br>3. Operation of locks and weirs</p>", three},
		{"groups with headings", "p.html", "<h2>Topics of interest</h2><h3>Water</h3><ul><li>Design of paper dams<li>Numerical models of rivers</ul><h3>Traffic</h3><ul><li>Operation of locks and weirs<li>Routing of ships and networks</ul>", append(slices.Clone(three), "Routing of ships and networks")},
		{"bullets in plain text", "p.txt", "Topics of interest include, but are not limited to:\n\n * Design of paper dams\n * Numerical models of rivers\n * Operation of locks and\n   weirs\n", three},
		{"numbers in plain text", "p.txt", "TOPICS OF INTEREST\n\n1. Design of paper dams\n2. Numerical models of rivers\n3. Operation of locks and weirs\n", three},
		{"a sentence", "p.html", "<h2>Topics of interest</h2><p>The workshop covers all aspects of dams. Topics of interest include, but are not limited to: hydraulic engineering, numerical simulation, sensor networks, and operation of weirs.</p>", four},
		{"semicolons", "p.html", "<h2>Topics of interest</h2><p>hydraulic engineering; numerical simulation; sensor networks; operation of weirs</p>", four},
		{"keywords", "p.html", "<h2>Topics</h2><p>Keywords: hydraulic engineering; numerical simulation; sensor networks; operation of weirs</p>", four},
		{"what a proposal must hold", "p.html", "<h2>Proposals</h2><p>Proposals of workshops must include the following:</p><ul><li>A title and a summary<li>The names of the organizers<li>A list of speakers</ul>", nil},
		{"kinds of papers", "p.html", "<h2>Kinds of papers</h2><ul><li>Full papers of up to 12 pages<li>Short papers of up to 6 pages<li>Posters of up to 2 pages</ul>", nil},
		{"a menu", "p.html", "<nav><ul><li><a href=/t>Topics</a><li><a href=/d>Dates</a><li><a href=/v>Venue</a></ul></nav>", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, topicsOf(t, test.file, callOf(test.file, test.section))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestTopicsOfShortPages reads pages with little besides a list.
func TestTopicsOfShortPages(t *testing.T) {
	three := []string{"Paper dams", "River models", "Locks and weirs"}
	tests := []struct {
		name, file, page string
		want             []string
	}{
		{"a list under a heading", "p.html", "<h2>Topics of interest</h2><ul><li>Paper dams<li>River models;<li>Locks and weirs.</ul>", three},
		{"a list behind a sentence", "p.html", "<p>Topics include, but are not limited to:</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"topics one submits on", "p.html", "<p>The suggested list of topics for submission is:</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"suggested topics", "p.html", "<h1>Conference on dams</h1><p>Suggested topics for papers include</p><ul><li>Paper dams<li>River models<li>Locks and weirs</ul>", three},
		{"nested lists", "p.html", "<p>Topics include:</p><ul><li>Water:<ul><li>Paper dams<li>River models</ul><li>Traffic:<ul><li>Locks and weirs</ul></ul>", three},
		{"semicolons under a heading", "p.html", "<h3>Tópicos de interesse</h3><p>Paper dams; River models; Locks and weirs</p>", three},
		{"bullets in plain text", "p.txt", "RDX 2027\n\nTopics of interest include:\n\n * Paper dams\n * River models\n * Locks and\n   weirs\n", three},
		{"numbers in plain text", "p.txt", "RDX 2027\n\nTopics of interest include:\n\n1. Paper dams\n2. River models\n3. Locks and weirs\n", three},
		{"demands", "p.html", "<p>Submissions on all topics must include the following:</p><ul><li>A title page<li>A summary<li>A list of authors</ul>", nil},
		{"a menu", "p.html", "<nav><ul><li><a href=/t>Topics</a><li><a href=/d>Dates</a><li><a href=/v>Venue</a></ul></nav>", nil},
		{"German", "p.html", "<h2>Themen</h2><ul><li>Karteikästen<li>Kleben und Heften</ul>", []string{"Karteikästen", "Kleben und Heften"}},
		{"Spanish", "p.html", "<h1>Jornadas de presas</h1><h2>Temas</h2><ul><li>Diseño de presas<li>Modelos de ríos<li>Esclusas y compuertas</ul>", []string{"Diseño de presas", "Modelos de ríos", "Esclusas y compuertas"}},
		{"French", "p.html", "<h1>Congrès des barrages</h1><p>Les thèmes du colloque sont les suivants :</p><ul><li>Conception de barrages<li>Modèles de rivières<li>Écluses et vannes</ul>", []string{"Conception de barrages", "Modèles de rivières", "Écluses et vannes"}},
		{"Turkish", "p.html", "<h1>Baraj kongresi</h1><h2>Konular</h2><ul><li>Baraj tasarımı<li>Nehir modelleri<li>Savaklar</ul>", []string{"Baraj tasarımı", "Nehir modelleri", "Savaklar"}},
		{"Japanese", "p.html", "<h1>ダム研究会</h1><h2>募集テーマ</h2><ul><li>ダムの設計<li>河川モデル<li>水門の運用</ul>", []string{"ダムの設計", "河川モデル", "水門の運用"}},
		{"Chinese", "p.html", "<h1>第十届水利会议</h1><h2>征文范围</h2><ul><li>水坝设计<li>河流模型<li>船闸运行</ul>", []string{"水坝设计", "河流模型", "船闸运行"}},
		{"Chinese commas", "p.html", "<h1>第十届水利会议</h1><h2>征文范围</h2><p>水坝设计、河流模型、船闸运行、水库管理</p>", []string{"水坝设计", "河流模型", "船闸运行", "水库管理"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, topicsOf(t, test.file, test.page)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTopicParts(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"Topics include: paper dams, river models, and locks and weirs.", []string{"paper dams", "river models", "locks and weirs"}},
		{"Typical areas are paper dams, river models, locks and weirs. We look forward to it.", []string{"paper dams", "river models", "locks", "weirs"}},
		{"Topics of interest include, but are not limited to: dams, rivers, locks.", []string{"dams", "rivers", "locks"}},
		{"Keywords: paper dams; models, of rivers; locks", []string{"paper dams", "models, of rivers", "locks"}},
		{"Dams (of paper, wood, steel), rivers, locks", []string{"Dams (of paper, wood, steel)", "rivers", "locks"}},
		{"We solicit papers on dams in towns, rivers, locks.", []string{"dams in towns", "rivers", "locks"}},
		{"Topics: dams in towns, rivers, locks.", []string{"dams in towns", "rivers", "locks"}},
		{"dams in towns; rivers; locks", []string{"dams in towns", "rivers", "locks"}},
		{"paper dams • river models • locks", []string{"paper dams", "river models", "locks"}},
		{"水坝、河流模型、船闸", []string{"水坝", "河流模型", "船闸"}},
		{"No list, but a sentence.", nil},
		{"", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, topicParts(test.text)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.text, diff)
		}
	}
}

func TestCleanTopic(t *testing.T) {
	for text, want := range map[string]string{
		"• Paper dams;": "Paper dams", "12) River models": "River models", "Track 3: Locks": "Locks", "(b) Weirs and": "Weirs",
		"Big data": "Big data", "3D printing": "3D printing", "A/B tests": "A/B tests", "—": "", strings.Repeat("long ", 200): "",
	} {
		if got := cleanTopic(text); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

func TestThousandsOfTopics(t *testing.T) {
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "<li>Dams number %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	if topics := topicsOf(t, "p.html", callOf("p.html", "<h2>Topics of interest</h2><ul>"+b.String()+"</ul>")); len(topics) != maxTopics {
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

// TestTopicLevels reads lists of topics in two levels: titles with descriptions, and groups.
func TestTopicLevels(t *testing.T) {
	const page = "<h1>Workshop on Kites (WOK 2027)</h1><p>Lyon, France, August 4-6, 2027</p><p>Papers are solicited from the areas, including, but not limited to:</p>%s<h2>Dates</h2><p>Papers due: May 1, 2027</p>"
	for _, c := range []struct{ list, want string }{
		{`<ul><li><b>Kite materials</b><br>Papers on cloth, paper and foil, and on what each of them costs to make, mend and store over many years of use.</li>
<li><b>Wind models</b><br>How air moves near the ground, what can be measured of it on a beach, and how well that tells what happens above.</li>
<li><b>Line tension</b><br>Sensors, winches and ropes, the forces on them in gusts, and what breaks first when nobody looks after them.</li></ul>`,
			"Kite materials|Wind models|Line tension"},
		{`<p><strong>1. Models of kites and wind</strong></p><ul><li>Wind near the ground</li><li>Tension of kite lines</li></ul>
<p><strong>2. Materials and design of kites</strong></p><ul><li>Cloth for kites</li><li>Paper for kites</li></ul>`,
			"Wind near the ground|Tension of kite lines|Cloth for kites|Paper for kites"},
		{`<ul><li>Algorithms and evaluation of kite models for<ul><li>Wind near the ground</li><li>Tension of kite lines</li></ul></li><li>Theory of kites</li><li>Experience with kites</li></ul>`,
			"Wind near the ground|Tension of kite lines|Theory of kites|Experience with kites"},
		{`<ul><li><p>Algorithms and evaluation of kite models for</p><ul><li>Wind near the ground</li><li>Tension of kite lines</li></ul></li><li><p>Theory of kites</p></li><li><p>Experience with kites</p></li></ul>`,
			"Wind near the ground|Tension of kite lines|Theory of kites|Experience with kites"},
		{`<p>Models of kites and wind</p><p>• Wind near the ground<br>• Tension of kite lines<br>• Weather over land</p><p>Materials and design of kites</p><p>• Cloth for kites<br>• Paper for kites<br>• Glue for kites</p>`,
			"Wind near the ground|Tension of kite lines|Weather over land|Cloth for kites|Paper for kites|Glue for kites"},
		{`<ul><li>Kite weather</li><li>Kite materials</li></ul><h3>Kite weather</h3><ul><li>Wind near the ground</li><li>Tension of kite lines</li></ul><h3>Kite materials</h3><ul><li>Cloth for kites</li><li>Paper for kites</li></ul>`,
			"Wind near the ground|Tension of kite lines|Cloth for kites|Paper for kites"},
		{`<ul><li>Cloth for kites</li><li>Paper for kites</li><li>Wind near the ground</li></ul>`, "Cloth for kites|Paper for kites|Wind near the ground"},
	} {
		e, _ := newTestExtractor().Extract(parse(t, "p.html", fmt.Sprintf(page, c.list)))
		if got := strings.Join(e.Topics, "|"); got != c.want {
			t.Errorf("%s: topics %q, want %q", c.list, got, c.want)
		}
	}
}

// TestTopicsAndPeople separates topics from people that were read as both.
func TestTopicsAndPeople(t *testing.T) {
	topics, people := separateTopicsAndPeople(
		[]string{"Kite theory", "Prof. Ada Lane", "Stella Wind and other kites", "bo ford"},
		[]eventseer.Person{{Name: "Ada Lane", Role: "organizer"}, {Name: "Stella Wind", Role: "other"}, {Name: "Bo Ford", Role: "other"}, {Name: "Kite", Role: "pc_member"}})
	if want := []string{"Kite theory", "Stella Wind and other kites"}; !slices.Equal(topics, want) {
		t.Errorf("topics %q, want %q", topics, want)
	}
	lines, _ := separateTopicsAndPeople([]string{"王小明教授", "风筝大学", "主席：李大华（风筝大学）", "王小明风筝理论研究", "风筝材料"},
		[]eventseer.Person{{Name: "王小明", Role: "organizer", Affiliation: "风筝大学"}, {Name: "李大华", Role: "other", Affiliation: "风筝大学"}, {Name: "风筝", Role: "other"}})
	if want := []string{"王小明风筝理论研究", "风筝材料"}; !slices.Equal(lines, want) {
		t.Errorf("topics %q, want %q", lines, want)
	}
	var names []string
	for _, q := range people {
		names = append(names, q.Name)
	}
	if want := []string{"Ada Lane", "Bo Ford", "Kite"}; !slices.Equal(names, want) {
		t.Errorf("people %q, want %q", names, want)
	}
}

// TestUnderlinedTopic checks that an underlined heading ends a list of topics in plain text.
func TestUnderlinedTopic(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "p.txt", "Workshop on Kites 2027\nAugust 4-6, 2027\n\nTopics of interest are:\n\n* Kite theory\n* Kite practice\n* Kite lines\n* Kite weather\n\nReview of Kites\n---------------\nAll kites are reviewed by two members of the committee.\n"))
	if len(e.Topics) != 4 || slices.Contains(e.Topics, "Review of Kites") {
		t.Errorf("%q", e.Topics)
	}
}
