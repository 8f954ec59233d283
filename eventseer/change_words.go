package eventseer

import "regexp"

// What pages say when something changes, in the languages that calls are most often
// written in. Texts are matched whatever their case.
var (
	// extensionNotice matches what says that a deadline was moved.
	extensionNotice = word(`(deadlines?|due dates?|submissions?( period| window)?|calls?( for \w+)?|dates?)\b[^.;]{0,40}\b(extended|postponed|prolonged|pushed back)|` +
		`\b(extended|new|revised) (\w+ ){0,2}(deadlines?|due dates?)|(deadlines?|submission) extension|extension of (the )?(\w+ ){0,2}deadlines?|` +
		`\bextended (to|until|till|by)\b|\bstill (accepting|open for|taking) (\w+ ){0,2}(submissions?|papers?|abstracts?|proposals?|contributions?)|` +
		`verlängert|fristverlängerung|prolongation|prolongée?s?\b|repoussée?s?\b|nouvelle date limite|prorrogad|prórroga|prorrogação|ampliación del plazo|plazo ampliado|nuev[ao] (fecha|plazo)|novo prazo|prorogat|proroga\b|nuova scadenza|продл[её]н|przedłużon|verlengd|延期|延长|延長|연장`)
	// extendedText matches what is called extended and is no deadline.
	extendedText = word(`\bextended (abstract|version|paper|summar|talk|manuscript|article|draft|text)[a-z]*`)
	// extensionAside is what a label says besides what it is of.
	extensionAside = word(`\((further |firm|final|strict|hard)?( ?extended)?( ?deadline)?!*\)|\b(extended|extension|new|updated|revised|further|final|firm|strict|hard|now|was|to)\b`)
	// undecided matches what stands where a day will be printed.
	undecided = word(`\b(tba|tbd|tbc|t\.b\.[adc]\.?)\b|to be (announced|determined|decided|confirmed|defined|fixed|avail?[ai]able)|\b(coming|posted) soon\b|\b(tentative(ly)?|provisional(ly)?|approximately|around|circa)\b|\bxx+\b|\?\?+|noch (offen|nicht)|à (venir|confirmer|préciser)|por (definir|confirmar|anunciar)|a (definir|confirmar)|da (definire|confermare)|未定|待定|미정`)
	// priced matches what says what something costs until a day.
	priced = word(`[€£$¥]\s?\d|\d\s?[€£]|\b(eur|usd|gbp)\b|\bprices?\b|\bfees?\b`)
	// datedWords matches what speaks of days.
	datedWords = word(`\b(dates?|deadlines?|due|schedule|timeline|held|(take|takes|taking) place)\b|\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)([a-z]{2,6})?\b|termin|fecha|datas?\b|échéance|日程|日期`)

	programReady = word(`\b(programm?e?|schedule|timetable|agenda)\b[^.;]{0,30}\b(is |are )?(now )?(available|online|on-line|posted|published|out|released|announced|unveiled|(can be )?found)\b|` +
		`^\W*((new|the|final|full|detailed|preliminary|tentative|provisional|advance|complete|conference|symposium|workshops?|technical|scientific|academic|main|event|social)\b\W*)*([\w'’-]+ ){0,2}programm?e?(\W+(and|&|overview|details?|schedule|timetable|at|a|glance|guide|book|booklet|pdf|online|accepted|papers|abstracts|proceedings|now|new))*\W*$|` +
		`\b(workshops?|conference|symposium|full|final|preliminary|detailed|tentative|presentations?|talks?|sessions?|programm?e?) (schedule|timetable|agenda)\b|zeitplan|tagungsprogramm|^\W*programa\W*$|programa (final|definitivo|preliminar|provisional)|programm (ist )?online|日程表|会议日程|议程|プログラム|프로그램|программа`)
	notProgram     = word(`\bprogramm?e? ?(committees?|chairs?|co-?chairs?|members?|board|organi[sz]ers?)|\b(master|phd|doctoral|degree|funding|framework|grant|research|training|mentoring|volunteer|study|work|horizon|erasmus|social|partner|exchange|summer|fellowship|scholarship|outreach) program(me)?s?|program(me)?s? (of|for) (study|funding)|programming|\bopen program`)
	speakerWords   = word(`\b(key ?notes?|invited|plenary|featured|distinguished|guest)( and \w+)? ?(speakers?|talks?|lectures?|lecturers?|address|presentations?|panelists?)?\b|\b(speakers?|panelists?|tutors|lecturers?)\b|hauptredner|conférenciers? invités?|conferencistas?|ponentes|palestrantes|oradores|relatori|基調講演|招待講演|特邀报告|主讲|초청 ?(강연|연사)|기조 ?강연|докладчик`)
	committeeWords = word(`\b(committees?|commitee|comittee|chairs?|co-?chairs?|chairperson|chairm[ae]n|organi[sz]ers?|organi[sz]ing|editors?|steering|(advisory|editorial|review) board|reviewers|panelists|tpc|faculty panel)\b|komitee|ausschuss|comité|comitê|comitato|comissão|organisatoren|veranstalter|organizadores|coordinadores|organizzatori|委員|委员|主席|위원|комитет|komitet`)
	newsWords      = word(`^\W*(latest |recent |current |new |breaking )*(news|updates?|announcements?|happenings|what['’]s new|noticias|novedades|aktuelles|neuigkeiten|actualités|notícias|avvisi|notizie|ニュース|お知らせ|新闻|消息|通知公告|공지( ?사항)?|новости)( (and|&) \w+)?\W*$`)
	newsNotice     = word(`\b(is|are|has been|have been)( now| already)? (now )?(open|online|on-line|available|live|out|published|announced|released|posted|closed|over|accepted)\b|\bnow (open|online|available|live|accepting)\b|^\W*new\W*(!|:|\]|\)|$)|\bcongratulations?\b|\b(announc(e|ing|ed|ement)|unveiled|postponed|cancel+ed|has moved|welcome to)\b|\bthank(s| you)\b|jetzt (online|verfügbar|geöffnet)|ya (está|están) (abiert|disponible)|já (está|estão) (abert|disponíve)|est (désormais|maintenant) (ouvert|disponible|en ligne)|è ora (aperta|disponibile)|公開しました|开放|已发布`)
	sectionOfNews  = word(`^\W*(registration|venue|accommodation|travel( information)?|hotels?|awards?|best papers?|proceedings|sponsors?|social events?|excursions?|photos?|camera[- ]ready( \w+)?|presentation (instructions|guidelines)|instructions for (presenters|authors|speakers)|visa|workshops|tutorials|special issues?|accepted papers?|how to (get|reach) .*|grants?|anmeldung|inscri[pç][a-zçõã]+|registrazione|inscriptions?)\W*$`)
	movedAway      = word(`\b(page|site|website|conference|workshop|web ?page) (has|have) (been )?moved\b|\b(new|moved) (web ?)?(site|page|address|url)\b|no longer (maintained|updated)|redirect`)
)

func word(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }
