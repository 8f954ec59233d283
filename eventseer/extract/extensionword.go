package extract

import (
	"maps"
	"slices"
	"strings"
)

// movedWords begin the words that say of a date that it replaces an earlier one, by
// language.
var movedWords = map[string]string{
	"English":    `extend(?:ed|s)?\b|extension\b|postponed|prolonged|new (?:deadline|date)|(?:moved|shifted|changed|pushed) (?:back )?to|final deadline\b|now\b`,
	"German":     `verlänger[tn]|verlängerung|fristverlängerung|verschoben|neue (?:frist|deadline)|neuer (?:termin|einsendeschluss|abgabe)`,
	"French":     `prolong|prorog|repouss|report(?:é|ée|és|ées) (?:au|à|jusqu)|étendue? (?:au|à|jusqu)|nouvelle (?:date|échéance)|nouveau délai|délai supplémentaire`,
	"Spanish":    `pr[oó]rrog|extendid|extiende|extensi[óo]n|ampli(?:ad|aci|a |ó)|aplazad|pospuest|nuev[ao] (?:fecha|plazo)`,
	"Portuguese": `estendid|extendid|extens[ãa]o|adiad|prorroga|nov[ao] (?:data|prazo)`,
	"Italian":    `prorog|estes[oa]\b|posticipat|estensione|nuova (?:data|scadenza)|nuovo termine`,
	"Dutch":      `verleng|uitgesteld|nieuwe (?:deadline|datum)`,
	"Polish":     `przedłuż|przesuni|wydłuż|now[ya] (?:termin|data)`,
	"Czech":      `prodlouž|posunut|nový termín|predĺž`,
	"Hungarian":  `meghosszabb|új határidő`,
	"Romanian":   `prelungi|extins|nou[aă]? (?:termen|dat)`,
	"Turkish":    `uzatıl|uzatma|ertelen|yeni (?:son )?tarih`,
	"Swedish":    `förläng|framflytt|forlæng|forleng|udsat|utsatt|ny (?:deadline|frist)`,
	"Finnish":    `pidenne|jatkett|lykätty`,
	"Russian":    `продл[её]н|продлева|перенес[её]н|новый срок`,
	"Ukrainian":  `подовжен|продовжен|перенесен`,
	"Greek":      `παράταση|παρατείν|παρατάθ`,
	"Vietnamese": `gia hạn|lùi hạn`,
	"Indonesian": `diperpanjang|perpanjangan`,
	"Catalan":    `ampliat|pròrrog|nova data`,
	"no spaces":  `延期|延长|延長|延至|延後|展延|顺延|順延|改为|改為|変更|연장|변경`,
}

// formerWords say of a date that it was the date before, by language.
var formerlyWords = map[string]string{
	"English":    `was|originally|original|previously|previous|formerly|former|old|instead of|extended from|from|initially|initial`,
	"German":     `ursprünglich\pL*|statt|anstatt|bisher\pL*|vormals|vorher`,
	"French":     `au lieu d[eu]|initialement|initiale?|ancienne|auparavant|précédemment`,
	"Spanish":    `antes|originalmente|inicialmente|anteriormente|anterior|en lugar de|fecha original`,
	"Portuguese": `anteriormente|em vez de|originalmente|inicialmente|prazo original|data original`,
	"Italian":    `anziché|invece d[ei]l?|originariamente|inizialmente|precedente`,
	"Dutch":      `oorspronkelijk\pL*|in plaats van|eerder|voorheen`,
	"Polish":     `pierwotn\pL*|poprzedni\pL*|wcześniej`,
	"Czech":      `původn\pL*|pôvodn\pL*|místo|namiesto`,
	"Hungarian":  `eredeti\pL*|korábban`,
	"Romanian":   `inițial\pL*|anterior\pL*`,
	"Turkish":    `eski|önceki|yerine`,
	"Swedish":    `ursprungligen|tidigare|i stället för|oprindelig\pL*|opprinnelig\pL*|alkuperäi\pL*|aiemmin`,
	"Russian":    `ранее|изначально|первоначальн\pL*|вместо|раніше|замість|спочатку`,
	"Greek":      `αρχικ\pL*|αντί`,
	"Vietnamese": `trước đây|trước đó`,
	"Indonesian": `semula|sebelumnya`,
	"no spaces":  `原定|原本|原为|原為|原截止|原來|原来|当初|當初|変更前|旧|舊|기존|당초|기한 전`,
}

// extensionWords say that a date replaces an earlier one; formerly that the
// date after it is the one replaced.
var (
	extensionWords = compile(`(?i)(?:^|[^\pL])(?:` + latin(movedWords) + `)\pL*|` + movedWords["no spaces"])
	formerly       = compile(`(?i)(?:(?:^|[^\pL])(?:` + latin(formerlyWords) + `)(?:$|[^\pL])|` + formerlyWords["no spaces"] + `)[^\d]{0,30}$`)
	formerWords    = compile(`(?i)\b(?:` + latin(formerlyWords) + `|strict|firm|hard)(?: (?:deadline|date)s?)?\b|` + formerlyWords["no spaces"])
)

// latin joins the words of the languages that write spaces, in a fixed order.
func latin(m map[string]string) string {
	var all []string
	for _, language := range slices.Sorted(maps.Keys(m)) {
		if language != "no spaces" {
			all = append(all, m[language])
		}
	}
	return strings.Join(all, "|")
}
