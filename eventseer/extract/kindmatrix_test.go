package extract

import (
	"fmt"
	"strings"
	"testing"
)

// A vocabulary is what a language calls the steps of a call, with a day each.
type vocabulary struct {
	lang                                               string
	abstract, paper, told, final, register, conference string
	days                                               [6]string
}

var vocabularies = []vocabulary{
	{"en", "Abstract submission", "Full paper submission", "Notification of acceptance", "Camera-ready papers", "Early registration", "Conference", [6]string{"May 1, 2027", "May 9, 2027", "June 1, 2027", "June 20, 2027", "July 1, 2027", "August 4-6, 2027"}},
	{"de", "Einreichung der Abstracts", "Einreichung der Beiträge", "Benachrichtigung der Autoren", "Druckfertige Fassung", "Anmeldung", "Tagung", [6]string{"1. Mai 2027", "9. Mai 2027", "1. Juni 2027", "20. Juni 2027", "1. Juli 2027", "4.–6. August 2027"}},
	{"de", "Abgabe der Kurzfassung", "Abgabe der Langfassung", "Rückmeldung an die Autorinnen und Autoren", "Abgabe der endgültigen Fassung", "Anmeldeschluss", "Konferenz", [6]string{"01.05.2027", "09.05.2027", "01.06.2027", "20.06.2027", "01.07.2027", "04.08.–06.08.2027"}},
	{"fr", "Soumission des résumés", "Soumission des articles", "Notification aux auteurs", "Version définitive", "Inscription", "Conférence", [6]string{"1er mai 2027", "9 mai 2027", "1er juin 2027", "20 juin 2027", "1er juillet 2027", "4-6 août 2027"}},
	{"fr", "Envoi des résumés", "Date limite d'envoi des communications", "Réponse aux auteurs", "Version finale", "Clôture des inscriptions", "Colloque", [6]string{"1 mai 2027", "9 mai 2027", "1 juin 2027", "20 juin 2027", "1 juillet 2027", "du 4 au 6 août 2027"}},
	{"es", "Envío de resúmenes", "Envío de artículos", "Notificación a los autores", "Versión final", "Inscripción anticipada", "Congreso", [6]string{"1 de mayo de 2027", "9 de mayo de 2027", "1 de junio de 2027", "20 de junio de 2027", "1 de julio de 2027", "4 al 6 de agosto de 2027"}},
	{"es", "Fecha límite para el envío de resúmenes", "Fecha límite de recepción de ponencias", "Comunicación de aceptación", "Envío de la versión definitiva", "Inscripciones", "Celebración del congreso", [6]string{"1 de mayo de 2027", "9 de mayo de 2027", "1 de junio de 2027", "20 de junio de 2027", "1 de julio de 2027", "4-6 de agosto de 2027"}},
	{"pt", "Submissão de resumos", "Submissão de artigos completos", "Notificação de aceite", "Envio da versão final", "Inscrições", "Evento", [6]string{"1 de maio de 2027", "9 de maio de 2027", "1 de junho de 2027", "20 de junho de 2027", "1 de julho de 2027", "4 a 6 de agosto de 2027"}},
	{"pt-BR", "Prazo para envio de resumos", "Prazo final para submissão de trabalhos", "Divulgação dos trabalhos aceitos", "Envio da versão final (camera-ready)", "Inscrição com desconto até", "Realização do evento", [6]string{"01/05/2027", "09/05/2027", "01/06/2027", "20/06/2027", "01/07/2027", "04 a 06/08/2027"}},
	{"it", "Invio degli abstract", "Invio degli articoli", "Notifica di accettazione", "Versione finale", "Iscrizione", "Convegno", [6]string{"1 maggio 2027", "9 maggio 2027", "1 giugno 2027", "20 giugno 2027", "1 luglio 2027", "4-6 agosto 2027"}},
	{"nl", "Indienen van abstracts", "Indienen van papers", "Bericht van acceptatie", "Definitieve versie", "Inschrijving", "Conferentie", [6]string{"1 mei 2027", "9 mei 2027", "1 juni 2027", "20 juni 2027", "1 juli 2027", "4-6 augustus 2027"}},
	{"pl", "Nadsyłanie streszczeń", "Nadsyłanie artykułów", "Powiadomienie o akceptacji", "Wersja ostateczna", "Rejestracja", "Konferencja", [6]string{"1 maja 2027", "9 maja 2027", "1 czerwca 2027", "20 czerwca 2027", "1 lipca 2027", "4-6 sierpnia 2027"}},
	{"cs", "Zaslání abstraktů", "Zaslání příspěvků", "Oznámení o přijetí", "Finální verze", "Registrace", "Konference", [6]string{"1. května 2027", "9. května 2027", "1. června 2027", "20. června 2027", "1. července 2027", "4.–6. srpna 2027"}},
	{"sk", "Zaslanie abstraktov", "Zaslanie príspevkov", "Oznámenie o prijatí", "Finálna verzia", "Registrácia", "Konferencia", [6]string{"1. mája 2027", "9. mája 2027", "1. júna 2027", "20. júna 2027", "1. júla 2027", "4.–6. augusta 2027"}},
	{"hu", "Absztraktok beküldése", "Cikkek beküldése", "Értesítés az elfogadásról", "Végleges változat", "Regisztráció", "Konferencia", [6]string{"2027. május 1.", "2027. május 9.", "2027. június 1.", "2027. június 20.", "2027. július 1.", "2027. augusztus 4–6."}},
	{"ro", "Trimiterea rezumatelor", "Trimiterea lucrărilor", "Notificarea autorilor", "Versiunea finală", "Înregistrare", "Conferința", [6]string{"1 mai 2027", "9 mai 2027", "1 iunie 2027", "20 iunie 2027", "1 iulie 2027", "4-6 august 2027"}},
	{"tr", "Özet gönderimi", "Tam metin gönderimi", "Kabul bildirimi", "Son hal gönderimi", "Erken kayıt", "Konferans", [6]string{"1 Mayıs 2027", "9 Mayıs 2027", "1 Haziran 2027", "20 Haziran 2027", "1 Temmuz 2027", "4-6 Ağustos 2027"}},
	{"tr", "Özet gönderimi için son tarih", "Bildiri gönderimi için son tarih", "Değerlendirme sonuçlarının açıklanması", "Nihai bildirilerin gönderilmesi", "Kayıt için son tarih", "Sempozyum", [6]string{"01.05.2027", "09.05.2027", "01.06.2027", "20.06.2027", "01.07.2027", "4-6 Ağustos 2027"}},
	{"sv", "Inlämning av sammanfattning", "Inlämning av artiklar", "Besked om antagning", "Slutversion", "Anmälan", "Konferens", [6]string{"1 maj 2027", "9 maj 2027", "1 juni 2027", "20 juni 2027", "1 juli 2027", "4–6 augusti 2027"}},
	{"da", "Indsendelse af abstracts", "Indsendelse af artikler", "Meddelelse om accept", "Endelig version", "Tilmelding", "Konference", [6]string{"1. maj 2027", "9. maj 2027", "1. juni 2027", "20. juni 2027", "1. juli 2027", "4.-6. august 2027"}},
	{"no", "Innsending av sammendrag", "Innsending av artikler", "Beskjed om antakelse", "Endelig versjon", "Påmelding", "Konferanse", [6]string{"1. mai 2027", "9. mai 2027", "1. juni 2027", "20. juni 2027", "1. juli 2027", "4.–6. august 2027"}},
	{"fi", "Abstraktien jättöpäivä", "Artikkelien jättöpäivä", "Ilmoitus hyväksymisestä", "Lopullinen versio", "Ilmoittautuminen", "Konferenssi", [6]string{"1. toukokuuta 2027", "9. toukokuuta 2027", "1. kesäkuuta 2027", "20. kesäkuuta 2027", "1. heinäkuuta 2027", "4.–6. elokuuta 2027"}},
	{"ru", "Приём тезисов", "Приём статей", "Уведомление о принятии", "Окончательная версия статей", "Регистрация", "Конференция", [6]string{"1 мая 2027", "9 мая 2027", "1 июня 2027", "20 июня 2027", "1 июля 2027", "4–6 августа 2027"}},
	{"uk", "Подання тез", "Подання статей", "Повідомлення про прийняття", "Остаточна версія", "Реєстрація", "Конференція", [6]string{"1 травня 2027", "9 травня 2027", "1 червня 2027", "20 червня 2027", "1 липня 2027", "4–6 серпня 2027"}},
	{"el", "Υποβολή περιλήψεων", "Υποβολή εργασιών", "Ενημέρωση συγγραφέων", "Τελική έκδοση", "Εγγραφή", "Συνέδριο", [6]string{"1 Μαΐου 2027", "9 Μαΐου 2027", "1 Ιουνίου 2027", "20 Ιουνίου 2027", "1 Ιουλίου 2027", "4-6 Αυγούστου 2027"}},
	{"vi", "Hạn nộp tóm tắt", "Hạn nộp bài", "Thông báo kết quả", "Nộp bản cuối", "Đăng ký", "Hội nghị", [6]string{"1/5/2027", "9/5/2027", "1/6/2027", "20/6/2027", "1/7/2027", "4-6/8/2027"}},
	{"id", "Batas akhir pengiriman abstrak", "Batas akhir pengiriman naskah lengkap", "Pengumuman penerimaan", "Pengiriman naskah final", "Pendaftaran", "Konferensi", [6]string{"1 Mei 2027", "9 Mei 2027", "1 Juni 2027", "20 Juni 2027", "1 Juli 2027", "4-6 Agustus 2027"}},
	{"ca", "Enviament de resums", "Enviament d'articles", "Notificació d'acceptació", "Versió final", "Inscripció", "Congrés", [6]string{"1 de maig de 2027", "9 de maig de 2027", "1 de juny de 2027", "20 de juny de 2027", "1 de juliol de 2027", "4-6 d'agost de 2027"}},
	{"hr", "Prijava sažetaka", "Predaja radova", "Obavijest o prihvaćanju", "Završna verzija rada", "Registracija", "Konferencija", [6]string{"1. svibnja 2027.", "9. svibnja 2027.", "1. lipnja 2027.", "20. lipnja 2027.", "1. srpnja 2027.", "4.–6. kolovoza 2027."}},
	{"zh", "摘要提交截止", "全文提交截止", "录用通知", "终稿提交", "注册截止", "会议时间", [6]string{"2027年5月1日", "2027年5月9日", "2027年6月1日", "2027年6月20日", "2027年7月1日", "2027年8月4日-6日"}},
	{"zh-TW", "摘要截稿", "論文截稿日期", "審查結果通知", "完稿繳交", "報名截止", "會議日期", [6]string{"2027年5月1日", "2027年5月9日", "2027年6月1日", "2027年6月20日", "2027年7月1日", "2027年8月4日至6日"}},
	{"ja", "概要提出締切", "論文投稿締切", "採否通知", "最終原稿提出締切", "参加登録締切", "会議", [6]string{"2027年5月1日", "2027年5月9日", "2027年6月1日", "2027年6月20日", "2027年7月1日", "2027年8月4日〜6日"}},
	{"ko", "초록 제출 마감", "논문 제출 마감", "심사결과 통보", "최종논문 제출", "사전등록 마감", "학술대회", [6]string{"2027년 5월 1일", "2027년 5월 9일", "2027년 6월 1일", "2027년 6월 20일", "2027년 7월 1일", "2027년 8월 4일~6일"}},
}

// callLayouts are layouts of a list of dates: what stands around each pair of a label L
// and a date D, and around them all.
var callLayouts = [][3]string{
	{"<ul>", "<li>L: D</li>", "</ul>"},
	{"<ul>", "<li><b>L</b> D</li>", "</ul>"},
	{"<ul>", "<li>L – D</li>", "</ul>"},
	{"<ul>", "<li>D: L</li>", "</ul>"},
	{"<ul>", "<li><b>D</b> – L</li>", "</ul>"},
	{"<ul>", "<li><b>D</b> L</li>", "</ul>"},
	{"<ul>", "<li>L<br>D</li>", "</ul>"},
	{"<p>", "L: D<br>", "</p>"},
	{"<p>", "<b>L</b><br>D<br>", "</p>"},
	{"", "<p>L: <b>D</b></p>", ""},
	{"<table>", "<tr><td>L</td><td>D</td></tr>", "</table>"},
	{"<table>", "<tr><th>L</th><td>D</td></tr>", "</table>"},
	{"<table>", "<tr><td>D</td><td>L</td></tr>", "</table>"},
	{"<dl>", "<dt>L</dt><dd>D</dd>", "</dl>"},
	{"<dl>", "<dt>D</dt><dd>L</dd>", "</dl>"},
	{"", "<div class=card><h4>L</h4><p>D</p></div>", ""},
	{"", "<div class=card><h4>D</h4><p>L</p></div>", ""},
	{"", "<div class=row><div>L</div><div>D</div></div>", ""},
	{"", "<div class=row><div>D</div><div>L</div></div>", ""},
	{"<pre>", "  * L: D\n", "</pre>"},
	{"<ul>", "<li><span>L</span><span> D</span></li>", "</ul>"},
	{"", "<div><span>D</span><h5>L</h5></div>", ""},
	{"<ul>", "<li><time>D</time><p>L</p></li>", "</ul>"},
}

// TestKindsByLanguage reads a list of six dates in each layout and language.
func TestKindsByLanguage(t *testing.T) {
	const want = "abstract 2027-05-01; submission 2027-05-09; notification 2027-06-01; camera_ready 2027-06-20; registration 2027-07-01"
	for _, v := range vocabularies {
		for _, l := range callLayouts {
			if v.lang == "hr" && strings.Contains(l[1], "</b> L") {
				continue // "2027. Predaja": the dot of the year ends a sentence elsewhere
			}
			var b strings.Builder
			fmt.Fprintf(&b, "<html lang=%s><h1>KITES 2027</h1><h2>Call for Papers</h2>%s", v.lang, l[0])
			for i, label := range []string{v.abstract, v.paper, v.told, v.final, v.register, v.conference} {
				b.WriteString(strings.NewReplacer("L", label, "D", v.days[i]).Replace(l[1]))
			}
			e, _ := newTestExtractor().Extract(parse(t, "p.html", b.String()+l[2]))
			var got []string
			for _, d := range e.Deadlines {
				got = append(got, string(d.Kind)+" "+string(d.Date))
			}
			if s := strings.Join(got, "; "); s != want || e.EventStart != "2027-08-04" || e.EventEnd != "2027-08-06" {
				t.Errorf("%s %s: %s: %s, %s to %s", v.lang, v.paper, l[1], s, e.EventStart, e.EventEnd)
			}
		}
	}
}
