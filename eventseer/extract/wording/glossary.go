package wording

// glossary lists for each concept the beginnings of words that mean it, from dictionaries of the languages
// of calls. "_" is a space. "=word" matches a whole word only. "~part" also matches inside a compound.
// "*word" is also an English word, so it does not show that a label is in another language. Scripts without
// spaces match at any position.
var glossary = []struct {
	concept ConceptSet
	words   string
}{
	{Abstract, `*abstract intention_de_com intentions_de_com *resume ~kurzfassung ~zusammenfassung ~kurzbeschreib ~exposee ~expose
		resumen resumo riassunt sommari =sintesi =sunto =sunti resum_ =resum =resums estratt
		~samenvatting ~sammanfattning ~sammendrag ~tiivistelm ~abstrakt ~sammanfatt
		streszcze abstrakt anotac sazet apstrak povzet kivonat osszefoglalo absztrakt rezumat abstracte
		=ozet ozeti ozetl ozet_  santrauk kokkuvot anotacij teez
		тезис тези =тез аннотац анотац резюме анатац сажет апстрак извадок реферати_
		περιληψ συνοψ tom_tat abstrak ringkasan ملخص مستخلص موجز چکیده خلاصه תקציר บทคัดย่อ
		摘要 要旨 概要 抄録 梗概 要約 アブストラクト 초록 요약 요지`},
	{Paper, `*paper *manuscript *article ~beitrag ~beitrage ~manuskript ~aufsatz ~vortrag ~vollbeitr ~langfassung ~artikel ~artikl ~volltext *=texte *=textes *text
		communication_orale =communications =contributions *contribution ponencia comunicaciones trabajo articulo texto =textos manuscrito contribucion
		trabalho artigo comunicacoes contribuicoes contribuicao articol lavor =contributi =contributo manoscritt =saggi =testi =testo relazion =interventi =intervento
		comunicacions =articles treball ponenci contribuci ~bijdrage ~stukken ~bidrag ~manus ~foredrag ~esitelma ~esitys ~esityst kirjoituks =tekst =teksty =teksti =tekstit =tekster teksten
		artykul referat tekst =prac =praca =prace wystapien prispev clank =text =texty =textu =textov =textov rukopis =rad =rada =radu =radova =radovi radov prispevk clanek clank
		eloadas szoveg cikk kezirat tanulman dolgozat lucrar comunicari articole =textul =textului bildiri makale =metin metinl metni çalışma tebliğ
		straipsn pranesim raksts rakstu referat artikli ettekan
		стат доклад материал работ рукопис текст доповід матеріал прац дописи рад_ =рад =радова =радови прилог чланк трудов труд_
		εργασι αρθρ κειμεν ανακοινωσεων εισηγησ toan_van bai_bao =bai tham_luan naskah makalah artikel karya paper
		بحث بحوث أبحاث ابحاث الأبحاث ورقة أوراق اوراق مقال مقالات مقاله מאמר הרצא עבודות בפאנל บทความ ผลงาน
		论文 論文 全文 稿件 原稿 文稿 フルペーパー 論説 논문 원고 발표문 原著 稿_`},
	{Proposal, `*proposal ~vorschlag ~vorschlage *proposition propuesta proposta proposte proposicion ~voorstel ~forslag ~ehdotu propozycj navrh predlog prijedlo javasla propuner oneri proposte
		предложени пропозиц предлож προτασ đề_xuất usulan proposal مقترح پیشنهاد הצעה הצעות ข้อเสนอ 提案 提議 제안`},
	{Send, `~einreich ~einsend ~abgabe ~zusend ~vorlage_ ~eingang soumi soumet depot deposer deposit remise envoi envoyer *reception recevoir parvenir *transmission
		envio enviar remision recepcion entrega presentaci someter sometimiento postulaci subida
		submissao submissoes submet envios recebimento apresentacao_de_prop encaminh
		invio inviare sottomission consegna presentazion ricezion invii trasmission enviament lliurament presentacio recepcio tramesa
		~inzend ~indien ~inlever ~insturen ~inskick ~inlamn ~insand ~skicka_in ~lamna_in ~lamnas_in ~indsend ~indlever ~innsend ~innlever ~sende_inn ~aflever lahetta lahetys ~jatto jattami toimitta palautus
		nadsył nadesł przesył przesł składa złoż zgłasz zgłosz dostarcz przyjmow =nabor naboru zaslan zasil zasiel posil odevzdan odovzda podan podava prijiman prijimani prijem prihlas_prisp prihlaseni_prisp =sber
		slanj dostav predaj oddaj prilag podnos zaprim bekuld benyujt =leadas leadasi kuld trimite transmite depune gonder teslim yuklen yukle iletil basvuru
		pateik iesnieg iesut esita saatmi
		подач подан представлен отправ направлен прием приём присыл высыл заявок заявк предоставл поступл прийом надсил надан подава подаван приемане изпращ предав слањ достав пријем предај
		υποβολ αποστολ καταθεσ παραλαβ υποβαλ =nop =gui =nhan pengiriman pengumpulan penyerahan pemasukan unggah submisi mengirim
		تقديم إرسال ارسال تسليم استلام استقبال لإرسال لتسليم لتقديم لاستلام دریافت تحویل הגשה להגשה הגשת להגשת משלוח למשלוח שליחת ส่ง รับบท ปิดรับ
		提交 投递 递交 交稿 上传 提出 送付 応募 申込 申し込み 投函 繳交 上傳 送件 제출 접수 송부 신청`},
	{Send | Paper, `投稿 征稿 徵稿 来稿 來稿 投稿 論文募集 투고`},
	{Due, `*deadline *=due ~frist ~schluss ~stichtag ~abgabetermin date_limite date_butoir echeance delai cloture  fecha_limite =limite plazo cierre vencimiento fecha_tope ultimo_dia 
		prazo encerra  ultima_data scadenz termine  ultimo_giorno chiusura termini_de =termini data_limit tancament ultim_dia 
		~uiterst ~sluiting ~sista_dag ~senast ~sidste ~siste_frist ~siste_dag maaraai viimeist paatty
		termin_nads =termin terminy terminu uzaverk  =lhuta lehota krajni rok_za =rok =rokovi zadnji_rok krajnji hatarid termen =limita son_tarih =son bitis =bitimi
		terminas pabaiga termins beigu tahtaeg
		срок последний_день дедлайн крайн окончание_при термін останній_день кінцев рок_за крајњи
		προθεσμι ληξη καταληκτικ  han_ =han thoi_han han_cuoi đến_hết batas tenggat paling_lambat terakhir
		آخر_موعد الموعد_النهائي آخر_أجل مهلت آخرین מועד_אחרון  กำหนด วันสุดท้าย ปิดรับ
		截止 截稿 期限 期限 締切 締め切 〆切 〆 마감 기한 `},
	{Until, `~bis_ =bis jusqu =hasta =ate =entro fins_a *=do =tot =till =asti =ig =kadar =dek =до =έως =εως  까지 まで`},
	{Tell, `~benachrichtig ~mitteilung ~bekanntgabe ~ruckmeld ~nachricht ~verstandig ~entscheid ~ergebnis ~bescheid *notification notificac notificaz =notifica notificar notificat
		avis_aux avis_d avis_de reponse retour_aux retour_d decision_du *decision =decision resultat annonce_des communication_des_resultats communication_aux
		aviso_a =aviso respuesta dictamen resultado fallo decision_ decisiones resolucion divulgacao =parecer resposta decisao comunicado avaliados
		esito esiti comunicazion risposta decisione annuncio_dei notificacio comunicacio_d comunicacio_de resolucio
		~kennisgeving ~bericht ~bekendmak ~beslissing ~uitslag ~besked ~meddelelse ~meddelande ~svar_ ~melding ~tilbakemeld ~underrett ~beskjed ~beslut ilmoitus paatos =tieto =tiedot tiedotu
		powiadom zawiadom decyzj informacj wynik ogłoszenie oznamen vyrozum rozhodnut informac vysled obavijest obavest obavestenj odluk obvestil rezultat odgovor
		ertesit visszaigazol eredmeny dontes visszajelz notificar comunicarea anunta raspuns rezultatel bildirim bildirilmes_ açıklanm duyur ilani =ilan sonuç yazarlara_bild
		pranesimas_apie informavim pazinoj teavit teade teata
		уведомл извещ оповещ сообщен решени результат информир повідомл сповіщ рішенн інформув уведомя решение потвържд обавештењ одлук
		ειδοποι γνωστοποι ενημερω απαντησ αποτελεσμ ανακοινωση_απ ανακοινωση_τ thong_bao tra_loi ket_qua pemberitahuan pengumuman notifikasi hasil_seleksi
		إشعار اشعار إخطار اخطار إعلان اعلان الرد نتائج إبلاغ اعلام_نت اعلام_پذ اعلام نتیجه نتایج הודעה תשוב הודעת แจ้งผล ประกาศ ผลการ
		通知 公布 公告 公示 发布结果 结果 結果 公佈 放榜 発表通知 採否 통보 통지 결과 발표_ 안내`},
	{Communication, `comunicacion =comunicaciones *communication comunicacao comunicacio`},
	{Accept, `*acceptance =accepted ~annahme ~angenommen ~zusage acceptation accept_ =acceptes retenu aceptaci aceptad aceite aceita aprovad accettaz accettat =acceptacio acceptaci
		~aanvaard ~acceptatie ~geaccept ~antag ~antat ~accepter ~godkjen ~godkend ~godkan hyvaksy
		akceptac przyjec przyjet zakwalifik kwalifikac prijet prijat akcept prihvac prihvat sprejet elfogad acceptar acceptat kabul
		priemim pieņem pienem vastuvot
		принят включени_ одобрен прийнят приети приемане_на прихват
		αποδοχ εγκρισ chap_nhan diterima penerimaan القبول قبول بالقبول پذیرش קבלה קבלת ตอบรับ
		录用 接受 接收 录取 錄取 採択 採用 채택 게재 수락`},
	{Final, `~endgultig ~finale ~endversion ~druckfertig ~druckreif *camera *=final definitiv definitiu para_publica imprimer finale final_ finais =finales =finals =final finais pret_a
		~definitie ~slutlig ~slutgiltig ~færdig ~fardig_ ~fardiga ~endelig ~ferdig ~trykkeklar ~trykklar lopulli valmi_ viimeistel
		ostateczn finaln koncow =druku koneczn konecn =tisk tlac zavrsn konacn koncn vegle vegso nyomdakesz finala =finala nihai son_hal son_sekl kameraya baskiya
		galutin galig lopl
		окончательн финальн финалн готовые_к_печати итогов остаточн фінальн окончател коначн завршн
		τελικ hoan_chinh hoan_thien cuoi_cung ban_cuoi =final_ akhir siap_cetak النهائية نهائي بصورتها_الن نهایی סופי סופית ฉบับสมบูรณ์
		最终 最終 カメラレディ 印刷用 최종 카메라`},
	{Final | Version, `终稿 終稿 定稿 完稿 清稿 完成原稿 完成稿 最終稿 最终稿 最終原稿 최종본 완성본 ~druckvorlag ~endfassung ~schlussversion ~eindversie ~slutversion`},
	{Corrected, `~uberarbeit ~korrigiert corrige =revise revisad corregid corrigid rivedut ~herzien ~reviderad ~revideret ~bearbet poprawion opraven ispravljen popravljen javitott revizuit corectat duzeltil revize revizyon
		исправлен доработан виправлен доопрацьов поправен διορθωμεν chinh_sua =revisi perbaikan المعدلة المنقحة اصلاح מתוקנ ฉบับแก้ไข 修改稿 修訂稿 修正稿 改訂稿 修正原稿 수정본 수정_논문`},
	{Version, `~fassung *=version *=versions versione versao versoes versio ~versie ~version wersj verz verzij valtozat versiune varianta =forma wersja hali_ =hali sekl
		версі верси вариант варіант μορφη εκδοση ban_ =versi نسخه النسخة النسخ גרסה גרסא נוסח ฉบับ 版本 バージョン 버전`},
	{Register, `*registration *register ~anmeld ~registrier ~fruhbuch *=inscription *=inscriptions inscripcion inscricao inscricoes matricul iscrizion registrazion registracio inscripci registro_de registro
		~inschrijv ~aanmeld ~registratie ~anmalan ~anmaln ~registrering ~pamelding ~pameldning ~tilmeld ilmoittautu rekisteroi
		rejestrac zapis registrac prihlas prihlask kotizac_ registrira registraci prijav regisztrac jelentkez inscrie inregistr kayıt
		registrac registruo registre
		регистрац реєстрац регистриране пријав
		εγγραφ đăng_ký registrasi pendaftaran التسجيل للتسجيل تسجيل ثبت_نام ثبتنام ثبت` + "\u200c" + `نام הרשמה להרשמה ลงทะเบียน
		注册 註冊 报名 報名 参会 参加 登録 早鳥 등록`},
	{Event, `*conference *congress *symposi *workshop *seminar ~tagung ~konferenz ~veranstaltung ~kongress colloque congres journee colloquio congreso jornada simposio conferencia simposi evento seminario encuentro
		congresso simposio encontro convegno conferenza giornat =congres jornades ~congres ~konferens ~konferanse ~konference konferenssi ~kongres seminaari
		konferenc sympozj obrad zjazd kongres sympozi skup simpozij simpozijum savjetov rendezveny szimpoz talalkoz conferint simpozion konferans sempozyum kongre toplantı
		conferenc konverents
		конференц симпоз семинар семінар конгресс конгрес съезд скуп научна
		συνεδρι συμποσ ημεριδ hoi_nghi hoi_thao konferensi seminar simposium مؤتمر المؤتمر ندوة الملتقى ملتقى همایش کنفرانس کنگره כנס הכנס ประชุม สัมมนา
		会议 會議 大会 大會 研讨会 研討會 学会 學會 年会 シンポジウム 研究会 会期 會期 학술대회 학회 대회 행사 심포지엄 세미나`},
	{Session, `*=session *=sessions sesion sessao sessoes session sessio ~sitzung sesja sesje заседани засідан セッション 세션 جلسة جلسه`},
	{Event | Held, `сроки_провед`},
	{Held, `~durchfuhr ~stattfind ~findet_statt =tage aura_lieu tenue_d =tenue deroul celebra realiza celebracio realizacao svolgiment svolge si_terra *=dates date_del fechas_de fechas_del data_do data_da *=data periodo_d dates_del ~dagen ~dagar ~dager ~dage afhold avholdes plats_ aga_rum ager_rum jarjestet paivat paiva =pidetaan
		kona =konani konan termin_konf odrzava datum_ =datum idopont desfasur =tarih tarihi tarihl pelaksanaan
		провед дата_ =дата одржав проведен
		διεξαγωγ ημερομηνι dien_ra to_chuc انعقاد تاريخ أيام موعد برگزاری تاریخ יתקיים מועד_הכנס วันจัด วันประชุม
		召开 召開 举办 舉辦 举行 舉行 開催 会期 會期 개최 일정 行事 日期 時間 时间`},
	{Open, `*opening ~eroffnung ~offnung ~beginn ~start_der ~freischalt ouverture debut_d =debut apertura abertura =inicio inicio_d comienzo =inizio inizio_d avvio obertura =inici inici_d
		~opening_van =start start_van ~oppnar ~oppnas ~abner ~apner ~apning ~abning avautu alka_ =alkaa alkaminen rozpoczec otwarcie =poczatek start_ zahajen zacat zaciat zaciatok otevren otvoren pocetak otvaranj zacetek kezdet megnyit nyit deschider incepe başlama açılma açılış başlangıç
		pradzia sakums algus avamine
		начал открыт початок відкрит =начало откриван почетак отварањ
		εναρξ ανοιγμα mo_he_thong bat_dau =mo_cong pembukaan mulai dibuka فتح بدء افتتاح شروع آغاز פתיחת פתיחה เปิดรับ เริ่ม
		开始 開始 开放 開放 启动 受付開始 公開開始 시작 개시 오픈`},
	{Review, `~begutacht *evaluation relecture *expertise evaluacion evaluacio *revision revision_por avaliacao revisao valutazion =revisione revisione_d ~beoordel ~granskning ~fagfelle ~vurdering ~bedomning arviointi vertaisarv
		recenz ocena posuzov posudzov biralat lektoral evaluare =recenzie recenzi değerlendir hakem vertinim recenz
		рецензир рецензув экспертиз оцінюван
		αξιολογ κρισ phan_bien penelaahan peninjauan penilaian *review تحكيم تقييم داوری שיפוט พิจารณา ประเมิน
		评审 評審 审稿 審稿 审查 審查 査読 審査 심사`},
	{Update, `*update letzte_anderung ~aktualisier *=stand mise_a_jour actualiza atualiza ultima_modific modificado aggiornament ~bijgewerkt aktualizac ~uppdatera ~opdater ~oppdater paivitet frissit actualizar guncelle обновлен оновлен ажурир актуализ ενημερωση_σελ τελευταια_ενημ cap_nhat diperbarui تحديث به_روز بروزرسانی עודכן עדכון ปรับปรุง 更新 修改日期 发布日期 發布日期 최종_수정일 업데이트`},
	{Programme, `~programm programme_ *programme *program programa programma ~programma ohjelma programu programul =rozvrh programi προγραμμ программ програм chuong_trinh jadwal_acara برنامج برنامه תוכנית תכנית กำหนดการ 日程 议程 議程 プログラム 프로그램`},
	{Poster, `*poster ~poster pôster cartel carteles poszter постер стендов ポスター 포스터 海报 海報 壁报 โปสเตอร์ פוסטר ملصق پوستر`},
	{Demo, `*=demo *=demos *demonstration ~demonstration demostracion demonstrac dimostraz demonstraci デモ 데모 演示 демонстрац`},
	{Workshops, `atelier =taller =talleres oficina =workshopy warsztat çalıştay ~werkstatt мастер_класс семинарам ワークショップ提案 研讨会提案 研討會提案 专题研讨会 专题会议 워크숍`},
	{Tutorial, `*tutorial ~tutori minicurs ~tutorien チュートリアル 튜토리얼 教程 туториал`},
	{Doctoral, `*doctoral *phd ~doktorand doctorant dottoral dottorand doctorad doutora doktor докторан аспирант 博士 ドクトラル 박사`},
	{Author, `*author ~autor auteur autore autores =autors ~forfatt ~forfattar kirjoittaj szerzo yazar автор συγγραφ =tac_gia penulis الباحثين المؤلفين المشاركين نویسند למחבר מחברים למגישים 作者 著者 저자 teilnehm participant partecip ~deltag ~deltak osallistuj uczestnik ucastnik udelezen resztvevo katılımcı участник учасник sudionik ucesnik =peserta`},
	{Pay, `~gebuhr ~zahlung paiement =frais pago =pagamento pagament tariffa ~betaling ~avgift oplat platn uhrada uplata fizetes plata odeme оплат сплат такса πληρωμ le_phi pembayaran biaya رسوم دفع پرداخت תשלום ชำระ 缴费 繳費 支払 납부`},
	{And, `=oder =ou =o =ili =eller =tai =lub =nebo =alebo =vagy =sau =veya =или =або =atau =hoặc 或 または =und =et =y =e =i =og =och =och =ja =en =a =es =si =ve =и =та =и =και =va =dan =و 和 及 与 與 および 及び 및`},
}
