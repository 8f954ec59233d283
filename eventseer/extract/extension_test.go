package extract

import (
	"fmt"
	"testing"
)

// TestExtensions reads one deadline that was moved from 1 to 9 May, in the languages and wordings of calls.
func TestExtensions(t *testing.T) {
	for _, c := range [][2]string{
		{"en", "<li>Papers due: <s>May 1, 2027</s> May 9, 2027"},
		{"en", "<li>Papers due: May 1, 2027 → May 9, 2027"},
		{"en", "<li>Papers due: May 1, 2027 -> May 9, 2027"},
		{"en", "<li>Papers due: May 1, 2027 (extended to May 9, 2027)"},
		{"en", "<li>Papers due: May 9, 2027 (extended from May 1)"},
		{"en", "<li>Papers due: May 9, 2027 (previously May 1, 2027)"},
		{"en", "<li>Papers due: May 1, 2027<li>Extended deadline: May 9, 2027"},
		{"en", "<li>Papers due: <del>1</del> 9 May 2027"},
		{"en", "<li><s>Papers due: May 1, 2027</s><li><s>Papers due (extended): May 9, 2027</s>"},
		{"en", "<li><s>Papers due: May 1, 2027</s><li><s>Papers due: May 9, 2027</s>"},
		{"en", "<li>Papers due: May 1, 2027 May 9, 2027"},
		{"en", "<li>Papers due: May 1, 2027 / May 9, 2027 (extended)"},
		{"en", "<li>Paper submission deadline: May 1, 2027</table><h2>News</h2><p>Extended paper submission deadline: May 9, 2027<table>"},
		{"en", "<li>Submission deadline: May 1, 2027</table><p>Kites fly.</p><h2>Dates</h2><ul><li>Submission deadline: May 9, 2027 (extended)</ul><table>"},
		{"en", "<li>Original paper submission deadline: May 1, 2027<li>Paper submission deadline: May 9, 2027"},
		{"en", "<li>Original paper submission deadline: May 1, 2027<li>Extended paper submission: May 9, 2027<h3>In short</h3><li>Paper submission: May 1, 2027"},
		{"de", "<li>Einreichung von Beiträgen: <s>1. Mai 2027</s> 9. Mai 2027"},
		{"de", "<li>Einreichung von Beiträgen: 1. Mai 2027, verlängert bis 9. Mai 2027"},
		{"de", "<li>Einreichung von Beiträgen: 9. Mai 2027 (ursprünglich 1. Mai 2027)"},
		{"de", "<li>Einreichung von Beiträgen: 9. Mai 2027 (statt 1. Mai)"},
		{"fr", "<li>Soumission des articles : 1er mai 2027, prolongée jusqu'au 9 mai 2027"},
		{"fr", "<li>Soumission des articles : 9 mai 2027 (au lieu du 1er mai 2027)"},
		{"fr", "<li>Soumission des articles : <s>1er mai 2027</s> 9 mai 2027"},
		{"fr", "<li>Soumission des articles : 1er mai 2027 (repoussée au 9 mai 2027)"},
		{"es", "<li>Envío de artículos: 1 de mayo de 2027 (prórroga hasta el 9 de mayo de 2027)"},
		{"es", "<li>Envío de artículos: 1 de mayo de 2027. Plazo ampliado hasta el 9 de mayo de 2027"},
		{"es", "<li>Envío de artículos: 1 de mayo de 2027<li>Nueva fecha: 9 de mayo de 2027"},
		{"es", "<li>Envío de artículos: <s>1 de mayo</s> 9 de mayo de 2027"},
		{"pt", "<li>Submissão de artigos: 01/05/2027 (prorrogado até 09/05/2027)"},
		{"pt", "<li>Submissão de artigos: 01/05/2027 - Prazo prorrogado para 09/05/2027"},
		{"pt", "<li>Submissão de artigos: <s>01/05/2027</s> 09/05/2027"},
		{"pt", "<li>Submissão de artigos: de 01/05/2027 para 09/05/2027"},
		{"pt", "<li>Submissão de artigos: 1 de maio de 2027<li>Prorrogado: 9 de maio de 2027"},
		{"pt", "<tr><td>Submissão de artigos<td><s>01/05/2027</s> 09/05/2027"},
		{"it", "<li>Invio degli articoli: 1 maggio 2027 (prorogata al 9 maggio 2027)"},
		{"it", "<li>Invio degli articoli: <s>1 maggio 2027</s> 9 maggio 2027"},
		{"nl", "<li>Indiening van papers: 1 mei 2027 (verlengd tot 9 mei 2027)"},
		{"pl", "<li>Nadsyłanie artykułów: 1 maja 2027 (przedłużony do 9 maja 2027)"},
		{"pl", "<li>Nadsyłanie artykułów: <s>1 maja 2027 r.</s> 9 maja 2027 r."},
		{"tr", "<li>Bildiri gönderimi son tarihi: 1 Mayıs 2027 (9 Mayıs 2027 tarihine uzatıldı)"},
		{"tr", "<li>Bildiri gönderimi son tarihi: <s>1 Mayıs 2027</s> 9 Mayıs 2027"},
		{"tr", "<li>Bildiri gönderimi: <s>01.05.2027</s> 09.05.2027 (Uzatıldı)"},
		{"ru", "<li>Срок подачи статей: 1 мая 2027 (продлён до 9 мая 2027)"},
		{"ru", "<li>Срок подачи статей: <s>1 мая 2027 г.</s> 9 мая 2027 г."},
		{"zh", "<li>论文投稿截止：2027年5月1日（延期至2027年5月9日）"},
		{"zh", "<li>论文投稿截止：<s>2027年5月1日</s> 2027年5月9日"},
		{"zh", "<li>投稿截止日期：5月9日（原定5月1日）"},
		{"ja", "<li>論文投稿締切：2027年5月1日（土）→ 2027年5月9日（日）"},
		{"ja", "<li>論文投稿締切：2027年5月1日（土）から5月9日（日）に延長"},
		{"ja", "<li>論文投稿締切：<s>5月1日（土）</s> 5月9日（日）に延長しました"},
		{"ko", "<li>논문 제출 마감: 2027년 5월 1일 → 2027년 5월 9일 (연장)"},
		{"ko", "<li>논문 제출 마감: <s>5월 1일</s> 5월 9일"},
	} {
		tree := parse(t, "p.html", "<html lang="+c[0]+"><h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p><h2>Dates</h2><table>"+c[1]+"</table>")
		e, _ := newTestExtractor().Extract(tree)
		got := ""
		for _, d := range e.Deadlines {
			got += fmt.Sprintf("%s %s from %s; ", d.Kind, d.Date, d.ExtendedFrom)
		}
		if got != "submission 2027-05-09 from 2027-05-01; " {
			t.Errorf("%s %s: %s", c[0], c[1], got)
		}
	}
}
