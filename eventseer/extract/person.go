package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"eventseer/eventseer"
)

// maxName bounds a person's name, in bytes.
const maxName = 60

var (
	honorific   = compile(`^(?:(?i:(?:prof|professora?|professor emerit\w+|dra?|drs|mr|mrs|ms|mme|doctor|assoc|associate|assist|assistant|asst|adj|adjunct|ing|habil|sir|dame|dipl|mtr[oa]|lic|academician|emerit(?:us|a))(?:\.[\s-]*|\s+|-+)|(?:jun|em|eng|rer|nat|phil|hon|rev|doc|mgr|univ|inf|pd|priv|ph|acad|med)\.[\s-]*)|د\.\s*)+`)
	degrees     = compile(`(?:[\s,]+(?:Ph\.?\s?D\.?|M\.?\s?Phil\.?|D\.?\s?Phil\.?|M\.?\s?Sc\.?|B\.?\s?Sc\.?|M\.\s?A\.|B\.\s?A\.|MBA|M\.?D\.|MD|FIEEE|FACM|CEng|Esq\.?|P\.?E\.|LL\.?[MD]\.?|Dr\.-Ing\.))+$`)
	nickname    = compile(`^[(（"“][\p{Lu}][\p{L}.\-' ]{0,14}[)）"”]\s+[\p{Lu}]`)
	nameMarks   = " *.:†‡<>\"\u00a0_·•#§¶✉📧°"
	announced   = compile(`(?i)\b(tb[acd]|t\.b\.[acd]|to be (announced|confirmed|determined|defined|decided)|coming soon|soon|vacant|n\.?n\.?)\b`)
	particles   = wordSet("van von de der den del della di da dos du la le el ten ter bin ibn al y e zu zum zur af av das do d' dal dalla dei degli bint ben abu vom vander und mac st st. san santa los las ap ul")
	entryEnds   = []string{" - ", " -- ", "--", " – ", " — ", " ‒ ", ": ", " · ", " | ", "|", " / ", "\t", "–", "—", " from ", " at ", " of ", " and ", " is ", " will ", " who "}
	postnominal = compile(`^,\s*(?:Ph\.?\s?D\.?|M\.?\s?Sc\.?|MBA|M\.?D\.?|FIEEE|Jr\.?|Sr\.?|III?|Esq\.?|Dr\.?|Prof\.?|CEng)(?:[,\s]|$)`)
)

// readsOn matches a sentence that goes on behind a name.
var readsOn = compile(`^ (?:and|is|will|who) `)

// notPerson are words that no person is called, and notPersonPrefixes begin
// such words, in lower case.
var (
	notPerson = wordSet(`university join services service based time towards toward using via into over under between without within ask me anything princess king queen breaks best-presentation moderator symp cfp draft due revision revisions regards presentations presentation hochschule stiftung edition editions previous past award awards format formats formatting abstract abstracts event events social theme themes accepted instruction instructions challenge challenges agenda year years virtual library option options payment payments journal journals reviewing model related papers accommodation travel visa policy privacy all new full invited guidelines guideline menu toggle skip latest recent tel fax phone address city college school department committee committees comité commitee chair chairs co-chair co-chairs cochair cochairs conference workshop symposium program programme track tracks research lab center centre society association inc ltd gmbh paper submission submissions deadline deadlines call calls important dates contact about registration hotel group team the for and of at in on with by to session sessions keynote keynotes speaker speakers member members board more view read click here website page news online science sciences engineering computer computing systems system data learning academy corporation usa uk tbd tba general local publicity publication publications web proceedings finance student students industry demo demos poster posters tutorial tutorials steering advisory technical scientific twitter linkedin facebook github google springer elsevier venue congress institute museum bank acknowledgments acknowledgements acknowledgement copyright rights reserved mailing list link links download file map maps route login search welcome introduction overview background motivation goals scope topics topic areas area plenary panel panels discussion coffee break lunch dinner opening closing reception schedule timetable sponsors sponsor partners partner supporters gallery photos video videos slides materials resources software tools tool security privacy networks network theory applications application analysis design digital human artificial intelligence machine neural deep vision language languages processing mining management information knowledge semantic logic quantum robotics cloud mobile wireless web-based internet things iot big open source special issue issues volume part chapter section table figure author authors reviewer reviewers editor editors director directora secretary secretaría secretaria treasurer coordinator coordinador president presidente vice dean rector head candidate phd postdoc postdoctoral fellow lecturer scientist engineer manager officer lead leader founder consultant analyst title bio biography email e-mail webpage homepage url january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday winter summer spring autumn fall north south east west northern southern eastern western europe asia africa america united kingdom states republic germany france italy spain china japan india canada australia brazil russia austria switzerland belgium netherlands sweden norway denmark finland poland portugal greece turkey mexico korea taiwan singapore iran israel pakistan egypt protocol protocolo logística tecnología académica técnica comisión del_foro foro universidade faculdade facultad congreso jornadas programa lugar fechas inicio contacto tel. fax. no not your our we thank thanks this that these those from will are is be has have can please see also other others honorary founding emeritus area-chair vice-chair vice-chairs first second third best-paper free how what when where who why yes back next top home-page show hide close open follow share tweet subscribe save print copy edit main primary secondary senior junior early late key final camera-ready camera ready notification acceptance extended updated upcoming current ceremony banquet excursion tour tours social-event transport transportation directions airport train bus metro street avenue road building hall room floor campus plaza square palace castle restaurant`)

	notPersonPrefixes = []string{"univers", "institut", "laborator", "organi", "sponsor", "technolog", "internation", "nation", "committe", "committ", "associat", "departm", "univ."}
	// lastNames are words of notPerson that are surnames as well: behind a known
	// given name they do not count.
	lastNames = wordSet("king west north south east street hall park page call may march lake fall winter summer spring rector dean lead lunch close top key city bank road may chair palace castle francis france german english israel day best new short press home young room square bus part marsh back hide how is may see an list map link table section final main big full")
)

// personIn reads one person with an affiliation.
func personIn(s string) (eventseer.Person, bool) {
	e, ok := entryIn(withoutContacts(clip(s, maxPersonBlock)))
	return e.Person, ok
}

// A personEntry is one person of a list; its Role is what stands behind the
// name.
type personEntry struct {
	eventseer.Person
	closed   bool // the affiliation stood in brackets
	doubtful bool // no part of the name is known as one
}

// entryIn reads "Name", "Name, Affiliation", "Name (Affiliation)",
// "Name - Affiliation" or "Surname, Name (Affiliation)" of a text without
// contacts.
func entryIn(s string) (personEntry, bool) {
	s = strings.TrimSpace(bullet.ReplaceAllString(strings.TrimSpace(s), ""))
	s = strings.TrimLeft(s, nameMarks+"?-–~=")
	titles := honorific.FindString(s)
	if len(titles) == len(s) {
		return personEntry{}, false
	}
	end := nameEnd(s[len(titles):]) + len(titles)
	name, rest := s[:end], s[end:]
	if readsOn.MatchString(rest) {
		rest = ""
	}
	name = strings.TrimSpace(degrees.ReplaceAllString(strings.TrimSpace(name), ""))
	if m := postnominal.FindString(rest); m != "" {
		rest = rest[len(strings.TrimRight(m, ", ")):]
	}
	name = strings.Trim(name, nameMarks)
	bare := honorific.ReplaceAllString(name, "")
	if !personName(bare) || isOrganization(bare) && !(hasGivenName(bare) && len(strings.Fields(bare)) == 2) {
		var ok bool
		if name, rest, ok = turned(name, rest); !ok {
			if name, rest, ok = unmarked(titles, s[len(titles):]); !ok {
				return personEntry{}, false
			}
		}
	}
	name = strings.Trim(name, nameMarks)
	if _, place := countryIn(name); place {
		return personEntry{}, false
	}
	e := personEntry{Person: eventseer.Person{Name: name}}
	e.Affiliation, e.Role, e.closed = affiliationIn(rest)
	e.Country = countryOf(e.Affiliation)
	e.doubtful = titles == "" && !isAffiliation(e.Affiliation) && !hasGivenName(bare) && !givenNames[fold(bare[strings.LastIndexByte(bare, ' ')+1:])] && !eastAsianName(bare)
	return e, true
}

// nameEnd returns where the name that begins s ends.
func nameEnd(s string) int {
	end := len(s)
	for i, r := range s {
		if r == '(' || r == '（' || r == '"' || r == '“' {
			if nickname.MatchString(s[i:]) {
				continue
			}
			return min(end, i)
		}
		if i > 0 && strings.ContainsRune(",，;；[<、：{=", r) || r == '.' && endsSentence(s, i) {
			end = min(end, i)
			break
		}
		if i > maxName*2 {
			break
		}
	}
	for _, sep := range entryEnds {
		if i := strings.Index(s[:end], sep); i > 0 {
			end = i
		}
	}
	return end
}

// endsSentence reports whether the full stop at s[i] does: behind a word in
// lower case of four letters or more.
func endsSentence(s string, i int) bool {
	if i+1 < len(s) && s[i+1] != ' ' {
		return false
	}
	n := 0
	for j := i; j > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:j])
		if !unicode.IsLower(r) {
			break
		}
		j -= size
		n++
	}
	return n >= 3
}

// turned reads "Surname, Given (Affiliation)".
func turned(name, rest string) (string, string, bool) {
	if !strings.HasPrefix(rest, ",") || name == "" || len(strings.Fields(name)) > 2 || isOrganization(name) {
		return "", "", false
	}
	rest = strings.TrimSpace(rest[1:])
	end := nameEnd(rest)
	given := strings.Trim(rest[:end], nameMarks)
	if !hasGivenName(given) || len(strings.Fields(given)) > 2 || !personName(given+" "+name) {
		return "", "", false
	}
	return given + " " + name, rest[end:], true
}

// unmarked reads a name that nothing parts from the institution behind it,
// "Dr. Jane Roe Hilltown University": two words, or three around an
// initial or a second given name. a title or a known given name the
// institution is three words or an acronym.
func unmarked(titles, s string) (string, string, bool) {
	if len(s) > maxPlaceBlock {
		return "", "", false
	}
	words := strings.Fields(s)
	n := 2
	for n < len(words) && len(strings.Trim(words[n-1], ".")) == 1 {
		n++
	}
	if n == 2 && len(words) > 4 && givenNames[fold(words[1])] && isOrgWord(words[3]) && !capitalBehind(words[4]) {
		n = 3 // "Ana Lucia Roe University of Hilltown"
	}
	if len(words) <= n {
		return "", "", false
	}
	name, rest := strings.Join(words[:n], " "), strings.Join(words[n:], " ")
	if _, place := countryIn(name); place || titles == "" && !hasGivenName(s) && len(words) < n+3 && !orgAcronyms[strings.SplitN(words[n], "-", 2)[0]] {
		return "", "", false
	}
	if strings.ContainsAny(name, ",:;()") || !personName(name) || isOrganization(name) || !isOrganization(clip(rest, maxName)) || !unicode.IsUpper([]rune(rest)[0]) {
		return "", "", false
	}
	return titles + name, " - " + rest, true
}

// affiliationIn reads what stands behind a name: the affiliation, a role such
// as "(chair)", and whether the affiliation stood in brackets.
func affiliationIn(s string) (affiliation, role string, closed bool) {
	s = strings.TrimSpace(clip(s, maxPersonBlock))
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "（") || strings.HasPrefix(s, "[") {
		end := closing(s)
		inner := strings.TrimSpace(strings.Trim(s[:end], "()（）[]"))
		after := strings.TrimSpace(strings.TrimLeft(s[end:], ")）] "))
		if r := inlineRole(inner); r != "" {
			affiliation, _, closed = affiliationIn(after)
			return affiliation, r, closed
		}
		if strings.HasPrefix(after, ",") && len(after) < maxName {
			if r := inlineRole(after); r != "" {
				return cleanAffiliation(inner), r, true
			}
			inner += after
		} else if r := inlineRole(after); r != "" {
			return cleanAffiliation(inner), r, true
		}
		return cleanAffiliation(inner), "", true
	}
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "from "), "at "))
	s = strings.Trim(s, " ,，-–—‒:·|/\t.")
	if i := strings.LastIndexAny(s, ",(-–["); i >= 0 {
		if r := inlineRole(s[i:]); r != "" {
			s, role = s[:i], r
		}
	} else if r := inlineRole(s); r != "" {
		return "", r, false
	}
	return cleanAffiliation(s), role, false
}

// inlineRole reads a role's bare name beside a person's.
func inlineRole(s string) string {
	s = strings.Trim(s, " ,()[]-–—.:*（）")
	if !isRoleName(s) {
		return ""
	}
	if bareChair.MatchString(s) {
		return chair
	}
	return roleOf(s)
}

var bareChair = compile(`(?i)^(?:co-?)?chair(?:s|man|woman|person)?$`)

// closing returns where the bracket that begins s is closed, len(s) if nowhere.
func closing(s string) int {
	depth := 0
	for i, r := range s {
		switch r {
		case '(', '（', '[':
			depth++
		case ')', '）', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// cleanAffiliation trims marks and an unpaired bracket; what holds no word, or
// says that it is to be announced, is no affiliation.
func cleanAffiliation(s string) string {
	s = strings.Trim(s, " ,，;-–—‒:·|/\t.*†‡")
	if strings.Count(s, ")") > strings.Count(s, "(") {
		s = strings.TrimRight(s, ")")
	}
	if strings.HasSuffix(s, "(") {
		s = strings.TrimRight(s, "( ,")
	}
	if !says(s) || announced.MatchString(s) && len(s) < 20 {
		return ""
	}
	return strings.TrimSpace(clip(s, maxPlaceBlock))
}

// personName reports whether s has the shape of a person's name: two to six
// capitalised words, small ones only as particles, or a name of East Asia.
func personName(s string) bool {
	if len(s) > maxName || strings.ContainsAny(s, "0123456789@/&?!|=+_%*#;:") {
		return false
	}
	if eastAsianName(s) {
		return true
	}
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 6 {
		return false
	}
	full := 0
	for i, w := range words {
		letters := strings.Trim(w, "'’\".,()“”‘«»")
		lower := strings.ToLower(letters)
		rs := []rune(letters)
		if len(rs) == 0 {
			return false
		}
		if i > 0 && i < len(words)-1 && particles[lower] || i == 0 && particles[lower] && len(words) > 2 {
			continue
		}
		if notPersonWord(lower) && !particles[lower] && !(hasGivenName(s) && (i == 0 || i == len(words)-1 && lastNames[lower])) {
			return false
		}
		if !unicode.IsUpper(rs[0]) && !prefixed(letters) {
			return false
		}
		if ideograph(rs[0]) {
			return false
		}
		if len(rs) > 2 || len(rs) == 2 && !strings.Contains(w, ".") {
			full++
		}
	}
	return full > 0 && !smallParticles[words[len(words)-1]]
}

// smallParticles end no name.
var smallParticles = wordSet("van von de De der den del della di da dos du la le el ten ter bin ibn al of")

// prefixed reports whether a word is a surname with a small prefix: "d'Amico",
// "al-Masri", "dePaiva".
func prefixed(w string) bool {
	for i, r := range w {
		if unicode.IsUpper(r) {
			return i > 0 && i <= 4
		}
	}
	return false
}

func notPersonWord(lower string) bool {
	if notPerson[lower] {
		return true
	}
	if first, second, ok := strings.Cut(lower, "-"); ok && (len(first) > 3 && notPerson[first] || len(second) > 3 && notPerson[second]) {
		return true
	}
	for _, prefix := range notPersonPrefixes {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return false
}

// Surnames that begin most Chinese and Korean names.
const (
	hanSurnames    = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫阎段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温溫康施文牛洪简簡賴赖詹游連连柯"
	hangulSurnames = "김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모"
)

// eastAsianName reports whether s is a name in Han characters, kana or Hangul:
// two to four with a surname in front, or two short words.
func eastAsianName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !ideograph(first) || orgEnd.MatchString(s) || strings.ContainsAny(s, "会會委员員系所院部局社室長长授") {
		return false
	}
	words := strings.Fields(s)
	n := 0
	for _, w := range words {
		for _, r := range w {
			if !ideograph(r) {
				return false
			}
			n++
		}
	}
	surname := strings.ContainsRune(hanSurnames, first) || strings.ContainsRune(hangulSurnames, first) && n >= 3
	if len(words) == 2 {
		return n <= 6 && utf8.RuneCountInString(words[0]) <= 3 && (surname || n >= 4)
	}
	return len(words) == 1 && n >= 2 && n <= 4 && surname
}
