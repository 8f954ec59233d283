package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

// committeeOf returns the people of a page.
func committeeOf(t testing.TB, name, body string) []eventseer.Person {
	t.Helper()
	people, _ := readCommittee(readPage(parse(t, name, body)).places, shippedWeights().people)
	return people
}

// readPage prepares a page with the roles of its blocks by the embedded model.
func readPage(tree *tagtree.Tree) *reading {
	r := newReading(preparePage(tree, 2040))
	r.roles = shippedWeights().roles.Roles(tree, r.blocks)
	return r
}

func TestCommittee(t *testing.T) {
	const member = "pc_member"
	p := func(name, affiliation, country, role string) eventseer.Person {
		return eventseer.Person{Name: name, Affiliation: affiliation, Country: country, Role: role}
	}
	two := []eventseer.Person{p("Anna Lindberg", "University of Hilltown, Germany", "Germany", member), p("Luis Ortega", "Tarn College, USA", "USA", member)}
	tests := []struct {
		name, page string
		want       []eventseer.Person
	}{
		{"commas", "<h2>Program Committee</h2><ul><li>Anna Lindberg, University of Hilltown, Germany<li>Luis Ortega, Tarn College, USA</ul>", two},
		{"brackets", "<h2>Programme Committee</h2><p>Anna Lindberg (University of Hilltown, Germany)<br>Luis Ortega (Tarn College, USA)</p>", two},
		{"dashes", "<h2>PC members</h2><p>Anna Lindberg – University of Hilltown, Germany<br>Luis Ortega -- Tarn College, USA</p>", two},
		{"one paragraph", "<h2>Program Committee</h2><p>Anna Lindberg (University of Hilltown, Germany), Luis Ortega (Tarn College, USA)</p>", two},
		{"semicolons", "<h2>Program Committee</h2><p>Anna Lindberg, University of Hilltown, Germany; Luis Ortega, Tarn College, USA</p>", two},
		{"columns", "<h2>Program Committee</h2><table><tr><th>Name<th>Institution<th>Country<tr><td>Anna Lindberg<td>University of Hilltown<td>Germany<tr><td>Luis Ortega<td>Tarn College<td>USA</table>", two},
		{"cards", "<h2>Program Committee</h2><div><h4>Anna Lindberg</h4><p>University of Hilltown, Germany</p></div><div><h4>Luis Ortega</h4><p>Tarn College, USA</p></div>", two},
		{"a definition list", "<h2>Program Committee</h2><dl><dt>Anna Lindberg<dd>University of Hilltown, Germany<dt>Luis Ortega<dd>Tarn College, USA</dl>", two},
		{"nothing between", "<h2>Program Committee</h2><ul><li>Anna Lindberg University of Hilltown, Germany<li>Luis Ortega University of Tarn, USA</ul>", []eventseer.Person{two[0], p("Luis Ortega", "University of Tarn, USA", "USA", member)}},
		{"names alone", "<h2>Program Committee</h2><p>Anna Lindberg, Luis Ortega and Karin Holm</p>", []eventseer.Person{p("Anna Lindberg", "", "", member), p("Luis Ortega", "", "", member), p("Karin Holm", "", "", member)}},
		{"surname first", "<h2>Program Committee</h2><ul><li>Lindberg, Anna (University of Hilltown, Germany)<li>Ortega, Luis (Tarn College, USA)</ul>", two},
		{"capitals first", "<h2>Program Committee</h2><ul><li>Anna Lindberg, University of Hilltown, Germany<li>ORTEGA Luis, Tarn College, USA</ul>", []eventseer.Person{two[0], p("ORTEGA Luis", "Tarn College, USA", "USA", member)}},
		{"names of common words", "<h2>Programme Committee</h2><ul><li>Anna Brookfield, University of Hilltown, Germany<li>Luis Marsh, Tarn College, USA</ul>", []eventseer.Person{p("Anna Brookfield", "University of Hilltown, Germany", "Germany", member), p("Luis Marsh", "Tarn College, USA", "USA", member)}},
		{"spans alone between", "<h2>Organising Committee</h2><div><div><a>Anna Lindberg</a> <span>Tarn College, USA</span></div><div><a>Luis Ortega</a> <span>University of Hilltown, Germany</span></div></div>", []eventseer.Person{p("Anna Lindberg", "Tarn College, USA", "USA", "organizer"), p("Luis Ortega", "University of Hilltown, Germany", "Germany", "organizer")}},
		{"a heading with accents", "<h2>Comitê Organizador</h2><p>João da Silva (UFXX)</p><p>Maria de Souza Lima (UFYY)</p>", []eventseer.Person{p("João da Silva", "UFXX", "", "organizer"), p("Maria de Souza Lima", "UFYY", "", "organizer")}},
		{"tones and cedillas", "<h2>Program Committee</h2><ul><li>Nguyễn Văn An, Tarn University, Vietnam<li>Ayşe Yılmaz, Hilltown University, Turkey</ul>", []eventseer.Person{p("Nguyễn Văn An", "Tarn University, Vietnam", "Vietnam", member), p("Ayşe Yılmaz", "Hilltown University, Turkey", "Turkey", member)}},
		{"a sentence", "<p>The programme committee is chaired by Anna Lindberg and Luis Ortega.</p>", []eventseer.Person{p("Anna Lindberg", "", "", member), p("Luis Ortega", "", "", member)}},
		{"contacts", "<h2>Contact</h2><p>Please direct questions to the workshop chairs:</p><ul><li>Anna Lindberg, anna@tarn.example<li>Luis Ortega, luis@tarn.example</ul>", []eventseer.Person{p("Anna Lindberg", "", "", "general_chair"), p("Luis Ortega", "", "", "general_chair")}},
		{"Chinese paragraph", "<h2>程序委员会</h2><p>王小明（山下大学）、李娟（河上大学）、张伟（林中大学）</p>", []eventseer.Person{p("王小明", "山下大学", "", member), p("李娟", "河上大学", "", member), p("张伟", "林中大学", "", member)}},
		{"Chinese titles", "<h2>大会主席</h2><p>王小明教授</p><h2>程序委员会主席</h2><table><tr><td>李娟教授<td>河上大学<tr><td>张伟副教授<td>林中大学</table>", []eventseer.Person{p("王小明", "", "", "general_chair"), p("李娟", "河上大学", "", "program_chair"), p("张伟", "林中大学", "", "program_chair")}},
		{"Japanese labels", "<p>実行委員長：山田太郎（川上大学）</p><p>プログラム委員：佐藤花子（谷口大学）、鈴木一郎（川上大学）</p>", []eventseer.Person{p("山田太郎", "川上大学", "", "organizer"), p("佐藤花子", "谷口大学", "", member), p("鈴木一郎", "川上大学", "", member)}},
		{"a role ends at a table", "<p>Poster Chairs:</p><ul><li>Anna Lindberg, Tarn College<li>Luis Ortega, Tarn College</ul><h2>Sponsors</h2><table><tr><td>River Works<td>Gold<tr><td>Stone Bridge<td>Silver</table>", []eventseer.Person{p("Anna Lindberg", "Tarn College", "", "organizer"), p("Luis Ortega", "Tarn College", "", "organizer")}},
		{"labels", "<p>General Chair: Anna Lindberg, University of Hilltown, Germany</p><p>Program Chairs: Luis Ortega and Karin Holm</p>", []eventseer.Person{p("Anna Lindberg", "University of Hilltown, Germany", "Germany", "general_chair"), p("Luis Ortega", "", "", "program_chair"), p("Karin Holm", "", "", "program_chair")}},
		{"titles behind a label", "<p>Conference organizers: Prof. Dr. Anna Lindberg, Prof. Luis Ortega, Karin Holm</p>", []eventseer.Person{p("Anna Lindberg", "", "", "organizer"), p("Luis Ortega", "", "", "organizer"), p("Karin Holm", "", "", "organizer")}},
		{"a long paragraph", "<h2>About</h2><p>" + strings.Repeat("Rivers and their bridges are what we write of. ", 8) + "The program chairs are Anna Lindberg (Tarn College, USA) and Luis Ortega (Tarn College, USA).</p>", []eventseer.Person{p("Anna Lindberg", "Tarn College, USA", "USA", "program_chair"), p("Luis Ortega", "Tarn College, USA", "USA", "program_chair")}},
		{"speakers by label", "<p>Keynote speakers: Anna Lindberg and Luis Ortega</p>", nil},
		{"rows with roles", "<table><tr><td>General Chair<td>Anna Lindberg<td>University of Hilltown<tr><td>Steering Committee<td>Luis Ortega<td>Tarn College</table>", []eventseer.Person{p("Anna Lindberg", "University of Hilltown", "", "general_chair"), p("Luis Ortega", "Tarn College", "", "steering")}},
		{"a role beside", "<h2>Program Committee</h2><ul><li>Anna Lindberg, Tarn College, USA (chair)<li>Luis Ortega (Publicity Chair), Tarn College, USA</ul>", []eventseer.Person{p("Anna Lindberg", "Tarn College, USA", "USA", "program_chair"), p("Luis Ortega", "Tarn College, USA", "USA", "organizer")}},
		{"roles behind names", "<h2>Organizers</h2><div><p>Anna Lindberg</p><p>Tarn College, USA</p><p>General Chair</p></div><div><p>Luis Ortega</p><p>Tarn College, USA</p><p>Program Chair</p></div>", []eventseer.Person{p("Anna Lindberg", "Tarn College, USA", "USA", "general_chair"), p("Luis Ortega", "Tarn College, USA", "USA", "program_chair")}},
		{"titles and particles", "<h2>Organizers</h2><ul><li>Prof. Dr. Anna van der Brook, TU Hilltown<li>Dr. Omar bin Yusuf (Tarn College)<li>Maria d'Arco, PhD, Tarn College</ul>", []eventseer.Person{p("Anna van der Brook", "TU Hilltown", "", "organizer"), p("Omar bin Yusuf", "Tarn College", "", "organizer"), p("Maria d'Arco", "Tarn College", "", "organizer")}},
		{"a table of another kind", "<h2>Important Dates</h2><table><tr><td>Submission<td>3 May 2027<tr><td>Notification<td>4 June 2027</table><h2>Accepted papers</h2><ul><li>Water under bridges. Anna Lindberg and Luis Ortega<li>Sand in rivers. Karin Holm</ul>", nil},
		{"scripts", "<h2>程序委员会</h2><ul><li>王小明（山下大学）<li>李娟（河上大学）</ul>", []eventseer.Person{p("王小明", "山下大学", "", member), p("李娟", "河上大学", "", member)}},
		{"addresses", "<h2>Program Committee</h2><ul><li>Anna Lindberg, Tarn College, USA, anna@tarn.example<li>Luis Ortega (luis.ortega [at] tarn [dot] example), Tarn College, USA<li>Karin Holm, kholm at tarn.example, +1 555 123 4567, Tarn College, USA</ul>", []eventseer.Person{p("Anna Lindberg", "Tarn College, USA", "USA", member), p("Luis Ortega", "Tarn College, USA", "USA", member), p("Karin Holm", "Tarn College, USA", "USA", member)}},
		{"no people", "<h2>Program Committee</h2><p>To be announced</p><h2>Keynote speakers</h2><ul><li>TBA<li>Home Page<li>KU Leuven<li>Important Dates<li>Submission Guidelines</ul><p>General Chair: TBD</p>", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, committeeOf(t, "p.html", test.page)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCommitteeOfThousands(t *testing.T) {
	var b strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&b, "<li>Anna Lind%c%c%c, Tarn College, USA", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	if people := committeeOf(t, "p.html", "<h2>Program Committee</h2><ul>"+b.String()+"</ul>"); len(people) != maxPeople {
		t.Errorf("%d people read, want %d", len(people), maxPeople)
	}
}

func TestCountryOf(t *testing.T) {
	for affiliation, want := range map[string]string{
		"Tarn College, USA": "USA", "Tarn College (Germany)": "Germany", "TU Hilltown, The Netherlands": "Netherlands",
		"Hilltown University, FR": "France", "UK": "United Kingdom", "DE": "Germany", "Tarn College": "", "Tarn College, DE": "",
		"Tarn College, Boston, Massachusetts": "USA", "University of Hilltown UK": "United Kingdom",
	} {
		if got := countryOf(affiliation); got != want {
			t.Errorf("countryOf(%q) = %q, want %q", affiliation, got, want)
		}
	}
}

func FuzzPeople(f *testing.F) {
	for _, s := range []string{
		"Anna Lindberg (Tarn College), Luis Ortega (Hilltown) and Karin Holm; A B",
		"Lindberg, Anna (Tarn) {anna,luis}@tarn.example x [at] y [dot] z ＠ ((((", "Dr.", "王小明（山下大学）、李娟", ") ( ] [ and , ; and and",
		"General Chair: Anna Lindberg (chair), a_at_b.c", "Prof. Prof. Prof. Dr.-Ing. habil.",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		page := committeeOf(t, "p.html", "<h2>Program Committee</h2><p>"+s+"</p><ul><li>"+s+"</ul><p>General Chair: "+s+"</p><table><tr><td>"+s+"<td>Tarn College</table>")
		for _, p := range page {
			if strings.ContainsAny(p.Name+p.Affiliation, "@＠﹫") {
				t.Errorf("an address in %+v", p)
			}
			if len(p.Name) > 3*maxName || len(p.Affiliation) > maxPlaceBlock || p.Name == "" {
				t.Errorf("not bounded: %+v", p)
			}
		}
	})
}
