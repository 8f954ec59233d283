package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// noDeadlines are parts of pages with days that are not deadlines of the call, by language.
var noDeadlines = [][2]string{
	{"en", "<ul><li>Submission opens: May 1, 2027</ul>"},
	{"en", "<ul><li>Submission site open from May 1, 2027</ul>"},
	{"en", "<ul><li>Call for papers published: May 1, 2027</ul>"},
	{"en", "<ul><li>Review period: May 1 – May 20, 2027</ul>"},
	{"en", "<ul><li>Reviews due from the committee: May 20, 2027</ul>"},
	{"en", "<ul><li>Meta-reviews due: May 25, 2027</ul>"},
	{"en", "<ul><li>Papers assigned to reviewers: May 3, 2027</ul>"},
	{"en", "<ul><li>Programme committee meeting: May 28, 2027</ul>"},
	{"en", "<ul><li>Discussion among reviewers: May 20–27, 2027</ul>"},
	{"en", "<ul><li>Programme online: July 1, 2027</ul>"},
	{"en", "<ul><li>Proceedings available: July 20, 2027</ul>"},
	{"en", "<ul><li>Registration opens: June 1, 2027</ul>"},
	{"en", "<ul><li>Welcome reception: August 4, 2027</ul>"},
	{"en", "<ul><li>Poster session: August 5, 2027</ul>"},
	{"en", "<ul><li>Workshops and tutorials: August 4, 2027</ul>"},
	{"en", "<ul><li>Doctoral consortium: August 4, 2027</ul>"},
	{"en", "<ul><li>Visa letters requested by: June 4, 2027</ul>"},
	{"en", "<ul><li>Hotel room block closes: July 4, 2027</ul>"},
	{"en", "<ul><li>Student volunteer applications: June 4, 2027</ul>"},
	{"en", "<p>Last updated: May 3, 2027</p>"},
	{"en", "<p>Posted on May 3, 2027 by the chairs</p>"},
	{"en", "<p>Copyright 2027 KITES. Page updated on 3 May 2027.</p>"},
	{"en", "<p>The previous workshop was held on May 3, 2026 in Graz and received 40 papers.</p>"},
	{"en", "<p>Selected papers of the workshop of 2026 were published on May 3, 2026.</p>"},
	{"en", "<p>Papers that were published before May 3, 2026 may be presented again.</p>"},
	{"en", "<h2>News</h2><ul><li>May 3, 2027: The submission system is open.<li>April 2, 2027: Call for papers online.</ul>"},
	{"en", "<p>The workshop takes place in the week of August 2, 2027.</p>"},
	{"de", "<ul><li>Beginn der Einreichung: 1. Mai 2027<li>Begutachtung bis 20. Mai 2027<li>Veröffentlichung des Programms: 1. Juli 2027</ul>"},
	{"de", "<ul><li>Öffnung der Anmeldung: 1. Juni 2027<li>Empfang: 4. August 2027<li>Postersitzung: 5. August 2027</ul>"},
	{"de", "<p>Letzte Änderung: 3. Mai 2027</p>"},
	{"de", "<p>Stand: 03.05.2027</p>"},
	{"fr", "<ul><li>Ouverture des soumissions : 1er mai 2027<li>Évaluation des articles : 20 mai 2027<li>Publication du programme : 1er juillet 2027</ul>"},
	{"fr", "<ul><li>Ouverture des inscriptions : 1er juin 2027<li>Session posters : 5 août 2027</ul>"},
	{"fr", "<p>Dernière mise à jour : 3 mai 2027</p>"},
	{"es", "<ul><li>Apertura de la recepción de trabajos: 1 de mayo de 2027<li>Periodo de revisión: 20 de mayo de 2027<li>Publicación del programa: 1 de julio de 2027</ul>"},
	{"es", "<p>Última actualización: 3 de mayo de 2027</p>"},
	{"es", "<ul><li>Inicio de inscripciones: 1 de junio de 2027<li>Sesión de pósteres: 5 de agosto de 2027</ul>"},
	{"pt", "<ul><li>Início das submissões: 1 de maio de 2027<li>Período de avaliação: 20 de maio de 2027<li>Divulgação da programação: 1 de julho de 2027</ul>"},
	{"pt", "<p>Última atualização: 3 de maio de 2027</p>"},
	{"pt", "<ul><li>Abertura das inscrições: 1 de junho de 2027<li>Sessão de pôsteres: 5 de agosto de 2027</ul>"},
	{"it", "<ul><li>Apertura delle sottomissioni: 1 maggio 2027<li>Revisione: 20 maggio 2027<li>Pubblicazione del programma: 1 luglio 2027</ul>"},
	{"it", "<p>Ultimo aggiornamento: 3 maggio 2027</p>"},
	{"nl", "<ul><li>Opening inzending: 1 mei 2027<li>Beoordeling: 20 mei 2027</ul><p>Laatst bijgewerkt: 3 mei 2027</p>"},
	{"pl", "<ul><li>Rozpoczęcie przyjmowania zgłoszeń: 1 maja 2027<li>Recenzje: 20 maja 2027<li>Publikacja programu: 1 lipca 2027</ul><p>Ostatnia aktualizacja: 3 maja 2027</p>"},
	{"cs", "<ul><li>Zahájení příjmu příspěvků: 1. května 2027<li>Recenzní řízení: 20. května 2027</ul><p>Poslední aktualizace: 3. května 2027</p>"},
	{"hu", "<ul><li>Beküldés kezdete: 2027. május 1.<li>Bírálat: 2027. május 20.</ul><p>Utolsó frissítés: 2027. május 3.</p>"},
	{"tr", "<ul><li>Bildiri gönderiminin başlaması: 1 Mayıs 2027<li>Hakem değerlendirmesi: 20 Mayıs 2027</ul><p>Son güncelleme: 3 Mayıs 2027</p>"},
	{"ru", "<ul><li>Начало приёма статей: 1 мая 2027<li>Рецензирование: 20 мая 2027<li>Публикация программы: 1 июля 2027</ul><p>Последнее обновление: 3 мая 2027</p>"},
	{"uk", "<ul><li>Початок прийому статей: 1 травня 2027<li>Рецензування: 20 травня 2027</ul><p>Останнє оновлення: 3 травня 2027</p>"},
	{"el", "<ul><li>Έναρξη υποβολής: 1 Μαΐου 2027<li>Αξιολόγηση: 20 Μαΐου 2027</ul><p>Τελευταία ενημέρωση: 3 Μαΐου 2027</p>"},
	{"vi", "<ul><li>Mở hệ thống nhận bài: 1/5/2027<li>Phản biện: 20/5/2027</ul><p>Cập nhật lần cuối: 3/5/2027</p>"},
	{"id", "<ul><li>Pembukaan pengiriman abstrak: 1 Mei 2027<li>Proses penilaian: 20 Mei 2027</ul><p>Terakhir diperbarui: 3 Mei 2027</p>"},
	{"zh", "<ul><li>投稿开始: 2027年5月1日<li>论文评审: 2027年5月20日<li>会议日程发布: 2027年7月1日</ul><p>最后更新：2027年5月3日</p><p>发布日期：2027年5月3日</p>"},
	{"ja", "<ul><li>投稿受付開始: 2027年5月1日<li>査読期間: 2027年5月20日<li>プログラム公開: 2027年7月1日</ul><p>最終更新日：2027年5月3日</p>"},
	{"ko", "<ul><li>논문 접수 시작: 2027년 5월 1일<li>논문 심사: 2027년 5월 20일</ul><p>최종 수정일: 2027년 5월 3일</p>"},
	{"ar", "<ul><li>فتح باب التقديم: 1 مايو 2027<li>تحكيم الأبحاث: 20 مايو 2027</ul><p>آخر تحديث: 3 مايو 2027</p>"},
	{"sv", "<ul><li>Inlämningen öppnar: 1 maj 2027<li>Granskning: 20 maj 2027</ul><p>Senast uppdaterad: 3 maj 2027</p>"},
	{"fi", "<ul><li>Lähettäminen alkaa: 1. toukokuuta 2027<li>Vertaisarviointi: 20. toukokuuta 2027</ul><p>Päivitetty viimeksi: 3. toukokuuta 2027</p>"},
}

// TestNoDeadlines reads days that are not deadlines, together with two that are.
func TestNoDeadlines(t *testing.T) {
	for _, c := range noDeadlines {
		body := "<html lang=" + c[0] + "><h1>Workshop on Kites 2027</h1><p>August 4-6, 2027</p><h2>Call for Papers</h2><p>Paper submission: April 19, 2027</p><p>Notification: May 31, 2027</p>" + c[1]
		e, _ := newTestExtractor().Extract(parse(t, "p.html", body))
		var got []string
		for _, d := range e.Deadlines {
			if d.Kind != eventseer.OtherDeadline {
				got = append(got, string(d.Kind)+" "+string(d.Date))
			}
		}
		if s := strings.Join(got, "; "); s != "submission 2027-04-19; notification 2027-05-31" {
			t.Errorf("%s %s: %s", c[0], c[1], s)
		}
	}
}
