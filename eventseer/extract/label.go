package extract

import (
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/eventseer/extract/wording"
)

// Kinds that no record has. eventDates is the kind of labels for the days of the event itself, noDeadline
// that of dates that do not belong to a call.
const (
	eventDates eventseer.DeadlineKind = "event"
	noDeadline eventseer.DeadlineKind = "none"
)

// A labelRule maps the label of a date to a kind of deadline. The first matching rule counts, so special
// rules come before general ones.
type labelRule struct {
	kind    eventseer.DeadlineKind
	pattern *pattern.Pattern
}

func newLabelRules(rules ...[2]string) []labelRule {
	out := make([]labelRule, len(rules))
	for i, r := range rules {
		out[i] = labelRule{eventseer.DeadlineKind(r[0]), compilePattern(`(?i)` + r[1])}
	}
	return out
}

var labelRules = newLabelRules(
	// Dates that are not deadlines of a call.
	[2]string{"none", `last (updated|modified)|copyright|©|posted|published on|page updated|aktualisiert|^(news|update)\b|投稿(日|者)|掲載日|更新日`},
	[2]string{"none", `\b(home-?work|assignments?|problem sets?|quiz(zes)?|mid-?terms?|term papers?|exams?)\b|\b(paper|article|manuscript|submission)s? (was |were |has been |have been |got |is |are )?(just |recently )?accepted (at|to|by|in|for) (?-i:[A-Z])`},
	[2]string{"none", `\b(was|were|got|have) (submitted|sent|published)\b|\bdefended\b|(thesis|dissertation) submitted|^\W*at \d{1,2}:\d\d|\bwrote\b|^\W*(\d+ )?comments?\b`},
	[2]string{"none", `\b(after|since)\s*$`},
	[2]string{"none", `\b(is|are|now|has been|have been) (now )?(\w+ )?(available|on-?line|posted|published|updated|listed|live|concluded)\b|\bnow open\b|\b(link|site|system|portal) (is )?(now )?(ready|open|available|live)\b|\b(proceedings|photos|slides) .{0,20}available`},
	[2]string{"abstract", `\bcall for abstracts?\b[^.;:]{0,20}\b(deadline|closes|closing|ends|due)\b`},
	[2]string{"submission", `\bcall for (\w+ )?(papers?|participation|contributions)\b[^.;:]{0,20}\b(deadline|closes|closing|ends|due)\b`},
	[2]string{"", `^\W*(call for\b[^:]*|(first|second|third|1st|2nd|3rd|last|final) call\b[^:]*|cfp)\W*$`},
	[2]string{"event", `\b(start|starts|begin|begins|beginning|beginn|início|inicio|inizio|début|начало|początek|zahájení|začátek) (of |do |da |del |della |de la |du |der |des )?(the )?(main )?(conference|workshop|symposium|event|evento|meeting|congress|congres+o|convegno|colloque|conférence|conferencia|conferência|tagung|konferenz|veranstaltung|конференц|konferenc)`},
	[2]string{"other", `(rebuttal|response|discussion)[^.;:]{0,24}\b(starts?|begins?|opens?)\b`},
	[2]string{"rebuttal", `rebuttal|authors?['’]?s? (response|feedback|discussion|reply)|response period|discussion period`},
	[2]string{"notification", `^\W*(\w+ )?notifications? (of \w+ )?(and|&|/) .{0,30}\b(opens?|begins?|starts?)\b`},
	[2]string{"notification", `\bconfirmation of (the )?accept|^\W*(\w+ )?notifications? (of|about|on) (\w+ )?accept`},
	[2]string{"other", `\bartifacts?\b|\bartefacts?\b|supplement(ary|al)\b|\b(opens|opened|opening|begins?|starts?)\b|\bopen( on| from| for|:|\s*$)`},
	[2]string{"other", `\b(abertura|apertura|ouverture|eröffnung|beginn|início d|inicio de|inizio|début d|öppnar|åbner|åpner)|начал[оа]\b|открыт|\bpocząt|rozpoczęci|otwarcie|zahájení|začátek|başlangı|başlama|開始|开始|시작`},
	[2]string{"other", `(divulga|publica|anuncio|annonce|annuncio|veröffentlichung|pubblicazione|release|announcement)[^.;:]{0,24}\bprogram|(support|aid|assistance|grant) applications?\b|\b(meta-?reviews?|bidding|(papers|submissions) assigned|assigned to reviewers|reviewer assignment|paper assignment)\b|\b(pc|committee) (meeting|discussion)`},
	[2]string{"other", `visa|travel (grant|fund|support|award)|fellowships?\b|scholarship|stipend|bursar|\b(applications?|nominations?) (deadline|due|close|are due|must be|will be|submission)|deadline for (\w+ )?(applications?|nominations?)\b|bewerbung|hotel|accommodation|room block|volunteer|mentor|withdraw|review(s|er)?s? (due|deadline|sent)|sponsor|video|slides|upload of present|call for papers (issued|published|announced)|program(me)? (available|announced|published|online|release)|confirm|\bcontest\b|awards?\b|winners`},
	[2]string{"camera_ready", `camera|окончательн|финальн|wersja (ostateczna|końcowa)|definitieve versie|son hal|(?:^|[^-])\bproceedings (version|cop(y|ies)|papers?)\b|\b(version|cop(y|ies)|papers?|texts?|manuscripts?|articles?)\b[^.;:]{0,24} for (inclusion in )?(the )?(\w+ )?(pre-?|post-?)?proceedings|\b(accepted|selected) (full |short |long |final )?(papers?|manuscripts?|abstracts?|contributions?|articles?|versions?) (are |is |must be |to be |will be |should be )?(due|submi|upload|deadline)|(submission|upload\w*|delivery|receipt) of (the |all )?(accepted|final)\b|author kits?\b|\bready (to|for) (print|publi)|\bpublishable\b|(draft|paper|version)s?\b.{0,30}\bdistributed\b`},
	[2]string{"camera_ready", `\bfinal (revised |regular |accepted |electronic )?(full[- ])?(version|paper|manuscript|cop(y|ies)|draft|submission|abstract|article|text|camera|exhibition|material|contribution)`},
	[2]string{"camera_ready", `print(ing|er)?[- ]ready|publish(ing|er)?[- ]ready|publication[- ](ready|files|version)|vers(ão|ión|ione|ion) (final|définitive|finale|definitiva)|endgültige|druckfertig|endfassung|versiones finales|env[ií]o final|final versions|定稿|终稿|終稿|最終原稿|カメラレディ|全文繳交|최종\s?논문|최종\s?원고`},
	[2]string{"camera_ready", finalStems},
	[2]string{"other", `revised (full )?(paper|manuscript|version|submission)s?\b|\brevisions?\b`},
	[2]string{"abstract", `(abstract|title|paper|intent|intention)s? regist(ration|er)|register (the|your|an?|their) (abstract|paper|title|submission)|registro de (los |os )?res[uú]m(en|os?\b)`},
	[2]string{"registration", `^\W*((early|late|regular|author|standard)[- ]?(bird)? )?registration\b`},
	[2]string{"submission", `(papers?|submissions?|abstracts?|proposals?|manuscripts?|contributions?|applications?)\s+(will be |are |is |being )?(still )?accepted (until|till|through|up to|by)\b|\baccept(s|ing)? (\w+ ){0,2}(papers?|submissions?|manuscripts?|contributions?) (until|till|through|up to|by)\b`},
	[2]string{"notification", `notif|decision|(announcement|communication|confirmation) of (the )?(accept|result|selected)|\baccept(ances?|ed)\b|will be (informed|announced)|\b(speakers?|authors?|papers?|abstracts?|contributions?|talks?) (are |will be )?(announced|selected|notified|informed)\b|\bresults?\W*$|results? (of|announc|available|due)|inform(ed|ation) (of|about|to) `},
	[2]string{"notification", notifyStems},
	[2]string{"notification", `resultados?\b|divulgação|ergebnis|\bavertis?\b|\bauteurs? retenus?|(seront|serão|serán|saranno) (informé|notifié|avisé|informad|notificad|avisad|informat|avvisat)|werden [^.;:]{0,30}(informiert|verständigt)|(作者|结果|接收|接受|审稿|论文|稿件|录取)通知|通知(作者|日期)|benachrichtigung|rückmeldung|zusage|réponse aux auteurs|aceptaci|aceita|accettazione|selezion|录用|錄取|審查結果|审稿结果|採択|採否|심사\s?결과|결과 (발표|통보)|통보|selected speakers|уведомлен|извещен|powiadomieni|bericht van|bekendmaking|kabul bildirim|notifica`},
	[2]string{"registration", `regist|\breg[.:]|early[- ]?bird|inscri(p|ç|z)|iscrizion|anmeld|inschrijv|注册`},
	[2]string{"registration", registerStems},
	[2]string{"registration", `регистрац|rejestracj|kayıt|註冊|報名|报名|参加登録|등록`},
	[2]string{"other", `\b(avalia[cç]|evaluaci[oó]n|évaluation|begutachtung|valutazione|recenz|(peer[- ])?review(ing)? (process|period|phase|of)\b)|рецензир|değerlendirme|評審|评审|審稿|审稿|査読`},
	[2]string{"event", `^\W*(main )?(workshops?|tutorials?|conference|symposium)( days?)?( ?(,|and|&|/|\+) ?(main )?(workshops?|tutorials?|conference|symposium|excursions?)( days?| dates?)?)+\W*$`},
	[2]string{"submission", `\bpapers?\b(, | and |/| & )[^.;:]{0,30}\b(demos?|posters?|tutorials?|panels?|workshops?)\b`},
	[2]string{"other", `\b(special|invited|organi[sz]ed|thematic|contributed) sessions?\b[^.:;]{0,24}propos|proposals? (for|of) (an? )?(special|invited|organi[sz]ed|thematic) session`},
	[2]string{"workshop_proposal", `(workshop|symposi(um|a)|special session|panel|mini-?symposi(um|a)|session)s?[^.:;]{0,24}(proposal|propos)|proposals? (for|of) (a )?(workshop|symposi|panel|special session|session)`},
	[2]string{"tutorial_proposal", `tutorial`},
	[2]string{"doctoral", `doctora(l|te)|ph\.?\s?d\.?\b|dissertation`},
	[2]string{"abstract", `abstracts?\b.{0,60}\bposter`},
	[2]string{"poster", `\bposter|pôster|póster|海报|ポスター`},
	[2]string{"demo", `\bdemos?\b|demonstration`},
	[2]string{"submission", `\b(resum|résum)\w*( \w+)? (e|y|et|ou|o|u)/?\w{0,2} (\w+ ){0,2}(trabalho|trabajo|artigo|art[ií]culo|article|texte|ponencia)|(paper|manuscript|article)s?\s*(and|&|or|/|,)\s*(extended\s+)?abstract|abstracts?\s*(and|&|or|/)\s*(the\s+)?(full\s+|short\s+)?(paper|manuscript|article)|extended paper`},
	[2]string{"abstract", abstractStems},
	[2]string{"abstract", `abstract|résumé|res[uú]men|resumo|riassunt|summary|summaries|\bintent\b|摘要|초록|要旨|kurzfassung|expos[eé]|pitches`},
	[2]string{"event", eventPattern},
	[2]string{"submission", `submi(t|ss)|\bsend\b|\bsent\b|deadline|\bdue\b|\bpapers?\b|manuscript|contribution|proposal|articles?\b|full[- ]text|cfp (closes|ends|deadline)|call (closes|ends)|closing date|closes`},
	[2]string{"submission", `soumission|soumettre|\bremis(e|es)?\b|parvenir|contributions|date limite|propositions?\b|submissão|submeter|submetid|submiss|trabalhos\b|trabajos\b|comunicações|comunicaciones|sometimiento|someter|postulaci|data[- ]limite|fecha tope|\bl[ií]mite\b|envio|envío|enviar|entrega|fecha l[ií]mite|plazo|prazo|propuesta|ponencia|recepci[oó]n|chamada|scadenza|tempo fino|fino al|invio|sottomission|einreich|abgabe|frist`},
	[2]string{"submission", submitStems},
	[2]string{"submission", `投稿|截稿|截止|提交|締切|締め切り|応募|原稿|제출|접수|마감|투고|finaliza|cierre|encerra|подач|представлен|срок|приём|прием|nadsyłani|zgłosze|indiening|inzending|insturen|gönderim|son tarih|başvuru`},
	[2]string{"event", `\b(conference|workshops?|symposium|congress|summit|meeting|tagung|konferenz|congreso|jornadas|jornades|colloque|conf[ée]rence|conferencia|conferência|simposio|simpósio|sempozyum|convegno|evento?|veranstaltung)\b|会议|會議|会議|大会|會期|会期|개최|행사|학술대회|` + eventStems},
)

// Stems of words for the parts of a call in Polish, Czech, Slovak, Hungarian, Romanian, Turkish, the Nordic
// languages, Ukrainian, Greek, Vietnamese and Indonesian. They supplement the rules above.
const (
	eventStems    = `konferen[cstzij]|conferin[țt]a|konferans|конференц|συν[έε]δρι|hội nghị|hội thảo|симпозиум|симпозіум|semin[aá]r|szimpózium|sympozjum|sympozium|مؤتمر|כנס`
	finalStems    = `versions? définitives|finale fassung|(fin[aá]ln|konečn)\pL+ verz|versiunea|végleges|lopulli|slutversion|slutlig|\bendelig|naskah (final|akhir)|bản cuối|τελικ|остаточн|nihai|versió (?:final|definitiva)|(?:konačn|završn|končn)\pL+ (?:verz|inačic|različic|rad)|完稿|定稿|清稿|최종본`
	notifyStems   = `avis d['’]accept|\bbesked|\bbeskjed|meddelelse|hyväksym|akceptac|kabul edil|kennisgeving|oznámen|pemberitahuan|pengumuman|sonuç|thông báo|vyrozum|értesít|ειδοποί|ενημέρω|повідомл|сповіщ|obavijest|obaveštenj|obvestil|prihvaćanj|sprejet|إشعار|قبول`
	registerStems = `anmälan|ilmoittautu|pendaftaran|påmeld|tilmeld|přihlášk|prihlášk|regisztr|înscrie|înregistr|đăng ký|εγγραφ|реєстрац`
	abstractStems = `absztrakt|abstrak|tóm tắt|rezumat|streszcze|özet|περίληψ|περιλήψ|тезис|(^|\PL)тез(и|\PL|$)|аннотац|анотац|sammanfattning|sammendrag|tiivistelm|\bresums?\b|sažet|povzet|резюм|概要|抄録|要約|ملخص|תקציר`
	submitStems   = `benyújt|beküld|határid|dépôt|einsend|indsend|inskick|inlämn|innsend|inzend|jättöpäiv|pengumpulan|pengiriman|batas akhir|hạn nộp|gửi bài|nộp bài|przesyłan|przesłan|zgłasz|presentazione|consegna|termen(ul)? limită|trimiter|odevzdán|uzáv[eě]r|zasl[aá]n|zas[ií][el]l?[aá]n|υποβολ|προθεσμ|подан|прийом|predaja|prijav[ae] (?:rad|sažet|tem)|oddaja|slanje|rok za|pateik|iesnieg|esitam|enviament|lliurament|presentació|آخر موعد|تقديم|إرسال|הגשה|提出|期限|繳交`
)

// eventPattern is the expression of labels that certainly name the event's own days.
const eventPattern = `\b(main )?(conference|workshop|symposium|event|meeting|congress|summit|school|colloquium|forum)('s)? ?(dates?|days?|period|takes place|starts|begins)\b|will (be held|take place|be hosted)|(to be|is|being) held|takes? place|date and (place|venue|location)|dates? of (the )?(conference|workshop|event|symposium|meeting)|when and where|^when\b|^dates? ?:?$|開催|举办|召开|會期|会期|개최|findet .{0,80}statt|se (celebrar|realizar)|será realizad|aura lieu|si terrà`

var surelyEvent = compilePattern(`(?i)` + eventPattern)

// labelKind returns the kind of deadline of a date with this label, or "" if the label names none.
func labelKind(label string) eventseer.DeadlineKind {
	return labelKinds.cachedKind(cutToBytes(label, maxLabel), readLabelKind)
}

// labelKinds caches the kinds of recent labels. Four of five labels of a page are in the cache.
var labelKinds labelMemo

// A labelMemo caches the kinds of labels with up to maxMemoBytes in all. It is emptied when it is full. It
// is safe for concurrent use.
type labelMemo struct {
	mu    sync.RWMutex // guards the fields below
	kinds map[string]eventseer.DeadlineKind
	held  int // bytes used by the entries
}

const maxMemoBytes = 1 << 20

// cachedKind returns the cached kind of a label, or calls read and caches the result.
func (m *labelMemo) cachedKind(label string, read func(string) eventseer.DeadlineKind) eventseer.DeadlineKind {
	m.mu.RLock()
	kind, ok := m.kinds[label]
	m.mu.RUnlock()
	if ok {
		return kind
	}
	kind = read(label)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held += len(label) + memoEntry; m.kinds == nil || m.held > maxMemoBytes {
		m.kinds, m.held = map[string]eventseer.DeadlineKind{}, len(label)+memoEntry
	}
	m.kinds[strings.Clone(label)] = kind // a copy, because the label is a part of the page's text, which would stay in memory
	return kind
}

const memoEntry = 64 // estimated bytes of an entry besides its label

func readLabelKind(label string) eventseer.DeadlineKind {
	short := len(label) <= maxShortLabel
	if short {
		if k := wordKind(label); k != "" {
			return k
		}
	}
	var t pattern.Text
	t.Set(label)
	for _, r := range labelRules {
		if r.pattern.MatchPart(&t, label) {
			return r.kind
		}
	}
	if !short {
		return wordKind(label)
	}
	return ""
}

// maxLabel is the maximum number of bytes read as the label of one date.
const maxLabel = 400

// isGenericLabel reports whether a label names a deadline or submission but not what is due. The heading above it
// or the page's title then decides.
func isGenericLabel(label string) bool {
	return !specific.MatchString(label) && !wording.ReadLabel(label).All.Has(handedInConcepts|wording.Proposal)
}

// specific matches words for papers, articles, talks or abstracts.
var specific = compilePattern(`(?i)\bpapers?\b|manuscript|articles?\b|full[- ]text|proposal|abstract|contributions?\b|trabalho|trabajo|artigo|articulo|artículo|art[ií]cul|ponencia|comunica[cç]|communications?\b|articol|beitr[aä]g|langfassung|vollbeitr|artik(?:el|l|k)|bijdrage|stukken|artykuł|referat|p[rř][ií]sp[eě]v|článk|cikk|előadás|lucrăr|bildiri|tam metin|makale|bidrag|стат(?:ей|ьи|ья|ті)|доклад|доповід|тезис|материал|εργασ|άρθρ|nộp bài|gửi bài|bản đầy đủ|naskah|makalah|treball|rad(?:ov|a\b)|prispev|straipsn|论文|論文|全文|稿件|原稿|논문|원고`)
