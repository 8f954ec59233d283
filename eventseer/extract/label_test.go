package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestLabels reads labels in the languages of calls.
func TestLabels(t *testing.T) {
	for kind, labels := range map[eventseer.DeadlineKind]string{
		eventseer.Submission: "Envio de trabalhos|Submissão de artigos completos|Prazo final para submissão de trabalhos|Data limite para envio de artigos|Recebimento de trabalhos|" +
			"Envío de ponencias|Fecha límite de recepción de trabajos|Cierre de la convocatoria|Entrega de artículos completos|Recepción de comunicaciones|" +
			"Date limite de soumission des articles|Réception des propositions|Envoi des contributions|Remise des textes|Dépôt des communications|" +
			"Einreichung der Beiträge|Einsendeschluss|Abgabetermin|Deadline für Vorschläge|Frist für Einreichungen|" +
			"Scadenza per l'invio dei contributi|Termine ultimo per la presentazione delle proposte|Consegna dei paper|" +
			"Indienen van papers|Inzendtermijn|Deadline voor inzendingen|" +
			"Termin nadsyłania artykułów|Zgłaszanie referatów do|Przesyłanie tekstów|" +
			"Termín odevzdání příspěvků|Zaslání příspěvku|Uzávěrka příspěvků|Zaslanie príspevkov|" +
			"Előadások beküldési határideje|Cikkek benyújtása|Jelentkezési határidő előadással|" +
			"Termen limită pentru trimiterea lucrărilor|Trimiterea lucrărilor|" +
			"Bildiri gönderimi|Tam metin gönderimi son tarihi|Bildirilerin gönderilmesi için son tarih|Makale başvuru tarihi|" +
			"Sista dag för inlämning|Inskickning av bidrag|Frist for innsending av bidrag|Indsendelse af bidrag|Kirjoitusten jättöpäivä|" +
			"Срок подачи статей|Приём докладов до|Представление материалов|Подання статей|Прийом доповідей|" +
			"Υποβολή εργασιών|Προθεσμία υποβολής άρθρων|" +
			"论文提交截止|投稿截止日期|全文截稿日期|論文投稿截止日|徵稿截止|" +
			"論文投稿締切|論文提出期限|原稿締切|발표논문 투고 마감|논문 제출 마감|논문 접수|" +
			"Hạn nộp bài|Thời hạn gửi bài toàn văn|Batas akhir pengiriman makalah|Pengumpulan makalah",
		eventseer.Abstract: "Envio de resumos|Submissão de resumos|Prazo para envio do resumo expandido|Envío de resúmenes|Recepción de resúmenes|Soumission des résumés|Envoi des résumés|Einreichung der Abstracts|Einreichung der Kurzfassungen|" +
			"Invio abstract|Indienen abstracts|Zgłaszanie abstraktów|Nadsyłanie streszczeń|Zaslání abstraktu|Absztraktok beküldése|Trimiterea rezumatelor|Özet gönderimi|Bildiri özetlerinin son gönderim tarihi|" +
			"Inlämning av abstract|Тезисы докладов до|Подача тезисов|Приём аннотаций|Подання тез|Υποβολή περιλήψεων|摘要提交截止|摘要截稿|要旨提出締切|초록 제출 마감|초록 접수|Hạn nộp tóm tắt|Pengiriman abstrak",
		eventseer.Notification: "Notificação de aceite|Divulgação dos trabalhos aceitos|Resultado da avaliação|Comunicação dos resultados|Notificación de aceptación|Comunicación de aceptación|Publicación de resultados|Notification aux auteurs|Réponse aux auteurs|Notification d'acceptation|Avis d'acceptation|" +
			"Benachrichtigung über die Annahme|Rückmeldung an die Autoren|Notifica di accettazione|Comunicazione dell'accettazione|Bericht van acceptatie|Kennisgeving aan auteurs|Powiadomienie o przyjęciu|Informacja o akceptacji|Oznámení o přijetí|Vyrozumění autorů|Oznámenie o prijatí|Értesítés az elfogadásról|Notificarea autorilor|Notificarea acceptării|" +
			"Kabul bildirimi|Kabul edilen bildirilerin ilanı|Değerlendirme sonuçlarının bildirilmesi|Sonuçların açıklanması|Besked om antagning|Beskjed om antagelse|Meddelelse om accept|Hyväksymisilmoitukset|Уведомление о принятии|Извещение авторов|Сповіщення авторів|Повідомлення про прийняття|Ειδοποίηση αποδοχής|Ενημέρωση συγγραφέων|" +
			"录用通知|论文录用通知日期|審查結果通知|接受通知|採否通知|採択通知|심사 결과 통보|채택 통보|Thông báo kết quả|Thông báo chấp nhận bài|Pengumuman hasil seleksi|Pemberitahuan penerimaan makalah",
		eventseer.CameraReady:  "Versão final|Envio da versão final|Entrega da versão final|Versión final|Envío de la versión definitiva|Version finale|Envoi des versions définitives|Finale Fassung|Endfassung|Druckfertige Fassung|Versione finale|Versione definitiva|Definitieve versie|Wersja ostateczna|Finální verze|Konečná verze|Finálna verzia|Végleges változat|Versiunea finală|Son hali|Nihai bildiri gönderimi|Slutversion|Endelig versjon|Lopullinen versio|Окончательная версия|Финальная версия|Остаточна версія|Τελική έκδοση|最终稿提交|终稿提交|定稿|最終原稿提出|カメラレディ提出|최종 논문 제출|최종본 제출|Nộp bài hoàn chỉnh bản cuối|Naskah final",
		eventseer.Registration: "Inscrições|Prazo de inscrição|Inscripciones|Fecha límite de inscripción|Inscription|Date limite d'inscription|Anmeldung|Anmeldeschluss|Iscrizione|Iscrizioni entro|Inschrijving|Aanmelden|Rejestracja|Registrace|Přihlášky účastníků|Regisztráció|Înregistrare|Înscriere|Kayıt|Erken kayıt son tarihi|Registrering|Påmelding|Tilmelding|Anmälan|Ilmoittautuminen|Регистрация участников|Реєстрація|Εγγραφή|注册截止|早鸟注册|報名截止|参加登録締切|사전등록|등록 마감|Đăng ký tham dự|Pendaftaran peserta",
	} {
		for _, label := range strings.Split(labels, "|") {
			if got := labelKind(label); got != kind {
				t.Errorf("%q: %q, want %q", label, got, kind)
			}
		}
	}
}
