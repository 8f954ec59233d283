package extract

import (
	"regexp"

	"eventseer/eventseer"
)

// Kinds that no record has: eventDates is what a label that names the days of
// the event itself gives, noDeadline that of a date which is nothing of a call.
const (
	eventDates eventseer.DeadlineKind = "event"
	noDeadline eventseer.DeadlineKind = "none"
)

// A labelRule maps what is printed beside a date to what the date is for. The
// first rule that matches wins, so the special ones stand first.
type labelRule struct {
	kind    eventseer.DeadlineKind
	pattern *regexp.Regexp
}

func labels(rules ...[2]string) []labelRule {
	out := make([]labelRule, len(rules))
	for i, r := range rules {
		out[i] = labelRule{eventseer.DeadlineKind(r[0]), regexp.MustCompile(`(?i)` + r[1])}
	}
	return out
}

var labelRules = labels(
	// Dates that are no deadline of a call at all.
	[2]string{"none", `last (updated|modified)|copyright|©|posted|published on|page updated|aktualisiert|^(news|update)\b`},
	[2]string{"none", `\b(after|since)\s*$`},
	[2]string{"none", `\b(is|are|now|has been|have been) (now )?(\w+ )?(available|on-?line|posted|published|updated|listed|live|concluded)\b|\bnow open\b|\b(proceedings|photos|slides) .{0,20}available`},
	[2]string{"", `^\W*(call for\b[^:]*|cfp)\W*$`},
	[2]string{"rebuttal", `rebuttal|authors?['’]?s? (response|feedback|discussion|reply)|response period|discussion period`},
	[2]string{"other", `\b(opens|opened|opening|begins?|starts)\b|\bopen( on| from| for|:|\s*$)|visa|travel (grant|fund|support|award)|hotel|accommodation|room block|volunteer|mentor|withdraw|review(s|er)?s? (due|deadline|sent)|sponsor|video|slides|upload of present|call for papers (issued|published|announced)|program(me)? (available|announced|published|online|release)|confirm|\bcontest\b|awards?\b|winners`},
	[2]string{"camera_ready", `camera|\bfinal (revised |regular |accepted |electronic )?(full[- ])?(version|paper|manuscript|cop(y|ies)|draft|submission|abstract|article|text|camera|exhibition|material|contribution)|print[- ]ready|publication[- ](ready|files)|vers(ão|ión|ione|ion) (final|définitive|finale|definitiva)|endgültige|druckfertig|endfassung|versiones finales|env[ií]o final|final versions|定稿|终稿|終稿|最終原稿|カメラレディ|全文繳交|최종\s?논문|최종\s?원고`},
	[2]string{"other", `revised (full )?(paper|manuscript|version|submission)s?\b|\brevisions?\b`},
	[2]string{"abstract", `(abstract|title|paper|intent|intention)s? regist(ration|er)|register (the|your|an?|their) (abstract|paper|title)`},
	[2]string{"registration", `^\W*((early|late|regular|author|standard)[- ]?(bird)? )?registration\b`},
	[2]string{"notification", `notif|decision|(announcement|communication|confirmation) of (the )?(accept|result|selected)|\baccept(ance|ed)\b|will be (informed|announced)|results? (of|announc|available|due)|inform(ed|ation) (of|about|to) |resultados|ergebnis|benachrichtigung|rückmeldung|zusage|réponse aux auteurs|aceptaci|aceita|accettazione|selezion|录用|錄取|審查結果|审稿结果|採択|採否|심사\s?결과|결과 (발표|통보)|통보|selected speakers`},
	[2]string{"registration", `regist|\breg[.:]|early[- ]?bird|inscri(p|ç|z)|iscrizion|anmeld|inschrijv|注册|註冊|報名|报名|参加登録|등록`},
	[2]string{"workshop_proposal", `(workshop|symposi(um|a)|special session|panel|mini-?symposi(um|a)|session)s?[^.:;]{0,24}(proposal|propos)|proposals? (for|of) (a )?(workshop|symposi|panel|special session|session)`},
	[2]string{"tutorial_proposal", `tutorial`},
	[2]string{"doctoral", `doctora(l|te)|ph\.?\s?d\.?\b|dissertation`},
	[2]string{"abstract", `abstracts?\b.{0,60}\bposter`},
	[2]string{"submission", `\bpapers?\b(, | and |/| & )[^.;:]{0,30}\b(demos?|posters?)\b`},
	[2]string{"poster", `\bposter|pôster|póster|海报|ポスター`},
	[2]string{"demo", `\bdemos?\b|demonstration`},
	[2]string{"submission", `(paper|manuscript|article)s?\s*(and|&|or|/|,)\s*(extended\s+)?abstract|abstracts?\s*(and|&|or|/)\s*(the\s+)?(full\s+|short\s+)?(paper|manuscript|article)|extended paper`},
	[2]string{"abstract", `abstract|résumé|resumen|resumo|riassunt|summary|summaries|\bintent\b|摘要|초록|要旨|kurzfassung|expos[eé]|pitches`},
	[2]string{"event", eventPattern},
	[2]string{"submission", `submi(t|ss)|\bsend\b|\bsent\b|deadline|\bdue\b|\bpapers?\b|manuscript|contribution|proposal|articles?\b|full[- ]text|cfp (closes|ends|deadline)|call (closes|ends)|closing date|closes|soumission|soumettre|remise|contributions|date limite|submissão|submeter|submiss|envio|envío|enviar|entrega|fecha l[ií]mite|plazo|prazo|propuesta|ponencia|recepci[oó]n|chamada|scadenza|tempo fino|fino al|invio|sottomission|einreich|abgabe|frist|投稿|截稿|截止|提交|締切|締め切り|応募|原稿|제출|접수|마감|투고|finaliza|cierre|encerra`},
	[2]string{"event", `\b(conference|workshops?|symposium|congress|summit|meeting|tagung|konferenz|congreso|jornadas|colloque|convegno|evento?)\b|会议|會議|大会|會期|会期|개최|행사`},
)

// eventPattern matches a label that surely names the event's own days.
const eventPattern = `\b(main )?(conference|workshop|symposium|event|meeting|congress|summit|school|colloquium|forum)('s)? ?(dates?|days?|period|takes place|starts|begins)\b|will (be held|take place|be hosted)|(to be|is|being) held|takes? place|date and (place|venue|location)|dates? of (the )?(conference|workshop|event|symposium|meeting)|when and where|^when\b|^dates? ?:?$|開催|举办|召开|會期|会期|개최|findet .{0,80}statt|se (celebrar|realizar)|será realizad|aura lieu|si terrà`

var surelyEvent = regexp.MustCompile(`(?i)` + eventPattern)

// labelKind says what a date with this label is for; "" when the label says
// nothing.
func labelKind(label string) eventseer.DeadlineKind {
	label = clip(label, maxLabel)
	for _, r := range labelRules {
		if r.pattern.MatchString(label) {
			return r.kind
		}
	}
	return ""
}

// maxLabel bounds the text read as the label of one date, in bytes.
const maxLabel = 400

// generic matches a label that says "deadline" or "submission" but not of
// what; the heading above or the page's title then says more.
func generic(label string) bool {
	return !specific.MatchString(label)
}

var specific = regexp.MustCompile(`(?i)\bpapers?\b|manuscript|article|full[- ]text|proposal|abstract|contribution|trabalho|artigo|articulo|artículo|ponencia|论文|論文|논문`)

// extensionWords say that a date replaces an earlier one; formerly that the
// date after it is the one replaced.
var (
	extensionWords = regexp.MustCompile(`(?i)\bextend(ed)?\b|\bextension\b|new (deadline|date)|postponed|moved to|verlängert|prolong|prorrog|estendid|esteso|ampliad|延期|延长|延長|연장|\bfinal deadline\b|\bnow\b`)
	formerly       = regexp.MustCompile(`(?i)\b(was|originally|original(ly)?|previously|formerly|former|old|instead of|extended from|from|ursprünglich|statt|antes|initially|initial)\b[^\d]{0,30}$`)
)

// round matches what numbers a submission round.
var round = regexp.MustCompile(`(?i)\b(?:(?:round|cycle|phase|call)\s*#?\s*(\d|i{1,3}\b|one|two|three)|(first|second|third|fourth|1st|2nd|3rd|4th|spring|summer|fall|autumn|winter)\s+(?:submission\s+)?(?:round|cycle|deadline|phase|call))`)
