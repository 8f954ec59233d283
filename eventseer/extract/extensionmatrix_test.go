package extract

import (
	"fmt"
	"strings"
	"testing"
)

// A phrasing is how a language prints a deadline moved from 1 to 9 May. It has the contribution, the days
// before and after the move, the words for "moved to" and for the previous day, and words for new and old.
type phrasing struct{ lang, due, a, b, moved, was, fresh, former string }

var phrasings = []phrasing{
	{"en", "Paper submission", "May 1, 2027", "May 9, 2027", "extended to %s", "was %s", "New deadline", "Old deadline"},
	{"en-GB", "Submission deadline", "1 May 2027", "9 May 2027", "extended until %s", "originally %s", "Extended deadline", "Original deadline"},
	{"de", "Einreichung von Beiträgen", "1. Mai 2027", "9. Mai 2027", "verlängert bis %s", "ursprünglich %s", "Neue Frist", "Alte Frist"},
	{"fr", "Soumission des articles", "1er mai 2027", "9 mai 2027", "prolongée jusqu'au %s", "au lieu du %s", "Nouvelle date", "Ancienne date"},
	{"es", "Envío de artículos", "1 de mayo de 2027", "9 de mayo de 2027", "ampliado hasta el %s", "antes %s", "Nueva fecha", "Fecha original"},
	{"pt", "Submissão de artigos", "1 de maio de 2027", "9 de maio de 2027", "prorrogado até %s", "anteriormente %s", "Novo prazo", "Prazo original"},
	{"pt-BR", "Submissão de trabalhos", "01/05/2027", "09/05/2027", "prorrogado para %s", "antes: %s", "Nova data", "Data anterior"},
	{"it", "Invio degli articoli", "1 maggio 2027", "9 maggio 2027", "prorogato al %s", "anziché %s", "Nuova scadenza", "Vecchia scadenza"},
	{"nl", "Indiening van papers", "1 mei 2027", "9 mei 2027", "verlengd tot %s", "oorspronkelijk %s", "Nieuwe deadline", "Oude deadline"},
	{"pl", "Nadsyłanie artykułów", "1 maja 2027", "9 maja 2027", "przedłużony do %s", "pierwotnie %s", "Nowy termin", "Pierwotny termin"},
	{"cs", "Odevzdání příspěvků", "1. května 2027", "9. května 2027", "prodlouženo do %s", "původně %s", "Nový termín", "Původní termín"},
	{"sk", "Zasielanie príspevkov", "1. mája 2027", "9. mája 2027", "predĺžené do %s", "pôvodne %s", "Nový termín", "Pôvodný termín"},
	{"hu", "Cikkek beküldése", "2027. május 1.", "2027. május 9.", "meghosszabbítva %s", "eredetileg %s", "Új határidő", "Eredeti határidő"},
	{"ro", "Trimiterea lucrărilor", "1 mai 2027", "9 mai 2027", "prelungit până la %s", "inițial %s", "Termen nou", "Termen inițial"},
	{"tr", "Bildiri gönderimi", "1 Mayıs 2027", "9 Mayıs 2027", "uzatıldı: %s", "önceki tarih: %s", "Yeni tarih", "Eski tarih"},
	{"sv", "Inlämning av artiklar", "1 maj 2027", "9 maj 2027", "förlängd till %s", "tidigare %s", "Ny deadline", "Tidigare datum"},
	{"da", "Indsendelse af artikler", "1. maj 2027", "9. maj 2027", "forlænget til %s", "tidligere %s", "Ny frist", "Oprindelig frist"},
	{"no", "Innsending av artikler", "1. mai 2027", "9. mai 2027", "utsatt til %s", "opprinnelig %s", "Ny frist", "Opprinnelig frist"},
	{"fi", "Artikkelien jättöpäivä", "1. toukokuuta 2027", "9. toukokuuta 2027", "pidennetty %s asti", "aiemmin %s", "Uusi määräaika", "Alkuperäinen määräaika"},
	{"ru", "Срок подачи статей", "1 мая 2027", "9 мая 2027", "продлён до %s", "ранее %s", "Новый срок", "Прежний срок"},
	{"uk", "Подання статей", "1 травня 2027", "9 травня 2027", "продовжено до %s", "раніше %s", "Новий термін", "Попередній термін"},
	{"el", "Υποβολή εργασιών", "1 Μαΐου 2027", "9 Μαΐου 2027", "παράταση έως %s", "αρχικά %s", "Νέα προθεσμία", "Αρχική προθεσμία"},
	{"vi", "Hạn nộp bài", "1 tháng 5 năm 2027", "9 tháng 5 năm 2027", "gia hạn đến %s", "trước đây %s", "Hạn mới", "Hạn cũ"},
	{"id", "Batas akhir pengiriman naskah", "1 Mei 2027", "9 Mei 2027", "diperpanjang hingga %s", "semula %s", "Batas baru", "Batas semula"},
	{"ca", "Enviament d'articles", "1 de maig de 2027", "9 de maig de 2027", "ampliat fins al %s", "abans %s", "Nova data", "Data original"},
	{"zh", "论文投稿截止", "2027年5月1日", "2027年5月9日", "延期至%s", "原定%s", "新截止日期", "原截止日期"},
	{"zh-TW", "論文投稿截止", "2027年5月1日", "2027年5月9日", "延長至%s", "原訂%s", "延長截稿", "原截稿日期"},
	{"ja", "論文投稿締切", "2027年5月1日（土）", "2027年5月9日（日）", "延長：%s", "当初%s", "新しい締切", "旧締切"},
	{"ko", "논문 제출 마감", "2027년 5월 1일", "2027년 5월 9일", "연장: %s", "기존 %s", "연장된 마감", "기존 마감"},
	// without a year, which is in the page's title
	{"pt-BR", "Submissão de trabalhos", "01/05", "09/05", "prorrogado para %s", "antes: %s", "Nova data", "Data anterior"},
	{"es-ES", "Envío de artículos", "01/05", "09/05", "ampliado hasta el %s", "antes %s", "Nueva fecha", "Fecha original"},
	{"pl-PL", "Nadsyłanie artykułów", "1 maja", "9 maja", "przedłużony do %s", "pierwotnie %s", "Nowy termin", "Pierwotny termin"},
	{"tr-TR", "Bildiri gönderimi", "1 Mayıs", "9 Mayıs", "%s tarihine uzatıldı", "önceki tarih: %s", "Yeni tarih", "Eski tarih"},
	{"zh-CN", "论文投稿截止", "5月1日", "5月9日", "延期至%s", "原定%s", "新日期", "原日期"},
	{"ja-JP", "論文投稿締切", "5月1日", "5月9日", "%sに変更", "変更前%s", "新しい締切", "変更前"},
	{"ja-JP", "論文投稿締切", "5/1（土）", "5/9（日）", "%sに延長", "当初%s", "新しい締切", "旧締切"},
	{"ja-JP", "論文投稿締切", "5/1", "5/9", "%sに延長", "当初%s", "新しい締切", "旧締切"},
}

// movedForms are layouts of a deadline moved from A to B. L stands for the contribution, M and W for the
// phrases with the days, N for "new deadline".
var movedForms = []string{
	`<ul><li>L: <s>A</s> B</ul>`,
	`<ul><li><b>L:</b> <del>A</del> <ins>B</ins></ul>`,
	`<ul><li>L: <span style="text-decoration: line-through">A</span> B</ul>`,
	`<ul><li>L: <span class="text-decoration-line-through">A</span> B</ul>`,
	`<ul><li>L: <span class="strikethrough">A</span><br><b>B</b></ul>`,
	`<style>li { margin: 0 } .gone, p.past { color: grey; text-decoration: line-through; }</style><ul><li>L: <span class="x gone">A</span> B</ul>`,
	`<ul><li><s>L: A</s><li>L: B</ul>`,
	`<ul><li>L: B<li><s>L: A</s></ul>`,
	`<h4><s>L: A</s></h4><h4>L: B</h4>`,
	`<ul><li>L: B (<s>A</s>)</ul>`,
	`<ul><li><s>A</s> B: L</ul>`,
	`<ul><li><s>A</s> <b>B</b> – L</ul>`,
	`<table><tr><td>L<td><s>A</s> B</table>`,
	`<table><tr><td>L<td><s>A</s><br><b>B</b></table>`,
	`<table><tr><td><s>A</s><br>B<td>L</table>`,
	`<table><tr><td>L<td><p><del>A</del></p><p>B</p></table>`,
	`<dl><dt>L<dd><s>A</s> B</dl>`,
	`<dl><dt>L<dd><s>A</s><dd>B</dl>`,
	`<div><h3><s>A</s> B</h3><p>L</p></div>`,
	`<div><h5>L</h5><p><s>A</s><br>B</p></div>`,
	`<div><div>L</div><div><s>A</s></div><div>B</div></div>`,
	`<p><b>L</b><br><s>A</s><br>B<br></p>`,
	`<p>L: ~~A~~ B</p>`,
	`<ul><li>L: A → B</ul>`,
	`<ul><li>L: A ⇒ <b>B</b></ul>`,
	`<ul><li>L: A --&gt; B</ul>`,
	`<table><tr><td>L<td>A → B</table>`,
	`<ul><li>L: A (M)</ul>`,
	`<ul><li>L: A, M</ul>`,
	`<ul><li>L: A – M</ul>`,
	`<ul><li>L: A [M]</ul>`,
	`<ul><li>L: A <b>M</b></ul>`,
	`<ul><li>L: A<br><b>M</b></ul>`,
	`<ul><li>L: <s>A</s> M</ul>`,
	`<table><tr><td>L<td>A (M)</table>`,
	`<table><tr><td>L<td>A<br>M</table>`,
	`<dl><dt>L<dd>A<br>M</dl>`,
	`<ul><li>L: B (W)</ul>`,
	`<ul><li>L: B, W</ul>`,
	`<ul><li>L: B [W]</ul>`,
	`<table><tr><td>L<td>B (W)</table>`,
	`<ul><li>L: A<li>N: B</ul>`,
	`<table><tr><td>L<td>A<tr><td>N<td>B</table>`,
	`<table><tr><td>L<td>A<td>N: B</table>`,
	`<ul><li>L: A<ul><li>N: B</ul></ul>`,
	`<ul><li>L: A (N: B)</ul>`,
	`<ul><li><s>L: A</s><li>L (N): B</ul>`,
	`<table><tr><th>#<th>%<th>N</tr><tr><td>L<td>A<td>B</table>`,
	`<table><tr><td>#<td>O<td>N</tr><tr><td>L<td>A<td>B</table>`,
	`<table><tr><td>#<td><b>N</b><td><b>O</b></tr><tr><td>L<td>B<td>A</table>`,
	`<table><tr><th>#<th>O<th>N</tr><tr><th>L<td>A<td>B</table>`,
	`<table><tr><td>L<td><s>A</s><td>B</table>`,
	`<ul><li>L: X B</ul>`,
	`<table><tr><td>L<td>X<br>B</table>`,
	`<ul><li>L: <strike>A</strike> → <font color=red>B</font></ul>`,
	`<ul><li>L: B <i>(W)</i></ul>`,
	`<ul><li>L: <b>B</b> (O: A)</ul>`,
	`<ul><li>L<ul><li>O: A<li>N: B</ul></ul>`,
	`<dl><dt>L<dd>O: A<dd>N: B</dl>`,
	`<h3>L</h3><p><s>A</s></p><p><b>B</b></p>`,
	`<p>L: <s>A</s>, <b>B</b></p>`,
	`<div><span>L</span><span><s>A</s></span><span>B</span></div>`,
	`<ul><li><s>A</s> M: L</ul>`,
	`<p>L<br>A<br>M</p>`,
}

// combined strikes out a text by a combining character after each rune.
func combined(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		b.WriteRune('\u0336')
	}
	return b.String()
}

func (f phrasing) fill(form string) string {
	return strings.NewReplacer("L", f.due, "A", f.a, "B", f.b, "M", fmt.Sprintf(f.moved, f.b), "W", fmt.Sprintf(f.was, f.a), "N", f.fresh, "O", f.former, "X", combined(f.a), "#", "Step", "%", "Day").Replace(form)
}

func readDeadlines(t *testing.T, lang, body string) string {
	tree := parse(t, "p.html", "<html lang="+lang+"><h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p><h2>Dates</h2>"+body)
	e, _ := newTestExtractor().Extract(tree)
	var got []string
	for _, d := range e.Deadlines {
		s := string(d.Kind) + " " + string(d.Date)
		if d.ExtendedFrom != "" {
			s += " from " + string(d.ExtendedFrom)
		}
		got = append(got, s)
	}
	return strings.Join(got, "; ")
}

// TestMovedForms reads a moved deadline in each form and language.
func TestMovedForms(t *testing.T) {
	for _, form := range movedForms {
		for _, f := range phrasings {
			if f.lang == "hu" && strings.Contains(form, "– L") {
				continue // "9. – " after a year is read as a number, not as the end of a date
			}
			if f.b == "5/9" && strings.Contains(form, ", <b>") {
				continue // two numbers after a comma may not be a date
			}
			if got := readDeadlines(t, f.lang, f.fill(form)); got != "submission 2027-05-09 from 2027-05-01" {
				t.Errorf("%s %s: %s", f.lang, f.fill(form), got)
			}
		}
	}
}

// TestUnmoved reads adjacent days of which none replaces another, and days that are struck out because they
// have passed.
func TestUnmoved(t *testing.T) {
	for _, c := range [][2]string{
		{"<ul><li>Paper submission (round 1): May 1, 2027<li>Paper submission (round 2): May 9, 2027</ul>", "submission 2027-05-01; submission 2027-05-09"},
		{"<ul><li>Paper submission: May 1, 2027 (round 1), May 9, 2027 (round 2)</ul>", "submission 2027-05-01; submission 2027-05-09"},
		{"<ul><li>Paper submission: May 1, 2027 and May 9, 2027</ul>", "submission 2027-05-01; submission 2027-05-09"},
		{"<ul><li>Abstract submission: May 1, 2027<li>Paper submission: May 9, 2027</ul>", "abstract 2027-05-01; submission 2027-05-09"},
		{"<ul><li>Abstracts due May 1, 2027; papers due May 9, 2027</ul>", "abstract 2027-05-01; submission 2027-05-09"},
		{"<table><tr><th>Step<th>Full papers<th>Posters</tr><tr><td>Submission<td>May 1, 2027<td>May 9, 2027</table>", "submission 2027-05-01; poster 2027-05-09"},
		{"<table><tr><th>Step<th>Round 1<th>Round 2</tr><tr><td>Paper submission<td>May 1, 2027<td>May 9, 2027</table>", "submission 2027-05-01; submission 2027-05-09"},
		{"<ul><li>Submission opens 1 May 2027 · Deadline 9 May 2027</ul>", "other 2027-05-01; submission 2027-05-09"},
		{"<ul><li><s>Paper submission: May 1, 2027</s><li><s>Notification: May 9, 2027</s></ul>", "submission 2027-05-01; notification 2027-05-09"},
		{"<ul><li>Paper submission: <s>May 1, 2027</s></ul>", "submission 2027-05-01"},
		{"<ul><li>Paper submission: <del>April 23, 2027</del> <del>May 1, 2027</del> <del>May 9, 2027</del></ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Paper submission: <del>April 23, 2027</del> <del>May 1, 2027</del> May 9, 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Notification: <s>May 1</s> no later than May 9, 2027</ul>", "notification 2027-05-09 from 2027-05-01"},
		{"<ul><li>Papers: <del>May 1, 2027</del> at the latest May 9, 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Beiträge: <s>1. Mai</s> allerspätestens 9. Mai 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Papers: <s>May 1, 2027</s> posters May 9, 2027</ul>", "submission 2027-05-01; poster 2027-05-09"},
		{"<ul><li>Papers: <s>May 1, 2027</s>, posters May 9, 2027</ul>", "submission 2027-05-01; poster 2027-05-09"},
		{"<ul><li>Papers: <s>May 1, 2027</s> notification May 9, 2027</ul>", "submission 2027-05-01; notification 2027-05-09"},
		{"<ul><li>Paper submission: April 23, 2027 → May 1, 2027 → May 9, 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Paper submission: April 23, 2027 (extended to May 1, 2027) (extended to May 9, 2027)</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<ul><li>Paper submission: May 9, 2027 (extended)</ul>", "submission 2027-05-09"},
		{"<ul><li>Paper submission (extended deadline): May 9, 2027</ul>", "submission 2027-05-09"},
		{"<table><tr><th>Step<th>Original<th>Extended</tr><tr><td>Paper submission<td>May 1, 2027<td>May 9, 2027</tr><tr><td>Notification<td>June 1, 2027<td>June 5, 2027</table>", "submission 2027-05-09 from 2027-05-01; notification 2027-06-05 from 2027-06-01"},
		{"<table><tr><th>Step<th>Deadline<th>New deadline</tr><tr><td>Paper submission<td>May 1, 2027<td>May 9, 2027</tr><tr><td>Notification<td>June 1, 2027<td></table>", "submission 2027-05-09 from 2027-05-01; notification 2027-06-01"},
		{"<table><tr><td>Notification<td>May 1, 2027<br>extended to May 9, 2027</table>", "notification 2027-05-09 from 2027-05-01"},
		{"<p class=alert>The submission deadline has been extended to May 9, 2027!</p><ul><li>Paper submission: May 1, 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<p class=alert>Deadline extended to May 9!</p><ul><li>Paper submission: May 1, 2027<li>Notification: June 1, 2027</ul>", "submission 2027-05-09 from 2027-05-01; notification 2027-06-01"},
		{"<p>Due to many requests the deadline for papers has been extended to May 9, 2027.</p><ul><li>Abstracts: April 23, 2027<li>Full papers: May 1, 2027<li>Notification: June 1, 2027</ul>", "submission 2027-05-09 from 2027-05-01; abstract 2027-04-23; notification 2027-06-01"},
		{"<p class=alert>The submission deadline has been extended to May 9, 2027!</p><ul><li>Paper submission: May 9, 2027</ul>", "submission 2027-05-09"},
		{"<h2>News</h2><ul><li>April 20: Submission deadline extended to May 9, 2027<li>March 1: The site is open</ul><h2>Dates</h2><ul><li>Paper submission: May 1, 2027</ul>", "submission 2027-05-09 from 2027-05-01"},
		{"<h2>News</h2><ul><li>April 20: Submission deadline extended to May 9, 2027</ul><h2>Dates</h2><ul><li>Paper submission: May 9, 2027</ul>", "submission 2027-05-09"},
		{"<h2>News</h2><ul><li>April 20: Submission deadline extended to May 9, 2027</ul><h2>Dates</h2><ul><li>Short papers: May 1, 2027<li>Long papers: April 1, 2027</ul>", "submission 2027-05-01; submission 2027-04-01"},
	} {
		if got := readDeadlines(t, "en", c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
