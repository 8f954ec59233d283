package extract

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// movedWords are regular expressions, by language, of words which say that a date replaces an earlier one.
var movedWords = map[string]string{
	"English":    `extend(?:ed|s)?\b|extension\b|postponed|prolonged|(?:new|revised|updated) (?:deadline|due date|date)|(?:moved|shifted|changed|pushed|delayed|rescheduled|updated) (?:back )?to|final deadline\b|now\b`,
	"German":     `verlänger[tn]|verlängerung|fristverlängerung|verschoben|neue (?:frist|deadline)|neuer (?:termin|einsendeschluss|abgabe)`,
	"French":     `prolong|prorog|repouss|report(?:é|ée|és|ées) (?:au|à|jusqu)|étendue? (?:au|à|jusqu)|nouvelle (?:date|échéance)|nouveau délai|délai supplémentaire`,
	"Spanish":    `pr[oó]rrog|extendid|extiende|extensi[óo]n|ampli(?:ad|aci|a |ó)|aplazad|pospuest|nuev[ao] (?:fecha|plazo)`,
	"Portuguese": `estendid|extendid|extens[ãa]o|adiad|prorroga|nov[ao] (?:data|prazo)`,
	"Italian":    `prorog|estes[oa](?:$|[^\pL])|posticipat|estensione|nuova (?:data|scadenza)|nuovo termine`,
	"Dutch":      `verleng|uitgesteld|nieuwe (?:deadline|datum)`,
	"Polish":     `przedłuż|przesuni|wydłuż|now[ya] (?:termin|data)`,
	"Czech":      `prodlouž|posunut|nový termín|predĺž`,
	"Hungarian":  `meghosszabb|új határidő`,
	"Romanian":   `prelungi|extins|nou[aă]? (?:termen|dat)|termen nou|dată nouă`,
	"Turkish":    `uzatıl|uzatma|ertelen|yeni (?:son )?tarih`,
	"Swedish":    `förläng|framflytt|forlæng|forleng|udsat|utsatt|ny (?:deadline|frist)`,
	"Finnish":    `pidenne|jatkett|jatkoaika|lykätty|uusi (?:määräaika|päivä)`,
	"Russian":    `продл[её]н|продлева|продлить|перенес[её]н|новый срок|новая дата`,
	"Ukrainian":  `подовжен|продовжен|перенесен|новий термін|нова дата`,
	"Bulgarian":  `удължен|удължав|нов срок`,
	"Croatian":   `produž|produlj|pomaknut|podaljš|novi rok|nov rok|продуж`,
	"Baltic":     `pratęst|pagarināt|pikendat`,
	"Greek":      `παράταση|παρατείν|παρατάθ|νέα (?:προθεσμία|ημερομηνία)`,
	"Vietnamese": `gia hạn|lùi hạn|hạn mới`,
	"Indonesian": `diperpanjang|perpanjangan|batas (?:waktu )?baru|dilanjutkan`,
	"Catalan":    `ampliat|pròrrog|prorrogat|nova data|nou termini`,
	"Arabic":     `تمديد|تم تأجيل|تمدید|הוארך|הארכת|נדחה`,
	"no spaces":  `延期|延长|延長|延至|延後|展延|顺延|順延|改为|改為|変更(?:[^前]|$)|新(?:的)?(?:截止|截稿|投稿|締切|期限|日期|时间|時間|日程)|新しい(?:締切|期限)|연장(?:된|됨|되었습니다)?|변경(?:된|됨)?`,
}

// formerlyWords are regular expressions, by language, of words which say that a date is the previous one.
var formerlyWords = map[string]string{
	"English":    `was|originally|original|previously|previous|formerly|former|old|instead of|extended from|from|initially|initial`,
	"German":     `ursprünglich\pL*|alte[rs]?|statt|anstatt|bisher\pL*|vormals|vorher`,
	"French":     `au lieu d[eu]|initialement|initiale?|anciens?|anciennes?|auparavant|précédemment`,
	"Spanish":    `antes|antigu[ao]s?|original|originalmente|inicialmente|anteriormente|anterior|en lugar de|fecha original`,
	"Portuguese": `anteriormente|anterior|antig[ao]s?|original|em vez de|originalmente|inicialmente|prazo original|data original`,
	"Italian":    `anziché|vecchi[ao]|originari[ao]|originale|iniziale|invece d[ei]l?|originariamente|inizialmente|precedente`,
	"Dutch":      `oorspronkelijk\pL*|oude|vorige|in plaats van|eerder|voorheen`,
	"Polish":     `pierwotn\pL*|star[aey]|poprzedni\pL*|wcześniej|zamiast`,
	"Czech":      `původn\pL*|star[áéýy]|pôvodn\pL*|místo|namiesto`,
	"Hungarian":  `eredeti\pL*|régi|korábbi|korábban|helyett`,
	"Romanian":   `inițial\pL*|vechi|veche|vechiul|iniţial\pL*|anterior\pL*|în loc de`,
	"Turkish":    `eski|önceki|yerine`,
	"Swedish":    `ursprunglig\pL*|gam(?:mal|le|mel|la)|tidigare|i stället för|oprindelig\pL*|opprinnelig\pL*|tidligere`,
	"Finnish":    `alkuperäi\pL*|vanha|aiemmin|aikaisemmin`,
	"Russian":    `ранее|прежн\pL*|предыдущ\pL*|стар(?:ый|ая)|изначально|первоначальн\pL*|вместо`,
	"Ukrainian":  `раніше|попередн\pL*|стар(?:ий|а)|замість|спочатку|початков\pL*`,
	"Bulgarian":  `преди|първоначал\pL*`,
	"Croatian":   `prvotn\pL*|prvobitn\pL*|umjesto|umesto|prej|првобитн\pL*`,
	"Baltic":     `anksčiau|sākotnēji|algselt|varem`,
	"Greek":      `αρχικ\pL*|παλι[άό]\pL*|αντί|προηγούμεν\pL*`,
	"Vietnamese": `trước đây|cũ|ban đầu|trước đó|thay vì`,
	"Indonesian": `semula|sebelumnya|lama|awal`,
	"Catalan":    `abans|anterior|antiga|original|en lloc de`,
	"Arabic":     `بدلا من|سابقا|במקום`,
	"no spaces":  `原截止|原截稿|原定|原訂|原本|原为|原為|原截止|原來|原来|当初|當初|変更前|原日期|原时间|原時間|旧|舊|기존|당초|기한 전`,
}

// extensionWords matches words which say that a date replaces an earlier one. formerly matches words which
// say that the date after them is the replaced one.
var (
	extensionWords = compilePattern(`(?i)(?:^|[^\pL])(?:` + spacedLanguages(movedWords) + `)\pL*|` + movedWords["no spaces"])
	formerly       = compilePattern(`(?i)(?:(?:^|[^\pL])(?:` + spacedLanguages(formerlyWords) + `)(?:$|[^\pL])|` + formerlyWords["no spaces"] + `)[^\d]{0,30}$`)
	formerOnly     = compilePattern(`(?i)(?:^|[^\pL])(?:` + spacedLanguages(formerlyWords) + `)(?:$|[^\pL])|` + formerlyWords["no spaces"])
	formerWords    = compilePattern(`(?i)(?:^|[^\pL])(?:` + spacedLanguages(formerlyWords) + `|strict|firm|hard|final|new)(?: (?:deadline|date)s?)?(?:$|[^\pL])|` + formerlyWords["no spaces"])
)

// saysExtended reports whether a label says that its day replaces another. "Extended abstracts", "now open"
// and "final deadline" do not.
func saysExtended(label string) bool {
	return extensionWords.MatchString(label) && extensionWords.MatchString(notMovedWords.ReplaceAllString(label, " "))
}

var notMovedWords = compilePattern(`(?i)\bextended (?:abstracts?|versions?|papers|summar(?:y|ies)|drafts?|manuscripts?|articles|texts?|reports?|talks?)\b|\bnow (?:open|closed|accepting|available|online)\b|\bfinal deadline\b|\bno (?:further |more )?extensions?\b`)

// linkWords are small words between a label or a date and another date. They are prepositions, articles,
// forms of "is", and the units of times of day.
var linkWords = wordSet(`to until untill till through and or the on by at of in is are it has been have be will new end day midnight noon am pm
	bis zum zur am auf um uhr und der die das den dem vom von ist wird wurde neu neue neuer mitternacht
	au aux du le la les jusqu jusque et est sera été heures minuit inclus
	al el los hasta día días y de del para ha sido se hora horas
	a o os as até ate em às foi horas
	il lo gli alle ore fino è stata stato
	tot op om en het is nu nieuwe uur
	do dnia na i godz godziny r v hod ig óra până
	kadar saat till den klockan kl til den ny inntil asti saakka mennessä klo
	до на с к по г года час від в do dana ura uri sati iki līdz kuni
	έως μέχρι στις την η ώρα đến hết ngày vào hingga sampai tanggal pukul fins إلى حتى עד วันที่ ที่ року року роки г гг يوم יום ב`)

// dayNouns are words for a date or a deadline in phrases about an extension: "new deadline", "9 Mayıs 2027
// tarihine uzatıldı".
var dayNouns = wordSet(`due date dates deadline deadlines time datum termin frist date fecha plazo data prazo scadenza termine datum termín határidő termen tarihine tarih tarihi son dato määräaika päivä срок дата термін краен rok datums kuupäev ημερομηνία προθεσμία hạn batas waktu termini تاريخ موعد תאריך`)

// hasOnlyLinkWords reports whether a text contains only small words, weekdays, times of day, zones and words of
// also, which may be nil. Such a text connects a date with its label and has no meaning of its own.
func hasOnlyLinkWords(s string, also map[string]bool) bool {
	s = smallSigns.ReplaceAllString(date.WithoutTimes(s), " ")
	if also != nil {
		s = daySigns.ReplaceAllString(s, " ")
	}
	if !containsWord(s) {
		return true
	}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if containsWord(w) && !linkWords[w] && !also[w] && !date.IsWeekday(w) {
			return false
		}
	}
	return true
}

// hasOnlyMoveWords reports whether a text contains nothing but words about moving a date and words for which
// wordless is true.
func hasOnlyMoveWords(s string) bool { return hasOnlyLinkWords(withoutMove(s), dayNouns) }

// withoutMove returns a text without words which say that a date replaces another.
func withoutMove(s string) string {
	return formerWords.ReplaceAllString(extensionWords.ReplaceAllString(s, " "), " ")
}

// smallSigns matches the link words of languages without spaces, and their weekdays.
var smallSigns = compilePattern(`[（(][日月火水木金土一二三四五六일월화수목금토](?:・祝)?[)）]|星期[一二三四五六日天]|[周週][一二三四五六日]|[月火水木金土日]曜日?|至|到|为|為|まで|から|に|까지|부터|으로|로|必着`)

// spacedLanguages joins the expressions of languages with spaces, in alphabetical order of the languages.
func spacedLanguages(m map[string]string) string {
	var all []string
	for _, language := range slices.Sorted(maps.Keys(m)) {
		if language != "no spaces" {
			all = append(all, m[language])
		}
	}
	return strings.Join(all, "|")
}
